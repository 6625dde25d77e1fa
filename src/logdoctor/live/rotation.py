"""A log through its rotations: Mark, next_generation.

A log that rotates is a row of generations: the file of that name and the files that its contents
were moved or copied to. A mark says where reading stands in that row; it is found again by the file
itself (rename) or by its contents (copy and truncate, compression), so that a reader that was late,
or killed and started again, goes on where it was.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.live.unpacking import unpacked

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


_COMPRESSED = re.compile(r"\.(?:gz|bz2|xz|zst)$")


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


@contextlib.contextmanager
def closed_on_error(descriptor: int) -> Iterator[None]:
    """Whoever follows for days must not lose a descriptor at each fault of a disk."""
    try:
        yield
    except BaseException:
        os.close(descriptor)
        raise


def is_generation_of(name: str, base: str) -> bool:
    """Whether a file of that name is what a log called `base` was rotated to, compressed or not."""
    name = _COMPRESSED.sub("", name)
    if name.startswith(base) and _SUFFIX.fullmatch(name[len(base) :]):
        return True
    numbered = _NUMBER_BEFORE_END.match(name)
    return numbered is not None and numbered["stem"] + numbered["end"] == base


def base_name(name: str) -> str | None:
    """The name of the log that a file of this name would be an older generation of."""
    name = _COMPRESSED.sub("", name)
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
    """What lies beside a log, or beside what it is a link to, and is an older generation of it;
    empty where there is no such folder, or it may not be read. Of what is there compressed as
    well, the plain one.

    Raises:
        OSError: the folder cannot be read now, which does not mean that nothing is there.
    """
    target = os.path.realpath(path) if os.path.islink(path) else path
    folder, name = os.path.split(target)
    base = (base_name(name) if target != path else None) or os.path.basename(path)
    try:
        device = os.stat(folder or ".").st_dev
        with os.scandir(folder or ".") as entries:
            found = [
                (each.path, each.inode())
                for each in entries
                if is_generation_of(each.name, base) and each.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return Siblings(0, ())
    names = {each[0] for each in found}
    found = [
        each
        for each in found
        if not _COMPRESSED.search(each[0]) or _COMPRESSED.sub("", each[0]) not in names
    ]
    numbers = [_number(os.path.basename(each[0]), base) for each in found]
    if target == path and all(number is not None for number in numbers):
        pairs = sorted(zip(numbers, found, strict=True), key=lambda pair: pair[0] or 0)
        return Siblings(device, tuple(each for _, each in pairs))
    found.sort(key=lambda each: (_modified(each[0]), each[0]), reverse=True)
    return Siblings(device, tuple(found))


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
        if live is not None and not os.fstat(live).st_nlink:
            raise _MovedError  # it was compressed meanwhile: what is newer cannot be told
        self._device = siblings.device
        self._live = live
        inode = None if live is None else os.fstat(live).st_ino
        newest = next((i + 1 for i, each in enumerate(siblings.files) if each[1] == inode), 0)
        self.files = siblings.files[newest:]

    def open(self, number: int, head: bytes = b"") -> int | None:
        """Its descriptor, of a compressed one that of its plain content; None where it may not or
        cannot be read, or is compressed and does not begin so.
        """
        path, inode = self.files[number]
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError:
            return None
        except FileNotFoundError as error:
            raise _MovedError from error
        with closed_on_error(descriptor):
            if os.fstat(descriptor).st_ino != inode:
                raise _MovedError
        return unpacked(descriptor, head) if _COMPRESSED.search(path) else descriptor

    def is_changed_after(self, number: int, modified: int) -> bool:
        """Whether it was changed after that time, in nanoseconds."""
        return _modified(self.files[number][0]) > modified

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
            and not _COMPRESSED.search(each[0])
        ]
        for i in dict.fromkeys([*by_inode, *(range(len(self.files)) if mark.offset else ())]):
            descriptor = self.open(i, mark.head)
            if descriptor is None:
                continue
            with closed_on_error(descriptor):
                size = os.fstat(descriptor).st_size
                is_it = (
                    size >= mark.offset
                    and fits(descriptor, mark)
                    and not self.is_copy_of_live(descriptor)
                )
            if is_it and size > mark.offset:
                return i, Generation(descriptor, mark.offset)
            os.close(descriptor)
            if is_it:
                return i, None
        return None


def _next(siblings: Siblings, mark: Mark, live: int | None) -> Generation | None:
    older = _Older(siblings, live)
    found = older.find(mark)
    if found and found[1]:
        return found[1]
    candidates = range(found[0] - 1, -1, -1) if found else range(len(older.files) - 1, -1, -1)
    for i in candidates:
        if found is None and not older.is_changed_after(i, mark.modified):
            continue
        descriptor = older.open(i)
        if descriptor is None:
            continue
        with closed_on_error(descriptor):
            is_next = os.fstat(descriptor).st_size and not older.is_copy_of_live(descriptor)
        if is_next:
            return Generation(descriptor, 0)
        os.close(descriptor)
    return None


def is_kept(path: str, mark: Mark, live: int | None) -> bool:
    """Whether a file is there, rotated or not, that holds what was read up to the mark."""
    if live is not None and os.fstat(live).st_size >= mark.offset and fits(live, mark):
        return True
    for _ in range(ATTEMPTS):
        with contextlib.suppress(_MovedError):
            found = _Older(siblings_of(path), live).find(mark)
            if found and found[1]:
                os.close(found[1].descriptor)
            return found is not None
    return True  # renamed all the while: nothing sure can be said


def found_at(path: str, mark: Mark) -> str | None:
    """What the file is called now that holds what was read up to the mark: the path itself, or a
    generation beside it; None where it is gone.
    """
    try:
        live = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        live = None
    try:
        if live is not None and os.fstat(live).st_size >= mark.offset and fits(live, mark):
            return path
        for _ in range(ATTEMPTS):
            with contextlib.suppress(_MovedError):
                older = _Older(siblings_of(path), live)
                found = older.find(mark)
                if found and found[1]:
                    os.close(found[1].descriptor)
                return older.files[found[0]][0] if found else None
    finally:
        if live is not None:
            os.close(live)
    return None


def _number(name: str, base: str) -> int | None:
    """The count of renames since the generation was live, where its name tells."""
    name = _COMPRESSED.sub("", name)
    suffix = name[len(base) + 1 :] if name.startswith(base) else ""
    return int(suffix) if suffix.isdigit() and len(suffix) <= NUMBER_DIGITS else None


def last_change(siblings: Siblings) -> int:
    """When one of them was changed last, in nanoseconds; 0 where there are none."""
    changes = [0]
    for path, _ in siblings.files:
        with contextlib.suppress(FileNotFoundError):
            changes.append(os.stat(path).st_mtime_ns)
    return max(changes)


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0  # it was moved meanwhile, as the next look will show
