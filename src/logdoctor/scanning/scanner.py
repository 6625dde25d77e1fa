"""Bytes to regions: Scanner.

A push machine without I/O. Only lines in which an anchor of the automaton lights up, and a few
lines around them, leave it. How the input is cut into chunks makes no difference to what leaves it.
"""

from bisect import bisect_left
from collections.abc import Generator, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from logdoctor.model import AnchorKind, RawLine, Region
from logdoctor.scanning.equal_lines import equal_runs
from logdoctor.scanning.relevance import Screen
from logdoctor.scanning.repeated_warnings import Recurrences, Warned, is_wrapped_up
from logdoctor.scanning.sampling import Sampling
from logdoctor.scanning.thinning import Likeness, MarkedLines, thin
from logdoctor.search.automaton import Automaton
from logdoctor.search.engines import Hit, Search

BLOCK = 1 << 20
"""Bytes scanned at once; a line longer than this is scanned in pieces."""

OVERLAP = 4096
"""Bytes that the pieces of an overlong line share, so that nothing is cut in two."""

LINE_LIMIT = 16384
"""Bytes of a line that are handed on at once; of a longer one, the surroundings of all that lit
up, in pieces.
"""

LEAD = 1024
"""Bytes of a longer line that are handed on before what lit up."""

BEFORE, AFTER, AFTER_ERROR, AFTER_FRAME = 3, 4, 12, 40
"""Lines handed on before a lit line, after it, after one with an exception, which may have more to
say, and after a line of a traceback, whose end may be far.
"""

REGION_LIMIT = 2000
"""Lines in a region; a longer run leaves in several that touch."""

Drawings = list[tuple[bytes, tuple[int, ...]]]
"""What a line shows one after the other, parted by `\r`, each with the expressions that it is
worth reading for.
"""

_QUIET = frozenset({AnchorKind.MARKER, AnchorKind.SETTING})
_OF_TRACEBACKS = frozenset({AnchorKind.TRACEBACK, AnchorKind.FRAME})
_PATTERNS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX})


class Past(NamedTuple):
    """What a scanner may know of a source's earlier lines: how many had each marker (an
    expression), and warnings that were often given.
    """

    markers: Mapping[int, int]
    warnings: frozenset[Warned]


class Scanner:
    """Finds the lines worth reading in one source; `lines` and `bytes` count what was fed,
    complete after `flush`.
    """

    def __init__(
        self,
        automaton: Automaton,
        screen: Screen | None = None,
        search: Search | None = None,
        first_line: int = 1,
        past: Past | None = None,
    ) -> None:
        """`first_line` is the number of the first line, `past` what is known of those before it.

        Where there is a past, only parts of the source are searched for what tells about the run.
        Scanners of one run share a `search` and a screen: what that has learnt of one source holds
        for the next.
        """
        self._automaton = automaton
        self._search = search or Search(automaton.engines)
        self._screen = screen or Screen(automaton)
        self._buffer = b""
        # the buffer begins inside an overlong line, with OVERLAP bytes already scanned
        self._is_continued = False
        self._is_line_open = False  # bytes of an unfinished line were scanned
        self._number = first_line  # of the line at the beginning of what was not yet gone over
        self._start = 0  # bytes before the block that is gone over
        self._after = 0  # lines still to hand on
        # the last ones of the blocks before, where they were not handed on
        self._before: tuple[RawLine, ...] = ()
        self._region: list[RawLine] = []
        takes_all = self._screen.takes_all_steps
        markers = past.markers if past else None
        self._marked = MarkedLines(markers, self._screen.rows, takes_all=takes_all)
        self._recurrences = Recurrences(automaton, past.warnings if past else ())
        self._sampling = (
            Sampling(self._search, self._recurrences.is_harmless)
            if past and not takes_all
            else None
        )
        self._kinds: dict[tuple[int, ...], frozenset[AnchorKind]] = {}  # by expressions
        self._seen: set[int] = set()  # expressions that have told all they can
        self._left_out = 0  # copies of the first line of a block, directly above it, not gone over
        self.bytes = 0

    @property
    def past(self) -> Past:
        """What is known of the source so far."""
        return Past(self._marked.seen, self._recurrences.often)

    @property
    def lines(self) -> int:
        """Lines seen so far; an unfinished last line counts too."""
        return self._number - 1 + (self._is_line_open or bool(self._buffer))

    @property
    def ended_lines(self) -> int:
        """The same without a last line that has not ended."""
        return self._number - 1 + self._buffer.count(b"\n")

    @property
    def passed_lines(self) -> int:
        """Lines that were gone over, and are in no region that has not left."""
        return (self._region[0].number if self._region else self._number) - 1

    def feed(self, chunk: bytes) -> Iterator[Region]:
        """Takes the next bytes; yields what is complete, in the order of the source."""
        self.bytes += len(chunk)
        self._buffer += chunk
        yield from self._drain(is_final=False)

    def drop_open_line(self) -> None:
        """Forgets what came of a line that has not ended."""
        self._buffer = self._buffer[: self._buffer.rfind(b"\n") + 1]

    def flush(self) -> Iterator[Region]:
        """Takes the end of the source; yields what is left."""
        yield from self._drain(is_final=True)
        yield from self._close_region()
        yield from self._close_marked()

    def _drain(self, is_final: bool) -> Iterator[Region]:
        buffer, position = self._buffer, 0
        while position < len(buffer):
            limit = min(position + BLOCK, len(buffer))
            if self._sampling and limit - position < BLOCK and not is_final:
                break  # what is searched of a block must not depend on how the input is cut
            end = buffer.rfind(b"\n", position, limit) + 1
            if not end and limit - position == BLOCK:
                end = buffer.rfind(b"\r", position, limit) + 1
            if end:
                yield from self._gone_over(buffer[position:end], is_final)
                self._is_continued = False
                position = end
            elif limit - position == BLOCK:
                yield from self._gone_over(buffer[position:limit], is_final)
                self._is_continued = True
                position = limit - OVERLAP
            elif is_final:
                yield from self._gone_over(buffer[position:], is_final)
                position = len(buffer)
            else:
                break
        self._buffer = buffer[position:]

    def _gone_over(self, block: bytes, is_final: bool) -> Iterator[Region]:
        """What a block tells; of one line printed over and over, most copies are only counted."""
        position = 0
        for run in () if self._is_continued else equal_runs(block):
            line = block[run.end : run.end + run.length - 1]
            if self._tells_by_copies(line):
                continue
            yield from self._searched(block[position : run.start], is_final=False)
            self._start += run.end - run.start
            self._number += run.copies
            self._left_out, position = run.copies, run.end
        yield from self._searched(block[position:] if position else block, is_final)

    def _tells_by_copies(self, line: bytes) -> bool:
        """Whether each copy of a line counts for more than one error more."""
        kinds = self._kinds_of(_expressions(self._search.event_hits(line)))
        return bool(
            kinds & _OF_TRACEBACKS
            or b"\r" in line
            or is_wrapped_up(line)
            or self._search.course_hits(line)
        )

    def _searched(self, block: bytes, is_final: bool) -> Iterator[Region]:
        events, quiet = self._screen.sort_out(block, self._new(self._search.event_hits(block)))
        worth, drawn = self._drawn(block, events)
        if self._sampling:
            lines = (
                (start, expressions)
                for (start, _), drawings in drawn.items()
                for _, expressions in drawings
            )
            found = self._sampling.hits(block, lines, is_final)
        else:
            found = self._search.course_hits(block)
        _, course = self._screen.sort_out(block, self._new(found))
        hits = thin(sorted((*worth, *quiet, *course)), self._marked, self._start)
        yield from self._scan(block, hits, drawn)
        self._left_out = 0

    def _scan(
        self, block: bytes, hits: list[Hit], drawn: dict[tuple[int, int], Drawings]
    ) -> Iterator[Region]:
        # in the block: what was gone over, and where the lines begin that were not handed on
        position = unread = 0
        for start, end, line_hits in _by_line(block, hits):
            drawings = drawn.get((start, len(line_hits))) or self._worth_reading(
                block, start, end, line_hits
            )
            if not drawings:
                continue
            left_out = 0 if start else self._left_out
            kinds = self._kinds_of_line(drawings)
            is_alone = kinds <= _PATTERNS and len(drawings) == 1
            likeness = self._recurrences.take(*drawings[0]) if is_alone else None
            if self._after:
                position = unread = self._hand_on(block, position, start)
            if not self._after:
                yield from self._close_region()
                if self._marked.is_over(self._start + start):
                    position = yield from self._close_marked(block, position)
                if likeness or kinds <= _QUIET:
                    self._keep(self._start + start, drawings, likeness, left_out)
                    if likeness:
                        unread, self._before = end + (block[end : end + 1] == b"\n"), ()
                    continue
            position = yield from self._close_marked(block, position)
            self._number += block.count(b"\n", position, start)
            if not self._region:
                self._region += self._lines_before(block, unread, start)
            self._before = ()
            self._region += [RawLine(self._number, *drawing, left_out) for drawing in drawings]
            self._extend(frozenset() if likeness else kinds)
            position = unread = self._end_line(block, end)
            if len(self._region) > REGION_LIMIT:
                yield from self._close_region()
        position, self._number = self._marked.settle(block, self._start, position, self._number)
        yield from self._end_block(block, position, unread)
        self._start += len(block)

    def _kinds_of_line(self, drawings: Drawings) -> frozenset[AnchorKind]:
        if len(drawings) == 1:
            return self._kinds_of(drawings[0][1])
        return frozenset().union(*(self._kinds_of(each) for _, each in drawings))

    def _keep(
        self, offset: int, drawings: Drawings, likeness: Likeness | None, left_out: int
    ) -> None:
        """Keeps a line that is like many before it, or only tells about the run."""
        for data, expressions in drawings:
            if likeness:
                self._marked.add_alike(likeness, offset, data, left_out)
            else:
                self._marked.add(expressions, offset, data, self._screen.markers)

    def _new(self, hits: list[Hit]) -> list[Hit]:
        """Hits of a block without those on the bytes that it shares with the one before, and
        without what has told all it can.
        """
        if self._seen:
            hits = [hit for hit in hits if hit[1] not in self._seen]
        self._seen.update(number for _, number in hits if number in self._automaton.once)
        return [hit for hit in hits if hit[0] > OVERLAP] if self._is_continued else hits

    def _drawn(
        self, block: bytes, events: list[Hit]
    ) -> tuple[list[Hit], dict[tuple[int, int], Drawings]]:
        """The hits that are worth looking at, and what was drawn of lines that have so many, by
        where they begin.
        """
        worth: list[Hit] = []
        drawn: dict[tuple[int, int], Drawings] = {}
        for start, end, line_hits in _by_line(block, events):
            drawings = self._worth_reading(block, start, end, line_hits)
            if drawings:
                worth += line_hits
                drawn[start, len(line_hits)] = drawings
        return worth, drawn

    def _worth_reading(self, block: bytes, start: int, end: int, hits: list[Hit]) -> Drawings:
        """Drawings of a line, and for which expressions they are worth reading."""
        if end - start <= LINE_LIMIT and block.find(b"\r", start, end) < 0:
            line, expressions = block[start:end], _expressions(hits)
            worth = (
                expressions
                if len(hits) == 1 and hits[0][1] in self._screen.markers
                else self._screen.worth_reading(line, expressions, hits, start)
            )
            return [(line, worth)] if worth else []
        screened = (
            (data, self._screen.worth_reading(data, _expressions(own), own, at))
            for data, own, at in _drawings(block, start, end, hits)
        )
        return [(data, expressions) for data, expressions in screened if expressions]

    def _end_line(self, block: bytes, end: int) -> int:
        """Counts a line whose text ends at `end`; returns where the next begins."""
        self._is_line_open = block[end : end + 1] != b"\n"
        self._number += not self._is_line_open
        return end + (not self._is_line_open)

    def _hand_on(self, block: bytes, position: int, end: int) -> int:
        """Hands on the dark lines that follow lit ones, up to `end`; returns where it stopped."""
        while position < end and self._after:
            line_end = block.find(b"\n", position)
            line_end = len(block) if line_end < 0 else line_end
            self._region.append(_dark_line(self._number, block[position:line_end]))
            position = self._end_line(block, line_end)
            self._after -= 1
        return position

    def _end_block(self, block: bytes, position: int, unread: int) -> Iterator[Region]:
        """Goes over what follows the last lit line of a block."""
        if self._after:
            position = unread = self._hand_on(block, position, len(block))
        if position < len(block):
            yield from self._close_region()
            self._number += block.count(b"\n", position)
            self._is_line_open = not block.endswith(b"\n")
        if unread < len(block):
            self._before = self._lines_before(block, unread, len(block))

    def _lines_before(self, block: bytes, unread: int, end: int) -> tuple[RawLine, ...]:
        """The last lines before `end`, where the number is counted to, of those that begin at
        `unread` or before the block.
        """
        lines: list[RawLine] = []
        number = self._number
        while len(lines) < BEFORE and end > unread:
            is_ended = block[end - 1 : end] == b"\n"
            start = block.rfind(b"\n", unread, end - is_ended) + 1 or unread
            number -= is_ended
            lines.append(_dark_line(number, block[start : end - is_ended]))
            end = start
        return (*(self._before if not unread else ()), *reversed(lines))[-BEFORE:]

    def _kinds_of(self, expressions: tuple[int, ...]) -> frozenset[AnchorKind]:
        kinds = self._kinds.get(expressions)
        if kinds is None:
            kinds = self._kinds[expressions] = self._automaton.kinds(expressions)
        return kinds

    def _extend(self, kinds: frozenset[AnchorKind]) -> None:
        reach = 0 if kinds <= _QUIET else AFTER
        if AnchorKind.TRACEBACK in kinds or AnchorKind.FRAME in kinds:
            reach = AFTER_FRAME
        elif AnchorKind.ERROR in kinds:
            reach = AFTER_ERROR
        self._after = max(self._after - 1, reach)

    def _close_marked(self, block: bytes = b"", position: int = 0) -> Generator[Region, None, int]:
        """Hands on the lines that were kept; returns where counting stands."""
        if self._marked.is_empty:
            return position
        position, self._number = self._marked.settle(block, self._start, position, self._number)
        yield from self._marked.take()
        return position

    def _close_region(self) -> Iterator[Region]:
        if self._region:
            yield Region(tuple(self._region))
            self._region = []


def _dark_line(number: int, line: bytes) -> RawLine:
    text = line.rstrip(b"\r")
    return RawLine(number, text[text.rfind(b"\r") + 1 :][:LINE_LIMIT], ())


def _by_line(block: bytes, hits: list[Hit]) -> Iterator[tuple[int, int, list[Hit]]]:
    """Offsets of each lit line in a block, without its end, and its hits in order."""
    i, count = 0, len(hits)
    while i < count:
        last = hits[i][0] - 1
        start = block.rfind(b"\n", 0, last) + 1
        end = block.find(b"\n", last)
        end = len(block) if end < 0 else end
        first = i
        i += 1
        reach = end + (end == last)
        while i < count and hits[i][0] <= reach:
            i += 1
        yield start, end, hits[first:i]


def _drawings(
    block: bytes, start: int, end: int, hits: list[Hit]
) -> Iterator[tuple[bytes, list[Hit], int]]:
    """The parts of a line between `\r`s that have hits, each once, with these, and where it
    begins.
    """
    for part_start, group in groupby(
        hits, key=lambda hit: max(block.rfind(b"\r", start, hit[0] - 1) + 1, start)
    ):
        part_hits = list(group)
        part_end = block.find(b"\r", part_hits[-1][0] - 1, end)
        part_end = end if part_end < 0 else part_end
        if part_end - part_start <= LINE_LIMIT:
            yield block[part_start:part_end], part_hits, part_start
            continue
        while part_hits:
            clip = max(part_start, part_hits[0][0] - LEAD)
            end_of_clip = min(clip + LINE_LIMIT, part_end)
            inside = bisect_left(part_hits, (end_of_clip + 1, 0))
            yield block[clip:end_of_clip], part_hits[:inside], clip
            part_hits = part_hits[inside:]


def _expressions(hits: list[Hit]) -> tuple[int, ...]:
    return (hits[0][1],) if len(hits) == 1 else tuple(sorted({number for _, number in hits}))
