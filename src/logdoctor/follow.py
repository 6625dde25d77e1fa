"""Live files to bytes: Follower.

Polls, because network file systems tell of no change. Files that grow are looked at often, idle ones seldom, and the
seldomer the more they cost. Bytes are handed on in whole lines, in the order in which they were written, through
rotation by rename or by copy and truncate, deletion and re-creation, and truncation.
"""

from __future__ import annotations

import glob
import os
import select
import stat
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.generations import MARK_BYTES, Generation, Mark, base_name, fits, generations_since, siblings_of
from logdoctor.sources import STDIN_NAME, find_logs, is_binary, shown_name

CHUNK = 1 << 20
"""Bytes read at once."""

TURN_BYTES = 16 << 20
"""Bytes read from a file before the others have their turn."""

HOT_S, HOT_EVERY_S = 10.0, 0.1
"""Seconds for which a file that grew counts as hot, and between two looks at it."""

IDLE_EVERY_S, IDLE_AT_MOST_S = 0.4, 4.0
"""Seconds between two looks at idle files, and what they may become where there are very many."""

LOOK_EVERY_S = 0.5
"""Seconds between two looks for new files."""

SHARE = 100
"""A round of looking that took a second is followed by a pause of that many seconds: one per cent of a core."""

OPEN_LIMIT = 200
"""Files kept open; of more, those that grew last."""

HALF_LINE_LIMIT = 1 << 16
"""Bytes of an unfinished line that are waited for; of a longer one, whole drawings (`\\r`) are handed on."""

ATTEMPTS = 20
"""Times a log that is rotated while it is read is looked at again."""


class Piece(NamedTuple):
    """What a source brought: bytes that end a line (a long one may end at a `\\r`), or why it cannot be read now."""

    source: str
    data: bytes = b""
    problem: str | None = None


class _File:
    """A path that is followed, whatever file stands there."""

    def __init__(self, path: str, mark: Mark | None, *, is_found: bool) -> None:
        self.path = path
        self.is_found = is_found  # in a folder, not named by the user
        self.name = shown_name(path)
        self.mark = mark
        self.descriptor: int | None = None
        self.seen: tuple[int, ...] = ()  # device, inode, size, time of change when it was last looked at
        self.live: tuple[int, ...] = (mark.device, mark.inode) if mark else ()  # the file that stood at the path
        self.grew = float("-inf")
        self.half_line = 0  # bytes of an unfinished line that are left for later
        self.is_line_open = False
        self.left: tuple[tuple[str, int, int], ...] = ()  # older generations when nothing stood at the path
        self.problem: str | None = None
        self.is_no_text = False

    @property
    def behind(self) -> int:
        """Bytes not yet read."""
        return max(0, self.seen[2] - self.mark.offset - self.half_line) if self.seen and self.mark and self.seen[:2] == self.mark[:2] else 0


class Follower:
    """Follows files, folders, globs and a pipe; ask `poll` often and sleep for `pause` seconds between."""

    def __init__(
        self, arguments: Sequence[str], clock: Callable[[], float], marks: Mapping[str, Mark] | None = None, stdin: int | None = None
    ) -> None:
        """`clock` gives seconds; `marks` is where an earlier follower stood, by path; `stdin` what `-` reads."""
        self._clock = clock
        self._folders = [each for each in arguments if each != "-" and (os.path.isdir(each) or (glob.has_magic(each) and not os.path.exists(each)))]
        self._marks = dict(marks or {})
        self._files: dict[str, _File] = {}
        self._pipe = stdin if "-" in arguments else None
        self._pipe_rest = b""
        self._finished: dict[tuple[int, int], Mark] = {}  # files that were left, by device and inode
        self._is_hot = False
        self._idle_due = self._look_due = float("-inf")
        self.is_ended = False  # the pipe has come to its end, and there is nothing else
        for path in arguments:
            if path != "-" and path not in self._folders:
                self._files[path] = _File(path, self._marks.get(path), is_found=False)

    def poll(self) -> Iterator[Piece]:
        """What is new; nothing where nothing is."""
        now = self._clock()
        if self._folders and now >= self._look_due:
            self._look_for_files()
            self._look_due = self._clock() + max(LOOK_EVERY_S, SHARE * (self._clock() - now))
        if self._pipe is not None:
            yield from self._read_pipe()
        yield from self._poll_files(now)
        self._close_surplus()

    def _poll_files(self, now: float) -> Iterator[Piece]:
        is_idle_round = now >= self._idle_due
        start, is_quiet, self._is_hot = self._clock(), True, False
        for file in list(self._files.values()):
            is_hot = now - file.grew < HOT_S
            if is_hot or is_idle_round or file.behind:
                for piece in self._look(file, now):
                    is_quiet = False
                    yield piece
            self._is_hot |= is_hot or not is_quiet
        if is_idle_round:
            cost_s = self._clock() - start if is_quiet else 0.0
            self._idle_due = now + min(max(IDLE_EVERY_S, SHARE * cost_s), IDLE_AT_MOST_S)

    def pause(self) -> float:
        """Seconds until it is worth to poll again."""
        if self._is_hot or self._pipe is not None:
            return HOT_EVERY_S
        due = min(self._idle_due, self._look_due) if self._folders else self._idle_due
        return max(0.0, due - self._clock())

    def wait(self, seconds: float) -> None:
        """Sleeps, or until the pipe has something."""
        select.select([self._pipe] if self._pipe is not None else [], [], [], seconds)

    @property
    def behind(self) -> int:
        """Bytes that are there and not yet read."""
        return sum(file.behind for file in self._files.values())

    @property
    def sources(self) -> int:
        """How many files are followed."""
        return len(self._files) + (self._pipe is not None)

    def marks(self) -> dict[str, Mark]:
        """Where reading stands, by path."""
        return {**self._marks, **{file.path: file.mark for file in self._files.values() if file.mark}}

    def finish(self) -> Iterator[Piece]:
        """The unfinished last lines; nothing is read after it."""
        for file in self._files.values():
            if file.descriptor is not None and file.mark:
                data = os.pread(file.descriptor, HALF_LINE_LIMIT, file.mark.offset)
                if data and not file.is_no_text:
                    yield Piece(file.name, data)
                os.close(file.descriptor)
                file.descriptor = None
        if self._pipe_rest:
            yield Piece(STDIN_NAME, self._pipe_rest)
            self._pipe_rest = b""

    def _look_for_files(self) -> None:
        identities = {each.seen[:2] for each in self._files.values() if each.seen}
        for path in sorted(self._candidates()):
            if path in self._files or (base_name(path) or "") in self._files:
                continue
            try:
                status = os.stat(path)
            except OSError:
                continue
            identity = (status.st_dev, status.st_ino)
            if identity not in identities and stat.S_ISREG(status.st_mode) and not self._was_left(path, identity):
                identities.add(identity)
                self._files[path] = _File(path, self._marks.get(path), is_found=True)

    def _was_left(self, path: str, identity: tuple[int, int]) -> bool:
        """Whether it is a file that was read under another name, and not a new one with its number."""
        mark = self._finished.get(identity)
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

    def _candidates(self) -> set[str]:
        found: set[str] = set()
        for argument in self._folders:
            places = [argument] if os.path.isdir(argument) else glob.glob(argument, recursive=True)
            for place in places:
                if os.path.isdir(place):
                    found.update(find_logs(place))
                else:
                    found.add(place)
        return {path for path in found if not ((base := base_name(path)) and base in found)}

    def _read_pipe(self) -> Iterator[Piece]:
        """What the pipe has; its end is the end where nothing else is followed."""
        pipe, taken = self._pipe, 0
        while pipe is not None and taken < TURN_BYTES and select.select([pipe], [], [], 0)[0]:
            try:
                data = os.read(pipe, CHUNK)
            except OSError as error:
                yield Piece(STDIN_NAME, problem=_reason(error))
                data = b""
            taken += len(data)
            if not data:
                self._pipe = pipe = None
                self.is_ended = not self._files and not self._folders
            whole, self._pipe_rest = _whole_lines(self._pipe_rest + data)
            if whole:
                yield Piece(STDIN_NAME, whole)

    def _look(self, file: _File, now: float) -> Iterator[Piece]:
        try:
            status = os.stat(file.path)
        except FileNotFoundError:
            yield from self._read_what_was_left(file, now)
            return
        except OSError as error:
            yield from self._refuse(file, _reason(error))
            return
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if seen == file.seen and not file.behind:
            return
        if file.is_no_text and seen[:2] == file.seen[:2]:
            file.seen = seen
            return
        if not stat.S_ISREG(status.st_mode):
            what = "is a folder now" if stat.S_ISDIR(status.st_mode) else f"not a file; to read a pipe: logdoctor tail - < {file.name}"
            yield from self._refuse(file, what)
            return
        try:
            yield from self._read(file, seen, now)
        except OSError as error:
            yield from self._refuse(file, _reason(error))

    def _read_what_was_left(self, file: _File, now: float) -> Iterator[Piece]:
        """Reads on while nothing stands at the path; a file that a folder lost is given up when it is idle."""
        if file.mark is None:  # what is rotated from now on is to be read
            newest = max((each.modified for each in siblings_of(file.path).files), default=0)
            file.mark = Mark(0, 0, 0, b"", b"", newest)
            return
        if file.descriptor is not None:
            yield from self._read_on(file, now)
        names = siblings_of(file.path).names
        if names != file.left and (found := generations_since(file.path, file.mark, None)):
            file.left = names
            for generation in found[0]:
                yield from self._read_generation(file, generation, now, is_copied=False)
        if file.is_found and now - file.grew > HOT_S:
            self._close(file)
            del self._files[file.path]

    def _refuse(self, file: _File, problem: str) -> Iterator[Piece]:
        """Says once why a file cannot be read."""
        if file.problem != problem:
            file.problem = problem
            yield Piece(file.name, problem=problem)

    def _read(self, file: _File, seen: tuple[int, ...], now: float) -> Iterator[Piece]:
        """Reads what is new behind a path that has changed."""
        mark = file.mark
        if mark is None:
            mark = file.mark = Mark(seen[0], seen[1], 0, b"", b"", 0)
            file.live = seen[:2]
        is_same = seen[:2] == (mark.device, mark.inode)
        if is_same and seen[2] >= mark.offset:
            if file.descriptor is None and not self._open(file, seen):
                return
            file.seen, file.problem = seen, None
            is_known = yield from self._read_on(file, now)
            if is_known:
                return
        elif not is_same and file.descriptor is not None:
            yield from self._read_on(file, now)  # what came to the old file until it was left
        if is_same or seen[2]:  # else the writer may still be at the old file
            yield from self._move_on(file, now)

    def _open(self, file: _File, seen: tuple[int, ...]) -> bool:
        """Opens the file that was seen; False where another has taken its place meanwhile."""
        descriptor = os.open(file.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != seen[:2]:
            os.close(descriptor)
            return False
        file.descriptor = descriptor
        return True

    def _read_on(self, file: _File, now: float) -> Generator[Piece, None, bool]:
        """Reads further in the open file; returns False where it no longer holds what was read."""
        assert file.descriptor is not None  # the callers open it
        taken = 0
        while taken < TURN_BYTES:
            mark = file.mark
            assert mark is not None  # set before anything is read
            data = os.pread(file.descriptor, len(mark.tail) + CHUNK, mark.offset - len(mark.tail))
            if not data.startswith(mark.tail):
                return False
            data = data[len(mark.tail) :]
            whole, half_line = _whole_lines(data)
            file.half_line = len(half_line)
            if not whole:
                break
            yield from self._take(file, file.descriptor, whole, now)
            taken += len(whole)
            if len(data) < CHUNK:
                break
        return True

    def _take(self, file: _File, descriptor: int, data: bytes, now: float) -> Iterator[Piece]:
        """Hands on bytes that stand at the mark, and moves it behind them."""
        mark = file.mark
        assert mark is not None  # set before anything is read
        if not mark.offset and is_binary(data):
            file.is_no_text = True
            yield from self._refuse(file, "looks like a binary file, not a log")
            file.mark = mark._replace(offset=len(data), tail=data[-MARK_BYTES:])
            return
        status = os.fstat(descriptor)
        file.mark = Mark(
            status.st_dev,
            status.st_ino,
            mark.offset + len(data),
            (mark.head + data)[:MARK_BYTES] if len(mark.head) < MARK_BYTES else mark.head,
            (mark.tail + data)[-MARK_BYTES:] if len(data) < MARK_BYTES else data[-MARK_BYTES:],
            status.st_mtime_ns,
        )
        file.grew = now
        text = data if file.is_line_open else data.lstrip(b"\0")  # a hole that a writer left who did not append
        if text:
            file.is_line_open = not text.endswith(b"\n")
            yield Piece(file.name, text)

    def _move_on(self, file: _File, now: float) -> Iterator[Piece]:
        """Reads what was rotated away after the mark, then begins with the file that stands at the path now."""
        for _ in range(ATTEMPTS):
            try:
                live = os.open(file.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                return
            assert file.mark is not None  # set before anything is read
            status = os.fstat(live)
            is_copied = (status.st_dev, status.st_ino) == file.live
            if file.descriptor is not None and not is_copied:
                yield from self._read_generation(file, Generation(os.dup(file.descriptor), file.mark.offset), now, is_copied)
            found = generations_since(file.path, file.mark, live)
            if found is None:
                os.close(live)
                continue
            generations, siblings = found
            for generation in generations:
                yield from self._read_generation(file, generation, now, is_copied)
            first = os.pread(live, CHUNK, 0)
            if siblings_of(file.path).names == siblings.names:
                yield from self._begin(file, live, first, now, is_copied and bool(generations))
                return
            os.close(live)

    def _read_generation(self, file: _File, generation: Generation, now: float, is_copied: bool) -> Iterator[Piece]:
        descriptor, offset = generation
        if not offset:
            status = os.fstat(descriptor)
            file.mark = Mark(status.st_dev, status.st_ino, 0, b"", b"", status.st_mtime_ns)
        while file.mark and (data := os.pread(descriptor, CHUNK, file.mark.offset)):
            yield from self._take(file, descriptor, data, now)
        os.close(descriptor)
        self._leave(file)
        if file.is_line_open and not is_copied:
            file.is_line_open = False
            yield Piece(file.name, b"\n")

    def _begin(self, file: _File, live: int, first: bytes, now: float, is_continued: bool) -> Iterator[Piece]:
        """Begins with the file that stands at the path; while it is empty, the mark stays where reading ended."""
        status = os.fstat(live)
        self._close(file)
        if file.is_line_open and not is_continued:
            file.is_line_open = False
            yield Piece(file.name, b"\n")
        file.seen, file.live = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), (status.st_dev, status.st_ino)
        file.problem, file.is_no_text = None, False
        if not first:
            os.close(live)
            return
        file.descriptor = live
        file.mark = Mark(status.st_dev, status.st_ino, 0, b"", b"", status.st_mtime_ns)
        whole, half_line = _whole_lines(first)
        file.half_line = len(half_line)
        if whole:
            yield from self._take(file, live, whole, now)

    def _leave(self, file: _File) -> None:
        """Remembers a file that was read, so that it is no new one under another name."""
        if file.mark:
            self._finished[file.mark.device, file.mark.inode] = file.mark
            if len(self._finished) > OPEN_LIMIT:
                del self._finished[next(iter(self._finished))]

    def _close(self, file: _File) -> None:
        self._leave(file)
        if file.descriptor is not None:
            os.close(file.descriptor)
            file.descriptor = None

    def _close_surplus(self) -> None:
        opened = [file for file in self._files.values() if file.descriptor is not None]
        if len(opened) > OPEN_LIMIT:
            for file in sorted(opened, key=lambda each: each.grew)[: len(opened) - OPEN_LIMIT]:
                self._close(file)


def _whole_lines(data: bytes) -> tuple[bytes, bytes]:
    """Bytes up to the last line end, and the rest; of a long unfinished line, whole drawings count as lines."""
    end = data.rfind(b"\n") + 1
    if not end and len(data) > HALF_LINE_LIMIT:
        end = data.rfind(b"\r") + 1 or len(data)
    return data[:end], data[end:]


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[0].lower() + text[1:]
