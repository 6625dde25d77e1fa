"""Text that is no log at all: write_foreign gathers source code and documents of the machine it runs on.

What a machine has differs, so this log is the one that is not the same everywhere; no file is taken twice.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

ENDINGS = frozenset(
    (
        ".py",
        ".pyi",
        ".c",
        ".h",
        ".hpp",
        ".cpp",
        ".pl",
        ".pm",
        ".js",
        ".ts",
        ".rs",
        ".go",
        ".rst",
        ".md",
        ".txt",
        ".cmake",
        ".sh",
        ".el",
        ".java",
        ".tcl",
    )
)
MOST_OF_ONE_FILE = 400_000
"""Bytes; longer files are generated tables."""


def foreign_files() -> Iterator[Path]:
    """Source files of Python, its packages, and the system, in a fixed order."""
    paths = sysconfig.get_paths()
    for folder in dict.fromkeys(
        (
            paths["purelib"],
            paths["stdlib"],
            "/usr/lib/python3",
            "/usr/include",
            "/usr/share/perl",
            "/usr/lib/gcc",
            "/usr/share",
            "/usr/lib",
            "/opt",
        )
    ):
        for file in sorted(Path(folder).rglob("*")):
            if (
                file.suffix in ENDINGS
                and not file.is_symlink()
                and file.is_file()
                and file.stat().st_size <= MOST_OF_ONE_FILE
            ):
                yield file


def write_foreign(path: Path, size: int) -> int:
    """Writes so many bytes, or all that there is, and says how many."""
    written, seen = 0, set()
    with path.open("wb") as out:
        for file in foreign_files():
            data = file.read_bytes()
            if b"\0" in data or hash(data) in seen:
                continue
            seen.add(hash(data))
            written += out.write(data if data.endswith(b"\n") else data + b"\n")
            if written >= size:
                break
    return written
