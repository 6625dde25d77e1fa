"""`logdoctor run`: a command with its output passed through, diagnosed when it fails.

The command comes first: whatever happens to the scanner, its output, its signals and its exit code
are left as they are.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from logdoctor.cli.options import Arguments
from logdoctor.cli.side_scan import SideScan
from logdoctor.cli.terminal import note
from logdoctor.command.child import Child, Output, exit_code_of

if TYPE_CHECKING:
    from logdoctor.texts.masked_stream import MaskedStream

TERM_S = 30.0
"""Seconds between SIGTERM and SIGKILL where `--fail-fast` ends the command: time to write a
checkpoint, or not to.
"""

FORWARDED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
)

COMMAND_MISSING, COMMAND_REFUSED = 127, 126
"""Exit codes of a shell for a command that is not there, or cannot be run."""


def run_command(arguments: Arguments) -> int:
    """Runs the command to its end; returns its exit code, or 128 plus the number of the signal
    that ended it.
    """
    side = SideScan(arguments)
    try:
        child = Child(arguments.words, [each for each in (0, 1, 2) if os.isatty(each)])
    except OSError as error:
        note(f"{arguments.words[0]}: {(error.strerror or str(error)).lower()}")
        side.conclude(0)
        return COMMAND_MISSING if isinstance(error, FileNotFoundError) else COMMAND_REFUSED
    copy = _Copy(arguments.log, redact=arguments.redact)
    code = exit_code_of(_pass_through(child, side, copy))
    side.conclude(code)
    return code


def _pass_through(child: Child, side: SideScan, copy: _Copy) -> int:
    """Passes output on until the command has ended; returns its return code."""
    from_keyboard = (
        {signal.SIGINT, signal.SIGQUIT} if os.isatty(0) and not child.is_session else set()
    )
    for number in (*FORWARDED, *([signal.SIGTSTP] if child.is_session else [])):
        signal.signal(
            number,
            lambda received, _frame: None if received in from_keyboard else child.forward(received),
        )
    signal.signal(signal.SIGWINCH, lambda _number, _frame: child.resize())
    try:
        for output in child.outputs(side.reasons, lambda: side.pause):
            if output is None:
                side.pass_on()
                continue
            if output.target < 0:
                _stop(child, output.data.decode("utf-8", "replace"))
                continue
            _write(output)
            copy.write(output.data)
            side.feed(output.data)
        return child.wait()
    finally:
        child.restore()
        copy.close()


def _stop(child: Child, reason: str) -> None:
    if reason:
        note(f"stopping the command (--fail-fast): {reason}")
        child.end(TERM_S)


def _write(output: Output) -> None:
    """Writes all of it; where nobody reads any more, the command is told by a closed pipe as it
    would be without us.
    """
    data = memoryview(output.data)
    try:
        while data:
            data = data[os.write(output.target, data) :]
    except BlockingIOError:
        os.set_blocking(output.target, True)
        _write(Output(output.target, bytes(data), output.close))
    except OSError:
        output.close()


class _Copy:
    """The file of `--log`, in which secrets are masked where the user has not refused that; one
    that cannot be written is told once, and the command goes on.
    """

    def __init__(self, file: str | None, *, redact: bool) -> None:
        self._file = file
        self._descriptor = self._open(file) if file else None
        self._masked: MaskedStream | None = None
        if self._descriptor is not None and redact:
            # few runs are kept, and the command has been started
            from logdoctor.texts.masked_stream import MaskedStream  # noqa: PLC0415

            self._masked = MaskedStream()

    def write(self, data: bytes) -> None:
        """Appends it, line by line where secrets are masked."""
        if self._descriptor is not None:
            self._append(self._masked.feed(data) if self._masked else data)

    def close(self) -> None:
        """Appends what is left, and closes the file."""
        if self._descriptor is not None and self._masked:
            self._append(self._masked.end())
        self._leave()

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view and self._descriptor is not None:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            self._complain(error)
            self._leave()

    def _leave(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            try:
                os.close(descriptor)
            except OSError as error:  # some file systems tell only now that there was no room
                self._complain(error)

    def _open(self, file: str) -> int | None:
        """A pipe that nobody reads is refused: it would hold the command up."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            descriptor = os.open(file, flags, 0o666)
        except OSError as error:
            self._complain(error)
            return None
        os.set_blocking(descriptor, True)
        return descriptor

    def _complain(self, error: OSError) -> None:
        note(
            f"{self._file}: the output could not be kept: "
            f"{(error.strerror or str(error)).lower()}; the command goes on"
        )
