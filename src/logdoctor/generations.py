"""A log through its rotations: Mark, generations_since.

A log that rotates is a row of generations: the file of that name and the files that its contents were moved or copied
to. A mark says where reading stands in that row; it is found again by the file itself (rename) or by its contents
(copy and truncate), so that a reader that was late, or killed and started again, goes on where it was.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MARK_BYTES = 256
"""Bytes before the position, and from the beginning of the file, by which contents are known again."""

ATTEMPTS = 20
"""Times the generations are looked for while somebody is renaming them."""

NUMBER_DIGITS = 4
"""Longer numbers behind a name are dates."""

_SUFFIX = re.compile(r"[.-](?:\d{1,4}|\d{4}-?\d\d-?\d\d(?:[T_.-]?\d\d[.:-]?\d\d(?:[.:-]?\d\d)?)?|\d{9,14})$")
"""`.1`, `-20261121`, `.2026-11-21`, `.2026-11-21_15-30-00`, `.1763740000`: RotatingFileHandler, TimedRotatingFileHandler, logrotate (dateext), Ray."""

_NUMBER_BEFORE_END = re.compile(r"^(?P<stem>.+?)[.-]\d{1,4}(?P<end>\.[A-Za-z]+)$")  # train.1.log, of loguru and lumberjack


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


class _Sibling(NamedTuple):
    path: str
    device: int
    inode: int
    size: int
    modified: int


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


class Siblings(NamedTuple):
    """Older generations of a log, the newest first."""

    files: tuple[_Sibling, ...]

    @property
    def names(self) -> tuple[tuple[str, int, int], ...]:
        """Which file stands under which name."""
        return tuple(each[:3] for each in self.files)


def siblings_of(path: str) -> Siblings:
    """What lies beside a log and is an older generation of it; empty where the folder cannot be read."""
    folder, base = os.path.split(path)
    found = []
    try:
        with os.scandir(folder or ".") as entries:
            for entry in entries:
                if is_generation_of(entry.name, base) and entry.is_file():
                    status = entry.stat()
                    found.append(_Sibling(entry.path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
    except OSError:
        return Siblings(())
    numbers = [_number(os.path.basename(each.path), base) for each in found]
    if all(number is not None for number in numbers):
        return Siblings(tuple(each for _, each in sorted(zip(numbers, found, strict=True), key=lambda pair: pair[0] or 0)))
    return Siblings(tuple(sorted(found, key=lambda each: (each.modified, each.path), reverse=True)))


def generations_since(path: str, mark: Mark, live: int | None) -> tuple[list[Generation], Siblings] | None:
    """What was written to older generations after the mark, oldest first; the rest of the marked one stands before all.

    `live` is the descriptor of the file that is read next; what is newer than it, or a copy of it, is left out. The
    second value is what the folder looked like; where it looks otherwise later, there may be more. None where files are
    renamed all the while, so that nothing sure can be said now.
    """
    for _ in range(ATTEMPTS):
        siblings = siblings_of(path)
        opened = _opened(siblings)
        if opened is not None and siblings_of(path).names == siblings.names:
            chosen = _chosen(opened, mark, live)
            kept = {each.descriptor for each in chosen}
            _close(descriptor for _, descriptor in opened if descriptor not in kept)
            return chosen, siblings
        _close(descriptor for _, descriptor in opened or ())
    return None


def _number(name: str, base: str) -> int | None:
    """The count of renames since the generation was live, where its name tells."""
    suffix = name[len(base) + 1 :] if name.startswith(base) else ""
    return int(suffix) if suffix.isdigit() and len(suffix) <= NUMBER_DIGITS else None


def _opened(siblings: Siblings) -> list[tuple[_Sibling, int]] | None:
    """Those that may be read, with their descriptors; None where one was moved meanwhile."""
    opened: list[tuple[_Sibling, int]] = []
    for sibling in siblings.files:
        try:
            descriptor = os.open(sibling.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError:
            continue
        except OSError:
            break
        opened.append((sibling, descriptor))
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != (sibling.device, sibling.inode):
            break
    else:
        return opened
    _close(descriptor for _, descriptor in opened)
    return None


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _chosen(opened: Sequence[tuple[_Sibling, int]], mark: Mark, live: int | None) -> list[Generation]:
    """Those to read, the oldest first."""
    head, identity = b"", None
    if live is not None:
        status = os.fstat(live)
        head, identity = os.pread(live, MARK_BYTES, 0), (status.st_dev, status.st_ino)
    newest = next((i + 1 for i, (each, _) in enumerate(opened) if identity == (each.device, each.inode)), 0)
    older = [(each, descriptor) for each, descriptor in opened[newest:] if not (head and os.pread(descriptor, len(head), 0) == head)]
    for i, (each, descriptor) in enumerate(older):
        is_same = (each.device, each.inode) == (mark.device, mark.inode)
        if each.size >= mark.offset and (fits(descriptor, mark) if mark.offset else is_same):
            return [Generation(descriptor, mark.offset), *(Generation(newer, 0) for _, newer in reversed(older[:i]))]
    return [Generation(descriptor, 0) for each, descriptor in reversed(older) if each.modified > mark.modified]
