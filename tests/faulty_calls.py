"""Calls of the system that fail, in a process of the program's own.

`python -m tests.faulty_calls FOLDER CALL NUMBER ERRNO WORDS…` calls logdoctor with these words; of
the calls of this kind that concern a path in the folder, the one of that number fails. The file
`FOLDER.reached` says that there was one.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from logdoctor.cli.main import program

AUDITED = {
    "open": {"open"},
    "rename": {"os.rename"},
    "list": {"os.listdir", "os.scandir"},
    "map": {"mmap.__new__"},
    "lock": {"fcntl.flock", "fcntl.lockf"},
}
"""Names of Python's audit events, by the call."""

CALLS = (*AUDITED, "read", "write", "sync")

ERRORS = (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES, errno.ENOMEM)


class Faults:
    """Counts the calls of one kind in a folder, and fails one of them."""

    def __init__(self, folder: str, call: str, number: int, error: int) -> None:
        self._folder, self._call, self._error = folder, call, error
        self._left = number
        self.is_on = True

    def heed(self, call: str, path: object) -> None:
        """Takes note of a call; raises where it is the one."""
        is_here = path is None or os.fsdecode(str(path)).startswith(self._folder)
        if not self.is_on or call != self._call or not is_here:
            return
        if self._left:
            self._left -= 1
            return
        self.is_on = False
        Path(f"{self._folder}.reached").touch()
        raise OSError(self._error, os.strerror(self._error), path)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The interpreter's hook: it is told before what it tells of happens."""
        for call, events in AUDITED.items():
            if event in events:
                has_path = event in ("open", "os.rename", "os.listdir", "os.scandir")
                self.heed(call, arguments[0] if has_path else None)


class FaultyFile(io.FileIO):
    """A file of which a read or a write fails."""

    faults: Faults

    def readinto(self, buffer: Any) -> int | None:
        self.faults.heed("read", self.name)
        return super().readinto(buffer)

    def read(self, size: int | None = -1, /) -> bytes:
        self.faults.heed("read", self.name)
        return super().read(-1 if size is None else size)

    def readall(self) -> bytes:
        self.faults.heed("read", self.name)
        return super().readall()

    def write(self, data: Any) -> int:
        self.faults.heed("write", self.name)
        return super().write(data)


def opener(faults: Faults, real: Callable[..., Any]) -> Callable[..., Any]:
    """Python's `open`, of files of which a read or a write may fail."""

    def faulty(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
        if isinstance(file, int) or "+" in mode:
            return real(file, mode, buffering, *more, **named)
        raw = FaultyFile(file, mode.replace("b", "").replace("t", ""), named.get("closefd", True))
        raw.faults = faults
        if "b" in mode and not buffering:
            return raw
        buffered = io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        encoding = more[0] if more else named.get("encoding")
        return io.TextIOWrapper(buffered, encoding, *more[1:3])

    return faulty


@contextmanager
def armed(faults: Faults) -> Iterator[None]:
    """Has the call fail within this context; its hook stays, and does nothing."""
    sys.addaudithook(faults.audit)
    faulty, real_sync = opener(faults, builtins.open), os.fsync

    def sync(handle: int) -> None:
        faults.heed("sync", None)
        real_sync(handle)

    with (
        mock.patch.object(builtins, "open", faulty),
        mock.patch.object(io, "open", faulty),
        mock.patch.object(os, "fsync", sync),
    ):
        yield
    faults.is_on = False


def main() -> NoReturn:
    """Arms the call and runs the program."""
    folder, call, number, error, *words = sys.argv[1:]
    sys.argv = ["logdoctor", *words]
    with armed(Faults(folder, call, int(number), int(error))):
        program()
    raise AssertionError("the program goes on")


if __name__ == "__main__":
    main()
