"""A live scan beside a command, in a process of its own: SideScan.

Nothing that happens in it, not even a crash, reaches the command; it is only fed, through a pipe,
and never waited for while the command runs.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import time
from contextlib import suppress

from logdoctor.cli.options import NEVER, Arguments
from logdoctor.cli.terminal import cache_folder, note, say_compiling, with_margins
from logdoctor.command.backlog import Backlog

CHUNK = 1 << 20
"""Bytes read at once; also the size asked for the pipe."""

PATIENCE_S = 60.0
"""Seconds at the end for which a scanner that takes nothing at all is waited for, before it is
given up.
"""

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

NOTIFY_S = 10.0
"""Seconds that receivers of diagnoses are waited for at the end."""

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
    """Feeds the process that scans; `reasons` is a descriptor from which the reason to stop the
    command can be read.
    """

    def __init__(self, arguments: Arguments) -> None:
        self._has_receivers = bool(arguments.command or arguments.webhook)
        outputs, self._feed = os.pipe()
        self.reasons, told = os.pipe()
        codes, self._code = os.pipe()
        self._process: int | None = os.fork()
        if self._process == 0:
            os.close(self._feed)
            os.close(self.reasons)
            os.close(self._code)
            os._exit(_work(arguments, outputs, told, codes))
        for descriptor in (outputs, told, codes):
            os.close(descriptor)
        os.set_blocking(self._feed, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):
                fcntl.fcntl(self._feed, fcntl.F_SETPIPE_SZ, CHUNK)
        self._backlog = Backlog()
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._last_turn = float("-inf")

    def feed(self, data: bytes) -> None:
        """Takes the next output; nothing where the scanner has broken."""
        if self._process is None:
            return
        self._gathered.append(data)
        self._gathered_bytes += len(data)
        if self._gathered_bytes >= TURN_BYTES or time.monotonic() - self._last_turn >= TURN_S:
            self.pass_on()

    def pass_on(self) -> None:
        """Hands on as much as the scanner takes now; never waits."""
        self._last_turn = time.monotonic()
        if self._gathered and self._process is not None:
            try:
                self._backlog.add(b"".join(self._gathered))
            except OSError as error:
                self._give_up(f"what waits for the scanner cannot be kept ({error})")
            self._gathered, self._gathered_bytes = [], 0
        while self._process is not None:
            try:
                data = self._backlog.first()
                if not data:
                    return
                self._backlog.drop(os.write(self._feed, data))
            except BlockingIOError:
                return
            except OSError:
                self._give_up(None)

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
        if code == 0 and not self._has_receivers and self._process is not None:
            os.kill(self._process, signal.SIGKILL)  # nothing is told of a success
        elif not self._catch_up(None if code else time.monotonic() + NOTIFY_S):
            self._give_up("the scanner is too far behind")
        if self._process is None:
            return
        os.close(self._feed)
        with suppress(OSError):
            os.write(self._code, bytes([code & 255]))
        os.close(self._code)
        _, status = os.waitpid(self._process, 0)
        if os.WIFSIGNALED(status) and code:
            note(
                f"the scanner was ended by signal {os.WTERMSIG(status)}; the command is not "
                f"touched by it"
            )
        self._process = None

    def _catch_up(self, deadline: float | None) -> bool:
        """Hands on all that waits; False where nothing moves any more, or not all was done by
        the deadline.
        """
        if self._backlog.left_out:
            note(
                f"the scan could not keep up: {self._backlog.left_out / 1e6:,.0f} MB of the "
                f"output before its end were left out"
            )
        poll = select.poll()
        poll.register(self._feed, select.POLLOUT)
        while self.pause is not None:
            if not poll.poll(1000 * PATIENCE_S) or (
                deadline is not None and time.monotonic() > deadline
            ):
                return False
            self.pass_on()
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
        os.waitpid(self._process, 0)
        self._process = None
        self._backlog.clear()


def _work(arguments: Arguments, outputs: int, told: int, codes: int) -> int:
    """The process that scans; returns its exit code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # they are meant for the command
    try:
        _scan(arguments, outputs, told, codes)
    except BaseException as error:  # noqa: BLE001  # the command goes on, whatever it is
        note(
            f"the scanner failed ({type(error).__name__}: {error}); the command goes on "
            f"without a diagnosis"
        )
        return 1
    return 0


def _scan(arguments: Arguments, outputs: int, told: int, codes: int) -> None:
    from logdoctor.cli.scanning import scan_options  # noqa: PLC0415  # while the command starts
    from logdoctor.cli.watching import Telling, Watch, notifiers  # noqa: PLC0415
    from logdoctor.model import Severity  # noqa: PLC0415
    from logdoctor.pipeline.scan import Scan  # noqa: PLC0415
    from logdoctor.search.opening import open_automaton  # noqa: PLC0415

    receivers = notifiers(arguments, note)
    automaton = open_automaton(arguments.more, cache_folder(), say_compiling)
    scan = Scan(automaton, scan_options(arguments))
    watch = Watch(
        scan,
        Telling(arguments, _write_to_stderr, notifiers=receivers, is_quiet=True),
        arguments.stall,
    )
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
    for receiver in receivers:
        receiver.end(NOTIFY_S)


def _write_to_stderr(text: str) -> None:
    with suppress(OSError):  # where nobody is there to be told
        sys.stderr.buffer.write(with_margins(text).encode("utf-8", "replace"))
        sys.stderr.flush()
