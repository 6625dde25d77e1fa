"""Bytes that a slower reader takes later: Backlog.

In memory, then in temporary files that have no name; where even those are full, the oldest are left
out, but not their line ends, so that the lines that follow keep their numbers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress

CHUNK = 1 << 20
"""Bytes handed on at once."""

MEMORY_BYTES = 32 << 20
"""Bytes kept in memory."""

FILE_BYTES = 64 << 20
"""Bytes in one temporary file."""

FILES = 8
"""Files: half a gigabyte, which takes a scanner a quarter of a minute at the end."""


def unnamed_file() -> int:
    """The descriptor of a new file that is gone when it is closed.

    Raises:
        OSError: there is no place for it.
    """
    import tempfile  # noqa: PLC0415  # most runs print less

    descriptor, name = tempfile.mkstemp(prefix="logdoctor-")
    with suppress(OSError):
        os.unlink(name)
    return descriptor


class _File:
    """A temporary file that is written and read from its beginning."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = self.taken = 0

    def append(self, data: bytes) -> None:
        view, end = memoryview(data), self.size
        while view:
            written = os.pwrite(self.descriptor, view, end)
            view, end = view[written:], end + written
        self.size = end

    def read(self) -> bytes:
        data = os.pread(self.descriptor, min(CHUNK, self.size - self.taken), self.taken)
        self.taken += len(data)
        return data


class Backlog:
    """Takes bytes at one end and gives them at the other; `size` counts those that wait,
    `left_out` those that were lost.
    """

    def __init__(
        self,
        memory_bytes: int = MEMORY_BYTES,
        file_bytes: int = FILE_BYTES,
        open_file: Callable[[], int] = unnamed_file,
    ) -> None:
        """`open_file` gives the descriptor of a new file; what raises OSError there is kept in
        memory.
        """
        self._memory_bytes = memory_bytes
        self._file_bytes = file_bytes
        self._open_file = open_file
        self._line_ends = 0  # of what was left out: they come first
        self._memory: deque[bytes] = deque()  # then these
        self._in_memory = 0
        self._files: deque[_File] = deque()  # then these
        self.left_out = 0

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return (
            self._line_ends + self._in_memory + sum(file.size - file.taken for file in self._files)
        )

    def add(self, data: bytes) -> None:
        """Takes the next bytes."""
        while self._files or self._in_memory + len(data) > self._memory_bytes:
            if self._write(data):
                return
            if not self._leave_out_file():
                self._leave_out_until(self._memory_bytes // 2)
                break
        if data:
            self._remember(data)

    def first(self) -> bytes:
        """The bytes that are next; empty where none wait."""
        if self._line_ends:
            return b"\n" * min(self._line_ends, CHUNK)
        if not self._memory and self._files:
            self._remember(self._files[0].read())
            if self._files[0].taken == self._files[0].size:
                os.close(self._files.popleft().descriptor)
        return self._memory[0] if self._memory else b""

    def drop(self, count: int) -> None:
        """Takes away so many of the bytes that `first` gave."""
        if self._line_ends:
            self._line_ends -= count
            return
        rest = self._memory.popleft()[count:]
        self._in_memory -= count
        if rest:
            self._memory.appendleft(rest)

    def clear(self) -> None:
        """Forgets all that waits."""
        while self._files:
            os.close(self._files.popleft().descriptor)
        self._memory.clear()
        self._in_memory = self._line_ends = 0

    def _remember(self, data: bytes) -> None:
        self._memory.append(data)
        self._in_memory += len(data)

    def _write(self, data: bytes) -> bool:
        """Appends all of it to the last file, or to a new one; False where the disk takes no
        more.
        """
        is_new = not self._files or self._files[-1].size >= self._file_bytes
        if is_new and len(self._files) == FILES:
            self._leave_out_file()
        try:
            file = _File(self._open_file()) if is_new else self._files[-1]
        except OSError:
            return False
        try:
            file.append(data)
        except OSError:
            if is_new:
                os.close(file.descriptor)
            return False
        if is_new:
            self._files.append(file)
        return True

    def _leave_out_file(self) -> bool:
        """Makes room on the disk: the oldest file goes, and what is in memory, which is older;
        False where there is no file.
        """
        if not self._files:
            return False
        self._leave_out_until(0)
        file = self._files.popleft()
        while data := file.read():
            self._count(data)
        os.close(file.descriptor)
        return True

    def _leave_out_until(self, size: int) -> None:
        while self._in_memory > size:
            data = self._memory.popleft()
            self._in_memory -= len(data)
            self._count(data)

    def _count(self, data: bytes) -> None:
        self.left_out += len(data)
        self._line_ends += data.count(b"\n")
