"""Which parts of a large source are searched for what tells about the run: Sampling.

Settings, steps and phases are most of what lights up in a healthy log. Once a source has shown what
it prints, it is enough to know them where something happens, and to look at them now and then
(`BLOCK` of the scanner says how often). Where that is, the bytes of a section alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from logdoctor.memo import Memo
from logdoctor.scanning.thinning import STRETCH
from logdoctor.search.engines import Hit, Search

FEW = 2
"""Lines of a section that are looked at as events for one expression: the stretch of bytes that
each is in is searched, and the one before.
"""

NEAR = 1 << 13
"""Bytes before and behind further ones that are searched: what follows them must be known for
what it is.
"""

SETS_LIMIT = 5000
"""Sets of expressions of which it is remembered which of them may tell of a failure."""

EDGE = 1 << 16
"""Bytes at the end of each block that are searched though nothing happens there: what happens
first in the next one may ask for the last step.
"""


class Sampling:
    """Searches the blocks of one section, in order."""

    def __init__(self, search: Search, is_harmless: Callable[[int], bool]) -> None:
        """`is_harmless` says of an expression that no event that it is found in tells of a
        failure.
        """
        self._search = search
        self._is_harmless = is_harmless
        self._events: dict[int, int] = {}  # lines that may be events, by expression
        # expressions that may tell of a failure, by all of a line
        self._alarming: Memo[tuple[int, ...], list[int]] = Memo(SETS_LIMIT)

    def hits(
        self, block: bytes, events: Iterable[tuple[int, tuple[int, ...]]], is_final: bool
    ) -> list[Hit]:
        """Hits of what tells about the run in the next block.

        `events` are lines that may be events: where in the block each begins, and the expressions
        that it is worth reading for.
        """
        hits: list[Hit] = []
        end = 0
        for first, last in _joined(sorted(self._parts(len(block), events, is_final))):
            begin, end = (
                max(end, block.rfind(b"\n", 0, first) + 1),
                block.find(b"\n", last) + 1 or len(block),
            )
            hits += self._search.course_hits(block, begin, end)
        return hits

    def _parts(
        self, size: int, events: Iterable[tuple[int, tuple[int, ...]]], is_final: bool
    ) -> Iterator[tuple[int, int]]:
        """Where the parts of a block of this size begin and end; what is outside of it does not
        count.
        """
        yield size - (2 * STRETCH if is_final else EDGE), size
        for place, expressions in events:
            alarming = self._alarming.get(expressions)
            if alarming is None:
                alarming = self._alarming[expressions] = [
                    each for each in expressions if not self._is_harmless(each)
                ]
            is_news = False
            for each in alarming:
                seen = self._events[each] = self._events.get(each, 0) + 1
                is_news |= seen <= FEW
            if is_news:
                stretch = place // STRETCH
                yield (stretch - 1) * STRETCH, (stretch + 1) * STRETCH
            elif alarming:
                yield place - NEAR, place + NEAR


def _joined(parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Parts, ascending, without what is before 0; those that touch or overlap as one: each is
    searched at a cost of its own.
    """
    begin = end = 0
    for first, last in parts:
        if first > end:
            if end:
                yield begin, end
            begin = first
        end = max(end, last)
    yield begin, end
