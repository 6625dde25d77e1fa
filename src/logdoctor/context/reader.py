"""Log lines to what they tell about the run: ContextReader.

A push machine beside the events: frameworks, versions, configuration, phase, progress and the run's
end.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence

from logdoctor.context.complaints import complaint
from logdoctor.context.good_ends import good_end_at
from logdoctor.context.last_words import last_words
from logdoctor.context.waiting import waiting_at_end
from logdoctor.formats.bare_codes import tells_reason
from logdoctor.formats.closing_words import spoils_end
from logdoctor.formats.error_lines import REPORT
from logdoctor.formats.marked import fits_any
from logdoctor.formats.markers import FRAMEWORK_ORDER, MARKERS, MarkerKind
from logdoctor.formats.phase_names import phase_of_actor, phase_of_method
from logdoctor.formats.prefixes import Stripped, strip_prefixes
from logdoctor.formats.printed_settings import read_settings
from logdoctor.formats.progress_bars import BAR, drawn_bars, training_step
from logdoctor.memo import Memo
from logdoctor.model import (
    NOBODY,
    AnchorKind,
    LogEvent,
    LogLine,
    Phase,
    Place,
    Progress,
    RunContext,
    Situation,
)
from logdoctor.model.history import (
    Closed,
    Histories,
    PhaseBegan,
    Reasoned,
    Remark,
    RunBegan,
    Said,
    Sent,
    Step,
    Timed,
)
from logdoctor.search.automaton import Automaton
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.masking import without_escapes

VALUES_KEPT = 20
"""Different values of one configuration key that are kept."""

KEYS_LIMIT = 5000
"""Configuration keys that are kept."""

TAIL_LINES = 20
"""Last lines of a source that tell who was still writing."""

CALLS_LIMIT = 2048
"""Shapes of events that are remembered with the phase that their calls tell."""

_BETWEEN_STEPS = (Phase.INIT, Phase.CHECKPOINT, Phase.EVAL)
"""Phases that are over when the next step is reported."""

_FAILURES = frozenset({AnchorKind.ERROR})
_OF_STEPS = frozenset({MarkerKind.PROGRESS, MarkerKind.METRIC})
# beside those they tell nothing
_OF_NUMBERS = frozenset({MarkerKind.METRIC, MarkerKind.NOT_FINITE})
_METHOD = r"ray::(?:[\w.]+\.)?(\w+)\(\)"


_REMARKS: Mapping[MarkerKind, Remark] = {
    MarkerKind.END: Remark.END,
    MarkerKind.STOP: Remark.STOP,
    MarkerKind.CANCEL: Remark.CANCEL,
    MarkerKind.CUT: Remark.CUT,
    MarkerKind.RESTART: Remark.RESTART,
}


class ContextReader:
    """Reads the marked lines of all sources, one after the other.

    Attributes:
        histories: what happened in each source so far.
    """

    def __init__(
        self,
        automaton: Automaton,
        frameworks: Sequence[str] = (),
        config: Mapping[str, str] | None = None,
        own_numbers: OwnNumbers | None = None,
        config_places: Mapping[str, Place] | None = None,
    ) -> None:
        """`frameworks` and `config` are what the user said; they outrank the log. `own_numbers`
        are those of lines that are shown.
        """
        self.histories = Histories()
        self._own_numbers = OwnNumbers() if own_numbers is None else own_numbers
        self._automaton = automaton
        self._given_frameworks = tuple(frameworks)
        self._given_config = dict(config or {})
        self._frameworks: set[str] = set()
        self._versions: dict[str, str] = {}
        self._given_places = dict(config_places or {})
        self._config: dict[str, list[str]] = {}
        self._places: dict[str, list[Place]] = {}
        self._last_progress: Progress | None = None
        self._world_size: int | None = None
        # by shape of the event
        self._called: Memo[Hashable, tuple[Phase | None, str]] = Memo(CALLS_LIMIT)

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
        if AnchorKind.REASON in line.kinds and line.level not in ("info", "debug"):
            self._read_reason(line)
        if not line.kinds & {AnchorKind.MARKER, AnchorKind.SETTING}:
            return False
        history = self.histories[line.source]
        if history.wants_time:
            history.note(Timed(_stripped(line.raw).time))
        markers: list[int] = []
        for number in line.anchors:
            for anchor in self._automaton.anchors_of(number):
                if anchor.kind is AnchorKind.MARKER:
                    markers.append(anchor.owner)
                elif anchor.kind is AnchorKind.SETTING:
                    self._read_setting(anchor.owner, line)
        return self._read_markers(markers, line)

    def _read_markers(self, markers: list[int], line: LogLine) -> bool:
        """Whether one of them is of a step or of its numbers."""
        if any(MARKERS[each].kind is MarkerKind.NOT_FINITE for each in markers):
            # of many steps, only some light up by themselves
            markers = [*markers, *_step_markers(line.raw)]
        for each in markers:
            if MARKERS[each].kind not in _OF_NUMBERS:
                self._read_marker(each, line)
        return any(MARKERS[each].kind in _OF_STEPS for each in markers)

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes note of a source's length and of its last bytes."""
        rows = tail.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
        numbered = list(enumerate(rows, max(1, lines - len(rows) + 1)))
        last = [
            (number, _stripped(each)) for number, each in numbered[-TAIL_LINES:] if each.strip()
        ]
        time = next((stripped.time for _, stripped in reversed(last) if stripped.time), None)
        living = {stripped.stream: number for number, stripped in last}
        history = self.histories[source]
        worked = max((history.worked, *history.steps[-1:]))
        waiting = waiting_at_end(source, numbered, worked)
        words = waiting.event if waiting else last_words(source, numbered[-TAIL_LINES:])
        good_end = good_end_at(numbered, worked)
        waits = waiting.lines if waiting else 0
        history.note(Closed(lines, living, time, words, waits, good_end))
        for number, row in numbered:
            if BAR in row:
                self._read_bars(source, number, without_escapes(row))

    def situation(self, event: LogEvent, shape: Hashable) -> Situation:
        """Where the run stood when the event began; of the line's own source. Events of one
        `shape` differ in digits only.
        """
        line = event.lines[0]
        phase, told_by = self._phase_of(event, shape)
        return Situation(phase, self.histories[line.source].steps_until(line.number), told_by)

    def result(self) -> RunContext:
        """All that was learnt."""
        config = {key: tuple(values) for key, values in self._config.items()}
        config.update({key: (value,) for key, value in self._given_config.items()})
        places = {key: tuple(map(self._own, found)) for key, found in self._places.items()}
        for key in self._given_config:
            places[key] = (self._given_places[key],) if key in self._given_places else ()
        histories = self.histories.values()
        last_phases = [each.phases[-1][1] for each in histories if each.phases]
        return RunContext(
            frameworks=self.frameworks,
            versions=dict(self._versions),
            config=config,
            last_phase=last_phases[-1] if last_phases else None,
            last_progress=self._shown(self._furthest()),
            world_size=self._world_size,
            steps={
                each.name: tuple(
                    sorted(self._own_numbers.of(each.name, line) for line in each.shown_steps)
                )
                for each in histories
                if each.steps
            },
            places=places,
        )

    def progress_until(self, source: str, line: int) -> Progress | None:
        """The last step, where no other run began between it and a line of its source."""
        last = self._furthest()
        begun = self.histories[source].begun
        is_of_another = last and last.source == source and last.line < begun <= line
        return None if is_of_another else self._shown(last)

    def _own(self, place: Place) -> Place:
        return place._replace(line=self._own_numbers.of(*place))

    @property
    def good_end(self) -> Place | None:
        """The first line that says that the run ended well, where no step follows it."""
        ends = ((each.name, each.end) for each in self.histories.values())
        return next((self._own(Place(name, end)) for name, end in ends if end), None)

    @property
    def has_ended(self) -> bool:
        """Whether a source has told of its run's end and of no step since; far cheaper than
        `result`.
        """
        return any(each.has_ended for each in self.histories.values())

    @property
    def is_being_ended(self) -> bool:
        """Whether a source has told that its run is being ended from outside; steps may come all
        the same, until it has saved.
        """
        return any(each.is_being_ended for each in self.histories.values())

    def _shown(self, progress: Progress | None) -> Progress | None:
        """With the number that its line has in the source."""
        own = progress and self._own_numbers.of(progress.source, progress.line)
        return progress._replace(line=own) if progress and own else progress

    def _furthest(self) -> Progress | None:
        """The last step; where no line gives its number, the one that the bar shows."""
        last = self._last_progress
        if last and last.step is not None:
            return last
        return training_step(self.histories, last and last.source) or last

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
        elif marker.kind is MarkerKind.PROGRESS:
            self._read_progress(groups.get("step"), groups.get("total"), line)
        elif marker.kind is MarkerKind.WORLD:
            self._world_size = max(self._world_size or 0, int(groups["world"]))
        elif marker.kind is MarkerKind.PHASE:
            self.histories[line.source].note(PhaseBegan(line.number, Phase(marker.value)))
        else:
            self._read_end(marker.kind, groups, line)

    def _read_end(self, kind: MarkerKind, groups: Mapping[str, str | None], line: LogLine) -> None:
        """Takes a line that tells how the run, or a process of it, comes to its end."""
        note = self.histories[line.source].note
        if kind is MarkerKind.BEGIN:
            note(RunBegan(line.number))
        elif kind is MarkerKind.SENT:
            note(Sent(line.number, int(groups["pid"] or 0)))
        elif kind is MarkerKind.END and (fits_any(REPORT, line.raw) or spoils_end(line.raw)):
            return  # `job finished with exit code 2`, `training complete: FAILED`
        elif kind in _REMARKS:
            if "outside" in groups or "job" in groups:
                note(Said(line.number, Remark.ENDING))
            if "job" in groups:
                note(Said(line.number, Remark.GIVEN_UP))
            note(Said(line.number, _REMARKS[kind]))

    def _read_progress(self, step: str | None, total: str | None, line: LogLine) -> None:
        """Counts a line once, whichever markers fit it."""
        history = self.histories[line.source]
        if history.steps[-1:] == [line.number]:
            return
        number = int(step) if step else None
        self._last_progress = Progress(
            line.source, line.number, number, int(total) if total else None
        )
        stripped = _stripped(line.raw)
        # behind a prefix that no row knows, a line that was read with others says more
        writer = stripped.stream if line.stream == NOBODY else line.stream
        history.note(Step(line.number, writer, number, stripped.time or line.time))

    def _read_bars(self, source: str, number: int, text: str) -> None:
        for bar in drawn_bars(number, text):
            self.histories[source].note(bar)

    def _read_reason(self, line: LogLine) -> None:
        if tells_reason(line.raw):
            self.histories[line.source].note(Reasoned(line.number, complaint([line], 0)))

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
                self._places.setdefault(key, []).append(Place(line.source, line.number))

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
        history, first = self.histories[event.line.source], event.lines[0].number
        number, phase = history.phase_until(first)
        if phase in _BETWEEN_STEPS and history.steps_until(first) > history.steps_until(number):
            return None, None  # steps were made since
        if phase is Phase.INIT and number < history.worked <= event.lines[-1].number:
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


def _step_markers(text: str) -> list[int]:
    """Of which forms of a line that is read with finite numbers, too, a line is."""
    return [
        owner
        for owner, marker in enumerate(MARKERS)
        if marker.kind in _OF_STEPS and re.search(marker.pattern, text)
    ]


def _stripped(text: str) -> Stripped:
    return strip_prefixes(without_escapes(text))
