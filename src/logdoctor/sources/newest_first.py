"""Sources that have their newest line first, turned round: Chronology.

Log stores list the newest line first (logcli, Grafana, Kibana, CloudWatch's console), and an export
keeps that order.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

SAMPLE = 1 << 14
"""Bytes by which the order is told."""

TURNED_LIMIT = 1 << 28
"""Bytes of a source that is turned round, which takes it into memory; of a larger one the order
stays.
"""

LEAST_DESCENTS, STEADY = 3, 20
"""Times that must be earlier than the one above, and how many of them must come on one that is
later.
"""

LEAST_STAMPED = 0.3
"""Share of the lines that begin with a time."""

_STAMP = re.compile(
    rb"[^0-9\n]{0,30}((?:20\d\d[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
)


class OwnNumbers(dict[str, Sequence[int]]):
    """By name of each source that was turned round, for each line of what comes out its number in
    the source.
    """

    def of(self, source: str, line: int) -> int:
        """The number in its source of a line that was read as such a one."""
        numbers = self.get(source)
        return numbers[min(line, len(numbers)) - 1] if numbers else line


class Chronology:
    """The bytes of a source from its oldest line to its newest: a push machine.

    Attributes:
        numbers: where it was turned round, for each line of what comes out its number in the
            source; else empty.
    """

    def __init__(self) -> None:
        self.numbers: Sequence[int] = ()
        self._parts: list[bytes] = []
        self._size = 0
        self._holds_up_to = SAMPLE

    @property
    def held(self) -> bytes:
        """What has not come out yet."""
        return b"".join(self._parts)

    def feed(self, chunk: bytes) -> bytes:
        """Takes the next bytes; gives those whose order is known, mostly none or all."""
        if not self._holds_up_to:
            return chunk
        self._parts.append(chunk)
        self._size += len(chunk)
        if self._size >= SAMPLE == self._holds_up_to and _is_newest_first(self.held[:SAMPLE]):
            self._holds_up_to = TURNED_LIMIT
        if self._size < self._holds_up_to:
            return b""
        self._holds_up_to = 0
        return self._released()

    def flush(self) -> bytes:
        """Takes the end of the source; gives what is left."""
        data = self._released()
        if len(data) < TURNED_LIMIT and _is_newest_first(data[:SAMPLE]):
            data, self.numbers = _turned(data)
        return data

    def drop_open_line(self) -> None:
        """Forgets what is held of a line that has not ended."""
        data = self._released()
        self._parts = [data[: data.rfind(b"\n") + 1]]

    def _released(self) -> bytes:
        data, self._parts = self.held, []
        return data


def _is_newest_first(sample: bytes) -> bool:
    lines = [line for line in sample.split(b"\n") if line.strip()]
    stamps = [found[1] for line in lines if (found := _STAMP.match(line))]
    descents = sum(above > below for above, below in itertools.pairwise(stamps))
    ascents = sum(above < below for above, below in itertools.pairwise(stamps))
    return (
        descents >= LEAST_DESCENTS
        and ascents * STEADY <= descents
        and len(stamps) >= LEAST_STAMPED * len(lines)
    )


def _turned(data: bytes) -> tuple[bytes, Sequence[int]]:
    """The records in the other order; a record is a line that begins with a time and those
    without below it.
    """
    from array import array  # noqa: PLC0415  # hardly any source needs it

    lines = data.removesuffix(b"\n").split(b"\n")
    starts = [i for i, line in enumerate(lines) if i == 0 or _STAMP.match(line)]
    numbers = array("Q")
    turned = []
    for start, end in zip(reversed(starts), (len(lines), *reversed(starts)), strict=False):
        numbers.extend(range(start + 1, end + 1))
        turned += lines[start:end]
    return b"\n".join(turned) + b"\n", numbers
