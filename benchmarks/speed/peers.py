"""Programs to compare with: Peers finds them, installs what is missing, and says their versions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGES = {
    "rg": "ripgrep",
    "ugrep": "ugrep",
    "grep": "grep",
    "pigz": "pigz",
    "igzip": "isal",
    "lnav": "lnav",
    "zstd": "zstd",
    "wc": "coreutils",
    "cat": "coreutils",
}
"""Debian's package of each program."""

VERSION_OPTIONS = {"lnav": "-V"}

_DRAIN = """
import logging, sys
logging.disable(logging.CRITICAL)
from drain3 import TemplateMiner
miner = TemplateMiner()
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    miner.add_log_message(line.rstrip())
"""


class Peers:
    """Finds programs; what cannot be had is in `missing`, with the reason."""

    def __init__(self, work: Path, *, may_install: bool = True) -> None:
        """`work` takes the Python packages."""
        self._site = work / "python-packages"
        self._may_install = may_install
        self._is_updated = False
        self.missing: dict[str, str] = {}

    def program(self, name: str) -> str | None:
        """The path of a program, installed if need be."""
        if name in self.missing:
            return None
        path = shutil.which(name)
        if path is None and self._may_install:
            self._install(PACKAGES[name])
            path = shutil.which(name)
        if path is None:
            self.missing[name] = (
                f"{name} is not there and `apt-get install {PACKAGES[name]}` did not bring it"
            )
        return path

    def drain3(self) -> tuple[str, ...] | None:
        """A command that runs Drain3 over a file given as its last argument."""
        if not self._python_package("drain3", self._site / "drain3"):
            return None
        return (
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(self._site)!r})\n{_DRAIN}",
        )

    def restart_agent(self) -> tuple[str, ...] | None:
        """A command that runs NVIDIA's restart_agent without torch; the file comes last."""
        found = self._site / "nvidia_resiliency_ext" / "attribution" / "restart_agent"
        if not self._python_package("nvidia-resiliency-ext", found, "--no-deps"):
            return None
        start = "from nvidia_resiliency_ext.attribution.restart_agent.cli import main; main()"
        return (
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(self._site)!r})\n{start}",
            "--job-id",
            "1",
            "--cycle-id",
            "1",
            "--disable-l1",
        )

    def versions(self) -> list[str]:
        """A line for each program that is there: its name and version."""
        lines = []
        for name in PACKAGES:
            path = shutil.which(name)
            if path:
                lines.append(first_line([path, VERSION_OPTIONS.get(name, "--version")]))
        for package in sorted(self._site.glob("*.dist-info")):
            name, _, version = package.stem.rpartition("-")
            if name in ("drain3", "nvidia_resiliency_ext"):
                lines.append(f"{name} {version}")
        return list(dict.fromkeys(lines))

    def _install(self, package: str) -> None:
        for arguments in (
            [] if self._is_updated else [["update"]],
            [["install", "-y", "--no-install-recommends", package]],
        ):
            for each in arguments:
                try:
                    subprocess.run(["apt-get", "-qq", *each], capture_output=True, check=False)
                except OSError:
                    return
        self._is_updated = True

    def _python_package(self, name: str, found: Path, *options: str) -> bool:
        if name not in self.missing and not found.exists() and self._may_install:
            command = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--target",
                str(self._site),
                *options,
                name,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                self.missing[name] = f"`pip install {name}` failed: {done.stderr.strip()[-150:]}"
        if not found.exists() and name not in self.missing:
            self.missing[name] = (
                f"the newest release of {name} that pip finds ({self._version(name)}) has no "
                f"{found.relative_to(self._site)}"
            )
        return name not in self.missing

    def _version(self, name: str) -> str:
        infos = list(self._site.glob(f"{name.replace('-', '_')}-*.dist-info"))
        return infos[0].stem.rpartition("-")[2] if infos else "not installed"


def first_line(command: Sequence[str]) -> str:
    """What a program says first, for its version."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout or done.stderr).strip().splitlines()), "")
