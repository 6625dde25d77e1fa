"""A log through rotations, half lines, pauses, kills and calls of the system that fail, in any
order: Machine.

Each line is handed on once, in its order, whatever happened in between; no descriptor stays open.
"""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from logdoctor.live.follow import Follower
from logdoctor.live.rotation import Mark
from logdoctor.live.state import LiveState, read_state, write_state
from tests.thoroughness import drawn

CALLS = ["open", "pread", "fstat", "stat", "scandir", "read", "dup", "utime"]
ERRORS = [errno.EIO, errno.ENOMEM, errno.ENOSPC, errno.EMFILE, errno.ESTALE]


@contextmanager
def failing(name: str, number: int, error: int) -> Iterator[None]:
    """The call of that number fails, once."""
    real: Callable[..., Any] = getattr(os, name)
    left = [number]

    def call(*given: Any, **more: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise OSError(error, os.strerror(error))
        return real(*given, **more)

    with mock.patch.object(os, name, call):
        yield


class Machine(RuleBasedStateMachine):
    """A writer, the one who rotates, and a reader."""

    scheme = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.log = self.folder / "t.log"
        self.state = str(self.folder / "state.json")
        self.log.touch()
        self.written = self.rotated = 0
        self.half = b""
        self.now = 0.0
        self.got = b""
        self.kept = b""  # what was handed on when the state was saved
        self.before = len([*Path("/proc/self/fd").iterdir()])
        self.follower = self.new_follower({})
        self.look()
        self.save()

    def new_follower(self, marks: dict[str, Mark]) -> Follower:
        return Follower([str(self.log)], lambda: self.now, marks, cost_clock=lambda: 0.0)

    def append(self, data: bytes) -> None:
        with self.log.open("ab") as file:
            file.write(data)

    @rule(count=st.integers(1, 60))
    def write(self, count: int) -> None:
        lines = b"".join(b"line %06d ......\n" % (self.written + i) for i in range(count))
        self.append(lines.removeprefix(self.half))
        self.half = b""
        self.written += count

    @rule(size=st.integers(1, 12))
    def write_half(self, size: int) -> None:
        if not self.half:
            self.half = (b"line %06d ......\n" % self.written)[:size]
            self.append(self.half)

    @rule(is_made=st.booleans())
    def rotate(self, is_made: bool) -> None:
        """The writer may make its next file at once, or with its next line."""
        if not self.log.exists():
            return
        if self.half:  # a writer rotates between two lines
            self.write(1)
        self.rotated += 1
        if self.scheme == "dated":
            self.log.rename(f"{self.log}.{1_700_000_000 + self.rotated}")
        else:
            end = ".gz" if self.scheme == "compressed" else ""
            for i in range(self.rotated - 1, 0, -1):
                Path(f"{self.log}.{i}{end}").rename(f"{self.log}.{i + 1}{end}")
            first = Path(f"{self.log}.1{end}")
            if self.scheme == "copytruncate":
                shutil.copyfile(self.log, first)
                os.truncate(self.log, 0)
            elif self.scheme == "compressed":
                first.write_bytes(gzip.compress(self.log.read_bytes(), 1))
                self.log.unlink()
            else:
                self.log.rename(first)
        if is_made:
            self.log.touch()

    @rule()
    def look(self) -> None:
        self.now += 5
        self.got += b"".join(piece.data for piece in self.follower.poll())

    @rule(name=st.sampled_from(CALLS), number=st.integers(1, 12), error=st.sampled_from(ERRORS))
    def look_and_fail(self, name: str, number: int, error: int) -> None:
        self.now += 5
        with failing(name, number, error):
            for piece in self.follower.poll():
                self.got += piece.data

    @rule()
    def save(self) -> None:
        write_state(self.state, LiveState(self.follower.marks()))
        self.kept = self.got

    @rule()
    def kill(self) -> None:
        """What was handed on since the state was saved comes again."""
        self.got = self.kept
        self.leave()
        self.follower = self.new_follower(dict(read_state(self.state).marks))

    def leave(self) -> None:
        """As the system does for a process that is gone."""
        for file in self.follower._files.values():
            if file.descriptor is not None:
                os.close(file.descriptor)

    def teardown(self) -> None:
        try:
            if self.half:
                self.write(1)
            for _ in range(3):
                self.look()
            whole = b"".join(b"line %06d ......\n" % i for i in range(self.written))
            assert self.got == whole
            self.leave()
            assert len([*Path("/proc/self/fd").iterdir()]) <= self.before
        finally:
            shutil.rmtree(self.folder)


@pytest.mark.parametrize("scheme", ["rename", "dated", "copytruncate", "compressed"])
def test_every_line_comes_once(scheme: str) -> None:
    """In whatever order things happen."""
    run_state_machine_as_test(
        type("Machine", (Machine,), {"scheme": scheme}),
        settings=settings(
            max_examples=drawn(60),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
