"""Bytes to hits: Engines, Search."""

from typing import NamedTuple

import hyperscan

Hit = tuple[int, int]
"""Where a match ends, in bytes from the beginning of what was searched, and the number of its
expression.
"""


class Engine(NamedTuple):
    """Hyperscan's database of some expressions, and by how much their numbers in it are less than
    those that they have everywhere else.
    """

    database: hyperscan.Database
    offset: int = 0


class Engines(NamedTuple):
    """What searches raw bytes; of signatures that were compiled by themselves, each has its own.

    Attributes:
        events: for what may tell of a failure or of an ending; all bytes are searched for it.
        course: for what tells how the run is set up and where it stands, which healthy logs are
            full of; of large ones, parts are searched for it.
    """

    events: tuple[Engine, ...]
    course: tuple[Engine, ...]


class Search:
    """Searches one piece of a log after the other."""

    def __init__(self, engines: Engines) -> None:
        self._events, self._course = (
            [(engine, hyperscan.Scratch(engine.database)) for engine in each] for each in engines
        )

    def event_hits(self, data: bytes) -> list[Hit]:
        """Hits of what may tell of a failure or of an ending, ascending."""
        hits: list[Hit] = []
        for engine, scratch in self._events:
            self._search(engine, scratch, data, hits)
        hits.sort()
        return hits

    def course_hits(self, data: bytes, start: int = 0, end: int | None = None) -> list[Hit]:
        """Hits of what tells about the run in `data[start:end]`, ascending, their places counted
        from the beginning of `data`.
        """
        hits: list[Hit] = []
        part = data if start == 0 and end in (None, len(data)) else data[start:end]
        for engine, scratch in self._course:
            self._search(engine, scratch, part, hits)
        hits.sort()
        return [(place + start, number) for place, number in hits] if start else hits

    def hits(self, data: bytes) -> list[Hit]:
        """All hits, ascending."""
        return sorted((*self.event_hits(data), *self.course_hits(data)))

    @staticmethod
    def _search(engine: Engine, scratch: hyperscan.Scratch, data: bytes, hits: list[Hit]) -> None:
        offset = engine.offset
        engine.database.scan(
            data,
            match_event_handler=lambda number, _start, end, _flags, _context: hits.append(
                (end, number + offset)
            ),
            scratch=scratch,
        )
