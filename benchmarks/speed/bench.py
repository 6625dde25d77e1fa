"""What all rows share: Bench knows the program under test, logs, peers and how often to run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchmarks import REPOSITORY
from benchmarks.speed.logs import Logs
from benchmarks.speed.measure import Contestant, Results, run_contest, run_once
from benchmarks.speed.patterns import (
    SearchSet,
    read_signatures,
    template_regex,
    understood_by_ripgrep,
)
from benchmarks.speed.peers import Peers
from benchmarks.texts.made_signatures import write_signatures

SHORT_SECONDS, SHORT_ROUNDS = 0.5, 25
"""Programs that take less than so long run at least so often."""

TEMPLATES_OF_UGREP = 50

RIPGREP = ("--no-config", "--no-unicode", "-a", "-c", "-i", "-f")
"""How ripgrep is asked to search regexes: in bytes, many times as fast as in characters."""

TRIAL, TRIAL_SECONDS = 1_000_000, 20.0
"""Bytes of log on which draws of regexes are tried, and for how long."""


@dataclass
class Bench:
    """One run of the suite.

    Attributes:
        executable: the logdoctor under test.
        scale: 1.0 for logs of 1 GB and 100 MB.
        rounds: how often each contest is held.
        seconds: after how long a contest is not repeated further.
        real: a folder with whole logs of real runs, each `*.log` or `log.txt`; in the names of
            those that did not fail, or of their folders, `neg-` comes first.
    """

    executable: Path
    work: Path
    peers: Peers
    scale: float = 1.0
    rounds: int = 7
    seconds: float = 60.0
    real: Path = REPOSITORY / "sample_logs"
    search_set: SearchSet = field(
        default_factory=lambda: read_signatures(REPOSITORY / "signatures")
    )

    @cached_property
    def logs(self) -> Logs:
        """The logs."""
        return Logs(self.work, self.search_set, self.scale)

    @property
    def core(self) -> int:
        """The core for rows that may use one only."""
        return max(os.sched_getaffinity(0))

    @cached_property
    def interpreter(self) -> str:
        """The Python that the program under test runs on."""
        first = self.executable.read_bytes().split(b"\n", 1)[0].decode(errors="replace")
        path = first.removeprefix("#!").strip()
        return path if first.startswith("#!") and Path(path).exists() else "python3"

    @cached_property
    def understood(self) -> list[str]:
        """The signature regexes that ripgrep can search in bytes."""
        ripgrep = self.peers.program("rg")
        return (
            [
                each
                for each in understood_by_ripgrep(self.search_set.expressions, ripgrep)
                if each.isascii()
            ]
            if ripgrep
            else []
        )

    def draws(self, count: int, draws: int) -> list[list[str]]:
        """Sets of so many of the regexes, each spread over the database, from another one on."""
        step = max(1, len(self.understood) // count)
        return [self.understood[first::step][:count] for first in range(min(draws, step))]

    def ripgrep_speed(self, patterns: Sequence[str]) -> float:
        """MB/s of ripgrep with the patterns on a short log; less where it takes too long."""
        self.pattern_file("trial", patterns)
        begin = time.monotonic()
        command = [
            self.peers.program("rg") or "rg",
            *RIPGREP,
            str(self.work / "trial.txt"),
            str(self.logs.healthy(TRIAL)),
        ]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                timeout=TRIAL_SECONDS,
            )
        return TRIAL / 1e6 / (time.monotonic() - begin)

    @property
    def fifty_templates(self) -> list[str]:
        """Templates of middle length as regexes, spread over the database."""
        middling = [
            each
            for each in self.search_set.templates
            if 25 <= len(each) <= 100  # noqa: PLR2004  # characters
        ]
        step = max(1, len(middling) // TEMPLATES_OF_UGREP)
        return [template_regex(each) for each in middling[::step][:TEMPLATES_OF_UGREP]]

    def logdoctor(
        self,
        log: Path | None,
        label: str = "logdoctor",
        *,
        jobs: int | None = 1,
        signatures: Path | None = None,
        pipe: Path | None = None,
        core: int | None = None,
        size: int = 0,
    ) -> Contestant:
        """The program under test on a log, or on a pipe.

        `jobs` is None for as many processes as it takes of itself.
        """
        more = (
            *(("--jobs", str(jobs)) if jobs else ()),
            *(("--signatures", str(signatures)) if signatures else ()),
        )
        argv = (
            str(self.executable),
            "scan",
            *([str(log)] if log else []),
            "--format",
            "json",
            *more,
        )
        read = pipe or log
        return Contestant(
            label,
            argv,
            size or (read.stat().st_size if read else 0),
            pipe=pipe,
            core=core,
            stdout=str(self.work / "report.json"),
        )

    def search_only(self, log: Path) -> Contestant:
        """The search of the program under test, without anything that comes after it."""
        return Contestant(
            "search alone",
            (self.interpreter, str(Path(__file__).with_name("search_only.py")), str(log)),
            log.stat().st_size,
        )

    def peer(
        self,
        program: str,
        label: str,
        log: Path,
        *arguments: str,
        core: int | None = None,
        stdout: str = "",
    ) -> Contestant | str:
        """Another program on a log; why not, where it cannot be had.

        What it prints goes to a file: some programs do less when they see the null device.
        """
        path = self.peers.program(program)
        if path is None:
            return self.peers.missing[program]
        target = stdout or (os.devnull if "-dc" in arguments else str(self.work / "output"))
        return Contestant(label, (path, *arguments), log.stat().st_size, core=core, stdout=target)

    def pattern_file(self, name: str, patterns: Sequence[str]) -> int:
        """Writes patterns into a file of the work folder, one a line, and says how many."""
        (self.work / f"{name}.txt").write_text("\n".join(patterns) + "\n", encoding="utf-8")
        return len(patterns)

    def made_signatures(self, count: int) -> Path:
        """A folder with so many made-up signatures; the cache of the program is warm."""
        folder = self.work / f"signatures-{count}"
        write_signatures(folder, count, seed=count)
        run_once(self.logdoctor(self.logs.start(), signatures=folder), self.work)
        return folder

    def contest(self, contestants: Sequence[Contestant], rounds: int = 0) -> list[Results]:
        """Lets them take turns.

        Raises:
            RunFailedError: one of them failed.
        """
        results = run_contest(contestants, rounds or self.rounds, self.seconds, self.work)
        if not rounds and max(each.wall.median for each in results) < SHORT_SECONDS:
            return run_contest(contestants, SHORT_ROUNDS, self.seconds, self.work)
        return results

    def package_versions(self) -> list[str]:
        """The versions of the program under test, of what it stands on, and of its Python."""
        ask = (
            "import importlib.metadata as m, platform\n"
            "print('Python', platform.python_version())\n"
            "names = 'logdoctor hyperscan rapidfuzz regex click isal backports.zstd'\n"
            "for name in names.split():\n"
            "    try: print(name, m.version(name))\n"
            "    except m.PackageNotFoundError: pass\n"
        )
        return subprocess.run(
            [self.interpreter, "-c", ask], capture_output=True, text=True, check=False
        ).stdout.splitlines()
