"""A command to its output: Child.

What is a terminal here is one for the command too, so that colours and progress bars stay as they are; the rest are pipes,
so that stdout and stderr stay apart.
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

CHUNK = 124 << 10
"""Bytes read at once; from 128 KB on, memory is asked for and given back each time, which takes six times as long as reading."""

TERMINAL_BYTES = 1 << 16
"""Bytes read from a terminal, which gives 4 KB at once, before they are passed on."""

GATHER_S = 0.002
"""Seconds that a command which prints without pause may fill its pipe, so that it is not woken, and does not wake, for each line."""

PIPE_BYTES = 1 << 20
"""Bytes that a pipe is asked to hold."""

LAST_WORDS_S = 0.5
"""Seconds for which output is still awaited when the command has ended but a process that it started holds the pipes."""


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
        self._master: int | None = None
        slave: int | None = None
        if self._terminal is not None:
            self._master, slave = pty.openpty()
        self._has_input = slave is not None and 0 in terminals and _is_in_front()
        if slave is not None:
            _set_modes(slave, termios.tcgetattr(0) if self._has_input else None)
        self.process = self._start(words, slave, terminals)
        self._attend()

    def _start(self, words: Sequence[str], slave: int | None, terminals: Collection[int]) -> subprocess.Popen[bytes]:
        kinds = [slave if each in terminals and slave is not None else subprocess.PIPE for each in (1, 2)]
        try:
            return subprocess.Popen(  # noqa: S603  # the user's own command
                words,
                stdin=slave if self._has_input else None,
                stdout=kinds[0],
                stderr=kinds[1],
                bufsize=0,
                preexec_fn=_take_terminal if self._has_input else None,  # noqa: PLW1509  # no threads have been started
            )
        except OSError:
            if self._master is not None:
                os.close(self._master)
            raise
        finally:
            if slave is not None:
                os.close(slave)

    def _attend(self) -> None:
        """Makes ready to read from it."""
        streams = [(target, stream) for target, stream in ((1, self.process.stdout), (2, self.process.stderr)) if stream]
        self._targets = {stream.fileno(): target for target, stream in streams}
        self._closers: dict[int, Callable[[], None]] = {stream.fileno(): stream.close for _, stream in streams}
        for descriptor in self._targets:
            _enlarge(descriptor)
        if self._master is not None:
            os.set_blocking(self._master, False)
        if self._master is not None and self._terminal is not None:
            self._targets[self._master] = self._terminal
            self._closers[self._master] = partial(os.close, self._master)
            self.resize()
        if self._has_input:
            self._modes = termios.tcgetattr(0)
            tty.setraw(0, termios.TCSANOW)  # what was typed ahead stays
        for descriptor in (*self._targets, *([0] if self._has_input else [])):
            self._poll.register(descriptor, select.POLLIN)

    def outputs(self, also: Collection[int] = (), pause_s: Callable[[], float | None] = lambda: None) -> Iterator[Output | None]:
        """What it prints, as it comes; ends when all its output has been read.

        What can be read from the descriptors `also` comes as output for the target -1; None comes where nothing else has
        for `pause_s()` seconds.
        """
        quiet_since = None  # when the command has ended
        for descriptor in also:
            self._poll.register(descriptor, select.POLLIN)
        while self._targets:
            has_ended, now = self.process.poll() is not None, time.monotonic()
            ready = [descriptor for descriptor, _ in self._poll.poll(1000 * min(pause_s() or LAST_WORDS_S, LAST_WORDS_S))]
            if not has_ended or self._targets.keys() & set(ready):
                quiet_since = None
            else:
                quiet_since = quiet_since or now
                if time.monotonic() - quiet_since >= LAST_WORDS_S:
                    return
            if len(ready) == 1:
                self._gather(ready[0])
            for descriptor in ready:
                if descriptor in self._targets:
                    yield from self._output(descriptor)
                elif descriptor in also:
                    yield Output(-1, self._read_or_forget(descriptor), self.restore)
                else:
                    self._pass_input()
            if not ready:
                yield None

    def _gather(self, descriptor: int) -> None:
        """Waits a little, where the last output came from there just now; a terminal holds too little for that."""
        last, self._last_read = self._last_read, (descriptor, time.monotonic())
        if descriptor != self._master and last[0] == descriptor and self._last_read[1] - last[1] < GATHER_S:
            time.sleep(GATHER_S)
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
        code = self.process.wait()
        if self._timer:
            self._timer.cancel()
        return code

    def forward(self, number: int) -> None:
        """Passes a signal on; not one from the keyboard, which reaches the command by itself."""
        if self.process.poll() is None:
            self.process.send_signal(number)

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
                size = fcntl.ioctl(self._terminal, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def restore(self) -> None:
        """Gives the real terminal its modes back."""
        if self._modes is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, self._modes)
            self._modes = None

    def _pass_input(self) -> None:
        data = self._read_or_forget(0)
        if data and self._master in self._targets:
            assert self._master is not None  # it is a target
            _write_all(self._master, data)

    def _close(self, descriptor: int) -> None:
        if self._targets.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)
            self._closers.pop(descriptor)()


def exit_code_of(return_code: int) -> int:
    """The exit code as a shell gives it: 128 plus the number of a signal."""
    return 128 - return_code if return_code < 0 else return_code


def _is_in_front() -> bool:
    """Whether this process may use the terminal of stdin: a job of the background would be stopped for it."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # it is a terminal, but not the one that controls us
        return True


def _set_modes(slave: int, modes: list[Any] | None) -> None:
    """Has one of the two terminals alone turn line feeds into new lines: the command's, where it gets the real one's modes."""
    if modes is None:
        modes = termios.tcgetattr(slave)
        modes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, modes)


def _take_terminal() -> None:
    """In the child: its terminal becomes the controlling one, so that Ctrl-C and job control work."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


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
