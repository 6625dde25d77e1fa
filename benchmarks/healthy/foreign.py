"""Source code and documentation to bundles: collect.

What a log may hold without anything being wrong: code that a model writes, prints of sources, help, manuals. Error
messages stand in it as literals, so that nothing is harder for a search.
"""

from __future__ import annotations

import bz2
import gzip
import random
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

BUNDLE = 4_000_000
"""Bytes of a package or a folder that are kept: no package shall outweigh the others."""
LARGEST_FILE = 400_000
SOURCES = {".py", ".pyi", ".c", ".h", ".cpp", ".hpp", ".cc", ".cu", ".cuh", ".js", ".ts", ".java", ".rs", ".go", ".sh", ".pl", ".pm", ".sql", ".proto"}
PROSE = {".md", ".rst", ".txt", ".html", ".tex"}
PLAIN = SOURCES | PROSE | {".json", ".yaml", ".yml", ".toml", ".cfg", ".css"}
QUOTED_FAILURE = re.compile(
    rb"^(?P<margin> *)Traceback \(most recent call last.*\n(?:(?P=margin)[ >].*\n)*?(?P=margin)(?:> | +)File .*\n(?:(?P=margin)[ >].*\n)*(?P=margin)\S.*\n"
    rb"|^```\w*\n\$ (?:(?!```).*\n)*```\n",
    re.MULTILINE,
)
"""A whole traceback, and a session at a shell: what a manual quotes of a run is a log, and of a failed one no healthy text."""


def collect(folder: Path, environment: Path, size: int, seed: int) -> None:
    """Bundles of files in random order, the same for one seed and one machine, until `size` bytes are there."""
    folder.mkdir(parents=True, exist_ok=True)
    groups = list(_groups(environment))
    random.Random(seed).shuffle(groups)
    written = 0
    names: set[str] = set()
    for name, roots in groups:
        if written >= size:
            break
        if name in names:
            continue
        names.add(name)
        paths = sorted(path for root in roots for path in ([root] if root.is_file() else root.rglob("*")) if _is_wanted(path))
        random.Random(seed).shuffle(paths)
        with (folder / f"{name}.txt").open("wb") as output:
            for path in paths:
                if output.tell() >= BUNDLE:
                    break
                output.write(_text(path))
                output.write(b"\n")
            bundle = output.tell()
        if bundle < 20_000:
            (folder / f"{name}.txt").unlink()
        else:
            written += bundle


def _groups(environment: Path) -> Iterator[tuple[str, list[Path]]]:
    for root in sorted((*environment.glob("sources"), *environment.glob("lib/python3*/site-packages"))):
        for package in sorted(root.glob("*")):
            if package.is_dir() and not package.name.endswith(".dist-info"):
                yield f"package-{package.name}", [package]
    library = Path(sysconfig.get_paths()["stdlib"])
    for part in sorted(library.glob("*")):
        if part.is_dir() and part.name not in ("site-packages", "__pycache__"):
            yield f"python-{part.name}", [part]
    yield "python-modules", sorted(library.glob("*.py"))
    for root in ("/usr/include", "/usr/share/perl", "/usr/share/doc", "/usr/lib/node_modules", "/usr/share/nodejs", "/usr/share/vim", "/usr/src", "/usr/share/info"):
        for letters in ("abc", "defghijk", "lll", "lmno", "pqr", "stuvwxyz"):
            parts = sorted(path for path in Path(root).glob("*") if path.name[:1].lower() in letters)
            if parts:
                yield f"system-{root.strip('/').replace('/', '-')}-{letters}", parts
    for number in range(1, 9):
        yield f"manual-{number}", [Path(f"/usr/share/man/man{number}")]


def _is_wanted(path: Path) -> bool:
    name = path.name.removesuffix(".gz").removesuffix(".bz2")
    plain = Path(name).suffix in PLAIN or "man/man" in str(path.parent) or "/doc/" in str(path) or path.suffix == ""
    return plain and path.is_file() and not path.is_symlink() and 200 < path.stat().st_size < LARGEST_FILE


def _text(path: Path) -> bytes:
    raw = path.read_bytes()
    try:
        raw = gzip.decompress(raw) if path.suffix == ".gz" else bz2.decompress(raw) if path.suffix == ".bz2" else raw
    except OSError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return b""
    return b"" if b"\0" in raw[:4096] else QUOTED_FAILURE.sub(b"", raw[:LARGEST_FILE])
