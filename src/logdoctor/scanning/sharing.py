"""Sections of a large source that others may read: file_sections, stream_sections.

Those of a file are told by where they begin and end. Those of a stream, which nobody can open
again, are written into files without a name, which other processes see while this one holds them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import BinaryIO, NamedTuple, cast

from logdoctor.errors import SourceError
from logdoctor.scanning.cutting import SECTION, Lessons, OpenAgain, Section, cut_file
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton

LARGEST = 4 * SECTION
"""Bytes of a section that another process may read: what it tells must fit into memory. A larger
one is full of events.
"""

STREAM_AHEAD = 4
"""Sections of a stream that are begun before the first of them is asked for, whoever reads them:
their bytes are kept until then.
"""


class SharedSection(NamedTuple):
    """A section that others may read, or, where it `is_large`, the one who asks for it, before the
    next one is looked for.

    Attributes:
        file: what must stay open until it was read, if anything.
    """

    section: Section
    is_large: bool = False
    file: BinaryIO | None = None


def file_sections(automaton: Automaton, screen: Screen, first: Section) -> Iterator[SharedSection]:
    """The sections of a file from where `first` begins.

    Raises:
        OSError: it cannot be read further.
    """
    with first.open_again() as file:
        size = file.seek(0, os.SEEK_END)
        for start, end in cut_file(automaton, screen, file, first.start):
            yield SharedSection(
                first._replace(start=start, end=end), (end or size) - start > LARGEST
            )


def stream_sections(
    source: str, head: bytes, lessons: Lessons, parts: Iterator[bytes | None]
) -> Iterator[SharedSection]:
    """The sections of a stream that nobody waits for; `parts` are its bytes, with None where a
    section ends.

    Raises:
        SourceError: as `parts` do, after what came before it.
    """
    stopped: list[SourceError] = []
    readable = _readable(parts, stopped)
    while True:
        gathered, is_large = _gathered(readable)
        if not gathered:
            break
        file = None if is_large else _written(gathered)
        whole = cast(
            Iterable[bytes],
            chain(gathered, takewhile(_is_of_a_section, readable)) if is_large else gathered,
        )
        open_again = cast(
            OpenAgain, partial(open, _path_of(file), "rb") if file else partial(_Parts, whole)
        )
        yield SharedSection(Section(source, head, open_again, 0, None, lessons), is_large, file)
    if stopped:
        raise stopped[0]


def _readable(parts: Iterator[bytes | None], stopped: list[SourceError]) -> Iterator[bytes | None]:
    """The parts up to what keeps more from coming, which is kept."""
    try:
        yield from (part for part in parts if part != b"")
    except SourceError as error:
        stopped.append(error)


def _gathered(parts: Iterator[bytes | None]) -> tuple[list[bytes], bool]:
    """The next parts of one section, and whether they are only the beginning of a large one;
    none at the end.
    """
    gathered: list[bytes] = []
    length = 0
    for part in takewhile(_is_of_a_section, parts):
        gathered.append(cast(bytes, part))
        length += len(gathered[-1])
        if length > LARGEST:
            return gathered, True
    return gathered, False


def _written(parts: Sequence[bytes]) -> BinaryIO | None:
    """A file without a name that holds the parts, which costs others far less than a pipe; None
    where there can be none.
    """
    import tempfile  # noqa: PLC0415  # only large compressed files come so far

    try:
        # closed when nobody holds it any more
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
        file.writelines(parts)
        file.flush()
    except OSError:
        return None
    return file if os.path.exists(_path_of(file)) else None


def _path_of(file: BinaryIO) -> str:
    """Where Linux shows an open file to other processes."""
    return f"/proc/{os.getpid()}/fd/{file.fileno()}"


def _is_of_a_section(part: bytes | None) -> bool:
    return part is not None


class _Parts(io.RawIOBase):
    """A file that gives one part after the other, whatever their size."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)

    def seek(self, offset: int, _whence: int = 0) -> int:
        """Stays where it is: at the beginning."""
        return offset

    def read(self, _size: int = -1) -> bytes:
        """The next part; empty at the end."""
        return next(self._parts, b"")
