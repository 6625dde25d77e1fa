"""Which of the lines that a healthy log is full of are handed on: MarkedLines.

Of steps and phases, and of warnings that were given often, it is enough to know the first and the
last of each kind between two events; of warnings also how many there were.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import NamedTuple

from logdoctor.model import RawLine, Region

PLENTY, PLENTY_LATER = 1000, 16
"""Lines of one expression in a source, and in a later section with those of the first, that are all
handed on; of further ones, only some.
"""

PLENTY_ROWS, TABLE = 8000, 1 << 14
"""The same where each line is a row of a table of metrics, of which a step has dozens; of further
ones, those within so many bytes of the first.
"""

STRETCH, STRETCH_LATER, FIRST = 1 << 17, 1 << 20, 1
"""Then, in each stretch of so many bytes without an event, and in later sections of so many, so
many lines are kept for each expression, and the last one.
"""

BEGINNING, STRETCH_SHORT = 1 << 20, 1 << 12
"""Bytes at the beginning of a source in which stretches of markers alone are so short: of a run
whose steps are a short line each, the numbers of the later ones are known as well.
"""

_NUMBER = re.compile(rb"[0-9]+")

SAME_LINE, FIRST_HITS = 256, 24
"""Bytes within which hits of one expression may be on one line; no line has so many of them that
these are all on `FIRST`.
"""


def thin(hits: list[tuple[int, int]], marked: "MarkedLines", start: int) -> list[tuple[int, int]]:
    """Hits of a block that begins at `start` of the source, without most of those that would not
    be kept.
    """
    markers, rows = marked.plentiful, marked.rows
    thinned: list[tuple[int, int]] = []
    runs: dict[int, _Run] = {}
    stretch_end = 0
    for hit in hits:
        end, number = hit
        if number in markers and end < stretch_end:
            run = runs.get(number)
            if run is None:
                runs[number] = _Run(hit)
            elif (
                end - run.first[0][0] >= TABLE
                if number in rows
                else run.lines > FIRST or len(run.first) >= FIRST_HITS
            ):
                run.last = hit
            else:
                run.lines += end - run.first[-1][0] >= SAME_LINE
                run.first.append(hit)
            continue
        if runs:
            thinned += sorted(hit for run in runs.values() for hit in (*run.first, run.last))
            runs = {}
        if number in markers:
            runs[number] = _Run(hit)
            stretch_end = marked.end_of_stretch(start + end) - start
        else:
            thinned.append(hit)
    return thinned + sorted(hit for run in runs.values() for hit in (*run.first, run.last))


class _Run:
    """Hits of one expression with nothing but markers between them: the first ones, surely on so
    many lines, and the last.
    """

    __slots__ = ("first", "last", "lines")

    def __init__(self, hit: tuple[int, int]) -> None:
        self.first = [hit]
        self.last = hit
        self.lines = 1


def without_numbers(line: bytes) -> bytes:
    """The line with each run of digits as one zero: what lines have in common that differ in
    numbers only.
    """
    return _NUMBER.sub(b"0", line)


class Likeness(NamedTuple):
    """What lines have in common: why they lit up, their text without its numbers, and the
    prefixes that name their writer, where he is news.
    """

    expressions: tuple[int, ...]
    text: bytes
    writer: bytes


class _Kept:
    """A line that is kept: its order among all, where it begins, in bytes from the beginning of
    the source, and its number once that is known.
    """

    __slots__ = ("data", "left_out", "number", "offset", "order")

    def __init__(self, order: int, offset: int, data: bytes, left_out: int = 0) -> None:
        self.order = order
        self.offset = offset
        self.data = data
        self.left_out = left_out
        self.number = 0


class MarkedLines:
    """The lines kept since they were last taken."""

    def __init__(
        self,
        seen: Mapping[int, int] | None = None,
        rows: AbstractSet[int] = frozenset(),
        *,
        takes_all: bool = False,
    ) -> None:
        """`seen` are lines of the first section, by marker; None where this is it. `rows` are
        markers of lines of which a step has many. With `takes_all`, none is left out, however many
        there are.
        """
        self.rows = rows
        self._plenty, self._stretch = (
            (PLENTY, STRETCH) if seen is None else (PLENTY_LATER, STRETCH_LATER)
        )
        self._plenty_rows = PLENTY_ROWS if seen is None else PLENTY_LATER
        if takes_all:
            self._plenty, self._plenty_rows, self._stretch = sys.maxsize, sys.maxsize, STRETCH
        self._kept: dict[int, list[_Kept]] = {}  # by expression
        self._alike: dict[Likeness, list[_Kept]] = {}
        self._end = 0  # of the stretch that the kept lines are in
        self._count = 0
        self.seen = dict(seen or {})
        """Lines, by marker."""
        self.plentiful = {
            marker for marker, lines in self.seen.items() if lines > self._plenty_of(marker)
        }
        """Markers of which not all lines are kept any more."""

    @property
    def is_empty(self) -> bool:
        """Whether no line is kept."""
        return not (self._kept or self._alike)

    def is_over(self, offset: int) -> bool:
        """Whether a line at that offset is in another stretch than those that are kept."""
        return bool(self._kept or self._alike) and self.end_of_stretch(offset) != self._end

    def end_of_stretch(self, offset: int) -> int:
        """Where the stretch that is around that offset ends: a short one, as long as nothing but
        markers is kept.
        """
        is_short = offset < BEGINNING and self._stretch == STRETCH and not self._alike
        size = STRETCH_SHORT if is_short else self._stretch
        return (offset // size + 1) * size

    def add(
        self, expressions: tuple[int, ...], offset: int, data: bytes, markers: set[int]
    ) -> None:
        """Takes the next line; it is for each of its expressions that lines are kept, and all
        for one that is none of `markers`.
        """
        self._count += 1
        line = _Kept(self._count, offset, data)
        for expression in expressions:
            kept = self._kept.setdefault(expression, [])
            if expression in markers:
                self.seen[expression] = self.seen.get(expression, 0) + 1
                if self.seen[expression] > self._plenty_of(expression):
                    self.plentiful.add(expression)
            if self._has_plenty(expression, kept, offset):
                kept[-1] = line
            else:
                kept.append(line)
        self._end = self.end_of_stretch(offset)

    def _plenty_of(self, expression: int) -> int:
        return self._plenty_rows if expression in self.rows else self._plenty

    def _has_plenty(self, expression: int, kept: list[_Kept], offset: int) -> bool:
        """Whether the line at that offset takes the place of the last one that is kept."""
        if expression not in self.plentiful or len(kept) <= FIRST:
            return False
        begin = kept[0].offset
        return expression not in self.rows or min(offset, kept[-1].offset) - begin >= TABLE

    def add_alike(self, likeness: Likeness, offset: int, data: bytes, left_out: int = 0) -> None:
        """Takes the next line that is like others, so many of which were left out above it; the
        first ones and the last are kept, which knows how many were left out.
        """
        self._count += 1
        kept = self._alike.setdefault(likeness, [])
        if len(kept) > FIRST:
            left_out += kept[-1].left_out + 1
            kept[-1] = _Kept(self._count, offset, data, left_out)
        else:
            kept.append(_Kept(self._count, offset, data, left_out))
        self._end = self.end_of_stretch(offset)

    def settle(self, block: bytes, start: int, position: int, number: int) -> tuple[int, int]:
        """Gives the lines of a block that begins at `start` of the source their numbers; all others
        have theirs.

        The line at `position` of the block has the given number. Returns where the last of them
        begins, and its number.
        """
        for line in self._lines():
            if not line.number:
                number += block.count(b"\n", position, line.offset - start)
                position = line.offset - start
                line.number = number
        return position, number

    def take(self) -> Iterator[Region]:
        """The lines, in order: together those that only tell about the run, each with the
        expressions that it was kept for.
        """
        expressions: dict[_Kept, list[int]] = {}
        for expression, kept in sorted(self._kept.items()):
            for line in kept:
                expressions.setdefault(line, []).append(expression)
        alike = {
            line: likeness.expressions for likeness, kept in self._alike.items() for line in kept
        }
        for is_alike, lines in groupby(self._lines(), key=alike.__contains__):
            if is_alike:
                yield from (
                    Region((RawLine(line.number, line.data, alike[line], line.left_out),))
                    for line in lines
                )
            else:
                yield Region(
                    tuple(
                        RawLine(line.number, line.data, tuple(expressions[line])) for line in lines
                    ),
                    is_marked_only=True,
                )
        self._kept, self._alike = {}, {}

    def _lines(self) -> list[_Kept]:
        return sorted(
            {line for kept in (*self._kept.values(), *self._alike.values()) for line in kept},
            key=lambda line: line.order,
        )
