"""A command to its output: Child.

What is a terminal here is one for the command too, so that colours and progress bars stay as they
are; the rest are pipes, so that stdout and stderr stay apart.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
import tty
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from logdoctor.command.job_control import Session

CHUNK = 124 << 10
"""Bytes read at once; from 128 KB on, memory is asked for and given back each time, which takes
six times as long as reading.
"""

TERMINAL_BYTES = 1 << 16
"""Bytes read from a terminal, which gives 4 KB at once, before they are passed on."""

GATHER_S = 0.002
"""Seconds that a command which prints without pause may fill its pipe, so that it is not woken,
and does not wake, for each line.
"""

GATHER_TERMINAL_S = 0.0005
"""The same for a terminal, which holds less than 70 KB."""

PIPE_BYTES = 1 << 20
"""Bytes that a pipe is asked to hold."""

LAST_WORDS_S = 0.5
"""Seconds for which output is still awaited when the command has ended but a process that it
started holds the pipes.
"""

BEHIND_S = 0.1
"""Seconds for which a command is left stopped that reads from a terminal which is not its own,
so that it does not do so all the time.
"""


class Output(NamedTuple):
    """What the command printed.

    Attributes:
        target: descriptor that it is to be passed to.
        close: to be called where the target takes no more: the command then sees a closed pipe.
    """

    target: int
    data: bytes
    close: Callable[[], None]


class Child:
    """A running command.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], terminals: Collection[int]) -> None:
        """`terminals` are those of the standard descriptors 0, 1 and 2 that are a terminal."""
        self._terminal = next((each for each in (1, 2) if each in terminals), None)
        self._modes: list[Any] | None = None
        self._timer: threading.Timer | None = None
        self._poll = select.poll()
        self._last_read = (-1, 0.0)  # descriptor and time
        self._session: Session | None = None
        self._has_gone_on = False  # since it was looked whose the terminal is
        self._master: int | None = None
        slave: int | None = None
        if self._terminal is not None:
            with suppress(OSError):  # a container may have none: the command has pipes then
                self._master, slave = pty.openpty()
        self._has_input = slave is not None and 0 in terminals and _is_in_front()
        if slave is not None:
            _set_modes(slave, termios.tcgetattr(0) if self._has_input else None)
        self._process = self._start(words, slave, terminals)
        self._attend()

    @property
    def is_session(self) -> bool:
        """Whether its terminal is its own, so that no key that a user presses signals this
        process.
        """
        return self._session is not None

    def _start(
        self, words: Sequence[str], slave: int | None, terminals: Collection[int]
    ) -> subprocess.Popen[bytes] | Session:
        pipes = {each: os.pipe() for each in (1, 2) if each not in terminals or slave is None}
        self._targets = {pipe[0]: each for each, pipe in pipes.items()}
        ends = {each: pipe[1] for each, pipe in pipes.items()}
        if slave is not None:
            ends = {1: slave, 2: slave, **ends}
        try:
            if self._has_input and slave is not None:
                self._session = Session(words, slave, (ends[1], ends[2]))
                return self._session
            # the user's own command
            return subprocess.Popen(words, stdout=ends[1], stderr=ends[2])  # noqa: S603
        except OSError:
            for descriptor in (*self._targets, *([] if self._master is None else [self._master])):
                os.close(descriptor)
            raise
        finally:
            for descriptor in {*ends.values()}:
                os.close(descriptor)

    def _attend(self) -> None:
        """Makes ready to read from it."""
        for descriptor in self._targets:
            _enlarge(descriptor)
        if self._master is not None and self._terminal is not None:
            os.set_blocking(self._master, False)
            self._targets[self._master] = self._terminal
            self.resize()
        for descriptor in self._targets:
            self._poll.register(descriptor, select.POLLIN)
        if self._session is not None:
            self._poll.register(self._session.reports, select.POLLIN)
            self._take_terminal()

    def outputs(
        self, also: Collection[int] = (), pause_s: Callable[[], float | None] = lambda: None
    ) -> Iterator[Output | None]:
        """What it prints, as it comes; ends when all its output has been read.

        What can be read from the descriptors `also` comes as output for the target -1; None comes
        where nothing else has for `pause_s()` seconds.
        """
        quiet_since = None  # when the command has ended
        for descriptor in also:
            self._poll.register(descriptor, select.POLLIN)
        while self._targets:
            if self._session is not None:
                self._look_after_terminal(self._session)
            started = time.monotonic()
            ready = [
                descriptor
                for descriptor, _ in self._poll.poll(
                    1000 * min(pause_s() or LAST_WORDS_S, LAST_WORDS_S)
                )
            ]
            if not self._targets.keys().isdisjoint(ready) or self._process.poll() is None:
                quiet_since = None
            else:
                quiet_since = quiet_since or started
                if time.monotonic() - quiet_since >= LAST_WORDS_S:
                    return
            if len(ready) == 1:
                self._gather(ready[0])
            for descriptor in ready:
                yield from self._take(descriptor, also)
            if self._session is not None and self._session.reports in ready:
                yield from self._follow(self._session)
            if not ready:
                yield None

    def _take(self, descriptor: int, also: Collection[int]) -> Iterator[Output]:
        if descriptor in self._targets:
            yield from self._output(descriptor)
        elif descriptor in also:
            yield Output(-1, self._read_or_forget(descriptor), self.restore)
        elif descriptor == 0:
            self._pass_input()

    def _follow(self, session: Session) -> Iterator[Output]:
        """Ends or stops as the command did; what it printed before comes first."""
        number = session.look()
        if number is None:
            self._poll.unregister(session.reports)
            return
        if self._master in self._targets:
            with suppress(BlockingIOError):
                yield from self._output(self._master)
        self.restore()
        _stop(number)
        self._has_gone_on = True

    def _look_after_terminal(self, session: Session) -> None:
        """Takes the real terminal, or leaves it, where that has become this process's due; a
        shell tells nobody.
        """
        if self._has_gone_on or (self._modes is None and _is_in_front()):
            self._has_gone_on = False
            self.resize()
            self._take_terminal()
            session.go_on(is_in_front=self._modes is not None)

    def _take_terminal(self) -> None:
        """Every key to the command, where this process is in front; else none."""
        if _is_in_front():
            self._modes = self._modes or termios.tcgetattr(0)
            tty.setraw(0, termios.TCSANOW)  # what was typed ahead stays
            self._poll.register(0, select.POLLIN)
        else:
            self._modes = None
            with suppress(KeyError):
                self._poll.unregister(0)

    def _gather(self, descriptor: int) -> None:
        """Waits a little, where the last output came from there just now."""
        last, self._last_read = self._last_read, (descriptor, time.monotonic())
        if (
            descriptor in self._targets
            and last[0] == descriptor
            and self._last_read[1] - last[1] < GATHER_S
        ):
            time.sleep(GATHER_TERMINAL_S if descriptor == self._master else GATHER_S)
            self._last_read = (descriptor, time.monotonic())

    def _output(self, descriptor: int) -> Iterator[Output]:
        data = self._read_terminal() if descriptor == self._master else _read(descriptor)
        if data:
            yield Output(self._targets[descriptor], data, partial(self._close, descriptor))
        else:
            self._close(descriptor)

    def _read_terminal(self) -> bytes:
        """As much as there is, which a terminal gives in small pieces."""
        assert self._master is not None  # asked for
        pieces = [_read(self._master)]
        size = len(pieces[0])
        while pieces[-1] and size < TERMINAL_BYTES:
            try:
                pieces.append(_read(self._master))
            except BlockingIOError:
                break
            size += len(pieces[-1])
        return b"".join(pieces)

    def _read_or_forget(self, descriptor: int) -> bytes:
        data = _read(descriptor)
        if not data:
            self._poll.unregister(descriptor)
        return data

    def wait(self) -> int:
        """Its return code, as `subprocess` gives it: negative for a signal."""
        for descriptor in list(self._targets):
            self._close(descriptor)
        code = self._process.wait()
        if self._timer:
            self._timer.cancel()
        return code

    def forward(self, number: int) -> None:
        """Passes a signal on; not one from the keyboard, which reaches the command by itself."""
        if self._session is not None and number == signal.SIGCONT:
            self._has_gone_on = True
        elif self._process.poll() is None:
            self._process.send_signal(number)

    def end(self, patience_s: float) -> None:
        """SIGTERM now, SIGKILL when that has not helped in time."""
        self.forward(signal.SIGTERM)
        if self._timer is None:
            self._timer = threading.Timer(patience_s, self.forward, (signal.SIGKILL,))
            self._timer.daemon = True
            self._timer.start()

    def resize(self) -> None:
        """Gives the command's terminal the size of the real one."""
        if self._master is not None and self._terminal is not None:
            with suppress(OSError):
                size = fcntl.ioctl(
                    self._terminal, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0)
                )
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def restore(self) -> None:
        """Gives the real terminal its modes back."""
        if self._modes is not None:
            if _is_in_front():
                termios.tcsetattr(0, termios.TCSADRAIN, self._modes)
            self._modes = None
            with suppress(KeyError):
                self._poll.unregister(0)

    def _pass_input(self) -> None:
        data = self._read_or_forget(0)
        if data and self._master in self._targets:
            assert self._master is not None  # it is a target
            _write_all(self._master, data)

    def _close(self, descriptor: int) -> None:
        if self._targets.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)
            os.close(descriptor)


def exit_code_of(return_code: int) -> int:
    """The exit code as a shell gives it: 128 plus the number of a signal."""
    return 128 - return_code if return_code < 0 else return_code


def _is_in_front() -> bool:
    """Whether this process may use the terminal of stdin: a job of the background would be
    stopped for it.
    """
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # it is a terminal, but not the one that controls us
        return True


def _set_modes(slave: int, modes: list[Any] | None) -> None:
    """Has one of the two terminals alone turn line feeds into new lines: the command's, where it
    gets the real one's modes.
    """
    if modes is None:
        modes = termios.tcgetattr(slave)
        modes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, modes)


def _stop(number: int) -> None:
    """Stops all that the terminal would have stopped, until somebody lets them go on; those whom
    no shell looks after do not stop.
    """
    before = signal.getsignal(number)
    if number != signal.SIGSTOP:
        signal.signal(number, signal.SIG_DFL)
    os.killpg(0, number)
    if number != signal.SIGSTOP:
        signal.signal(number, before)
    if number != signal.SIGTSTP and not _is_in_front():
        time.sleep(BEHIND_S)


def _enlarge(descriptor: int) -> None:
    """Lets the command write more before it has to wait, where the system can."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it to a descriptor that does not wait."""
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            select.select([], [descriptor], [], LAST_WORDS_S)


def _read(descriptor: int) -> bytes:
    """What is there; nothing at the end, which a terminal tells by EIO."""
    try:
        return os.read(descriptor, CHUNK)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise
