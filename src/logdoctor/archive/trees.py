"""Roots as trees of files: Tree, and LocalTree for what is on this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import BinaryIO, NamedTuple, Protocol

from logdoctor.archive.layouts import Listing, Plan, PlanKind
from logdoctor.errors import SourceError
from logdoctor.sources.dump_files import holds_dump, is_dump_name
from logdoctor.sources.finding import folder_logs, is_archive_name, is_log_name, shown_name


class LogFile(NamedTuple):
    """A file to be read.

    Attributes:
        path: below its root, parts separated by `/`; `""` where the root is the file.
        size: in bytes, as stored.
        stamp: differs where the file was written again (time of modification, or what the store
            says in its place).
        written: when it was last written, as `utc` tells it; None where the store does not say.
    """

    path: str
    size: int
    stamp: str
    written: str | None = None


def utc(seconds: float) -> str | None:
    """Seconds since 1970 in ISO 8601, `2026-10-03T12:00:00Z`; None where no calendar has them."""
    try:
        return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, OSError, ValueError):
        return None


class Tree(Protocol):
    """A root.

    Attributes:
        key: what it is called for ever, whatever the current folder is.
        name: its last part; names the run where the root is one.
        is_local: whether reading it again costs nothing.
        failures: what could not be listed so far.
    """

    key: str
    name: str
    is_local: bool
    failures: list[SourceError]

    def plan(self) -> Plan | None:
        """The whole root as one file; None where it is a folder."""

    def list_folder(self, path: str) -> Listing:
        """What stands in a folder; nothing where it cannot be read (see `failures`)."""

    def files(self, plan: Plan) -> Iterator[LogFile | SourceError]:
        """The files of a plan in the order in which they are read."""

    def open(self, file: LogFile) -> BinaryIO:
        """Its bytes, unbuffered.

        Raises:
            OSError: it cannot be opened.
        """


class LocalTree:
    """A folder or file of this machine. Links to folders are not followed, and no file is read
    twice.
    """

    is_local = True

    def __init__(self, root: str) -> None:
        """Raises SourceError where there is nothing."""
        self._root = root
        self.key = os.path.abspath(root)
        self.name = shown_name(os.path.basename(self.key) or self.key)
        self.failures: list[SourceError] = []
        try:
            mode = os.stat(root).st_mode
        except (OSError, ValueError) as error:
            raise SourceError(shown_name(root), _words(error)) from error
        self._is_folder = stat.S_ISDIR(mode)
        if not self._is_folder and not stat.S_ISREG(mode):
            raise SourceError(
                shown_name(root),
                "neither a folder nor a file; batch reads folders, files and archives",
            )

    def plan(self) -> Plan | None:
        """The root itself where it is a file."""
        if self._is_folder:
            return None
        return Plan(
            "",
            PlanKind.ARCHIVE if is_archive_name(os.path.basename(self._root)) else PlanKind.FILES,
            ("",),
        )

    def list_folder(self, path: str) -> Listing:
        """Its folders, logs, archives and dumps."""
        folders, files = [], []
        try:
            with os.scandir(self._path(path)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif self._is_wanted(entry) and self._is_own(entry):
                        files.append(entry.name)
        except OSError as error:
            self.failures.append(SourceError(shown_name(path or self._root), _words(error)))
        return Listing(sorted(folders), sorted(files))

    def files(self, plan: Plan) -> Iterator[LogFile | SourceError]:
        """As `scan` reads the folder, or the plan's own."""
        if plan.kind is PlanKind.FOLDER:
            folder = self._path(plan.path)
            for found in folder_logs(folder):
                if isinstance(found, SourceError):
                    yield SourceError(self._shown(found.source), found.what)
                else:
                    yield from self._file(os.path.relpath(found, self._root).replace(os.sep, "/"))
        else:
            for path in plan.files:
                yield from self._file(path)

    def open(self, file: LogFile) -> BinaryIO:
        """A file of this machine."""
        return open(self._path(file.path), "rb", buffering=0)

    def _file(self, path: str) -> Iterator[LogFile | SourceError]:
        try:
            status = os.stat(self._path(path))
        except OSError as error:
            yield SourceError(shown_name(path), _words(error))
            return
        if stat.S_ISREG(status.st_mode):
            written = utc(status.st_mtime)
            yield LogFile(path, status.st_size, str(status.st_mtime_ns), written)
        else:
            yield SourceError(shown_name(path), "no regular file")

    def _is_wanted(self, entry: os.DirEntry[str]) -> bool:
        is_dump = is_dump_name(entry.name) and holds_dump(entry.path)
        return is_dump or is_log_name(entry.name) or is_archive_name(entry.name)

    def _is_own(self, entry: os.DirEntry[str]) -> bool:
        """Whether it is no link to another file below the root, which would be read twice."""
        return not entry.is_symlink() or not os.path.realpath(entry.path).startswith(
            os.path.join(os.path.realpath(self._root), "")
        )

    def _path(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root

    def _shown(self, path: str) -> str:
        prefix = os.path.join(shown_name(self._root), "")
        return path.removeprefix(prefix)


def _words(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]
