"""Bytes to regions: Scanner.

A push machine without I/O. Only lines in which an anchor of the automaton lights up, and a few lines around them, leave
it. How the input is cut into chunks makes no difference to what leaves it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby

from logdoctor.automaton import Automaton
from logdoctor.model import AnchorKind, RawLine, Region
from logdoctor.searching import Block, Hit, Search

BLOCK = 1 << 20
"""Bytes scanned at once; a line longer than this is scanned in pieces."""

OVERLAP = 4096
"""Bytes that the pieces of an overlong line share, so that nothing is cut in two."""

LINE_LIMIT = 16384
"""Bytes of a line that are handed on at once; of a longer one, the surroundings of all that lit up, in pieces."""

LEAD = 1024
"""Bytes of a longer line that are handed on before what lit up."""

BEFORE, AFTER, AFTER_FRAME = 3, 12, 40
"""Lines handed on before a lit line, after it, and after a line of a traceback, whose end may be far."""

_QUIET = frozenset({AnchorKind.MARKER, AnchorKind.SETTING})

REGION_LIMIT = 2000
"""Lines in a region; a longer run leaves in several that touch."""


class Scanner:
    """Finds the lines worth reading in one source; `lines` and `bytes` count what was fed, complete after `flush`."""

    def __init__(self, automaton: Automaton, jobs: int = 1, search: Search | None = None, first_line: int = 1) -> None:
        """`jobs` is the number of threads that search; what leaves the scanner is the same for any.

        Scanners of live logs, which take turns, share a `search` of one job. `first_line` is the number of the first line.
        """
        self._automaton = automaton
        self._search = search or Search(automaton.engine, jobs)
        self._buffer = b""
        self._is_continued = False  # the buffer begins inside an overlong line, with OVERLAP bytes already scanned
        self._is_line_open = False  # bytes of an unfinished line were scanned
        self._number = first_line  # of the line at the beginning of the buffer
        self._after = 0  # lines still to hand on
        self._before: deque[RawLine] = deque(maxlen=BEFORE)  # seen last and not handed on
        self._region: list[RawLine] = []
        self._marked: list[RawLine] = []  # marked lines that stand near nothing else
        self._kinds: dict[tuple[int, ...], frozenset[AnchorKind]] = {}  # by expressions
        self._seen: set[int] = set()  # expressions that have told all they can
        self.bytes = 0

    @property
    def lines(self) -> int:
        """Lines seen so far; an unfinished last line counts too."""
        return self._number - 1 + (self._is_line_open or bool(self._buffer))

    def feed(self, chunk: bytes) -> Iterator[Region]:
        """Takes the next bytes; yields what is complete, in the order of the source."""
        self.bytes += len(chunk)
        self._buffer += chunk
        yield from self._drain(is_final=False)

    def settle(self) -> Iterator[Region]:
        """Yields what lit up in whole lines so far, though more may follow; for one job, and makes no other difference."""
        yield from self._close_marked()
        yield from self._close_region()

    def flush(self) -> Iterator[Region]:
        """Takes the end of the source; yields what is left."""
        yield from self._drain(is_final=True)
        for block, hits in self._search.flush():
            yield from self._scan(block, hits)
        yield from self._close_region()

    def _drain(self, is_final: bool) -> Iterator[Region]:
        buffer, position = self._buffer, 0
        while position < len(buffer):
            limit = min(position + BLOCK, len(buffer))
            end = buffer.rfind(b"\n", position, limit) + 1
            if not end and limit - position == BLOCK:
                end = buffer.rfind(b"\r", position, limit) + 1
            if end:
                yield from self._searched(buffer[position:end])
                self._is_continued = False
                position = end
            elif limit - position == BLOCK:
                yield from self._searched(buffer[position:limit])
                self._is_continued = True
                position = limit - OVERLAP
            elif is_final:
                yield from self._searched(buffer[position:])
                position = len(buffer)
            else:
                break
        self._buffer = buffer[position:]

    def _searched(self, data: bytes) -> Iterator[Region]:
        for block, hits in self._search.feed(Block(data, self._is_continued)):
            yield from self._scan(block, hits)

    def _scan(self, searched: Block, hits: list[Hit]) -> Iterator[Region]:
        block = searched.data
        if self._seen:
            hits = [hit for hit in hits if hit[1] not in self._seen]
        self._seen.update(number for _, number in hits if number in self._automaton.once)
        if searched.is_continued:
            hits = [hit for hit in hits if hit[0] > OVERLAP]
        position = 0
        for start, end, line_hits in _by_line(block, hits):
            yield from self._pass_over(block, position, start)
            raws = list(_drawings(block, start, end, line_hits, self._number))
            kinds = self._kinds_of(_anchors(line_hits))
            if not self._after and kinds <= _QUIET:
                yield from self._close_region()
                self._marked += raws
                self._before.append(RawLine(self._number, raws[-1].data, ()))
            else:
                yield from self._close_marked()
                self._region.extend(self._before)
                self._before.clear()
                self._region += raws
                self._extend(kinds)
            position = self._end_line(block, end)
            if len(self._region) > REGION_LIMIT:
                yield from self._close_region()
        yield from self._pass_over(block, position, len(block))
        yield from self._close_marked()

    def _end_line(self, block: bytes, end: int) -> int:
        """Counts a line whose text ends at `end`; returns where the next begins."""
        self._is_line_open = block[end : end + 1] != b"\n"
        self._number += not self._is_line_open
        return end + (not self._is_line_open)

    def _pass_over(self, block: bytes, position: int, end: int) -> Iterator[Region]:
        """Goes over dark lines: hands on those that follow lit ones, keeps the last ones, counts the rest."""
        while position < end and self._after:
            position = self._take(block, position, self._region)
            self._after -= 1
        if position == end:
            return
        yield from self._close_region()
        tail = end
        for _ in range(BEFORE):
            tail = block.rfind(b"\n", position, max(tail - 1, position)) + 1 or position
        self._number += block.count(b"\n", position, tail)
        while tail < end:
            tail = self._take(block, tail, self._before)

    def _take(self, block: bytes, position: int, into: list[RawLine] | deque[RawLine]) -> int:
        end = block.find(b"\n", position)
        end = len(block) if end < 0 else end
        text = block[position:end].rstrip(b"\r")
        into.append(RawLine(self._number, text[text.rfind(b"\r") + 1 :][:LINE_LIMIT], ()))
        return self._end_line(block, end)

    def _kinds_of(self, expressions: tuple[int, ...]) -> frozenset[AnchorKind]:
        kinds = self._kinds.get(expressions)
        if kinds is None:
            kinds = self._kinds[expressions] = self._automaton.kinds(expressions)
        return kinds

    def _extend(self, kinds: frozenset[AnchorKind]) -> None:
        if kinds <= _QUIET:
            self._after = max(self._after - 1, 0)
        else:
            is_frame = AnchorKind.TRACEBACK in kinds or AnchorKind.FRAME in kinds
            self._after = max(self._after - 1, AFTER_FRAME if is_frame else AFTER)

    def _close_marked(self) -> Iterator[Region]:
        if self._marked:
            yield Region(tuple(self._marked), is_marked_only=True)
            self._marked = []

    def _close_region(self) -> Iterator[Region]:
        if self._region:
            yield Region(tuple(self._region))
            self._region = []


def _by_line(block: bytes, hits: list[tuple[int, int]]) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Offsets of each lit line in a block, without its end, and its hits in order."""
    i = 0
    while i < len(hits):
        last = hits[i][0] - 1
        start = block.rfind(b"\n", 0, last) + 1
        end = block.find(b"\n", last)
        end = len(block) if end < 0 else end
        first = i
        while i < len(hits) and hits[i][0] <= end + (end == last):
            i += 1
        yield start, end, hits[first:i]


def _drawings(block: bytes, start: int, end: int, hits: list[tuple[int, int]], number: int) -> Iterator[RawLine]:
    """The parts of a line between `\\r`s that have hits, each once."""
    for part_start, group in groupby(hits, key=lambda hit: max(block.rfind(b"\r", start, hit[0] - 1) + 1, start)):
        part_hits = list(group)
        part_end = block.find(b"\r", part_hits[-1][0] - 1, end)
        part_end = end if part_end < 0 else part_end
        if part_end - part_start <= LINE_LIMIT:
            yield RawLine(number, block[part_start:part_end], _anchors(part_hits))
            continue
        while part_hits:
            clip = max(part_start, part_hits[0][0] - LEAD)
            end_of_clip = min(clip + LINE_LIMIT, part_end)
            inside = [hit for hit in part_hits if hit[0] <= end_of_clip]
            yield RawLine(number, block[clip:end_of_clip], _anchors(inside))
            part_hits = part_hits[len(inside) :]


def _anchors(hits: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sorted({number for _, number in hits}))
