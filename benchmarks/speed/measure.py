"""Commands to figures: run_contest lets programs take turns and keeps what every run took."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
LEAST_ROUNDS = 2
"""Rounds that are run however long they take."""

DISTORTING = frozenset(
    {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH", "PYTHONDEVMODE"}
)
"""Variables of the environment that make Python slower and that no user starts it with."""


class RunFailedError(Exception):
    """A program ended in a way that makes its time worthless."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one command took.

    Seconds on the wall, seconds of CPU of all its processes, bytes of the largest at its peak.
    """

    wall: float
    cpu: float
    memory: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program with its arguments and what it reads.

    Attributes:
        label: what it is called in the tables.
        size: bytes of (uncompressed) log that it goes through, for MB/s.
        accepted: exit codes that mean that it did its work.
        pipe: a file that comes to it through a pipe.
        core: the only core it may use.
    """

    label: str
    argv: tuple[str, ...]
    size: int
    accepted: tuple[int, ...] = (0, 1)
    pipe: Path | None = None
    core: int | None = None
    stdout: str = os.devnull


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and greatest of some values."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Results:
    """All runs of a contestant, in the order of the rounds."""

    contestant: Contestant
    runs: tuple[Run, ...]

    @property
    def wall(self) -> Spread:
        """Seconds."""
        return Spread.of([run.wall for run in self.runs])

    @property
    def cpu(self) -> Spread:
        """Seconds, of all its processes."""
        return Spread.of([run.cpu for run in self.runs])

    @property
    def memory(self) -> Spread:
        """Bytes at the peak."""
        return Spread.of([run.memory for run in self.runs])

    @property
    def speed(self) -> Spread:
        """MB (10^6 bytes) a second on the wall."""
        return Spread.of([self.contestant.size / 1e6 / run.wall for run in self.runs])


def ratio(
    slower: Results, faster: Results, of: Callable[[Run], float] = lambda run: run.wall
) -> Spread:
    """How many times the time per byte of `faster` `slower` takes, round by round."""
    weight = faster.contestant.size / slower.contestant.size
    return Spread.of(
        [
            of(one) * weight / max(1e-9, of(other))
            for one, other in zip(slower.runs, faster.runs, strict=True)
        ]
    )


def run_once(contestant: Contestant, work: Path) -> Run:
    """Runs a program to its end.

    Raises:
        RunFailedError: its exit code is none of the accepted ones.
    """
    complaints = work / "stderr"
    job = {
        "argv": contestant.argv,
        "stdin": None,
        "pipe": str(contestant.pipe) if contestant.pipe else None,
        "stdout": contestant.stdout,
        "stderr": str(complaints),
        "core": contestant.core,
    }
    inherited = {name: value for name, value in os.environ.items() if name not in DISTORTING}
    environment = {**inherited, "LC_ALL": "C.UTF-8", "RIPGREP_CONFIG_PATH": ""}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(job)],
        capture_output=True,
        env=environment,
        check=True,
    )
    run = Run(**json.loads(done.stdout))
    if run.exit_code not in contestant.accepted:
        raise RunFailedError(
            f"{' '.join(contestant.argv)[:300]} ended with {run.exit_code}: "
            f"{complaints.read_text(errors='replace')[-300:].strip()}"
        )
    return run


def run_contest(
    contestants: Sequence[Contestant], rounds: int, seconds: float, work: Path
) -> list[Results]:
    """Lets the contestants take turns, each round in the other direction, after one for nothing.

    Where `seconds` are over, it stops early, but not before LEAST_ROUNDS rounds.

    Raises:
        RunFailedError: a program failed.
    """
    begin = time.monotonic()
    for each in contestants:
        run_once(each, work)
    runs: dict[str, list[Run]] = {each.label: [] for each in contestants}
    for number in range(rounds):
        if number >= LEAST_ROUNDS and time.monotonic() - begin > seconds:
            break
        for each in contestants if number % 2 else reversed(contestants):
            runs[each.label].append(run_once(each, work))
    return [Results(each, tuple(runs[each.label])) for each in contestants]
