"""The logs of a benchmark: Logs makes each when first asked for, always the same, and keeps it."""

from __future__ import annotations

import json
import shutil
import subprocess
import zlib
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from benchmarks.speed.patterns import SearchSet
from benchmarks.texts.failing_logs import Made, write_bursts, write_scattered
from benchmarks.texts.flood_logs import write_flood
from benchmarks.texts.foreign_text import write_foreign
from benchmarks.texts.healthy_logs import write_healthy

SMALL, LARGE = 100_000_000, 1_000_000_000
"""Bytes of the logs at full scale."""

SEED = 20260321
FORMAT = 4
"""Part of the names of the files: raise it when what is written changes."""


class Logs:
    """Paths of logs; `scale` makes them all smaller, for trying the suite out."""

    def __init__(self, work: Path, search_set: SearchSet, scale: float) -> None:
        self._work = work
        self._search_set = search_set
        self._scale = scale

    @property
    def large(self) -> Path:
        """The healthy log of 1 GB."""
        return self.healthy(int(LARGE * self._scale))

    @property
    def small(self) -> Path:
        """The healthy log of 100 MB."""
        return self.healthy(int(SMALL * self._scale))

    def healthy(self, size: int) -> Path:
        """A healthy log of so many bytes; the smaller ones are not parts of the larger."""
        return self._made(
            f"healthy-{size}.log", lambda path: write_healthy(path, size, SEED + size % 997)
        )

    def start(self) -> Path:
        """A log of about a kilobyte that ends with an error."""
        text = next(each for each in self._search_set.examples if each.strip())

        def write(path: Path) -> None:
            write_healthy(path, 1000 - len(text), SEED)
            with path.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

        return self._made("start.log", write)

    def failing(self, kind: str, percent: int) -> tuple[Path, Made]:
        """A log of 100 MB, so many percent of its lines errors, in `bursts` or `scattered`."""
        size = int(SMALL * self._scale)
        maker = write_bursts if kind == "bursts" else write_scattered
        examples = zlib.crc32(repr(self._search_set.examples).encode())
        name = f"{kind}-{percent}-{size}-{examples:08x}.log"
        account = self._work / f"{name}.{FORMAT}.json"

        def write(path: Path) -> None:
            made = maker(path, size, percent / 100, SEED + percent, self._search_set.examples)
            account.write_text(json.dumps([made.bytes, made.lines, made.error_lines]))

        path = self._made(name, write)
        return path, Made(*json.loads(account.read_text()))

    def foreign(self) -> Path:
        """100 MB of source code, or what the machine has."""
        return self._made(
            f"foreign-{int(SMALL * self._scale)}.txt",
            lambda path: _ignore(write_foreign(path, int(SMALL * self._scale))),
        )

    def flood(self, kind: str) -> Path:
        """A log in which much is said that is the same, or nothing."""
        return self._made(
            f"flood-{kind}-{self._scale:g}.log",
            lambda path: write_flood(path, kind, SEED, self._scale),
        )

    def of_real(self, folder: Path, size: int) -> Path | None:
        """At least so many bytes of the logs below a folder, one after the other, again and again;
        None where there are none.
        """
        logs = real_logs(folder)
        if not any(log.stat().st_size for log in logs):
            return None
        size = int(size * self._scale)

        def write(path: Path) -> None:
            with path.open("wb") as out:
                for log in cycle(logs):
                    out.write(log.read_bytes())
                    if out.tell() >= size:
                        break

        place = zlib.crc32(str(folder.absolute()).encode())
        return self._made(f"real-{size}-{place:08x}.log", write)

    def compressed(self, log: Path, ending: str, command: tuple[str, ...]) -> Path:
        """The log as the command writes it to its output."""

        def write(path: Path) -> None:
            with path.open("wb") as out:
                subprocess.run([*command, str(log)], stdout=out, check=True)

        return self._made(log.name + ending, write)

    def _made(self, name: str, write: Callable[[Path], None]) -> Path:
        stem, dot, ending = name.partition(".")
        path = (
            self._work / f"{stem}.{FORMAT}{dot}{ending}"
            if f".{FORMAT}." not in name
            else self._work / name
        )
        if not path.exists():
            unfinished = path.with_name(path.name + ".unfinished")
            write(unfinished)
            unfinished.rename(path)
        return path


def real_logs(folder: Path) -> list[Path]:
    """The whole logs below a folder."""
    return sorted((*folder.rglob("*.log"), *folder.rglob("log.txt")))


def file_system(path: Path) -> str:
    """What the folder lies on, for the account of the run."""
    kinds = dict(
        line.split()[1:3] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    )
    mount = next(each for each in (path, *path.parents) if str(each) in kinds)
    return kinds[str(mount)]


def default_work_folder() -> Path:
    """In memory where there is room for all the logs, else below the user's cache."""
    memory = Path("/dev/shm")  # noqa: S108  # a folder of our own below it
    if memory.is_dir() and shutil.disk_usage(memory).free > 4 * LARGE:
        return memory / "logdoctor-benchmarks"
    return Path.home() / ".cache" / "logdoctor-benchmarks"


def _ignore(_: object) -> None:
    """For writers that tell more than is needed."""
