"""A command to the job of a terminal: Session.

The command is led, as by a shell, from a process of its own, because the system stops nobody whose
parent is of another session. This leader sees the command stop, and tells it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

_REPORT = struct.Struct("=Bi")
# with its pid, the error's number, the signal's number, the return code
_STARTED, _REFUSED, _STOPPED, _ENDED = range(4)

_GO_ON, _GO_ON_BEHIND = signal.SIGUSR1, signal.SIGUSR2

_KEYBOARD = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)

_DESCRIPTORS = 4096
"""Below which descriptors are looked for that the leader should not hold."""


class Session:
    """A running command that a terminal controls.

    `reports` is a descriptor that can be read when something has happened to it: then `look` says
    what.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], terminal: int, outputs: tuple[int, int]) -> None:
        """`terminal` is its stdin and what controls it, `outputs` are its stdout and stderr."""
        self.reports, told = os.pipe()
        self._code: int | None = None
        self._leader = os.fork()
        if self._leader == 0:
            _Leader(words, terminal, outputs, told).lead()
        os.close(told)
        kind, number = self._report()
        if kind != _STARTED:
            os.close(self.reports)
            os.waitpid(self._leader, 0)
            raise OSError(number, os.strerror(number), words[0])
        self._pid = number

    def look(self) -> int | None:
        """What has happened: the signal that stopped it; None where it has ended."""
        kind, number = self._report()
        if kind == _STOPPED:
            return number
        self._code = number
        return None

    def poll(self) -> int | None:
        """Its return code as `subprocess` gives it, once `look` has seen its end."""
        return self._code

    def wait(self) -> int:
        """Its return code, when it has ended."""
        while self._code is None:
            self.look()
        with suppress(ChildProcessError):  # waited for before
            os.waitpid(self._leader, 0)
        return self._code

    def send_signal(self, number: int) -> None:
        """Sends a signal; one that stops, to all that a key would stop."""
        with suppress(ProcessLookupError):
            if number == signal.SIGTSTP:
                os.killpg(self._pid, number)
            else:
                os.kill(self._pid, number)

    def go_on(self, *, is_in_front: bool) -> None:
        """Lets it go on where it was stopped; one that is not in front is stopped again when it
        reads from its terminal.
        """
        if self._code is None:
            os.kill(self._leader, _GO_ON if is_in_front else _GO_ON_BEHIND)

    def _report(self) -> tuple[int, int]:
        data = os.read(self.reports, _REPORT.size)
        # the leader was killed, and the terminal hung up
        kind, number = _REPORT.unpack(data) if data else (_ENDED, -signal.SIGHUP)
        return kind, number


class _Leader:
    """The process between: the session's leader, and the command's parent."""

    def __init__(
        self, words: Sequence[str], terminal: int, outputs: tuple[int, int], told: int
    ) -> None:
        self._words = words
        self._terminal = terminal
        self._outputs = outputs
        self._told = told
        self._callers = os.getpgrp()
        self._pid = 0
        self._in_front = 0  # the group that was, while none is
        self._is_told_to_go_on = False

    def lead(self) -> None:
        """Starts the command and reports of it to its end; does not return."""
        try:
            self._begin()
            self._start()
            self._attend()
        except OSError as error:
            self._tell(_REFUSED, error.errno or 0)
        # a copy of the caller is not to go on in any case
        except BaseException as error:  # noqa: BLE001
            with suppress(OSError):
                os.write(2, f"logdoctor: the session broke: {error!r}\n".encode())
        finally:
            os._exit(0)

    def _begin(self) -> None:
        os.setsid()
        fcntl.ioctl(self._terminal, termios.TIOCSCTTY, 0)
        _close_all_but({self._terminal, self._told, *self._outputs})
        for number in _KEYBOARD:
            if signal.getsignal(number) != signal.SIG_IGN:  # which the command inherits
                signal.signal(number, lambda *_: None)

    def _start(self) -> None:
        # kept: one that is collected waits for a command that has ended, and nobody else can then
        self._process = subprocess.Popen(  # noqa: S603  # the user's own command
            self._words,
            stdin=self._terminal,
            stdout=self._outputs[0],
            stderr=self._outputs[1],
            # there are no threads
            preexec_fn=partial(_step_in_front, self._terminal),  # noqa: PLW1509
        )
        for descriptor in {*self._outputs} - {self._terminal}:
            os.close(descriptor)
        self._pid = self._process.pid
        signal.signal(_GO_ON, self._go_on)
        signal.signal(_GO_ON_BEHIND, self._go_on)
        signal.signal(signal.SIGHUP, self._hang_up)
        self._tell(_STARTED, self._pid)

    def _attend(self) -> None:
        while True:
            _, status = os.waitpid(self._pid, os.WUNTRACED | os.WCONTINUED)
            if os.WIFSTOPPED(status):
                self._is_told_to_go_on = False
                self._tell(_STOPPED, os.WSTOPSIG(status))
            elif not os.WIFCONTINUED(status):
                self._tell(_ENDED, os.waitstatus_to_exitcode(status))
                return
            # by somebody else: those who stopped with it go on too
            elif not self._is_told_to_go_on:
                os.killpg(self._callers, signal.SIGCONT)

    def _go_on(self, number: int, _frame: FrameType | None) -> None:
        with suppress(OSError), _unstopped():
            if number == _GO_ON_BEHIND and not self._in_front:
                self._in_front = os.tcgetpgrp(self._terminal)
                os.tcsetpgrp(self._terminal, os.getpgrp())
            elif number == _GO_ON and self._in_front:
                group, self._in_front = self._in_front, 0
                os.tcsetpgrp(self._terminal, group)
        self._is_told_to_go_on = True
        with suppress(OSError):
            os.killpg(self._pid, signal.SIGCONT)

    def _hang_up(self, number: int, _frame: FrameType | None) -> None:
        """The real terminal is gone, or who read from it."""
        with suppress(OSError):
            os.killpg(self._pid, number)
            os.killpg(self._pid, signal.SIGCONT)
        os._exit(0)

    def _tell(self, kind: int, number: int) -> None:
        with suppress(OSError):
            os.write(self._told, _REPORT.pack(kind, number))


def _step_in_front(terminal: int) -> None:
    """In the command, before it is itself: a process group of its own, which the terminal's keys
    reach.
    """
    os.setpgid(0, 0)
    with suppress(OSError), _unstopped():
        os.tcsetpgrp(terminal, os.getpgrp())


@contextmanager
def _unstopped() -> Iterator[None]:
    """Who is not in front may say who is, where the signal that would stop it is blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close_all_but(kept: Collection[int]) -> None:
    """What the caller has open beside the standard descriptors is not to be held open by its
    copy.
    """
    first = 3
    for descriptor in sorted({*kept, _DESCRIPTORS}):
        if first < descriptor:  # nothing to close is taken for everything
            os.closerange(first, descriptor)
        first = max(first, descriptor + 1)
