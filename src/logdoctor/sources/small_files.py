"""Files that are read whole: read_small.

Configurations, signatures and states are small. What is named in their place may be a pipe that
nobody writes to, a device without an end, or a link to itself: it is refused, or read to a limit.
"""

import os
import select
import stat

LIMIT = 64 << 20
"""Bytes that such a file may have."""

PATIENCE_S = 10.0
"""Seconds that a pipe is waited for, as of a shell's `<(command)`."""

_CHUNK = 1 << 20


def read_small(path: str) -> bytes:
    """All of a file; of a pipe, what comes until its writer ends.

    Raises:
        OSError: it cannot be read, is a device, is too large, or a pipe is silent for too long.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(0, "a folder, not a file", path)
        is_device = stat.S_ISBLK(mode) or stat.S_ISCHR(mode)
        if is_device and os.path.realpath(path) != os.devnull:
            raise OSError(0, "a device, not a file", path)
        data = bytearray()
        while chunk := _next(descriptor, path):
            data += chunk
            if len(data) > LIMIT:
                raise OSError(0, f"more than {LIMIT >> 20} MB, which none of its kind has", path)
        return bytes(data)
    finally:
        os.close(descriptor)


def _next(descriptor: int, path: str) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:  # its writer is there, and has not written yet
        if not select.select([descriptor], [], [], PATIENCE_S)[0]:
            raise OSError(0, f"a pipe that says nothing for {PATIENCE_S:.0f} s", path) from None
        return os.read(descriptor, _CHUNK)
