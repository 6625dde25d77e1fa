"""Live files to bytes: Follower.

Polls, because network file systems tell of no change. Files that grow are looked at often, idle
ones seldom, and the seldomer the more they cost. Bytes are handed on in whole lines, in the order
in which they were written, through rotation by rename or by copy and truncate, deletion and
re-creation, and truncation.
"""

from __future__ import annotations

import glob
import os
import select
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence

from logdoctor.live.followed_file import (
    CHUNK,
    HALF_LINE_LIMIT,
    HOT_S,
    TURN_BYTES,
    Finished,
    FollowedFile,
    Piece,
    whole_lines,
)
from logdoctor.live.rotation import Mark, base_name
from logdoctor.sources.finding import STDIN_NAME, find_logs

HOT_EVERY_S = 0.1
"""Seconds between two looks at a file that grew of late."""

IDLE_EVERY_S, IDLE_AT_MOST_S = 0.4, 4.0
"""Seconds between two looks at idle files, and what they may become where there are very many."""

LOOK_EVERY_S = 0.5
"""Seconds between two looks for new files."""

SHARE = 150
"""A round of looking that took a second is followed by a pause of that many seconds: two thirds
of a per cent of a core for files that are known, and as much for new ones.
"""

OPEN_LIMIT = 200
"""Files kept open; of more, those that grew last."""


class Follower:
    """Follows files, folders, globs and a pipe; ask `poll` often and sleep for `pause` seconds
    between.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        clock: Callable[[], float],
        marks: Mapping[str, Mark] | None = None,
        stdin: int | None = None,
        cost_clock: Callable[[], float] | None = None,
    ) -> None:
        """`clock` gives seconds, `cost_clock` those of CPU time that looking takes (by default the
        same clock).

        `marks` is where an earlier follower stood, by path; `stdin` what `-` reads.
        """
        self._clock, self._cost_clock = clock, cost_clock or clock
        self._folders = [
            each
            for each in arguments
            if each != "-"
            and (os.path.isdir(each) or (glob.has_magic(each) and not os.path.exists(each)))
        ]
        self._marks = dict(marks or {})
        self._files: dict[str, FollowedFile] = {}
        self._pipe = stdin if "-" in arguments else None
        self._pipe_rest = b""
        self._finished = Finished()
        self._is_hot = False
        self._idle_due = self._look_due = float("-inf")
        self.is_ended = False  # the pipe has come to its end, and there is nothing else
        self._missing = [
            each
            for each in arguments
            if each != "-" and each not in self._folders and not os.path.exists(each)
        ]
        for path in arguments:
            if path != "-" and path not in self._folders:
                self._files[path] = FollowedFile(
                    path, self._marks.get(path), self._finished, is_found=False
                )

    def poll(self) -> Iterator[Piece]:
        """What is new; nothing where nothing is."""
        now, start = self._clock(), self._cost_clock()
        if (self._folders or self._missing) and now >= self._look_due:
            self._look_for_folders()
            self._look_for_files()
            self._look_due = self._clock() + max(LOOK_EVERY_S, SHARE * (self._cost_clock() - start))
        if self._pipe is not None:
            yield from self._read_pipe()
        yield from self._poll_files(now)
        self._close_surplus()

    def _poll_files(self, now: float) -> Iterator[Piece]:
        is_idle_round = now >= self._idle_due
        start, is_quiet, self._is_hot = self._cost_clock(), True, False
        for file in list(self._files.values()):
            is_hot = now - file.grew < HOT_S
            if is_hot or is_idle_round:  # one with more to read has grown just now
                for piece in file.look(now):
                    is_quiet = False
                    yield piece
            if file.is_given_up:
                del self._files[file.path]
            self._is_hot |= is_hot or not is_quiet
        if is_idle_round:
            cost_s = self._cost_clock() - start if is_quiet else 0.0
            self._idle_due = now + min(max(IDLE_EVERY_S, SHARE * cost_s), IDLE_AT_MOST_S)

    def pause(self) -> float:
        """Seconds until it is worth to poll again."""
        if self._is_hot or self._pipe is not None:
            return HOT_EVERY_S
        due = (
            min(self._idle_due, self._look_due)
            if self._folders or self._missing
            else self._idle_due
        )
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
        return {
            **self._marks,
            **{file.path: file.mark for file in self._files.values() if file.mark},
        }

    def finish(self) -> Iterator[Piece]:
        """The unfinished last lines; nothing is read after it."""
        for file in self._files.values():
            if file.descriptor is not None and file.mark:
                try:
                    data = os.pread(file.descriptor, HALF_LINE_LIMIT, file.mark.offset)
                except OSError as error:  # a disk that is gone
                    yield Piece(file.name, problem=(error.strerror or str(error)).lower())
                    data = b""
                if data and not file.is_no_text:
                    yield Piece(file.name, data)
                os.close(file.descriptor)
                file.descriptor = None
        if self._pipe_rest:
            yield Piece(STDIN_NAME, self._pipe_rest)
            self._pipe_rest = b""

    def _look_for_folders(self) -> None:
        """What was named before it was there may turn out to be a folder."""
        for path in [each for each in self._missing if os.path.exists(each)]:
            self._missing.remove(path)
            if os.path.isdir(path):
                del self._files[path]
                self._folders.append(path)

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
            if (
                identity not in identities
                and stat.S_ISREG(status.st_mode)
                and not self._finished.has(path, identity)
            ):
                identities.add(identity)
                self._files[path] = FollowedFile(
                    path, self._marks.get(path), self._finished, is_found=True
                )

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
                yield Piece(STDIN_NAME, problem=(error.strerror or str(error)).lower())
                data = b""
            taken += len(data)
            if not data:
                self._pipe = pipe = None
                self.is_ended = not self._files and not self._folders
            whole, self._pipe_rest = whole_lines(self._pipe_rest + data)
            if whole:
                yield Piece(STDIN_NAME, whole)

    def _close_surplus(self) -> None:
        opened = [file for file in self._files.values() if file.descriptor is not None]
        if len(opened) > OPEN_LIMIT:
            for file in sorted(opened, key=lambda each: each.grew)[: len(opened) - OPEN_LIMIT]:
                file.close()
