"""A path whose file grows, to pieces: FollowedFile.

What is read are whole lines, in the order in which they were written: through rotation by rename or
by copy and truncate, deletion and re-creation, and truncation.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from typing import NamedTuple

from logdoctor.live.rotation import (
    MARK_BYTES,
    Generation,
    Mark,
    Siblings,
    closed_on_error,
    fits,
    is_kept,
    last_change,
    next_generation,
    siblings_of,
)
from logdoctor.sources.finding import is_binary, shown_name

CHUNK = 1 << 20
"""Bytes read at once."""

TURN_BYTES = 16 << 20
"""Bytes read from a file before the others have their turn."""

HOT_S = 10.0
"""Seconds for which a file that grew is expected to grow again."""

HALF_LINE_LIMIT = 1 << 16
"""Bytes of an unfinished line that are waited for; of a longer one, whole drawings (`\\r`) are
handed on.
"""

ATTEMPTS = 20
"""Times a log that is rotated while it is read is looked at again."""

FINISHED_LIMIT = 1000
"""Files that were left and are remembered."""


GONE = (
    "what came behind byte {offset:,} of the file that was read last is gone with it: it was "
    "rotated away, and is not among the files beside this one; reading goes on with the oldest "
    "that is newer"
)


class Piece(NamedTuple):
    """What a source brought: bytes that end a line (a long one may end at a `\\r`), or why it
    cannot be read now.

    Attributes:
        path: what is followed; None for a pipe.
        mark: where reading stands behind these bytes.
    """

    source: str
    data: bytes = b""
    problem: str | None = None
    path: str | None = None
    mark: Mark | None = None


class Finished:
    """Files that were read and left, so that they are no new ones under another name."""

    def __init__(self) -> None:
        self._marks: dict[tuple[int, int], Mark] = {}  # by device and inode

    def add(self, mark: Mark) -> None:
        """Remembers a file by what was read of it."""
        self._marks[mark.device, mark.inode] = mark
        if len(self._marks) > FINISHED_LIMIT:
            del self._marks[next(iter(self._marks))]

    def has(self, path: str, identity: tuple[int, int]) -> bool:
        """Whether the file of that device and inode is one of them, and not a new one with its
        number.
        """
        mark = self._marks.get(identity)
        if mark is None:
            return False
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return bool(mark.offset) and fits(descriptor, mark)
        finally:
            os.close(descriptor)


class FollowedFile:
    """A path that is followed, whatever file stands there."""

    def __init__(self, path: str, mark: Mark | None, finished: Finished, *, is_found: bool) -> None:
        self.path = path
        self._finished = finished
        self.is_given_up = False
        self.is_found = is_found  # in a folder, not named by the user
        self.name = shown_name(path)
        self.mark = mark
        self.descriptor: int | None = None
        # device, inode, size, time of change when it was last looked at
        self.seen: tuple[int, ...] = ()
        # the file that stood at the path
        self.live: tuple[int, ...] = (mark.device, mark.inode) if mark else ()
        self.grew = float("-inf")
        self.half_line = 0  # bytes of an unfinished line that are left for later
        self.is_line_open = False
        self.left: Siblings | None = None  # older generations when nothing stood at the path
        self.problem: str | None = None
        self.is_resumed = mark is not None and mark.offset > 0  # and nothing was read since
        self.is_no_text = False

    @property
    def behind(self) -> int:
        """Bytes not yet read."""
        return (
            max(0, self.seen[2] - self.mark.offset - self.half_line)
            if self.seen and self.mark and self.seen[:2] == self.mark[:2]
            else 0
        )

    def look(self, now: float) -> Iterator[Piece]:
        """What is new at the path; `now` in seconds of any clock. What cannot be read now is said
        once, and looked at again.
        """
        try:
            yield from self._look(now)
        except OSError as error:
            yield from self._refuse(_reason(error))

    def _look(self, now: float) -> Iterator[Piece]:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            yield from self._read_what_was_left(now)
            return
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if seen == self.seen and not self.behind:
            return
        if self.is_no_text and seen[:2] == self.seen[:2]:
            self.seen = seen
            return
        if not self.seen and stat.S_ISDIR(status.st_mode):
            return  # it will be looked through for its files
        if not stat.S_ISREG(status.st_mode):
            what = (
                "is a folder now"
                if stat.S_ISDIR(status.st_mode)
                else f"not a file; to read a pipe: logdoctor tail - < {self.name}"
            )
            yield from self._refuse(what)
            return
        yield from self._read(seen, now)

    def _read_what_was_left(self, now: float) -> Iterator[Piece]:
        """Reads on while nothing stands at the path; a file that a folder lost is given up when
        it is idle.
        """
        if self.mark is None:  # what is rotated from now on is to be read
            self.left = siblings_of(self.path)
            self.mark = Mark(0, 0, 0, b"", b"", last_change(self.left))
            return
        if self.descriptor is not None:
            yield from self._read_on(now)
        siblings = siblings_of(self.path)
        if siblings != self.left:
            self.left = yield from self._read_older(None, now, is_copied=False)
        if self.is_found and now - self.grew > HOT_S:
            self.close()
            self.is_given_up = True

    def _refuse(self, problem: str) -> Iterator[Piece]:
        """Says once why a file cannot be read."""
        if self.problem != problem:
            self.problem = problem
            yield Piece(self.name, problem=problem)

    def _read(self, seen: tuple[int, ...], now: float) -> Iterator[Piece]:
        """Reads what is new behind a path that has changed."""
        mark, is_first = self.mark, self.mark is None
        if mark is None:
            mark = self.mark = Mark(seen[0], seen[1], 0, b"", b"", seen[3])
            self.live = seen[:2]
        is_same = seen[:2] == (mark.device, mark.inode)
        if is_same and seen[2] >= mark.offset and (mark.offset or is_first):
            if self.descriptor is None and not self._open(seen):
                return
            self.seen, self.problem = seen, None
            is_known = yield from self._read_on(now)
            if is_known:
                return
        elif not is_same and self.descriptor is not None:
            yield from self._read_on(now)  # what came to the old file until it was left
        if is_same or seen[2]:
            yield from self._move_on(now)
        else:
            yield from self._read_rotated(now)

    def _read_rotated(self, now: float) -> Iterator[Piece]:
        """Reads what was rotated away while the file at the path is empty; of the newest, whole
        lines only: its writer may still be at it.
        """
        while (siblings := siblings_of(self.path)) != self.left:
            assert self.mark is not None  # set before anything is read
            found = next_generation(self.path, self.mark, None)
            if not isinstance(found, Generation):
                self.left = found
                return
            with closed_on_error(found.descriptor):
                inode = os.fstat(found.descriptor).st_ino
            if siblings.files and siblings.files[0][1] == inode:
                self._go_to(found)
                yield from self._read_on(now)
                self.left = siblings
                return
            yield from self._read_generation(found, now, is_copied=False)

    def _open(self, seen: tuple[int, ...]) -> bool:
        """Opens the file that was seen; False where another has taken its place meanwhile."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with closed_on_error(descriptor):
            status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != seen[:2]:
            os.close(descriptor)
            return False
        self.descriptor = descriptor
        return True

    def _read_on(self, now: float) -> Generator[Piece, None, bool]:
        """Reads further in the open file; returns False where it no longer holds what was read."""
        assert self.descriptor is not None  # the callers open it
        taken = 0
        while taken < TURN_BYTES:
            mark = self.mark
            assert mark is not None  # set before anything is read
            data = os.pread(self.descriptor, len(mark.tail) + CHUNK, mark.offset - len(mark.tail))
            if not data.startswith(mark.tail):
                return False
            data = data[len(mark.tail) :]
            whole, half_line = whole_lines(data)
            self.half_line = len(half_line)
            if not whole:
                break
            yield from self._take(self.descriptor, whole, now)
            taken += len(whole)
            if len(data) < CHUNK:
                break
        return True

    def _take(self, descriptor: int, data: bytes, now: float) -> Iterator[Piece]:
        """Hands on bytes that stand at the mark, and moves it behind them."""
        mark = self.mark
        assert mark is not None  # set before anything is read
        if not mark.offset and is_binary(data):
            self.is_no_text = True
            yield from self._refuse("looks like a binary file, not a log")
            self.mark = mark._replace(offset=len(data), tail=data[-MARK_BYTES:])
            return
        status = os.fstat(descriptor)
        self.is_resumed = False
        self.mark = Mark(
            status.st_dev,
            status.st_ino,
            mark.offset + len(data),
            (mark.head + data)[:MARK_BYTES] if len(mark.head) < MARK_BYTES else mark.head,
            (mark.tail + data)[-MARK_BYTES:] if len(data) < MARK_BYTES else data[-MARK_BYTES:],
            status.st_mtime_ns,
        )
        self.grew = now
        # a hole that a writer left who did not append
        text = data if self.is_line_open else data.lstrip(b"\0")
        if text:
            self.is_line_open = not text.endswith(b"\n")
            yield self._piece(text)

    def _piece(self, data: bytes) -> Piece:
        return Piece(self.name, data, path=self.path, mark=self.mark)

    def _move_on(self, now: float) -> Iterator[Piece]:
        """Reads what was rotated away after the mark, then begins with the file that stands at
        the path now.
        """
        for _ in range(ATTEMPTS):
            try:
                live = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                return
            is_taken = False
            try:
                status = os.fstat(live)
                is_copied = (status.st_dev, status.st_ino) == self.live
                siblings = yield from self._catch_up(live, now, is_copied)
                first = os.pread(live, CHUNK, 0)
                if siblings is not None and siblings_of(self.path) == siblings:
                    is_taken = True
                    yield from self._begin(live, first, now, is_copied)
                    return
            finally:
                if not is_taken:
                    os.close(live)

    def _catch_up(
        self, live: int, now: float, is_copied: bool
    ) -> Generator[Piece, None, Siblings | None]:
        """Reads all that was rotated away after the mark, first what is open; returns the same as
        `_read_older`.
        """
        assert self.mark is not None  # set before anything is read
        if self.is_resumed and not is_kept(self.path, self.mark, live):
            yield from self._refuse(GONE.format(offset=self.mark.offset))
        self.is_resumed = False
        if self.descriptor is not None and not is_copied:
            yield from self._read_generation(
                Generation(os.dup(self.descriptor), self.mark.offset), now, is_copied
            )
        return (yield from self._read_older(live, now, is_copied))

    def _read_older(
        self, live: int | None, now: float, is_copied: bool
    ) -> Generator[Piece, None, Siblings | None]:
        """Reads all that was rotated away after the mark; returns what the folder looked like
        then, None where unsure.
        """
        while True:
            assert self.mark is not None  # set before anything is read
            found = next_generation(self.path, self.mark, live)
            if not isinstance(found, Generation):
                return found
            yield from self._read_generation(found, now, is_copied)

    def _go_to(self, generation: Generation) -> None:
        """Opens it; what is open is always the file in which the mark stands."""
        descriptor, offset = generation
        if self.descriptor is not None:
            os.close(self.descriptor)
        self.descriptor = descriptor
        if not offset:
            status = os.fstat(descriptor)
            self.mark = Mark(status.st_dev, status.st_ino, 0, b"", b"", status.st_mtime_ns)

    def _read_generation(
        self, generation: Generation, now: float, is_copied: bool
    ) -> Iterator[Piece]:
        self._go_to(generation)
        descriptor = generation.descriptor
        while self.mark and (data := os.pread(descriptor, CHUNK, self.mark.offset)):
            yield from self._take(descriptor, data, now)
        self._leave()
        if self.is_line_open and not is_copied:
            self.is_line_open = False
            yield self._piece(b"\n")

    def _begin(self, live: int, first: bytes, now: float, is_continued: bool) -> Iterator[Piece]:
        """Begins with the file that stands at the path; while it is empty, the mark stays where
        reading ended.
        """
        with closed_on_error(live):
            status = os.fstat(live)
        self.close()
        if self.is_line_open and not is_continued:
            self.is_line_open = False
            yield self._piece(b"\n")
        self.seen, self.live = (
            (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns),
            (status.st_dev, status.st_ino),
        )
        self.problem, self.is_no_text = None, False
        if not first:
            os.close(live)
            return
        self.descriptor = live
        self.mark = Mark(status.st_dev, status.st_ino, 0, b"", b"", status.st_mtime_ns)
        whole, half_line = whole_lines(first)
        self.half_line = len(half_line)
        if whole:
            yield from self._take(live, whole, now)

    def _leave(self) -> None:
        """Remembers a file that was read, so that it is no new one under another name."""
        if self.mark:
            self._finished.add(self.mark)

    def close(self) -> None:
        """Lets go of the open file; it is opened again when it grows."""
        self._leave()
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def whole_lines(data: bytes) -> tuple[bytes, bytes]:
    """Bytes up to the last line end, and the rest; of a long unfinished line, whole drawings
    count as lines.
    """
    end = data.rfind(b"\n") + 1
    if not end and len(data) > HALF_LINE_LIMIT:
        end = data.rfind(b"\r") + 1 or len(data)
    return data[:end], data[end:]


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[0].lower() + text[1:]
