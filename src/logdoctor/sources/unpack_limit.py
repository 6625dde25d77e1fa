"""How much an archive may unpack to: Allowance."""

from __future__ import annotations

import errno
import io
from typing import Any, BinaryIO, cast

EXPANSION, EXPANSION_FREE = 200, 1 << 30
"""What is unpacked from a file may be so many times its size, or so many bytes, whichever is
more, unless the user says otherwise.
"""


class Allowance:
    """How many bytes all that is unpacked from one file may come to, archives within it included.

    Attributes:
        spent: unpacked so far.
    """

    def __init__(self, limit: int | None = None, size: int = 0) -> None:
        """`limit` is what the user said, `size` that of the file, 0 where only reading it will
        tell.
        """
        self._limit = limit
        self._size = size
        self._taken = 0
        self.spent = 0

    @property
    def limit(self) -> int:
        """Bytes that may be unpacked from what was read so far."""
        return (
            max(EXPANSION * max(self._size, self._taken), EXPANSION_FREE)
            if self._limit is None
            else self._limit
        )

    def tap(self, stream: BinaryIO) -> BinaryIO:
        """The stream of the file itself, of which is noted how much was read; for `read` only."""
        return cast(BinaryIO, _Tapped(stream, self))

    def watch(self, stream: BinaryIO) -> BinaryIO:
        """A stream of what was unpacked, which raises OSError where the allowance is spent."""
        return cast(BinaryIO, io.BufferedReader(_Watched(stream, self)))

    def take(self, count: int) -> None:
        """Takes note of bytes of the file that were read."""
        self._taken += count

    def spend(self, count: int) -> None:
        """Takes note of bytes that were unpacked.

        Raises:
            OSError: more than the limit.
        """
        self.spent += count
        if self.spent > self.limit:
            raise OSError(
                errno.EFBIG,
                (
                    f"unpacks to more than {self.limit:,} bytes; the rest was left out "
                    f"(--unpack-limit allows more)"
                ),
            )


class _Tapped:
    def __init__(self, stream: BinaryIO, allowance: Allowance) -> None:
        self._stream, self._allowance = stream, allowance

    def read(self, count: int) -> bytes:
        data = self._stream.read(count)
        self._allowance.take(len(data))
        return data


class _Watched(io.RawIOBase):
    def __init__(self, stream: BinaryIO, allowance: Allowance) -> None:
        self._stream, self._allowance = stream, allowance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = getattr(self._stream, "read1", self._stream.read)
        data = read(len(buffer))
        self._allowance.spend(len(data))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
