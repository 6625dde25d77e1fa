"""Files to logs, with what batch minds beside: limits of archives, digests of what was read. See
file_sources.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple, cast

import xxhash

from logdoctor.archive.trees import LogFile, Tree
from logdoctor.errors import SourceError
from logdoctor.sources.finding import Source, open_stream, shown_name
from logdoctor.sources.unpack_limit import Allowance

READ_AHEAD = 256 << 10
"""Bytes that a file is read by where its reader asks for less."""


def file_sources(
    tree: Tree,
    file: LogFile,
    digests: dict[str, str] | None = None,
    open_again: Callable[[], BinaryIO] | None = None,
    unpack_limit: int | None = None,
) -> Iterator[Source | SourceError]:
    """The logs of a file, which may be an archive; named by their paths below the root.

    Where they are asked for, the digest of the file's content is put into `digests` after it was
    read. `open_again` opens the file anew, and its source where it is neither compressed nor an
    archive. `unpack_limit` is how many bytes it may unpack to (None: the usual).
    """
    name = shown_path(tree, file.path)
    try:
        with tree.open(file) as stream:
            tapped = Tapped(stream)
            buffered = cast(BinaryIO, io.BufferedReader(tapped, READ_AHEAD))
            for source in open_stream(name, buffered, Allowance(unpack_limit, file.size)):
                is_plain = isinstance(source, Source) and source.stream is buffered
                yield cast(Source, source)._replace(open_again=open_again) if is_plain else source
            if digests is not None and file.path not in digests:
                digests[file.path] = tapped.digest()
    except OSError as error:
        yield SourceError(name, (error.strerror or str(error)).lower())


def shown_path(tree: Tree, path: str) -> str:
    """What a report calls a file or folder of the tree."""
    return shown_name(path) if path else tree.name


class Kept(NamedTuple):
    """A log in memory, and what kept it from being read further."""

    name: str
    data: tuple[bytes, ...]
    error: SourceError | None

    @property
    def size(self) -> int:
        """Bytes of it."""
        return sum(map(len, self.data))

    def chunks(self) -> Iterator[bytes]:
        """As of the source itself.

        Raises:
            SourceError: it could not be read further.
        """
        yield from self.data
        if self.error:
            raise self.error


def read_up_to(source: Source, room: int) -> Kept:
    """What is read is at least `room` where there is as much."""
    data: list[bytes] = []
    try:
        for chunk in source.chunks():
            data.append(chunk)
            room -= len(chunk)
            if room <= 0:
                break
    except SourceError as error:
        return Kept(source.name, tuple(data), error)
    return Kept(source.name, tuple(data), None)


class Tapped(io.RawIOBase):
    """A file whose content is hashed while it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = xxhash.xxh3_128()
        self._is_in_order = True

    def readable(self) -> bool:
        """As of any raw file."""
        return True

    def seekable(self) -> bool:
        """As of any raw file."""
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        """As of any raw file."""
        self._is_in_order = False
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """As of any raw file."""
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        """As of any raw file."""
        # raw files have it
        count = cast(int, self._stream.readinto(buffer))  # type: ignore[attr-defined]
        if self._is_in_order:
            self._hash.update(memoryview(buffer)[:count])
        return count

    def digest(self) -> str:
        """Of the whole file, as far as it was not read yet from there on."""
        if not self._is_in_order:
            self._stream.seek(0)
            self._hash, self._is_in_order = xxhash.xxh3_128(), True
        while data := self._stream.read(READ_AHEAD):
            self._hash.update(data)
        return self._hash.hexdigest()
