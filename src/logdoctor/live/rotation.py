"""A log through its rotations: Mark, next_generation.

A log that rotates is a row of generations: the file of that name and the files that its contents
were moved or copied to. A mark says where reading stands in that row; it is found again by the file
itself (rename) or by its contents (copy and truncate), so that a reader that was late, or killed
and started again, goes on where it was.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import NamedTuple

MARK_BYTES = 256
"""Bytes before the position, and from the beginning of the file, by which contents are known
again.
"""

ATTEMPTS = 20
"""Times the generations are looked for while somebody is renaming them."""

NUMBER_DIGITS = 4
"""Longer numbers behind a name are dates."""

_SUFFIX = re.compile(
    r"[.-](?:\d{1,4}|\d{4}-?\d\d-?\d\d(?:[T_.-]?\d\d[.:-]?\d\d(?:[.:-]?\d\d)?)?|\d{9,14})$"
)
"""`.1`, `-20261121`, `.2026-11-21`, `.2026-11-21_15-30-00`, `.1763740000`: RotatingFileHandler,
TimedRotatingFileHandler, logrotate (dateext), Ray.
"""

# train.1.log, of loguru and lumberjack
_NUMBER_BEFORE_END = re.compile(r"^(?P<stem>.+?)[.-]\d{1,4}(?P<end>\.[A-Za-z]+)$")


class Mark(NamedTuple):
    """Where reading stands in a file.

    Attributes:
        offset: bytes read, from the beginning of the file.
        head, tail: its first bytes, and the last ones before `offset`; at most `MARK_BYTES` each.
        modified: time of the file's last change, in nanoseconds, when it was last read.
    """

    device: int
    inode: int
    offset: int
    head: bytes
    tail: bytes
    modified: int


class Generation(NamedTuple):
    """A file to be read from `offset` to its end; who gets it closes its descriptor."""

    descriptor: int
    offset: int


class Siblings(NamedTuple):
    """Older generations of a log, the newest first: path and inode. All lie on the device of
    their folder.
    """

    device: int
    files: tuple[tuple[str, int], ...]


def is_generation_of(name: str, base: str) -> bool:
    """Whether a file of that name is what a log called `base` was rotated to."""
    if name.startswith(base) and _SUFFIX.fullmatch(name[len(base) :]):
        return True
    numbered = _NUMBER_BEFORE_END.match(name)
    return numbered is not None and numbered["stem"] + numbered["end"] == base


def base_name(name: str) -> str | None:
    """The name of the log that a file of this name would be an older generation of."""
    suffix = _SUFFIX.search(name)
    if suffix and suffix.start():
        return name[: suffix.start()]
    numbered = _NUMBER_BEFORE_END.match(name)
    return numbered["stem"] + numbered["end"] if numbered else None


def fits(descriptor: int, mark: Mark) -> bool:
    """Whether the file holds what was read up to the mark."""
    tail = os.pread(descriptor, len(mark.tail), mark.offset - len(mark.tail))
    return tail == mark.tail and os.pread(descriptor, len(mark.head), 0) == mark.head


def siblings_of(path: str) -> Siblings:
    """What lies beside a log and is an older generation of it; empty where the folder cannot be
    read.
    """
    folder, base = os.path.split(path)
    try:
        device = os.stat(folder or ".").st_dev
        with os.scandir(folder or ".") as entries:
            found = [
                (each.path, each.inode())
                for each in entries
                if is_generation_of(each.name, base) and each.is_file(follow_symlinks=False)
            ]
    except OSError:
        return Siblings(0, ())
    numbers = [_number(os.path.basename(each[0]), base) for each in found]
    if all(number is not None for number in numbers):
        return Siblings(
            device,
            tuple(
                each
                for _, each in sorted(
                    zip(numbers, found, strict=True), key=lambda pair: pair[0] or 0
                )
            ),
        )
    return Siblings(
        device, tuple(sorted(found, key=lambda each: (_modified(each[0]), each[0]), reverse=True))
    )


def next_generation(path: str, mark: Mark, live: int | None) -> Generation | Siblings | None:
    """What is to be read after the mark: the rest of the marked generation, or the one that
    followed it.

    Where none is left, what the folder looked like: what stands at the path is next, unless the
    folder looks otherwise meanwhile. None where files are renamed all the while, so that nothing
    sure can be said now. `live` is the descriptor of the file at the path; what is newer than it,
    or a copy of it, is no older generation.
    """
    for _ in range(ATTEMPTS):
        siblings = siblings_of(path)
        if siblings_of(path) == siblings:
            try:
                return _next(siblings, mark, live) or siblings
            except _MovedError:
                continue
    return None


class _MovedError(Exception):
    """A file was moved after its name was read."""


class _Older:
    """The siblings that are older than the live file; each is opened for as long as it is looked
    at.
    """

    def __init__(self, siblings: Siblings, live: int | None) -> None:
        self._device = siblings.device
        self._live = live
        inode = None if live is None else os.fstat(live).st_ino
        newest = next((i + 1 for i, each in enumerate(siblings.files) if each[1] == inode), 0)
        self.files = siblings.files[newest:]

    def open(self, number: int) -> int | None:
        """Its descriptor; None where it may not be read."""
        path, inode = self.files[number]
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError:
            return None
        except FileNotFoundError as error:
            raise _MovedError from error
        if os.fstat(descriptor).st_ino != inode:
            os.close(descriptor)
            raise _MovedError
        return descriptor

    def is_copy_of_live(self, descriptor: int) -> bool:
        """Whether a copy of the live file is being made, which is truncated when it is done: all
        of it begins the live file, too.
        """
        size = os.fstat(descriptor).st_size
        if self._live is None or not 0 < size <= os.fstat(self._live).st_size:
            return False
        places = (0, max(0, size - MARK_BYTES))  # many logs begin alike
        return all(
            os.pread(descriptor, MARK_BYTES, place)
            == os.pread(self._live, min(MARK_BYTES, size - place), place)
            for place in places
        )

    def find(self, mark: Mark) -> tuple[int, Generation | None] | None:
        """The number of the marked one, and its rest where there is any; by its number on the
        disk, else by contents.
        """
        by_inode = [
            i
            for i, each in enumerate(self.files)
            if (self._device, each[1]) == (mark.device, mark.inode)
        ]
        for i in dict.fromkeys([*by_inode, *(range(len(self.files)) if mark.offset else ())]):
            descriptor = self.open(i)
            if descriptor is None:
                continue
            size = os.fstat(descriptor).st_size
            if (
                size >= mark.offset
                and fits(descriptor, mark)
                and not self.is_copy_of_live(descriptor)
            ):
                if size > mark.offset:
                    return i, Generation(descriptor, mark.offset)
                os.close(descriptor)
                return i, None
            os.close(descriptor)
        return None


def _next(siblings: Siblings, mark: Mark, live: int | None) -> Generation | None:
    older = _Older(siblings, live)
    found = older.find(mark)
    if found and found[1]:
        return found[1]
    candidates = range(found[0] - 1, -1, -1) if found else range(len(older.files) - 1, -1, -1)
    for i in candidates:
        descriptor = older.open(i)
        if descriptor is None:
            continue
        is_later = found is not None or os.fstat(descriptor).st_mtime_ns > mark.modified
        if is_later and os.fstat(descriptor).st_size and not older.is_copy_of_live(descriptor):
            return Generation(descriptor, 0)
        os.close(descriptor)
    return None


def _number(name: str, base: str) -> int | None:
    """The count of renames since the generation was live, where its name tells."""
    suffix = name[len(base) + 1 :] if name.startswith(base) else ""
    return int(suffix) if suffix.isdigit() and len(suffix) <= NUMBER_DIGITS else None


def last_change(siblings: Siblings) -> int:
    """When one of them was changed last, in nanoseconds; 0 where there are none."""
    changes = [0]
    for path, _ in siblings.files:
        with contextlib.suppress(OSError):
            changes.append(os.stat(path).st_mtime_ns)
    return max(changes)


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0  # it was moved meanwhile, as the next look will show
