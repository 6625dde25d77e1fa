"""Lines of a log that rotates to the files that hold them: Generations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

from logdoctor.live.rotation import MARK_BYTES, Mark, found_at
from logdoctor.sources.finding import shown_name

REMEMBERED = 1000
"""Generations of one log."""


class _Read(NamedTuple):
    """A generation: how many lines stand in older ones, and how far it was read."""

    lines_before: int
    mark: Mark


class Generations:
    """Which lines, numbered through all generations of a log, stand in which of them.

    Of a log that an earlier call has begun to read, the generation in which reading goes on is not
    known, because its first line's number is not.
    """

    def __init__(self) -> None:
        self._read: dict[str, list[_Read]] = {}
        self._paths: dict[str, str] = {}

    def note(self, path: str, source: str, lines_before: int, mark: Mark, size: int) -> None:
        """Says that `size` bytes up to the mark were read, behind so many lines of the source."""
        read = self._read.setdefault(source, [])
        self._paths[source] = path
        before = read[-1].mark if read else None
        if before and _goes_on(before, mark, size):
            read[-1] = read[-1]._replace(mark=mark)
        elif mark.offset <= size or (
            before and _is_behind_hole(mark, size) and not _begin_alike(before, mark)
        ):
            read.append(_Read(lines_before, mark))
            del read[:-REMEMBERED]

    def places(self) -> Callable[[str, int], tuple[str, int] | None]:
        """A `place` for what is told at once: it looks for each generation a single time."""
        return partial(self.place, find=cache(_found_at))

    def place(
        self, source: str, line: int, find: Callable[[str, Mark], str | None] | None = None
    ) -> tuple[str, int] | None:
        """The file that holds a line now, and its number there; None where that is the source
        itself with the same number, or nobody knows.
        """
        read = next(
            (each for each in reversed(self._read.get(source, ())) if each.lines_before < line),
            None,
        )
        if read is None:
            return None
        file = (find or _found_at)(self._paths[source], read.mark)
        if file is None or (file == self._paths[source] and not read.lines_before):
            return None
        return shown_name(file), line - read.lines_before


def _found_at(path: str, mark: Mark) -> str | None:
    """What the file is called now; None where it is gone, or the disk does not say: whoever wants
    to know has a verdict to tell.
    """
    try:
        return found_at(path, mark)
    except OSError:
        return None


def _goes_on(before: Mark, mark: Mark, size: int) -> bool:
    """Whether so many bytes up to a mark were read behind the other, and not of what was written
    in the place of its file.
    """
    is_same = (before.device, before.inode) == (mark.device, mark.inode)
    is_behind = is_same and mark.offset - before.offset >= size and _begin_alike(before, mark)
    return mark == before or is_behind


def _begin_alike(before: Mark, mark: Mark) -> bool:
    """Whether the one may be what the other was before or became."""
    if mark.head.startswith(before.head):
        return True
    return len(mark.head) < MARK_BYTES and before.head.startswith(mark.head)


def _is_behind_hole(mark: Mark, size: int) -> bool:
    """Whether nothing stands above the bytes that were read, as far as the mark tells, but what a
    writer that does not append leaves where a file was truncated.
    """
    return not mark.head[: mark.offset - size].strip(b"\0")
