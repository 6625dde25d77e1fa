"""Which parts of a large source are searched for what tells about the run: Sampling.

Settings, steps and phases are most of what lights up in a healthy log. Once a source has shown what it prints, it is enough
to know them where something happens, and to look at them now and then. Where that is, the bytes of a section alone decide.
"""

from __future__ import annotations

from collections.abc import Callable

from logdoctor.marked_lines import STRETCH
from logdoctor.searching import Hit, Search

FEW = 4
"""Hits of one expression in a section that are looked at as events: the stretch of bytes that each is in is searched, and the one before."""

GLIMPSE = 4 << 20
"""Bytes in which one stretch is searched where nothing happens, the last; so is the last of a section."""


class Sampling:
    """Searches the blocks of one section, in order."""

    def __init__(self, search: Search, is_harmless: Callable[[int], bool]) -> None:
        """`is_harmless` says of an expression that no event that it is found in tells of a failure."""
        self._search = search
        self._is_harmless = is_harmless
        self._events: dict[int, int] = {}  # hits that were looked at, by expression

    def hits(self, block: bytes, start: int, events: list[Hit], is_final: bool) -> list[Hit]:
        """Hits of what tells about the run in a block that begins at `start` of the section; `events` are those that may be events."""
        chosen = {place // STRETCH for place, number in events if self._is_new(number)}
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

    def _is_new(self, expression: int) -> bool:
        if self._is_harmless(expression):
            return False
        count = self._events[expression] = self._events.get(expression, 0) + 1
        return count <= FEW
