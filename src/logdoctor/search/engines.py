"""Bytes to hits: Engines, Search."""

from typing import NamedTuple

import hyperscan

Hit = tuple[int, int]
"""Where a match ends, in bytes from the beginning of what was searched, and the number of its
expression.
"""


class Engines(NamedTuple):
    """What searches raw bytes.

    Attributes:
        events: for what may tell of a failure or of an ending; all bytes are searched for it.
        course: for what tells how the run is set up and where it stands, which healthy logs are
            full of; of large ones, parts are searched for it.
    """

    events: hyperscan.Database
    course: hyperscan.Database


class Search:
    """Searches one piece of a log after the other."""

    def __init__(self, engines: Engines) -> None:
        self._events, self._course = ((engine, hyperscan.Scratch(engine)) for engine in engines)

    def event_hits(self, data: bytes) -> list[Hit]:
        """Hits of what may tell of a failure or of an ending, ascending."""
        hits: list[Hit] = []
        self._search(*self._events, data, hits)
        hits.sort()
        return hits

    def course_hits(self, data: bytes, start: int = 0, end: int | None = None) -> list[Hit]:
        """Hits of what tells about the run in `data[start:end]`, ascending, their places counted
        from the beginning of `data`.
        """
        hits: list[Hit] = []
        part = data if start == 0 and end in (None, len(data)) else data[start:end]
        self._search(*self._course, part, hits)
        hits.sort()
        return [(place + start, number) for place, number in hits] if start else hits

    def hits(self, data: bytes) -> list[Hit]:
        """All hits, ascending."""
        return sorted((*self.event_hits(data), *self.course_hits(data)))

    @staticmethod
    def _search(
        engine: hyperscan.Database, scratch: hyperscan.Scratch, data: bytes, hits: list[Hit]
    ) -> None:
        engine.scan(
            data,
            match_event_handler=lambda number, _start, end, _flags, _context: hits.append(
                (end, number)
            ),
            scratch=scratch,
        )
