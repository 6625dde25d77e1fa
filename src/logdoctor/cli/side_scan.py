"""A live scan beside a command, in a process of its own: SideScan.

Nothing that happens in it, not even a crash, reaches the command; it is only fed, through a pipe,
and never waited for while the command runs. When the command has ended it has some seconds;
whatever has become of it by then, `run` ends, and where a failed command has no verdict yet,
another process judges the end of the output, which is kept here.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from logdoctor.cli.options import NEVER, Arguments
from logdoctor.cli.terminal import cache_folder, note, say_compiling, whole_writes, with_margins
from logdoctor.command.backlog import Backlog

if TYPE_CHECKING:
    from logdoctor.cli.watching import Watch
    from logdoctor.live.notify import Notifier

CHUNK = 1 << 20
"""Bytes read at once; also the size asked for the pipe."""

END_S = 10.0
"""Seconds after the end of the command within which `run` ends, whatever becomes of the scanner."""

PATIENCE_S = 7.0
"""Seconds of them for which a scanner that runs is waited for; another one has the rest."""

KEPT_BYTES = 1 << 20
"""Bytes of the end of the output that are kept for it: a second's work, whatever they say."""

TURN_S = 0.02
"""Seconds between two tries to hand on what waits: about as long as the scanner needs for a pipe
full.
"""

TURN_BYTES = 1 << 18
"""Bytes that are handed on before that time has passed; for each line, the scanner would be
woken.
"""

GIVE_WAY_BY = 16
"""How nice the scanner is to the command: on a core that both want, Linux gives it 3 per cent."""

TICK_S = 0.1
"""Seconds between two looks at what stands complete."""

NOTIFY_S = 5.0
"""Seconds that receivers of diagnoses are waited for at the end."""

_TOLD = b"\0"
"""What the scanner says to its parent when the verdict is told."""

SOURCE = "<output>"

_SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)


class SideScan:
    """Feeds the process that scans. Whatever fails in that is said, and raises nothing: the
    command has its output and its exit code.
    """

    def __init__(self, arguments: Arguments) -> None:
        self._has_receivers = bool(arguments.command or arguments.webhook or arguments.chats)
        self._backlog = Backlog()
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._last_turn = float("-inf")
        self._arguments = arguments
        self._end: deque[bytes] = deque()  # of the output
        self._end_bytes = 0
        self._status: int | None = None  # of a scanner that has ended
        self._is_stopped = False
        self._process: int | None = None
        self._failure: str | None = None  # why there is no scanner, where it has not said so
        self._reasons: int | None = None
        try:
            self._start()
        except OSError as error:  # too many processes, or open files
            reason = (error.strerror or str(error)).lower()
            self._failure = f"the scanner could not be started ({reason})"
            note(f"{self._failure}; the command goes on without it")

    def _start(self) -> None:
        opened: list[int] = []
        try:
            for _ in range(3):
                opened += os.pipe()
            outputs, self._feed, self._reasons, told, codes, self._code = opened
            self._process = os.fork()
        except OSError:
            for descriptor in opened:
                os.close(descriptor)
            self._reasons = None
            raise
        if self._process == 0:
            os.close(self._feed)
            os.close(self._reasons)
            os.close(self._code)
            os._exit(_work(self._arguments, outputs, told, codes))
        for descriptor in (outputs, told, codes):
            os.close(descriptor)
        os.set_blocking(self._feed, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):
                fcntl.fcntl(self._feed, fcntl.F_SETPIPE_SZ, CHUNK)

    @property
    def reasons(self) -> list[int]:
        """The descriptor from which the reason to stop the command can be read; none without a
        scanner.
        """
        return [] if self._reasons is None else [self._reasons]

    def feed(self, data: bytes) -> None:
        """Takes the next output; where the scanner has broken, only its end is kept."""
        self._end.append(data)
        self._end_bytes += len(data)
        while self._end_bytes - len(self._end[0]) >= KEPT_BYTES:
            self._end_bytes -= len(self._end.popleft())
        if self._process is None:
            return
        self._gathered.append(data)
        self._gathered_bytes += len(data)
        if self._gathered_bytes >= TURN_BYTES or time.monotonic() - self._last_turn >= TURN_S:
            self.pass_on()

    def pass_on(self) -> None:
        """Hands on as much as the scanner takes now; never waits."""
        self._last_turn = time.monotonic()
        try:
            self._hand_on()
        except BrokenPipeError:
            self._give_up(None)
        except Exception as error:  # noqa: BLE001  # the command goes on, whatever it is
            self._give_up(f"what waits for the scanner cannot be kept ({_words(error)})")

    def _hand_on(self) -> None:
        if self._process is None:
            return
        if self._gathered:
            data = b"".join(self._gathered)
            self._gathered, self._gathered_bytes = [], 0
            self._backlog.add(data)
        while data := self._backlog.first():
            try:
                self._backlog.drop(os.write(self._feed, data))
            except BlockingIOError:
                return

    @property
    def pause(self) -> float | None:
        """Seconds until it wants a turn again; None where nothing waits."""
        return (
            TURN_S if self._process is not None and (self._gathered or self._backlog.size) else None
        )

    def conclude(self, code: int) -> None:
        """Has the verdict told, where the command has failed, and waits for it; `code` is its
        exit code.
        """
        try:
            if code == 0 and not self._has_receivers:
                self._end_scanner()  # nothing is told of a success
            else:
                self._tell(code)
        except Exception as error:  # noqa: BLE001  # as above
            note(f"the scanner cannot be heard ({_words(error)}); there is no diagnosis")

    def _tell(self, code: int) -> None:
        start = time.monotonic()
        reason = self._why_untold(code, start + PATIENCE_S)
        if reason and code:
            self._judge_end(reason, code, start + END_S)
        elif reason:
            note(f"{reason}; what it had still to tell was not told")

    def _why_untold(self, code: int, deadline: float) -> str | None:
        """Has the scanner tell its verdict; why it did not, if so."""
        if self._process is None:
            return self._what_became()
        if not self._catch_up(deadline):
            behind = (self._backlog.size + sum(map(len, self._gathered))) / 1e6
            was_stopped = self._is_stopped
            self._end_scanner()
            return (
                "the scanner was stopped"
                if was_stopped
                else f"the scanner is too far behind ({behind:,.0f} MB)"
            )
        if self._process is None:
            return self._what_became()
        os.close(self._feed)
        with suppress(OSError):
            os.write(self._code, bytes([code & 255]))
        os.close(self._code)
        is_told = not code  # then only receivers are waited for
        while self._is_running():
            left = deadline + (NOTIFY_S if is_told else 0) - time.monotonic()
            if left <= 0 or self._is_stopped:
                self._kill()
                what = "was stopped" if self._is_stopped else "does not end"
                return None if is_told and code else f"the scanner {what}"
            if not is_told and select.select(self.reasons, [], [], min(left, TICK_S))[0]:
                is_told = _TOLD in os.read(self.reasons[0], 4096)
            time.sleep(TURN_S)
        return None if is_told or _TOLD in self._last_reasons() else self._what_became()

    def _last_reasons(self) -> bytes:
        os.set_blocking(self.reasons[0], False)
        try:
            return os.read(self.reasons[0], 4096)
        except BlockingIOError:
            return b""

    def _is_running(self) -> bool:
        if self._process is None:
            return False
        changed, status = os.waitpid(self._process, os.WNOHANG | os.WUNTRACED)
        if not changed:
            return True
        self._is_stopped = os.WIFSTOPPED(status)
        if not self._is_stopped:
            self._status, self._process = status, None
        return self._is_stopped

    def _kill(self) -> None:
        if self._process is not None:
            with suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
            _, self._status = os.waitpid(self._process, 0)
            self._process = None

    def _end_scanner(self) -> None:
        if self._process is not None:
            self._kill()
            os.close(self._feed)

    def _what_became(self) -> str | None:
        """Of a scanner that has ended without a verdict; None where it has said so itself."""
        if self._status is not None and os.WIFSIGNALED(self._status):
            return f"the scanner was ended by signal {os.WTERMSIG(self._status)}"
        return self._failure

    def _judge_end(self, reason: str, code: int, deadline: float) -> None:
        """Has the end of the output judged by another process, until the deadline."""
        data = b"".join(self._end)
        note(f"{reason}; what follows is of the last {len(data) / 1e6:,.1f} MB of the output")
        child = os.fork()
        if child == 0:
            os._exit(_work_on_end(self._arguments, data, code))
        while time.monotonic() < deadline:
            if os.waitpid(child, os.WNOHANG)[0]:
                return
            time.sleep(TURN_S)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        note(f"that was not done {END_S:.0f} s after the command's end; there is no diagnosis")

    def _catch_up(self, deadline: float) -> bool:
        """Hands on all that waits; False where not all was done by the deadline."""
        if self._backlog.left_out:
            note(
                f"the scan could not keep up: {self._backlog.left_out / 1e6:,.0f} MB of the "
                f"output before its end were left out"
            )
        poll = select.poll()
        poll.register(self._feed, select.POLLOUT)
        while self.pause is not None:
            if time.monotonic() > deadline:
                return False
            if poll.poll(1000 * TICK_S):
                self.pass_on()
            elif not self._is_running() or self._is_stopped:
                return self._process is None
        return True

    def _give_up(self, reason: str | None) -> None:
        """Goes on without the scanner; one that has ended of itself has said why."""
        if self._process is None:
            return
        if reason:
            note(f"{reason}; the command goes on without a diagnosis")
            with suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
        os.close(self._feed)
        _, self._status = os.waitpid(self._process, 0)
        self._process = None
        self._backlog.clear()


def _work(arguments: Arguments, outputs: int, told: int, codes: int) -> int:
    """The process that scans; returns its exit code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # they are meant for the command
    try:
        _scan(arguments, outputs, told, codes)
    except BaseException as error:  # noqa: BLE001  # the command goes on, whatever it is
        # of an error of ours only its kind: its text may quote the output
        note(f"the scanner failed ({_words(error)}); the command goes on without a diagnosis")
        return 1
    return 0


def _work_on_end(arguments: Arguments, data: bytes, code: int) -> int:
    """The process that judges the end of the output; returns its exit code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    try:
        watch = _watch(arguments)
        watch.feed(SOURCE, data, is_live=False)
        watch.conclude(code)
    except BaseException as error:  # noqa: BLE001  # the command's end is told, whatever it is
        note(f"the scanner failed ({type(error).__name__}); there is no diagnosis")
        return 1
    return 0


def _watch(
    arguments: Arguments, receivers: Sequence[Notifier] = (), chatting: Sequence[Notifier] = ()
) -> Watch:
    from logdoctor.cli.scanning import scan_options  # noqa: PLC0415  # while the command starts
    from logdoctor.cli.watching import Telling, Watch  # noqa: PLC0415
    from logdoctor.pipeline.scan import Scan  # noqa: PLC0415
    from logdoctor.search.opening import open_automaton  # noqa: PLC0415

    automaton = open_automaton(arguments.more, cache_folder(), say_compiling)
    return Watch(
        Scan(automaton, scan_options(arguments)),
        Telling(arguments, _write_to_stderr, notifiers=receivers, chats=chatting, is_quiet=True),
        arguments.stall,
    )


def _scan(arguments: Arguments, outputs: int, told: int, codes: int) -> None:
    from logdoctor.cli.watching import chats, notifiers  # noqa: PLC0415  # while the command starts
    from logdoctor.model import Severity  # noqa: PLC0415

    receivers, chatting = notifiers(arguments, note), chats(arguments, note)
    watch = _watch(arguments, receivers, chatting)
    scan = watch.scan
    os.nice(GIVE_WAY_BY)  # the start, which others wait for, is over
    least = None if arguments.fail_fast == NEVER else Severity(arguments.fail_fast).rank
    while True:
        data = os.read(outputs, CHUNK) if select.select([outputs], [], [], TICK_S)[0] else None
        if data == b"":
            break
        if data:
            watch.feed(SOURCE, data, is_live=True)
        for diagnosis in watch.settle(is_live=True).diagnoses:
            # it may be saving
            if (
                least is not None
                and diagnosis.signature.severity.rank >= least
                and not scan.is_being_ended
            ):
                title = diagnosis.title.in_language(watch.language)
                os.write(told, f"{diagnosis.signature.id}: {title}".encode()[:4000])
                least = None
    code = os.read(codes, 1)
    if code != b"\0" and code:
        watch.conclude(code[0])
        os.write(told, _TOLD)
    for receiver in (*receivers, *chatting):
        receiver.end(NOTIFY_S)


def _words(error: BaseException) -> str:
    """What may be told of an error: the text of one that is meant for users, or of the system; of
    any other its kind, because its text may quote the output.
    """
    from logdoctor.errors import LogdoctorError  # noqa: PLC0415  # hardly ever asked

    if isinstance(error, LogdoctorError):
        return f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return type(error).__name__


def _write_to_stderr(text: str) -> None:
    # nobody may be there to be told
    with suppress(OSError), whole_writes(sys.stderr) as out:
        out.write(with_margins(text).encode("utf-8", "replace"))
