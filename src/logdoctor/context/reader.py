"""Log lines to what they tell about the run: ContextReader.

A push machine beside the events: frameworks, versions, configuration, phase, progress and the run's
end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Hashable, Mapping, Sequence

from logdoctor.context.last_words import last_words
from logdoctor.formats.markers import FRAMEWORK_ORDER, MARKERS, MarkerKind
from logdoctor.formats.phase_names import phase_of_actor, phase_of_method
from logdoctor.formats.prefixes import Stripped, strip_prefixes
from logdoctor.formats.printed_settings import read_settings
from logdoctor.formats.progress_bars import BAR, LoopReader
from logdoctor.memo import Memo
from logdoctor.model import (
    AnchorKind,
    Course,
    Lane,
    LogEvent,
    LogLine,
    Phase,
    Progress,
    RunContext,
    Situation,
)
from logdoctor.search.automaton import Automaton
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.masking import without_escapes

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

STEP_TIMES_KEPT = 64
"""Steps whose times are kept; of more, the first half of them and the last."""

FIRST_LINES = 50
"""Lines that tell about the run, in which its first time is looked for."""

WRITERS_LIMIT = 4096
"""Writers whose progress is told apart; later ones are counted as one."""

GIVEN_UP_LIMIT = 8
"""Lines kept that say that a scheduler ends the job; it says so once or twice."""

CALLS_LIMIT = 2048
"""Shapes of events that are remembered with the phase that their calls tell."""

_BETWEEN_STEPS = (Phase.INIT, Phase.CHECKPOINT, Phase.EVAL)
"""Phases that are over when the next step is reported."""

_FAILURES = frozenset({AnchorKind.ERROR})
_OF_STEPS = frozenset({MarkerKind.PROGRESS, MarkerKind.METRIC})
# beside those they tell nothing
_OF_NUMBERS = frozenset({MarkerKind.METRIC, MarkerKind.NOT_FINITE})
_METHOD = r"ray::(?:[\w.]+\.)?(\w+)\(\)"


class _Timeline:
    """Lines of one source that told a phase or a step, ascending; the oldest are forgotten, but
    counted.
    """

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

    def __init__(
        self,
        automaton: Automaton,
        frameworks: Sequence[str] = (),
        config: Mapping[str, str] | None = None,
        own_numbers: OwnNumbers | None = None,
    ) -> None:
        """`frameworks` and `config` are what the user said; they outrank the log. `own_numbers`
        are those of lines that are shown.
        """
        self._own_numbers = OwnNumbers() if own_numbers is None else own_numbers
        self._automaton = automaton
        self._given_frameworks = tuple(frameworks)
        self._given_config = dict(config or {})
        self._frameworks: set[str] = set()
        self._versions: dict[str, str] = {}
        self._config: dict[str, list[str]] = {}
        self._phases: dict[str, _Timeline] = {}
        self._progress: dict[str, _Timeline] = {}
        # by source and writer, the last two progress lines
        self._steps: dict[str, dict[Lane, tuple[int, ...]]] = {}
        self._told: dict[str, dict[Lane, int]] = {}  # by source and writer, the last step
        # by source, the last two lines that told a new step
        self._advances: dict[str, tuple[int, ...]] = {}
        self._step_times: dict[str, dict[int, str]] = {}  # by source and step
        # by source, its first time, or how many lines had none
        self._first_times: dict[str, str | int] = {}
        self._last_times: dict[str, str | None] = {}  # by source
        self._last_progress: Progress | None = None
        self._loops = LoopReader()
        self._worked: dict[str, int] = {}  # by source, the latest line with a bar of work under way
        self._ends: dict[str, int] = {}
        self._is_being_ended = False
        self._given_up: dict[str, tuple[int, ...]] = {}
        self._stops: dict[str, int] = {}
        self._cancels: dict[str, int] = {}
        self._restarts: dict[str, int] = {}  # by source, the last line
        self._world_size: int | None = None
        self._cut: set[str] = set()
        # by shape of the event
        self._called: Memo[Hashable, tuple[Phase | None, str]] = Memo(CALLS_LIMIT)
        self._last_words: dict[str, LogEvent | None] = {}  # by source
        # by source, its lines and its last writers
        self._closed: dict[str, tuple[int, dict[Lane, int]]] = {}

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
        self._note_first_time(line)
        has_numbers = False
        for number in line.anchors:
            for anchor in self._automaton.anchors_of(number):
                if anchor.kind is AnchorKind.MARKER:
                    kind = MARKERS[anchor.owner].kind
                    has_numbers |= kind in _OF_STEPS or (
                        kind is MarkerKind.NOT_FINITE and _is_step_line(line.raw)
                    )
                    if kind not in _OF_NUMBERS:
                        self._read_marker(anchor.owner, line)
                elif anchor.kind is AnchorKind.SETTING:
                    self._read_setting(anchor.owner, line)
        return has_numbers

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes note of a source's length and of its last bytes."""
        rows = tail.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
        numbered = list(enumerate(rows, max(1, lines - len(rows) + 1)))
        last = [
            (number, _stripped(each)) for number, each in numbered[-TAIL_LINES:] if each.strip()
        ]
        self._closed[source] = (lines, {stripped.stream: number for number, stripped in last})
        self._last_times[source] = next(
            (stripped.time for _, stripped in reversed(last) if stripped.time), None
        )
        self._last_words[source] = last_words(source, numbered[-TAIL_LINES:])
        for number, row in numbered:
            if BAR in row:
                self._read_bars(source, number, without_escapes(row))

    def situation(self, event: LogEvent, shape: Hashable) -> Situation:
        """Where the run stood when the event began; of the line's own source. Events of one
        `shape` differ in digits only.
        """
        line = event.lines[0]
        progress = self._progress.get(line.source)
        phase, told_by = self._phase_of(event, shape)
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
            last_progress=self._shown(self._furthest()),
            world_size=self._world_size,
            courses={
                source: self._course(source)
                for source in {
                    *self._steps,
                    *self._ends,
                    *self._stops,
                    *self._restarts,
                    *self._cut,
                    *self._closed,
                }
            },
        )

    @property
    def has_ended(self) -> bool:
        """Whether a source has told of its run's end and of no step since; far cheaper than
        `result`.
        """
        return bool(self._ends)

    @property
    def is_being_ended(self) -> bool:
        """Whether a source has told that its run is being ended from outside; steps may come all
        the same, until it has saved.
        """
        return self._is_being_ended

    def _shown(self, progress: Progress | None) -> Progress | None:
        """With the number that its line has in the source."""
        own = progress and self._own_numbers.of(progress.source, progress.line)
        return progress._replace(line=own) if progress and own else progress

    def _furthest(self) -> Progress | None:
        """The last step; where no line gives its number, the one that the bar shows."""
        if self._last_progress and self._last_progress.step is not None:
            return self._last_progress
        return (
            self._loops.training_step(self._last_progress and self._last_progress.source)
            or self._last_progress
        )

    def _course(self, source: str) -> Course:
        lines, living = self._closed.get(source, (0, {}))
        timeline = self._progress.get(source)
        numbers = timeline.numbers if timeline else []
        first = self._first_times.get(source)
        return Course(
            progress=dict(self._steps.get(source, {})),
            steps=tuple(
                sorted(
                    self._own_numbers.of(source, each)
                    for each in {*numbers[:: len(numbers) // STEPS_KEPT + 1], *numbers[-1:]}
                )
            ),
            advances=self._advances.get(source, ()),
            step_times=dict(self._step_times.get(source, {})),
            span=(first if isinstance(first, str) else None, self._last_times.get(source)),
            cut=source in self._cut,
            end=self._ends.get(source),
            stop=self._stops.get(source),
            cancel=self._cancels.get(source),
            given_up=self._given_up.get(source, ()),
            restart=self._restarts.get(source),
            lines=lines,
            living=living,
            loops=self._loops.moves(source),
            last_words=self._last_words.get(source),
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
            # after steps it is a copy of the end that follows
            self._cut |= {line.source} - self._steps.keys()
        elif marker.kind is MarkerKind.RESTART:
            self._restarts[line.source] = line.number
        elif marker.kind is MarkerKind.WORLD:
            self._world_size = max(self._world_size or 0, int(groups["world"]))
        elif marker.kind in (MarkerKind.STOP, MarkerKind.END, MarkerKind.CANCEL):
            self._read_ending(marker.kind, groups.keys(), line)

    def _read_ending(self, kind: MarkerKind, said: Collection[str], line: LogLine) -> None:
        self._is_being_ended |= "outside" in said or "job" in said
        if "job" in said:
            self._given_up[line.source] = (*self._given_up.get(line.source, ()), line.number)[
                :GIVEN_UP_LIMIT
            ]
        endings = {
            MarkerKind.STOP: self._stops,
            MarkerKind.END: self._ends,
            MarkerKind.CANCEL: self._cancels,
        }
        endings[kind].setdefault(line.source, line.number)

    def _read_progress(self, step: str | None, total: str | None, line: LogLine) -> None:
        """Counts a line once, whichever markers fit it, and takes back an end or a stop that
        came before it.
        """
        progress = self._progress.setdefault(line.source, _Timeline())
        if progress.numbers[-1:] == [line.number]:
            return
        self._last_progress = Progress(
            line.source, line.number, int(step) if step else None, int(total) if total else None
        )
        progress.add(line.number, None)
        steps = self._steps.setdefault(line.source, {})
        stripped = _stripped(line.raw)
        if step and stripped.time:
            self._note_step_time(line.source, int(step), stripped.time)
        writer = stripped.stream
        writer = writer if writer in steps or len(steps) < WRITERS_LIMIT else Lane()
        steps[writer] = (*steps.get(writer, ())[-1:], line.number)
        self._note_advance(line, writer, int(step) if step else None)
        self._ends.pop(line.source, None)
        self._stops.pop(line.source, None)
        self._cancels.pop(line.source, None)

    def _note_advance(self, line: LogLine, writer: Lane, step: int | None) -> None:
        """Takes note of a step that nobody had told before, or that its writer tells again: the
        run goes on, or was started anew.
        """
        told = self._told.setdefault(line.source, {})
        is_late = step is not None and told.get(writer, -1) < step <= max(told.values(), default=-1)
        if step is not None:
            if step < told.get(writer, step):  # started anew, and with it the others
                told.clear()
                self._given_up.pop(line.source, None)
            told[writer] = step
        if not is_late:
            self._advances[line.source] = (*self._advances.get(line.source, ())[-1:], line.number)

    def _note_first_time(self, line: LogLine) -> None:
        told = self._first_times.get(line.source, 0)
        if isinstance(told, int) and told < FIRST_LINES:
            self._first_times[line.source] = _stripped(line.raw).time or told + 1

    def _note_step_time(self, source: str, step: int, time: str) -> None:
        times = self._step_times.setdefault(source, {})
        times.setdefault(step, time)
        if len(times) > STEP_TIMES_KEPT:
            del times[list(times)[STEP_TIMES_KEPT // 2]]

    def _read_bars(self, source: str, number: int, text: str) -> None:
        if self._loops.feed(source, number, text):
            self._worked[source] = number

    def _read_setting(self, number: int, line: LogLine) -> None:
        if line.kinds & _FAILURES:
            # what an error advises, or quotes of another program, is not this run's configuration
            return
        for key, value in read_settings(
            self._automaton.settings[number].rsplit(".", 1)[-1], line.raw
        ):
            values = (
                self._config.setdefault(key, [])
                if key in self._config or len(self._config) < KEYS_LIMIT
                else []
            )
            if value not in values and len(values) < VALUES_KEPT:
                values.append(value)

    def _phase_of(self, event: LogEvent, shape: Hashable) -> tuple[Phase | None, str | None]:
        """By the method that Ray names, else the innermost telling function, the actor's name,
        the last marker; and what told it.
        """
        called = self._called.get(shape)
        if called is None:
            called = _phase_of_calls(event)
            if not any(map(str.isdigit, called[1])):
                self._called[shape] = called
        actor = event.line.lane.actor or ""
        for phase, name in (called, (phase_of_actor(actor), actor)):
            if phase:
                return phase, name
        timeline = self._phases.get(event.line.source)
        number, phase = timeline.last_until(event.lines[0].number) if timeline else (0, None)
        steps = self._progress.get(event.line.source)
        if (
            phase in _BETWEEN_STEPS
            and steps
            and steps.count_until(event.lines[0].number) > steps.count_until(number)
        ):
            return None, None  # steps were made since
        if (
            phase is Phase.INIT
            and number < self._worked.get(event.line.source, 0) <= event.lines[-1].number
        ):
            return None, None
        source = event.line.source
        number = self._own_numbers.of(source, number)
        return phase, f"{source.rsplit('/', 1)[-1]}:{number}" if phase else None


def _phase_of_calls(event: LogEvent) -> tuple[Phase | None, str]:
    """What the run does that is in these methods and functions, and the name of the one that
    tells it.
    """
    methods = [
        method
        for line in event.lines
        if "ray::" in line.text
        for method in re.findall(_METHOD, line.text)
    ]
    functions = [frame.partition(", in ")[2].partition(" ")[0] for frame in reversed(event.frames)]
    return next(
        ((phase, name) for name in (*methods, *functions) if (phase := phase_of_method(name))),
        (None, ""),
    )


def _is_step_line(text: str) -> bool:
    """Whether a line is of a form that is read with finite numbers, too."""
    return any(marker.kind in _OF_STEPS and re.search(marker.pattern, text) for marker in MARKERS)


def _stripped(text: str) -> Stripped:
    return strip_prefixes(without_escapes(text))
