"""What an agent may read: Folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from logdoctor.errors import LogdoctorError

MOST_ENTRIES = 100_000
"""Files below a folder that are looked at for links to outside."""


class RefusedError(LogdoctorError):
    """A tool was asked for what it may not read or cannot do; its text is for the agent."""


class Folders:
    """Folders and files that the user named, with all below them; where a link leads counts, not
    where it stands.
    """

    def __init__(self, named: Sequence[str]) -> None:
        """Raises LogdoctorError where one of them is not there."""
        for each in named:
            if not Path(each).exists():
                raise LogdoctorError(f"{each}: no such file or folder")
        self._named = [Path(each).resolve() for each in named]

    def find(self, path: str) -> Path:
        """A file or folder that may be read, with all links resolved; a relative path is sought
        below each of the folders.

        Raises:
            RefusedError: it is outside, is neither file nor folder, or is not there. Outside,
                nothing is said of whether it is.
        """
        if "\0" in path or not path:
            raise RefusedError("no path; expected a file or a folder")
        for base in self._named:
            found = Path(os.path.normpath(base / path)).resolve()
            if not self.holds(found):
                continue
            if found.is_file() or found.is_dir():
                return found
        told = ", ".join(map(str, self._named))
        raise RefusedError(f"{path}: not below what may be read ({told}), or no file or folder")

    def holds(self, path: Path) -> bool:
        """Whether it may be read, wherever its links lead."""
        real = path.resolve()
        return any(real == base or base in real.parents for base in self._named)

    def links_outside(self, folder: Path) -> Iterator[Path]:
        """Files below a folder that lie outside.

        Raises:
            RefusedError: there are too many files to look at.
        """
        count = 0
        for parent, _, names in os.walk(folder):
            for name in names:
                count += 1
                if count > MOST_ENTRIES:
                    raise RefusedError(f"more than {MOST_ENTRIES} files; name a folder below it")
                path = Path(parent, name)
                if path.is_symlink() and not self.holds(path):
                    yield path
