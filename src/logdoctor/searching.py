"""Bytes to hits: Search."""

from __future__ import annotations

import hyperscan

Hit = tuple[int, int]
"""Where a match ends, in bytes from the beginning of what was searched, and the number of its expression."""


class Search:
    """Searches one piece of a log after the other."""

    def __init__(self, engine: hyperscan.Database) -> None:
        self._engine = engine
        self._scratch = hyperscan.Scratch(engine)

    def hits(self, data: bytes) -> list[Hit]:
        """All hits, ascending."""
        hits: list[Hit] = []
        self._engine.scan(data, match_event_handler=lambda number, _start, end, _flags, _context: hits.append((end, number)), scratch=self._scratch)
        hits.sort()
        return hits
