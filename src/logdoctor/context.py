"""Log lines to what they tell about the run: ContextReader.

A push machine beside the events: frameworks, versions, configuration, phase, progress and the run's end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from logdoctor.automaton import Automaton
from logdoctor.markers import ACTOR_PHASES, FRAMEWORK_ORDER, MARKERS, METHOD_PHASES, MarkerKind
from logdoctor.model import AnchorKind, LogEvent, LogLine, Phase, Progress, RunContext, Situation

VALUES_KEPT = 20
"""Different values of one configuration key that are kept."""

KEYS_LIMIT = 5000
"""Configuration keys that are kept."""

TIMELINE_LIMIT = 20000
"""Phase changes and progress lines that are kept per source; of more, the newest."""

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

    def last_until(self, number: int) -> Phase | None:
        position = bisect_right(self.numbers, number)
        return self.phases[position - 1] if position else None


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
        self._last_progress: Progress | None = None
        self._ends: dict[str, int] = {}

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

    def situation(self, event: LogEvent) -> Situation:
        """Where the run stood when the event began; of the line's own source."""
        line = event.lines[0]
        progress = self._progress.get(line.source)
        return Situation(self._phase_of(event), progress.count_until(line.number) if progress else 0)

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
            last_progress=self._last_progress,
            progress={source: tuple(timeline.numbers[-2:]) for source, timeline in self._progress.items()},
            ends=dict(self._ends),
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
        elif marker.kind is MarkerKind.END:
            self._ends[line.source] = line.number

    def _read_progress(self, step: str | None, total: str | None, line: LogLine) -> None:
        """Counts a line once, whichever markers fit it, and takes back an end that came before it."""
        progress = self._progress.setdefault(line.source, _Timeline())
        if progress.numbers[-1:] == [line.number]:
            return
        self._last_progress = Progress(line.source, line.number, int(step) if step else None, int(total) if total else None)
        progress.add(line.number, None)
        self._ends.pop(line.source, None)

    def _read_setting(self, number: int, line: LogLine) -> None:
        if number not in self._settings:
            self._settings[number] = _setting_regex(self._automaton.settings[number])
        for found in self._settings[number].finditer(line.raw):
            key = found["key"].lstrip("+-")
            values = self._config.setdefault(key, []) if key in self._config or len(self._config) < KEYS_LIMIT else []
            value = found["value"].strip("'\"")
            if value not in values and len(values) < VALUES_KEPT:
                values.append(value)

    def _phase_of(self, event: LogEvent) -> Phase | None:
        """By the method that Ray names, else the innermost telling function, the actor's name, the last marker."""
        methods = [method for line in event.lines for method in _METHOD.findall(line.text)]
        functions = [frame.partition(", in ")[2].partition(" ")[0] for frame in reversed(event.frames)]
        phases = [_first_phase(METHOD_PHASES, name) for name in (*methods, *functions)]
        phases.append(_first_phase(ACTOR_PHASES, event.line.lane.actor or ""))
        told = next((phase for phase in phases if phase), None)
        timeline = self._phases.get(event.line.source)
        return told or (timeline.last_until(event.lines[0].number) if timeline else None)


def _first_phase(table: Sequence[tuple[re.Pattern[str], Phase]], name: str) -> Phase | None:
    return next((phase for pattern, phase in table if name and pattern.search(name)), None)


def _setting_regex(key: str) -> re.Pattern[str]:
    last = re.escape(key.rsplit(".", 1)[-1])
    return re.compile(
        rf"(?<![\w.-])(?P<key>\+{{0,2}}(?:[\w-]{{1,60}}\.){{0,12}}{last})\b['\"]?(?: \([a-z]+\))?[ \t]{{0,8}}[:=-][ \t]{{0,8}}(?P<value>'[^']*'|\"[^\"]*\"|[^\s,'\"}}\])]+)"
    )
