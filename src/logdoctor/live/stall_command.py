"""A command of the user that looks at a run which stands still: StallCommand."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable

PATIENCE_S = 300.0
"""Seconds after which the command is killed: stacks of some hundred ranks take a minute or two."""


class StallCommand:
    """Runs a shell command once, beside everything else, and keeps what it prints."""

    def __init__(
        self, line: str, complain: Callable[[str], None], limit: int, patience_s: float = PATIENCE_S
    ) -> None:
        """`complain` is told, from another thread, that it failed; at most `limit` bytes of its
        output are kept.
        """
        self._line, self._complain = line, complain
        self._limit, self._patience_s = limit, patience_s
        self._thread: threading.Thread | None = None
        self._output: bytes | None = None

    def start(self, payload: bytes) -> bool:
        """Starts it with this on its stdin; False where it was started before."""
        if self._thread is not None:
            return False
        self._thread = threading.Thread(target=self._run, args=(payload,), daemon=True)
        self._thread.start()
        return True

    def wait(self, timeout_s: float) -> None:
        """Waits until it has ended, where it was started, but no longer."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def taken(self) -> bytes:
        """What it printed, once, when it has ended; else nothing."""
        output, self._output = self._output or b"", None
        return output

    def _run(self, payload: bytes) -> None:
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaint:
            process = subprocess.Popen(  # noqa: S602  # the user's own command line
                self._line,
                shell=True,
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=complaint,
                start_new_session=True,
            )
            try:
                process.communicate(payload, self._patience_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                self._complain(f"--on-stall: killed after {self._patience_s:g} s")
            if process.returncode > 0:
                complaint.seek(0)
                said = complaint.read(4000).decode("utf-8", "replace").strip().splitlines()[-1:]
                self._complain(": ".join([f"--on-stall: exit code {process.returncode}", *said]))
            printed.seek(0)
            self._output = printed.read(self._limit)
