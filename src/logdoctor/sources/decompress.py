"""Compressed streams to plain ones: decompressed.

Unlike the readers of the standard library, what can be decompressed of a broken or cut off stream
is handed out before the error is raised: the end of a log is what matters most.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from queue import Queue

PIECE = 16384
"""Compressed bytes taken at once."""

STEP = 1 << 20
"""Plain bytes that one step gives at most."""

ALONE, AHEAD = 4, 4
"""Steps taken on the calling thread before another is started, and how many that one may be
ahead.
"""


def broken_stream() -> tuple[type[BaseException], ...]:
    """What a broken stream raises; to be asked for where something was raised, because it
    imports every format.
    """
    import lzma  # noqa: PLC0415
    import zlib  # noqa: PLC0415

    from logdoctor.sources.zstd import zstd  # noqa: PLC0415

    errors = (zlib.error, lzma.LZMAError, zstd.ZstdError, EOFError, OSError)
    isal = sys.modules.get("isal.isal_zlib")  # not there on every platform
    return (*errors, isal.error) if isal else errors


def decompressed(stream: BinaryIO, head: bytes) -> BinaryIO:
    """The stream itself, or its plain content where its first bytes (`head`, not taken from it)
    are those of a format.
    """
    for magic, factory in _FORMATS:
        if head.startswith(magic):
            return cast(BinaryIO, io.BufferedReader(_Ahead(_Frames(stream, magic, factory)), STEP))
    return stream


def _gzip() -> Any:
    try:
        from isal import isal_zlib as zlib  # noqa: PLC0415  # two to three times as fast
    except ImportError:
        import zlib  # type: ignore[no-redef]  # noqa: PLC0415

    return _Unconsumed(zlib.decompressobj(wbits=31))


class _Unconsumed:
    """A decompressor of gzip that keeps what it has not consumed, as the others do."""

    def __init__(self, decompressor: Any) -> None:
        self._decompressor = decompressor

    def decompress(self, data: bytes, most: int) -> bytes:
        return cast(
            bytes, self._decompressor.decompress(self._decompressor.unconsumed_tail + data, most)
        )

    def flush(self) -> bytes:
        return cast(bytes, self._decompressor.flush())

    @property
    def needs_input(self) -> bool:
        return not self._decompressor.unconsumed_tail

    @property
    def eof(self) -> bool:
        return cast(bool, self._decompressor.eof)

    @property
    def unused_data(self) -> bytes:
        return cast(bytes, self._decompressor.unused_data)


def _bzip2() -> Any:
    import bz2  # noqa: PLC0415

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma  # noqa: PLC0415

    return lzma.LZMADecompressor()


def _zstd() -> Any:
    from logdoctor.sources.zstd import zstd  # noqa: PLC0415

    return zstd.ZstdDecompressor()


_FORMATS: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", _bzip2),
    (b"\xfd7zXZ\0", _xz),
    (b"\x28\xb5\x2f\xfd", _zstd),
)
"""First bytes of each format, and what makes a decompressor of one of its frames (`decompress`,
`needs_input`, `eof`, `unused_data`).

Each package is imported where it is needed: most logs are plain.
"""


class _Frames:
    """Decompresses all frames of a stream one after the other; what follows the last one and is
    no frame is left.
    """

    def __init__(self, stream: BinaryIO, magic: bytes, factory: Callable[[], Any]) -> None:
        self._stream, self._magic, self._factory = stream, magic, factory
        self._frame: Any = None
        self._rest = b""

    def step(self) -> bytes | None:
        """The next plain bytes, perhaps none; None at the end. Raises what a broken stream
        raises.
        """
        compressed = b""
        if self._frame is None or self._frame.needs_input:
            compressed = self._rest or self._stream.read(PIECE)
            self._rest = b""
            if not compressed:
                if self._frame is None:
                    return None
                held_back = self._frame.flush() if isinstance(self._frame, _Unconsumed) else b""
                if held_back:
                    return held_back
                raise EOFError("its end is missing")
        if self._frame is None:
            if not self._magic.startswith(compressed[: len(self._magic)]):
                return None  # padding or something else behind the last frame
            self._frame = self._factory()
        plain = cast(bytes, self._frame.decompress(compressed, STEP))
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return plain


class _Ahead(io.RawIOBase):
    """Reads frames on a thread of its own, beside whoever reads it; what was read before an
    error comes before it.
    """

    def __init__(self, frames: _Frames) -> None:
        self._frames = frames
        self._alone = ALONE
        self._ready = memoryview(b"")
        self._error: BaseException | None = None
        self._is_over = False
        self._queue: Queue[bytes | BaseException | None] | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._is_over:
            step = self._next()
            if isinstance(step, BaseException):
                self._is_over, self._error = True, step
            elif step is None:
                self._is_over = True
            else:
                self._ready = memoryview(step)
        if self._is_over and self._error:
            raise self._error
        part = self._ready[: len(buffer)]
        buffer[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def close(self) -> None:
        self._is_over = True
        while self._queue and not self._queue.empty():
            self._queue.get()  # lets the thread see that nobody reads on
        super().close()

    def _next(self) -> bytes | BaseException | None:
        if self._alone:
            self._alone -= 1
            return self._step()
        if self._queue is None:
            self._queue = _started(self._produce)
        return self._queue.get()

    def _step(self) -> bytes | BaseException | None:
        try:
            return self._frames.step()
        # raised again where it is read, on whichever thread
        except Exception as error:  # noqa: BLE001
            return error

    def _produce(self, queue: Queue[bytes | BaseException | None]) -> None:
        step: bytes | BaseException | None = b""
        while isinstance(step, bytes) and not self._is_over:
            plain: list[bytes] = []
            while isinstance(step := self._step(), bytes) and not self._is_over:
                plain.append(step)
                if sum(map(len, plain)) >= STEP:
                    break
            queue.put(b"".join(plain))
        if not self._is_over:
            queue.put(step)


def _started(
    produce: Callable[[Queue[bytes | BaseException | None]], None],
) -> Queue[bytes | BaseException | None]:
    """Starts a thread that fills a queue; imported where a log is long enough for it."""
    from queue import Queue  # noqa: PLC0415
    from threading import Thread  # noqa: PLC0415

    queue: Queue[bytes | BaseException | None] = Queue(AHEAD)
    Thread(target=produce, args=(queue,), daemon=True).start()
    return queue
