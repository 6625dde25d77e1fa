"""How much an archive may unpack to: Allowance."""

from __future__ import annotations

import errno
import io
from typing import Any, BinaryIO, cast


class Allowance:
    """How many bytes all that is unpacked from one file may come to, archives within it included.

    Attributes:
        limit: None for any number.
        spent: unpacked so far.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.spent = 0

    def watch(self, stream: BinaryIO) -> BinaryIO:
        """The stream, which raises OSError where the allowance is spent."""
        return cast(BinaryIO, io.BufferedReader(_Watched(stream, self))) if self.limit is not None else stream

    def spend(self, count: int) -> None:
        """Takes note of bytes that were unpacked.

        Raises:
            OSError: more than the limit.
        """
        self.spent += count
        if self.limit is not None and self.spent > self.limit:
            raise OSError(errno.EFBIG, f"unpacks to more than {self.limit:,} bytes, as logs hardly do; the rest was left out")


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
