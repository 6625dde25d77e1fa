"""Sources that have their newest line first, turned round: Chronology.

Log stores list the newest line first (logcli, Grafana, Kibana, CloudWatch's console), and an export
keeps that order.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

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


class Chronology:
    """The chunks of a source from its oldest line to its newest.

    Attributes:
        numbers: where it was turned round, for each line of what comes out its number in the
            source; else empty.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.numbers: Sequence[int] = ()

    def __iter__(self) -> Iterator[bytes]:
        head, error = self._gathered(SAMPLE)
        if _is_newest_first(head[:SAMPLE]) and error is None:
            more, error = self._gathered(TURNED_LIMIT)
            head += more
            if len(head) < TURNED_LIMIT:
                head, self.numbers = _turned(head)
        if head:
            yield head
        if error is not None:
            raise error
        yield from self._chunks

    def _gathered(self, size: int) -> tuple[bytes, BaseException | None]:
        """The next bytes, at least so many if there are, and what kept more from coming."""
        parts, length = [], 0
        try:
            for chunk in self._chunks:
                parts.append(chunk)
                length += len(chunk)
                if length >= size:
                    break
        # raised again after what came before it was handed on
        except BaseException as error:  # noqa: BLE001
            return b"".join(parts), error
        return b"".join(parts), None


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
