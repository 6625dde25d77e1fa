"""Log lines to what they tell about the run: ContextReader.

A push machine beside the events: frameworks, versions, configuration, phase, progress and the run's end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from logdoctor.automaton import Automaton
from logdoctor.loops import BAR, LoopReader
from logdoctor.markers import ACTOR_PHASES, FRAMEWORK_ORDER, MARKERS, METHOD_PHASES, MarkerKind
from logdoctor.model import AnchorKind, Course, Lane, LogEvent, LogLine, Phase, Progress, RunContext, Situation
from logdoctor.normalize import without_escapes
from logdoctor.prefixes import strip_prefixes

VALUES_KEPT = 20
"""Different values of one configuration key that are kept."""

KEYS_LIMIT = 5000
"""Configuration keys that are kept."""

TIMELINE_LIMIT = 20000
"""Phase changes and progress lines that are kept per source; of more, the newest."""

STEPS_KEPT = 64
"""Progress lines that are kept for the time line; of more, evenly many."""

TAIL_LINES = 20
"""Last lines of a source that tell who was still writing."""

WRITERS_LIMIT = 4096
"""Writers whose progress is told apart; later ones are counted as one."""

_BETWEEN_STEPS = (Phase.INIT, Phase.CHECKPOINT, Phase.EVAL)
"""Phases that are over when the next step is reported."""

_METHOD = re.compile(r"ray::(?:[\w.]+\.)?(\w+)\(\)")


class _Timeline:
    """Lines of one source that told a phase or a step, ascending; the oldest are forgotten, but counted."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.phases: list[Phase | None] = []
        self.forgotten = 0

    def add(self, number: int, phase: Phase | None) -> None:
        self.numbers.append(number)
        self.phases.append(phase)
        if len(self.numbers) > TIMELINE_LIMIT:
            half = TIMELINE_LIMIT // 2
            del self.numbers[:half], self.phases[:half]
            self.forgotten += half

    def count_until(self, number: int) -> int:
        return self.forgotten + bisect_right(self.numbers, number)

    def last_until(self, number: int) -> tuple[int, Phase | None]:
        position = bisect_right(self.numbers, number)
        return (self.numbers[position - 1], self.phases[position - 1]) if position else (0, None)


class ContextReader:
    """Reads the marked lines of all sources, one after the other."""

    def __init__(self, automaton: Automaton, frameworks: Sequence[str] = (), config: Mapping[str, str] | None = None) -> None:
        """`frameworks` and `config` are what the user said; they outrank the log."""
        self._automaton = automaton
        self._given_frameworks = tuple(frameworks)
        self._given_config = dict(config or {})
        self._settings: dict[int, re.Pattern[str]] = {}  # compiled when first seen: most never are
        self._frameworks: set[str] = set()
        self._versions: dict[str, str] = {}
        self._config: dict[str, list[str]] = {}
        self._phases: dict[str, _Timeline] = {}
        self._progress: dict[str, _Timeline] = {}
        self._steps: dict[str, dict[Lane, tuple[int, ...]]] = {}  # by source and writer, the last two progress lines
        self._last_progress: Progress | None = None
        self._loops = LoopReader()
        self._worked: dict[str, int] = {}  # by source, the latest line with a bar of work under way
        self._ends: dict[str, int] = {}
        self._stops: dict[str, int] = {}
        self._cut: set[str] = set()
        self._closed: dict[str, tuple[int, dict[Lane, int]]] = {}  # by source, its lines and its last writers

    @property
    def last_progress(self) -> Progress | None:
        """The last step reported so far."""
        return self._last_progress

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Those recognised so far, the outermost first; those that the user named before all."""
        seen = [name for name in FRAMEWORK_ORDER if name in self._frameworks]
        return tuple(dict.fromkeys((*self._given_frameworks, *seen)))

    def feed(self, line: LogLine) -> bool:
        """Takes the next line that was handed on; whether it reports a step or numbers of one."""
        if BAR in line.raw:
            self._read_bars(line.source, line.number, line.raw)
        if not line.kinds & {AnchorKind.MARKER, AnchorKind.SETTING}:
            return False
        has_numbers = False
        for number in line.anchors:
            for anchor in self._automaton.anchors[number]:
                if anchor.kind is AnchorKind.MARKER:
                    has_numbers |= MARKERS[anchor.owner].kind in (MarkerKind.PROGRESS, MarkerKind.METRIC)
                    self._read_marker(anchor.owner, line)
                elif anchor.kind is AnchorKind.SETTING:
                    self._read_setting(anchor.owner, line)
        return has_numbers

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes note of a source's length and of its last bytes."""
        text = tail.decode("utf-8", errors="replace")
        texts = text.splitlines()
        numbered = zip(range(lines - len(texts) + 1, lines + 1), texts, strict=True)
        self._closed[source] = (lines, {_writer(text): number for number, text in list(numbered)[-TAIL_LINES:] if text.strip()})
        rows = text.removesuffix("\n").split("\n")
        for number, row in enumerate(rows, max(1, lines - len(rows) + 1)):
            if BAR in row:
                self._read_bars(source, number, without_escapes(row))

    def situation(self, event: LogEvent) -> Situation:
        """Where the run stood when the event began; of the line's own source."""
        line = event.lines[0]
        progress = self._progress.get(line.source)
        phase, told_by = self._phase_of(event)
        return Situation(phase, progress.count_until(line.number) if progress else 0, told_by)

    def result(self) -> RunContext:
        """All that was learnt."""
        config = {key: tuple(values) for key, values in self._config.items()}
        config.update({key: (value,) for key, value in self._given_config.items()})
        last_phases = [timeline.phases[-1] for timeline in self._phases.values()]
        return RunContext(
            frameworks=self.frameworks,
            versions=dict(self._versions),
            config=config,
            last_phase=last_phases[-1] if last_phases else None,
            last_progress=self._furthest(),
            courses={source: self._course(source) for source in {*self._steps, *self._ends, *self._stops, *self._cut, *self._closed}},
        )

    def _furthest(self) -> Progress | None:
        """The last step; where no line gives its number, the one that the bar shows."""
        if self._last_progress and self._last_progress.step is not None:
            return self._last_progress
        return self._loops.training_step(self._last_progress and self._last_progress.source) or self._last_progress

    def _course(self, source: str) -> Course:
        lines, living = self._closed.get(source, (0, {}))
        timeline = self._progress.get(source)
        numbers = timeline.numbers if timeline else []
        return Course(
            progress=dict(self._steps.get(source, {})),
            steps=tuple(dict.fromkeys((*numbers[:: len(numbers) // STEPS_KEPT + 1], *numbers[-1:]))),
            cut=source in self._cut,
            end=self._ends.get(source),
            stop=self._stops.get(source),
            lines=lines,
            living=living,
            loops=self._loops.moves(source),
        )

    def _read_marker(self, number: int, line: LogLine) -> None:
        marker = MARKERS[number]
        found = re.search(marker.pattern, line.raw)
        if found is None:
            return
        groups = found.groupdict()
        if marker.kind is MarkerKind.FRAMEWORK:
            self._frameworks.add(marker.value)
        elif marker.kind is MarkerKind.VERSION:
            self._versions.setdefault(marker.value, groups["version"].rstrip("."))
        elif marker.kind is MarkerKind.PHASE:
            self._phases.setdefault(line.source, _Timeline()).add(line.number, Phase(marker.value))
        elif marker.kind is MarkerKind.PROGRESS:
            self._read_progress(groups.get("step"), groups.get("total"), line)
        elif marker.kind is MarkerKind.CUT:
            self._cut.add(line.source)
        elif marker.kind is MarkerKind.STOP:
            self._stops.setdefault(line.source, line.number)
        elif marker.kind is MarkerKind.END:
            self._ends.setdefault(line.source, line.number)

    def _read_progress(self, step: str | None, total: str | None, line: LogLine) -> None:
        """Counts a line once, whichever markers fit it, and takes back an end that came before it."""
        progress = self._progress.setdefault(line.source, _Timeline())
        if progress.numbers[-1:] == [line.number]:
            return
        self._last_progress = Progress(line.source, line.number, int(step) if step else None, int(total) if total else None)
        progress.add(line.number, None)
        steps = self._steps.setdefault(line.source, {})
        writer = _writer(line.raw)
        writer = writer if writer in steps or len(steps) < WRITERS_LIMIT else Lane()
        steps[writer] = (*steps.get(writer, ())[-1:], line.number)
        self._ends.pop(line.source, None)

    def _read_bars(self, source: str, number: int, text: str) -> None:
        if self._loops.feed(source, number, text):
            self._worked[source] = number

    def _read_setting(self, number: int, line: LogLine) -> None:
        if number not in self._settings:
            self._settings[number] = _setting_regex(self._automaton.settings[number])
        for found in self._settings[number].finditer(line.raw):
            key = found["key"].lstrip("+-")
            values = self._config.setdefault(key, []) if key in self._config or len(self._config) < KEYS_LIMIT else []
            value = found["value"].strip("'\"")
            if value not in values and len(values) < VALUES_KEPT:
                values.append(value)

    def _phase_of(self, event: LogEvent) -> tuple[Phase | None, str | None]:
        """By the method that Ray names, else the innermost telling function, the actor's name, the last marker; and what told it."""
        methods = [method for line in event.lines for method in _METHOD.findall(line.text)]
        functions = [frame.partition(", in ")[2].partition(" ")[0] for frame in reversed(event.frames)]
        for table, name in (*((METHOD_PHASES, name) for name in (*methods, *functions)), (ACTOR_PHASES, event.line.lane.actor or "")):
            phase = _first_phase(table, name)
            if phase:
                return phase, name
        timeline = self._phases.get(event.line.source)
        number, phase = timeline.last_until(event.lines[0].number) if timeline else (0, None)
        steps = self._progress.get(event.line.source)
        if phase in _BETWEEN_STEPS and steps and steps.count_until(event.lines[0].number) > steps.count_until(number):
            return None, None  # steps were made since
        if phase is Phase.INIT and number < self._worked.get(event.line.source, 0) <= event.lines[-1].number:
            return None, None
        return phase, f"{event.line.source.rsplit('/', 1)[-1]}:{number}" if phase else None


def _writer(text: str) -> Lane:
    return strip_prefixes(without_escapes(text)).stream


def _first_phase(table: Sequence[tuple[re.Pattern[str], Phase]], name: str) -> Phase | None:
    return next((phase for pattern, phase in table if name and pattern.search(name)), None)


def _setting_regex(key: str) -> re.Pattern[str]:
    last = re.escape(key.rsplit(".", 1)[-1])
    return re.compile(
        rf"(?<![\w.-])(?P<key>\+{{0,2}}(?:[\w-]{{1,60}}\.){{0,12}}{last})\b['\"]?(?: \([a-z]+\))?[ \t]{{0,8}}[:=-][ \t]{{0,8}}(?P<value>'[^']*'|\"[^\"]*\"|[^\s,'\"}}\])]+)"
    )
