"""One line printed over and over: equal_runs.

A loop that fails prints the same line millions of times. What the first copies say and the last
ones, all of them say; the others are only counted.
"""

from collections.abc import Iterator
from typing import NamedTuple

RUN_BYTES = 1 << 16
"""Bytes of a run that is worth counting; shorter ones are read."""

LENGTH_LIMIT = 1024
"""Bytes of a line beyond which its copies are read."""

FIRST_KEPT, LAST_KEPT = 64, 4
"""Copies of a run that are read, at its beginning, which is more than what a line lights up below
it, and at its end.
"""

_MANY = 64


class Run(NamedTuple):
    """Copies of a line that are only counted: where in a block they begin and end, and bytes of
    each, its end included.
    """

    start: int
    end: int
    length: int

    @property
    def copies(self) -> int:
        """How many they are."""
        return (self.end - self.start) // self.length


def equal_runs(block: bytes) -> Iterator[Run]:
    """The runs of at least `RUN_BYTES` in a block, ascending, without the copies that are read."""
    done = 0
    for probe in range(RUN_BYTES // 2, len(block), RUN_BYTES // 2):
        start, end = block.rfind(b"\n", 0, probe) + 1, block.find(b"\n", probe) + 1
        line = block[start:end]
        if probe < done or not 0 < len(line) <= LENGTH_LIMIT or not block.startswith(line, end):
            continue
        first, done = _first(block, line, start), _last(block, line, end)
        if done - first >= RUN_BYTES:
            run = Run(first + FIRST_KEPT * len(line), done - LAST_KEPT * len(line), len(line))
            if run.start < run.end:
                yield run


def _last(block: bytes, line: bytes, end: int) -> int:
    """Where the copies of a line end of which one ends there."""
    for copies in (line * _MANY, line):
        while block.startswith(copies, end):
            end += len(copies)
    return end


def _first(block: bytes, line: bytes, start: int) -> int:
    """Where the copies of a line begin of which one begins there."""
    for copies in (line * _MANY, line):
        while start >= len(copies) and block.startswith(copies, start - len(copies)):
            start -= len(copies)
    # the first may only end like the others
    return start if block[start - 1 : start] in (b"", b"\n") else start + len(line)
