"""Which parts of a large source are searched for what tells about the run: Sampling.

Settings, steps and phases are most of what lights up in a healthy log. Once a source has shown what it prints, it is enough
to know them where something happens, and to look at them now and then. Where that is, the bytes of a section alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from logdoctor.marked_lines import STRETCH
from logdoctor.searching import Hit, Search

FEW = 2
"""Lines of a section that are looked at as events for one expression: the stretch of bytes that each is in is searched, and the one before."""

GLIMPSE = 4 << 20
"""Bytes in which one stretch is searched where nothing happens, the last; so is the last of a section."""


class Sampling:
    """Searches the blocks of one section, in order."""

    def __init__(self, search: Search, is_harmless: Callable[[int], bool]) -> None:
        """`is_harmless` says of an expression that no event that it is found in tells of a failure."""
        self._search = search
        self._is_harmless = is_harmless
        self._events: dict[int, int] = {}  # lines that may be events, by expression

    def hits(self, block: bytes, start: int, events: Iterable[tuple[int, tuple[int, ...]]], is_final: bool) -> list[Hit]:
        """Hits of what tells about the run in a block that begins at `start` of the section.

        `events` are lines that may be events: where in the block each begins, and the expressions that it is worth reading for.
        """
        chosen = {place // STRETCH for place, expressions in events if self._is_new(expressions)}
        chosen |= {stretch - 1 for stretch in chosen if stretch}
        if is_final or start // GLIMPSE < (start + len(block)) // GLIMPSE:
            chosen.add((len(block) - 1) // STRETCH)
        hits: list[Hit] = []
        end = 0
        for stretch in sorted(chosen):
            begin = max(end, block.rfind(b"\n", 0, stretch * STRETCH) + 1)
            end = block.find(b"\n", (stretch + 1) * STRETCH) + 1 or len(block)
            hits += self._search.course_hits(block, begin, end)
        return hits

    def _is_new(self, expressions: tuple[int, ...]) -> bool:
        """Whether a line may be an event of a kind of which there were few."""
        alarming = [each for each in expressions if not self._is_harmless(each)]
        for each in alarming:
            self._events[each] = self._events.get(each, 0) + 1
        return any(self._events[each] <= FEW for each in alarming)
