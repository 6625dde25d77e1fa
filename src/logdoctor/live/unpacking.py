"""A compressed generation of a log to a file that can be read anywhere: unpacked."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO

CHUNK = 1 << 20
"""Bytes copied at once."""


def unpacked(descriptor: int, head: bytes) -> int | None:
    """The descriptor of a file without a name that holds the plain content; None where that does
    not begin with `head`, is broken, not yet whole, or without end. Takes the descriptor.

    Raises:
        OSError: it cannot be read or kept now, as where a disk is full.
    """
    import tempfile  # noqa: PLC0415  # hardly any rotation compresses what is still to be read

    from logdoctor.sources.decompress import broken_stream, decompressed  # noqa: PLC0415
    from logdoctor.sources.unpack_limit import Allowance  # noqa: PLC0415

    with os.fdopen(descriptor, "rb") as packed:
        status = os.fstat(descriptor)
        allowance = Allowance(None, status.st_size)
        try:
            plain = allowance.watch(decompressed(allowance.tap(packed), packed.peek(16)))
            first = _read(plain, len(head)) if head else b""
            if first != head:
                return None
            with tempfile.TemporaryFile() as file:
                file.write(first)
                while chunk := plain.read(CHUNK):
                    file.write(chunk)
                file.flush()
                # a mark at its very beginning knows it by its time only: it must look newer
                os.utime(file.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns - 1))
                return os.dup(file.fileno())
        except broken_stream() as error:
            # a format's own have no number; that of the limit on what is unpacked is this one
            if isinstance(error, OSError) and error.errno not in (None, errno.EFBIG):
                raise
            return None


def _read(stream: BinaryIO, size: int) -> bytes:
    """So many bytes, fewer at the end."""
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data
