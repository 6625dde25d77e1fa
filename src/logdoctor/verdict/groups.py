"""Occurrences of one error, counted over ranks: ErrorGroup."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import NamedTuple, TypeVar

from logdoctor.formats.library_paths import packages_in
from logdoctor.formats.torchrun_tables import is_table
from logdoctor.model import (
    EVIDENCE_KEPT,
    SIGHTINGS_KEPT,
    Evidence,
    Lane,
    LocalText,
    LogEvent,
    LogLine,
    Match,
    Sighting,
    Situation,
)
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.verdict.first_failure import said_first

T = TypeVar("T")

QUOTE_LENGTH = 60
"""Characters of a message by which it is found in its line."""

Cleaner = Callable[[Sequence[str]], tuple[str, ...]]
"""Makes lines that stand together fit to be shown."""

LANES_LIMIT = 10_000
"""Distinct writers that are told apart."""

WHOLE_KEPT = 8
"""Writers of each error whose event is kept with the lines around it; of others, what they are
judged by.
"""

LINES_KEPT = 50_000
"""Lines of events that all groups of a scan together keep to judge each writer by; further
writers are judged as one.
"""

HEAD_KEPT = 30
"""Lines of a traceback from its exception line on that are kept for further writers."""

SPOTS_KEPT = 64
"""Lines of an error's occurrences that are kept for the time line; of more, evenly many."""

MESSAGES_KEPT = 8
"""Ways in which the occurrences of an error were recognised, by the patterns that fit."""

CONTEXT_BEFORE, CONTEXT_AFTER = 3, 2
"""Lines around the proving one that a person gets to see."""


class Occurrence(NamedTuple):
    """One time the error was seen.

    Attributes:
        order: number of the source, from 0, and of the proving line; sorts as a person reads.
        match: None for an error without a signature.
        era: how many times its source had been without errors for long when it came.
        run: to which of the runs that its source holds it belongs, from 0.
        rivals: all that it may be taken for, where that depends on the run's frameworks.
        beside: as what else, by other patterns, the error was recognised when the run had come as
            far; of one that is judged only.
    """

    order: tuple[int, int]
    event: LogEvent
    line: LogLine
    situation: Situation
    match: Match | None
    era: int = 0
    run: int = 0
    rivals: tuple[Match, ...] = ()
    beside: tuple[Match, ...] = ()

    @property
    def reached(self) -> tuple[int, int, int]:
        """How far the run had come; sorts by that."""
        return self.run, self.situation.steps, self.era

    def taken_for(self, signature_id: str | None) -> "Occurrence":
        """The same, recognised as one of its rivals; where None, as none."""
        match = next((each for each in self.rivals if each.signature_id == signature_id), None)
        line = match.line if match else self.event.line
        return self._replace(match=match, line=line, order=(self.order[0], line.number))

    @property
    def time(self) -> str | None:
        """When it happened: of its own lines, else of the last line of its writer above."""
        above = (each for each in reversed(self.event.before) if each.stream == self.line.stream)
        return next(
            (each.time for each in (self.line, *self.event.lines, *above) if each.time),
            self.event.since,
        )


class Room:
    """How many lines of events the groups of one scan may still keep."""

    def __init__(self, lines: int = LINES_KEPT) -> None:
        self.left = lines

    def takes(self, new: Occurrence, instead_of: Occurrence | None) -> bool:
        """Whether an occurrence has room, in the place of another where there is one; if so, it
        is counted.
        """
        needed = _length(new) - (_length(instead_of) if instead_of else 0)
        has_room = needed <= self.left
        self.left -= needed * has_room
        return has_room


class ErrorGroup:
    """All occurrences of one error.

    Attributes:
        title: what to call it.
        occurrences: with the repeats that Ray folded.
        failed: who failed first, where a launcher's table tells.
        sightings: where each writer printed it first; at most `SIGHTINGS_KEPT`.
        packages: installed packages in whose code it was raised, where it has rivals.
    """

    def __init__(self, title: str, room: Room | None = None) -> None:
        """`room` is shared by the groups of one scan."""
        self.title = title
        self._room = room or Room()
        self.occurrences = 0
        self.lanes: set[Lane] = set()
        self.ranks: set[int] = set()
        self.spots: dict[str, list[int]] = {}  # by source, lines; thinned
        # by source, how many are passed over, and how many since the last
        self._stride: dict[str, tuple[int, int]] = {}
        self.sightings: list[Sighting] = []
        self.failed: LocalText | None = None
        self.packages: set[str] = set()
        self._first: Occurrence | None = None
        # by source and writer, since the run last made progress
        self._current: dict[tuple[int, Lane], Occurrence] = {}
        # those of them that are kept with the lines around them
        self._whole: set[tuple[int, Lane]] = set()
        # by the patterns that fit, what proves most
        self._messages: dict[tuple[str, ...], Occurrence] = {}
        self._evidence: list[Evidence] = []
        self._said: list[str] = []  # what the lines of the evidence say

    def add(self, event: LogEvent, occurrence: Occurrence, clean: Cleaner) -> None:
        """Takes another occurrence."""
        self.occurrences += event.line.repeats + sum(line.left_out for line in event.lines)
        lane = event.line.lane
        if lane not in self.lanes and len(self.sightings) < SIGHTINGS_KEPT:
            self.sightings.append(_sighting(occurrence, clean))
        if len(self.lanes) < LANES_LIMIT:
            self.lanes.add(lane)
        first, told = said_first(event)
        self.failed = self.failed or told
        rank = lane.rank if lane.rank is not None else first and first.rank
        if rank is not None and len(self.ranks) < LANES_LIMIT:
            self.ranks.add(rank)
        self._keep_evidence(occurrence, clean)
        self._first = self._first or occurrence
        if occurrence.rivals:
            self.packages |= packages_in(event.frames)
        number = occurrence.line.number
        self._note_spots(occurrence.line.source, range(number, number + 1))
        self._keep(occurrence)
        self._keep_message(occurrence)

    def keeps(self, line: LogLine) -> bool:
        """Whether the next occurrence, proved by this line, is kept as evidence."""
        return len(self._evidence) < EVIDENCE_KEPT or self._is_news(line.text.strip())

    def _is_news(self, said: str) -> bool:
        return said not in self._said and len(set(self._said)) < EVIDENCE_KEPT

    def _keep_evidence(self, occurrence: Occurrence, clean: Cleaner) -> None:
        """Keeps the first ones; a later one that reads otherwise takes the place of one that
        says the same on another rank.
        """
        said = occurrence.line.text.strip()
        if len(self._evidence) < EVIDENCE_KEPT:
            self._evidence.append(_evidence(occurrence, clean))
            self._said.append(said)
        elif self._is_news(said):
            again = max(i for i, each in enumerate(self._said) if each in self._said[:i])
            del self._evidence[again], self._said[again]
            self._evidence.append(_evidence(occurrence, clean))
            self._said.append(said)

    def note_copies(self, line: LogLine) -> None:
        """Takes note of where the copies stand that were left out directly above a line."""
        self._note_spots(line.source, range(line.number - line.left_out, line.number))

    def _note_spots(self, source: str, numbers: range) -> None:
        """Keeps some of these lines, at equal distances."""
        spots = self.spots.setdefault(source, [])
        stride, passed = self._stride.get(source, (1, 0))
        while numbers:
            numbers, passed = numbers[stride - passed - 1 :], min(stride, passed + len(numbers))
            if passed < stride:
                break
            spots.append(numbers[0])
            numbers, passed = numbers[1:], 0
            if len(spots) >= 2 * SPOTS_KEPT:
                del spots[1::2]
                stride *= 2
        self._stride[source] = (stride, passed)

    def _keep(self, occurrence: Occurrence) -> None:
        """Keeps it as its writer's, or, where that finds no room, as that of all further
        writers, if it proves more than what is kept.
        """
        writer, others = (
            (occurrence.order[0], occurrence.line.stream),
            (occurrence.order[0], Lane()),
        )
        if not self._keep_as(writer, occurrence):
            self._keep_as(others, occurrence, is_needed=True)

    def _keep_as(
        self, key: tuple[int, Lane], occurrence: Occurrence, *, is_needed: bool = False
    ) -> bool:
        """Whether the place is filled, with this occurrence or a better one; `is_needed` fills
        it whatever room is left.
        """
        current = self._current.get(key)
        if current and not _proves_more(occurrence, current):
            return True
        is_whole = key in self._whole or (current is None and len(self._whole) < WHOLE_KEPT)
        if not is_needed and current is None and len(self._current) >= LANES_LIMIT:
            return False
        kept = occurrence if is_whole else _lean(occurrence)
        if not is_needed and not self._room.takes(kept, current):
            return False
        self._current[key] = kept
        if is_whole:
            self._whole.add(key)
        return True

    def _keep_message(self, occurrence: Occurrence) -> None:
        patterns = occurrence.match.patterns if occurrence.match else ()
        if not patterns:
            return
        if any(each.reached < occurrence.reached for each in self._messages.values()):
            self._messages.clear()  # what was survived is never told beside it
        kept = self._messages.get(patterns)
        if _proves_more(occurrence, kept) if kept else len(self._messages) < MESSAGES_KEPT:
            self._messages[patterns] = _lean(occurrence)

    def beside(self, shown: Occurrence) -> tuple[Match, ...]:
        """As what else its occurrences were recognised while the run had come as far as with the
        shown one, by order; captures may be left unread.
        """
        patterns = shown.match.patterns if shown.match else ()
        others = sorted(self._messages.values(), key=lambda each: each.order)
        return tuple(
            each.match
            for each in others
            if each.match and each.match.patterns != patterns and each.reached == shown.reached
        )

    def taken_for(self, title: str, signature_id: str | None) -> "ErrorGroup":
        """The same, its occurrences recognised as one of their rivals; where None, as none."""
        group = copy(self)
        group.title = title
        group._first = self.first.taken_for(signature_id)  # noqa: SLF001  # its own class
        group._current = {  # noqa: SLF001  # its own class
            key: each.taken_for(signature_id) for key, each in self._current.items()
        }
        group._messages = {}  # noqa: SLF001  # its own class
        for each in (group.first, *group._current.values()):  # noqa: SLF001  # its own class
            group._keep_message(each)  # noqa: SLF001
        return group

    @property
    def first(self) -> Occurrence:
        """Its first occurrence."""
        assert self._first is not None  # a group is made with its first occurrence
        return self._first

    def merged(self, other: "ErrorGroup") -> "ErrorGroup":
        """Both groups as one, called as this one."""
        group = ErrorGroup(self.title)
        group.occurrences = self.occurrences + other.occurrences
        group.lanes, group.ranks = self.lanes | other.lanes, self.ranks | other.ranks
        group.failed = self.failed or other.failed
        group.sightings = [
            *self.sightings,
            *(each for each in other.sightings if each.lane not in self.lanes),
        ][:SIGHTINGS_KEPT]
        firsts = [each for each in (self._first, other._first) if each]  # noqa: SLF001
        group._first = min(firsts, key=lambda each: each.order)
        group.spots = {
            source: sorted((*self.spots.get(source, ()), *other.spots.get(source, ())))
            for source in {*self.spots, *other.spots}
        }
        # its own class
        group._evidence = [*self._evidence, *other._evidence][:EVIDENCE_KEPT]  # noqa: SLF001
        group._said = [*self._said, *other._said][:EVIDENCE_KEPT]  # noqa: SLF001  # its own class
        # its own class
        for (source, _), occurrence in (*self._current.items(), *other._current.items()):  # noqa: SLF001
            key = (source, occurrence.line.stream)
            if key not in group._current or _proves_more(occurrence, group._current[key]):
                group._current[key] = occurrence
        for occurrence in (*self._messages.values(), *other._messages.values()):  # noqa: SLF001
            group._keep_message(occurrence)
        return group

    def shown(self, survived: Callable[[Occurrence], T | None]) -> tuple[Occurrence, T | None]:
        """The occurrence to judge by, and why the run survived it, if it did.

        Each writer is judged by its own history; one by whom the error was not survived is enough.
        """
        judged = [
            (each, survived(each))
            for each in sorted(self._current.values(), key=lambda each: each.order)
        ]
        fatal = [each for each, why in judged if why is None]
        return (fatal[0], None) if fatal else (self.first, judged[0][1])

    def evidence_from(self, shown: Occurrence, clean: Cleaner) -> tuple[Evidence, ...]:
        """The shown occurrence, then others: what reads otherwise first."""
        first, said = _evidence(shown, clean), shown.line.text.strip()
        kept = sorted(
            zip(self._said, self._evidence, strict=True), key=lambda pair: pair[0] == said
        )
        return (
            first,
            *(each for _, each in kept if (each.source, each.line) != (first.source, first.line)),
        )[:EVIDENCE_KEPT]


def _length(occurrence: Occurrence) -> int:
    event = occurrence.event
    return len(event.before) + len(event.lines) + len(event.after)


def _lean(occurrence: Occurrence) -> Occurrence:
    """The occurrence with what it is judged by: no lines around the event, and of a traceback
    its beginning and its end.
    """
    event, line = occurrence.event, occurrence.line
    if occurrence.rivals:
        return occurrence  # each is proved by a line of its own
    lines, head, frames = event.lines, event.head, event.frames
    if event.is_traceback and not is_table(event):
        shown = [each for each in lines[1 : event.head] if each is line]
        said = lines[event.head :]
        said = said if len(said) <= HEAD_KEPT else (*said[: HEAD_KEPT - 1], said[-1])
        lines = (*lines[: min(1, event.head)], *shown, *said)
        head = min(1, event.head) + len(shown)
        frames = (*frames[:1], *frames[1:][-1:])
    if not any(each is line for each in lines):
        return occurrence
    slim = event._replace(
        lines=lines,
        head=head,
        frames=frames,
        before=event.before[-1:],
        after=(),
        since=occurrence.time,
    )
    return occurrence._replace(
        event=slim, match=occurrence.match and occurrence.match._replace(event=slim)
    )


def _proves_more(new: Occurrence, current: Occurrence) -> bool:
    """Whether a new occurrence is the better evidence: the run had come further, or it was
    raised and not only announced.
    """
    if new.reached != current.reached:
        return new.reached > current.reached
    is_raised = new.event.is_traceback and not is_table(new.event)
    if is_raised != (current.event.is_traceback and not is_table(current.event)):
        return is_raised
    return new.order < current.order


def _cleaned(name: str | None, clean: Cleaner) -> str | None:
    return clean([name])[0] if name else None


def _sighting(occurrence: Occurrence, clean: Cleaner) -> Sighting:
    event, line = occurrence.event, occurrence.line
    lane = event.line.lane
    time = line.time or next((each.time for each in event.lines if each.time), None)
    return Sighting(
        line.source,
        line.number,
        time,
        lane._replace(host=_cleaned(lane.host, clean), actor=_cleaned(lane.actor, clean)),
    )


def shown_evidence(evidence: Evidence, own_numbers: OwnNumbers) -> Evidence:
    """The same with the numbers that its lines have in their source."""
    source = evidence.source
    if source not in own_numbers:
        return evidence
    line = own_numbers.of(source, evidence.line)
    return evidence._replace(
        line=line,
        end_line=max(line, own_numbers.of(source, evidence.end_line)),
        context=tuple((own_numbers.of(source, each), text) for each, text in evidence.context),
    )


def _evidence(occurrence: Occurrence, clean: Cleaner) -> Evidence:
    event, line = occurrence.event, occurrence.line
    around = (*event.before, *event.lines, *event.after)
    position = next(i for i, each in enumerate(around) if each is line)
    first = max(0, position - CONTEXT_BEFORE)
    shown = around[first : position + CONTEXT_AFTER + 1]
    texts = clean([each.raw for each in shown])
    quote = occurrence.match.quote if occurrence.match else event.headline[:QUOTE_LENGTH]
    focus = max(0, line.raw.find(quote))
    return Evidence(
        source=line.source,
        line=line.number,
        end_line=max(event.lines[-1].number, event.lines[-1].end, line.number),
        text=texts[position - first],
        focus=focus if len(line.raw) == len(texts[position - first]) else 0,
        time=line.time or next((each.time for each in event.lines if each.time), None),
        lane=line.lane._replace(
            host=_cleaned(line.lane.host, clean), actor=_cleaned(line.lane.actor, clean)
        ),
        context=tuple((each.number, text) for each, text in zip(shown, texts, strict=True)),
    )
