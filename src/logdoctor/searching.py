"""Blocks to hits, on one thread or several: Search.

Hyperscan lets go of Python's lock while it searches, so that threads use all cores; the hits come back in the order of
the blocks, whatever the number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import hyperscan

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Hit = tuple[int, int]
"""Where a match ends, in bytes from the beginning of its block, and the number of its expression."""

ALONE = 8
"""Blocks searched on the calling thread before others are started: a small log is done sooner than they are."""

AHEAD = 2
"""Blocks that each thread may be ahead; bounds the memory."""


class Block(NamedTuple):
    """Bytes that are searched at once; `is_continued` where it begins inside a line, with bytes already searched."""

    data: bytes
    is_continued: bool


class Search:
    """Searches blocks; hits of a block are ascending."""

    def __init__(self, engine: hyperscan.Database, jobs: int = 1) -> None:
        self._engine = engine
        self._jobs = jobs
        self._scratches = [hyperscan.Scratch(engine)]
        self._alone = ALONE
        self._threads: ThreadPoolExecutor | None = None
        self._waiting: deque[tuple[Block, Future[list[Hit]]]] = deque()

    def feed(self, block: Block) -> Iterator[tuple[Block, list[Hit]]]:
        """Takes the next block; yields those that are searched, in their order."""
        if self._jobs == 1 or self._alone:
            self._alone -= bool(self._alone)
            yield block, self._hits(block.data)
            return
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # most logs are small

            self._threads = ThreadPoolExecutor(self._jobs)
            self._scratches += [hyperscan.Scratch(self._engine) for _ in range(self._jobs - 1)]
        self._waiting.append((block, self._threads.submit(self._hits, block.data)))
        while len(self._waiting) > self._jobs * AHEAD:
            yield self._next()

    def flush(self) -> Iterator[tuple[Block, list[Hit]]]:
        """Yields what is still being searched."""
        while self._waiting:
            yield self._next()
        if self._threads:
            self._threads.shutdown()
            self._threads = None

    def _next(self) -> tuple[Block, list[Hit]]:
        block, hits = self._waiting.popleft()
        return block, hits.result()

    def _hits(self, data: bytes) -> list[Hit]:
        hits: list[Hit] = []
        scratch = self._scratches.pop()  # at most one thread each; popping a list is atomic
        try:
            self._engine.scan(data, match_event_handler=lambda number, _start, end, _flags, _context: hits.append((end, number)), scratch=scratch)
        finally:
            self._scratches.append(scratch)
        hits.sort()
        return hits
