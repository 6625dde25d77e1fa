"""Where signature files are: bundled_path, signature_files, content_version.

Reads no YAML, so that a start from a compiled database does not either.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from logdoctor.errors import Fault, SignatureError
from logdoctor.model import Position
from logdoctor.sources.small_files import read_small


class SignatureFile(NamedTuple):
    """A file and what is in it; `problem` where it cannot be read (its content is empty then)."""

    path: Path
    content: bytes
    problem: str | None = None


def bundled_path() -> Path:
    """Folder of the signatures that come with logdoctor.

    Raises:
        SignatureError: it is missing.
    """
    return bundled_folder("signatures")


def bundled_folder(name: str) -> Path:
    """A folder of data that comes with logdoctor: inside the package, or beside it in a checkout.

    Raises:
        SignatureError: it is in neither place.
    """
    inside = Path(str(files("logdoctor"))) / f"{name}_data"
    beside = Path(__file__).parents[3] / name
    for path in (inside, beside):
        if path.is_dir():
            return path
    fault = Fault(
        Position(str(inside), 1, 1),
        f"the {name} are missing",
        f"looked here and in {beside}; install logdoctor again",
    )
    raise SignatureError((fault,))


def signature_files(paths: Iterable[Path]) -> tuple[SignatureFile, ...]:
    """The files that these paths name, and all `*.yaml` below folders; each once, in order of
    paths, then names.

    Raises:
        SignatureError: a path leads nowhere, or to a folder without signatures.
    """
    faults: list[Fault] = []
    found: dict[tuple[str, str], Path] = {}
    for path in paths:
        if not path.exists():
            faults.append(
                Fault(
                    Position(str(path), 1, 1), "no such file or folder", "expected signature files"
                )
            )
        here = (
            sorted(path.rglob("*.yaml")) + sorted(path.rglob("*.yml"))
            if path.is_dir()
            else [path]
            if path.exists()
            else []
        )
        if path.is_dir() and not here:
            faults.append(
                Fault(
                    Position(str(path), 1, 1),
                    "no *.yaml file in this folder",
                    "expected signature files",
                )
            )
        found.update(_by_target(here))
    if faults:
        raise SignatureError(tuple(faults))
    return tuple(map(_read, found.values()))


def content_version(signatures: Sequence[SignatureFile], others: str = "") -> str:
    """Hash of names and contents (16 hexadecimal digits), and of the hash of others where there
    are any.
    """
    digest = hashlib.sha256(others.encode())
    for file in signatures:
        digest.update(file.path.name.encode(errors="replace") + b"\0" + file.content + b"\0")
    return digest.hexdigest()[:16]


def _by_target(paths: Iterable[Path]) -> Iterator[tuple[tuple[str, str], Path]]:
    """Files by the folder and the name that they lead to: each folder is looked up once."""
    folders: dict[str, str] = {}
    for path in paths:
        folder, name = os.path.split(path)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        target = os.path.split(os.path.realpath(path)) if path.is_symlink() else None
        yield target or (folders[folder], name), path


def _read(path: Path) -> SignatureFile:
    try:
        return SignatureFile(path, read_small(str(path)))
    except OSError as error:
        return SignatureFile(path, b"", f"cannot be read: {error.strerror}")
