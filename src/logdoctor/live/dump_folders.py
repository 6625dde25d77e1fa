"""Dumps that appear in followed folders: DumpFolders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from logdoctor.errors import SourceError
from logdoctor.sources.dump_files import HEAD, holds_dump
from logdoctor.sources.finding import folder_logs

LOOK_EVERY_S = 5.0
"""Seconds between two looks, for each file is opened that may be a dump."""


class DumpFolders:
    """Looks for dumps in folders; each file is told once, when two looks saw it alike."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._folders = [each for each in arguments if os.path.isdir(each)]
        self._seen: dict[str, tuple[int, int]] = {}
        self._told: set[str] = set()
        self._logs: set[str] = set()  # what begins as no dump will never be one
        self._due = 0.0

    def look(self, now: float) -> Iterator[str]:
        """The paths of those that have become complete, where it is time to look; `now` in seconds
        of any clock.
        """
        if self._folders and now >= self._due:
            self._due = now + LOOK_EVERY_S
            yield from self._found(is_last=False)

    def finish(self) -> Iterator[str]:
        """The paths of all that were not told yet, complete or not."""
        yield from self._found(is_last=True)

    def _found(self, *, is_last: bool) -> Iterator[str]:
        for folder in self._folders:
            for path in folder_logs(folder):
                if isinstance(path, SourceError) or path in self._told or path in self._logs:
                    continue
                try:
                    status = os.stat(path)
                except OSError:
                    continue  # it has gone
                if not holds_dump(path):
                    if status.st_size >= HEAD:
                        self._logs.add(path)
                    continue
                form = (status.st_size, status.st_mtime_ns)
                if is_last or self._seen.get(path) == form:
                    self._told.add(path)
                    yield path
                self._seen[path] = form
