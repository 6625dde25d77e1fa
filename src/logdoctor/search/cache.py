"""Compiled databases kept between calls: CompiledCache.

A file of the cache is used only where it is the user's own, nobody else may write it, and its key
and checksums are right; whatever goes wrong with the cache, the database is compiled as if there
were none.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FILES_KEPT = 8
"""Compiled databases in a cache folder; the least recently used ones go first."""

PATIENCE_S = 60.0
"""Seconds for which one waits for another that compiles, which takes a quarter of a minute; beyond
them the other is stopped, or its lock is left on a file server, or nothing that is made is kept.
"""

LOOK_EVERY_S = 0.05
"""Seconds between two looks whether the other is done."""

_SUFFIX, _LOCK = ".compiled", "compiling.lock"


class CompiledCache:
    """A folder of compiled databases by key."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> bytes | None:
        """What was written under this key; None where nothing was, or it is not to be trusted."""
        try:
            with self._file(key).open("rb") as file:
                status = os.fstat(file.fileno())
                is_own = (
                    status.st_uid == os.getuid()
                    and stat.S_ISREG(status.st_mode)
                    and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
                )
                if not is_own:
                    return None
                with suppress(OSError):  # the last use decides which one goes
                    os.utime(file.fileno())
                return file.read()
        except OSError:
            return None

    def write(self, key: str, data: bytes) -> bool:
        """Keeps the data under this key, in one step that another process sees whole or not at
        all; False where it cannot.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, temporary = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(temporary).replace(self._file(key))
            except OSError:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError:
            return False
        with suppress(OSError):  # what is left over, a later call takes away
            self._prune()
        return True

    @contextmanager
    def held_alone(self) -> Iterator[None]:
        """Other processes that compile into this folder wait until this one is done, or is gone,
        but no longer than `PATIENCE_S`; where the folder allows no lock, nobody waits.
        """
        lock = self._opened_lock()
        try:
            if lock is not None:
                _take_in_turn(lock)
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def _opened_lock(self) -> int | None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(self._folder / _LOCK, flags, 0o600)
        except OSError:
            return None

    def _file(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}{_SUFFIX}"

    def _prune(self) -> None:
        files = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda file: file.stat().st_mtime)
        for file in files[:-FILES_KEPT]:
            file.unlink(missing_ok=True)


def _take_in_turn(lock: int) -> None:
    """Locks the file once nobody else does; goes on without where that takes too long, or the file
    system knows no locks.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
            time.sleep(LOOK_EVERY_S)
        except OSError:
            return
        else:
            return
