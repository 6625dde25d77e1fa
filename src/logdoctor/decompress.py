"""Compressed streams to plain ones: decompressed.

Unlike the readers of the standard library, what can be decompressed of a broken or cut off stream is handed out before
the error is raised: the end of a log is what matters most.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO, cast

PIECE = 2048
"""Compressed bytes taken at once; bounds what one step can expand to (about 64 MB for the worst zstd bomb)."""


def broken_stream() -> tuple[type[BaseException], ...]:
    """What a broken stream raises; to be asked for where something was raised, because it imports every format."""
    import lzma  # noqa: PLC0415
    import zlib  # noqa: PLC0415

    import zstandard  # noqa: PLC0415

    return (zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, OSError)


def decompressed(stream: BinaryIO, head: bytes) -> BinaryIO:
    """The stream itself, or its plain content where its first bytes (`head`, not taken from it) are those of a format."""
    for magic, factory in _FORMATS:
        if head.startswith(magic):
            return cast(BinaryIO, io.BufferedReader(_Frames(stream, magic, factory)))
    return stream


def _gzip() -> Any:
    import zlib  # noqa: PLC0415

    return zlib.decompressobj(wbits=31)


def _bzip2() -> Any:
    import bz2  # noqa: PLC0415

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma  # noqa: PLC0415

    return lzma.LZMADecompressor()


def _zstd() -> Any:
    import zstandard  # noqa: PLC0415

    return zstandard.ZstdDecompressor().decompressobj()


_FORMATS: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", _bzip2),
    (b"\xfd7zXZ\0", _xz),
    (b"\x28\xb5\x2f\xfd", _zstd),
)
"""First bytes of each format, and what makes a decompressor of one of its frames (`decompress`, `eof`, `unused_data`).

Each package is imported where it is needed: most logs are plain.
"""


class _Frames(io.RawIOBase):
    """Decompresses all frames of a stream one after the other; what follows the last one and is no frame is left."""

    def __init__(self, stream: BinaryIO, magic: bytes, factory: Callable[[], Any]) -> None:
        self._stream, self._magic, self._factory = stream, magic, factory
        self._frame = factory()
        self._rest, self._ready, self._is_in_frame = b"", memoryview(b""), False
        self._error: BaseException | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if self._error:
                raise self._error
            if not self._advance():
                return 0
        part = self._ready[: len(buffer)]
        buffer[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def _advance(self) -> bool:
        """Takes the next compressed bytes; False at the end."""
        compressed = self._rest or self._stream.read(PIECE)
        self._rest = b""
        if not compressed:
            if self._is_in_frame:
                self._error = EOFError("its end is missing")
            return self._is_in_frame
        if self._is_in_frame is False and not self._magic.startswith(compressed[: len(self._magic)]):
            return False  # padding or something else behind the last frame
        self._is_in_frame = True
        try:
            self._ready = memoryview(self._frame.decompress(compressed))
        except broken_stream() as error:
            self._error = error
            return True
        if self._frame.eof:
            self._rest, self._is_in_frame, self._frame = self._frame.unused_data, False, self._factory()
        return True
