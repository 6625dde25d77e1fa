"""`logdoctor tail`: live logs, diagnosed while they are written."""

from __future__ import annotations

import glob
import os
import sys
import time
from collections.abc import Iterable

from logdoctor.cli.options import Arguments
from logdoctor.cli.scanning import exit_code, scan_options
from logdoctor.cli.terminal import (
    EXIT_INTERRUPTED,
    cache_folder,
    note,
    say_compiling,
    terminated_as_interrupted,
)
from logdoctor.cli.watching import Telling, Watch, chats, notifiers
from logdoctor.context.metric_state import Streak
from logdoctor.dumps.unpickling import DUMP_LIMIT
from logdoctor.live.dump_folders import DumpFolders
from logdoctor.live.follow import Follower
from logdoctor.live.generations import Generations
from logdoctor.live.stall_command import StallCommand
from logdoctor.live.state import LiveState, SafeMarks, read_state, write_state
from logdoctor.pipeline.scan import Scan
from logdoctor.search.opening import open_automaton
from logdoctor.texts.phrases import live as phrases

SAVE_EVERY_S = 1.0
"""Seconds between two savings of the state, where nothing is told; what was told is saved at
once.
"""

SAVE_SHARE = 50
"""A saving that took a second is followed by so many seconds without one."""

END_S = 15.0
"""Seconds of silence after a framework's own end marker, after which the run is taken to be
over.
"""

LAST_LINES_S = 1.0
"""Seconds for which is read on after the process has gone: its last lines may still be on their
way.
"""

NOTIFY_S = 10.0
"""Seconds that receivers of diagnoses are waited for at the end."""


def run_tail(arguments: Arguments) -> int:
    """Follows until the run ends or is interrupted, tells the verdict; returns the exit code.

    Raises:
        LogdoctorError: signatures, the configuration file or the state cannot be read.
    """
    tail = _Tail(arguments)
    with terminated_as_interrupted():
        try:
            tail.follow()
            was_interrupted = False
        except KeyboardInterrupt:
            was_interrupted = True
        except SystemExit:  # nobody reads the report any more
            tail.end_streaks()
            tail.save(is_last=True)
            raise
    return tail.conclude(was_interrupted=was_interrupted)


class _Tail:
    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        state = read_state(arguments.state) if arguments.state else LiveState()
        self._marks = SafeMarks(state)
        self._scan = Scan(
            open_automaton(arguments.more, cache_folder(), say_compiling),
            scan_options(arguments),
            told=state.told,
            lines=state.lines,
            streaks=state.streaks,
        )
        found, chatting = notifiers(arguments, note), chats(arguments, note)
        self._notifiers = (*found, *chatting)
        for notifier in self._notifiers:
            notifier.go_on_with(state.unsent.get(notifier.name, ()))
        self._dumps = DumpFolders(arguments.words)
        self._generations = Generations()
        telling = Telling(
            arguments,
            has_status=bool(sys.stderr) and sys.stderr.isatty(),
            notifiers=found,
            chats=chatting,
            on_stall=_stall_command(arguments),
            places=self._generations.places,
        )
        self._watch = Watch(self._scan, telling, arguments.stall)
        stdin = sys.stdin.fileno() if "-" in arguments.words and sys.stdin else None
        self._follower = Follower(
            arguments.words, self._watch.clock, state.marks, stdin, time.thread_time
        )
        self._saved = state
        self._last_streaks: tuple[Streak, ...] = ()  # where the end has come
        self._save_due = 0.0
        self._is_state_broken = False

    def follow(self) -> None:
        """Reads on until the run is over."""
        for source in self._arguments.words:
            if source != "-" and not os.path.exists(source) and not glob.has_magic(source):
                self._watch.note(phrases.WAITING_FOR.say(self._watch.language, source=source))
        clock, arguments = self._watch.clock, self._arguments
        last_piece, gone_since, is_live = clock(), None, False
        while True:
            if self._poll(is_live=is_live):
                last_piece = clock()
            else:
                is_live = is_live or not self._follower.behind
                self._take_dumps(self._dumps.look(clock()))
            self._watch.settle(is_live=is_live)
            if self._watch.is_status_due:
                self._watch.draw_status(self._follower.sources, self._follower.behind)
            self.save()
            idle_s = clock() - last_piece
            if arguments.pid is not None and gone_since is None and not _is_running(arguments.pid):
                gone_since = clock()
            if gone_since is not None and min(clock() - gone_since, idle_s) > LAST_LINES_S:
                return
            if (
                arguments.until_idle is not None and idle_s >= arguments.until_idle
            ) or self._follower.is_ended:
                return
            if idle_s > END_S and self._scan.has_ended:
                return
            self._follower.wait(self._pause())

    def conclude(self, *, was_interrupted: bool) -> int:
        """Tells the verdict over all that was read."""
        self.end_streaks()
        for piece in self._follower.finish():
            if piece.problem:
                self._scan.note_problem(piece.source, piece.problem)
            else:
                self._scan.feed(piece.source, piece.data)
        self._take_dumps(self._dumps.finish())
        result = self._watch.conclude(is_going_on=was_interrupted)
        self.save(is_last=True)
        for notifier in self._notifiers:
            notifier.end(NOTIFY_S)
        self.save(is_last=True)
        left = sum(len(notifier.unsent) for notifier in self._notifiers)
        if left and self._arguments.state and not self._is_state_broken:
            note(
                f"{self._arguments.state}: keeps {left} "
                f"{'diagnosis' if left == 1 else 'diagnoses'} to be sent by the next call"
            )
        for source in result.sources:
            if source.problem:
                note(f"{source.name}: {source.problem}")
        return EXIT_INTERRUPTED if was_interrupted else exit_code(result, self._arguments)

    def end_streaks(self) -> None:
        """Takes what was read, without the halves of lines, which are read again."""
        self._scan.look_ahead()
        self._last_streaks = self._scan.streaks

    def _take_dumps(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                with open(path, "rb") as file:
                    self._scan.add_dump(path, file.read(DUMP_LIMIT + 1))
            except OSError as error:
                self._watch.note(f"{path}: {(error.strerror or str(error)).lower()}")

    def _poll(self, *, is_live: bool) -> bool:
        """Takes what is new; whether anything was."""
        has_news = False
        for piece in self._follower.poll():
            if piece.problem:
                self._scan.note_problem(piece.source, piece.problem)
                self._watch.note(f"{piece.source}: {piece.problem}")
            else:
                if piece.path and piece.mark:
                    lines = self._scan.lines_of(piece.source)
                    size = len(piece.data)
                    self._generations.note(piece.path, piece.source, lines, piece.mark, size)
                self._watch.feed(piece.source, piece.data, is_live=is_live)
                if self._arguments.state and piece.path and piece.mark:
                    self._marks.pass_by(
                        piece.path, piece.source, self._scan.lines_of(piece.source), piece.mark
                    )
                    self._marks.settle(self._scan.told_until, piece.path)
                self.save()
                has_news = True
        return has_news

    def _pause(self) -> float:
        """Seconds to sleep: short while something that was read is not told yet."""
        return (
            min(self._follower.pause(), 0.1) if self._scan.is_unsettled else self._follower.pause()
        )

    def save(self, *, is_last: bool = False) -> None:
        """Keeps where reading stands, where the user wants it and it is time to."""
        if self._arguments.state is None:
            return
        now, told = self._watch.clock(), self._scan.told_keys
        if now < self._save_due and len(told) == len(self._saved.told) and not is_last:
            return
        self._marks.settle(self._scan.told_until)
        self._save_due = now + SAVE_EVERY_S
        marks = self._follower.marks()
        state = self._marks.last_state(marks) if is_last else self._marks.state(marks)
        unsent = {
            **self._saved.unsent,
            **{notifier.name: notifier.unsent for notifier in self._notifiers},
        }
        state = state._replace(
            told=told, streaks=self._last_streaks or self._scan.streaks, unsent=unsent
        )
        if state == self._saved:
            return
        try:
            write_state(self._arguments.state, state)
            self._save_due = max(self._save_due, now + SAVE_SHARE * (self._watch.clock() - now))
            self._saved = state
            self._is_state_broken = False
        except OSError as error:
            if not self._is_state_broken:
                self._watch.note(
                    f"{self._arguments.state}: the state could not be saved: "
                    f"{(error.strerror or str(error)).lower()}; following goes on"
                )
            self._is_state_broken = True


def _stall_command(arguments: Arguments) -> StallCommand | None:
    command = arguments.on_stall
    return StallCommand(command, note, DUMP_LIMIT) if command else None


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
