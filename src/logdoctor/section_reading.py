"""Sections to what they tell, read by many and put in order: read_section, RestOfSource."""

from __future__ import annotations

import io
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain, takewhile
from typing import BinaryIO, NamedTuple, Protocol, cast

from logdoctor.automaton import Automaton
from logdoctor.errors import SourceError
from logdoctor.reading import SourceReader, Told, renumbered
from logdoctor.screen import Screen
from logdoctor.sections import SECTION, OpenAgain, Section, cut_file, scanner_of, section_regions

LARGEST = 4 * SECTION
"""Bytes of a section that another process may read: what it tells must fit into memory. A larger one is full of events."""

STREAM_AHEAD = 4
"""Sections of a stream that are begun before the first of them is asked for, whoever reads them: their bytes are in memory."""


class SectionTold(NamedTuple):
    """What a section tells in order, its lines counted from 1; how many lines and bytes it has."""

    told: list[Told]
    lines: int
    bytes: int


class ReaderLostError(Exception):
    """Who was to read a section is gone, or could not."""


class Readers(Protocol):
    """Others who read sections at the same time.

    Attributes:
        ahead: how many sections may be begun before the first of them is asked for.
    """

    ahead: int

    def begin(self, section: Section) -> Callable[[], bytes]:
        """Has a section read by `dump_section`; what comes back waits for it, and may raise ReaderLostError."""


def read_section(automaton: Automaton, screen: Screen, section: Section) -> SectionTold:
    """All that a section tells; `screen` may be any of the same automaton.

    Raises:
        OSError: it cannot be read.
    """
    scanner = scanner_of(automaton, screen, section.lessons)
    reader = SourceReader(automaton, section.source, section.head)
    told: list[Told] = []
    for region in section_regions(scanner, section):
        told += reader.read(region)
    return SectionTold([*told, *reader.flush(scanner.lines)], scanner.lines, scanner.bytes)


def dump_section(automaton: Automaton, screen: Screen, section: Section) -> bytes:
    """The same, to be sent."""
    return pickle.dumps(read_section(automaton, screen, section), pickle.HIGHEST_PROTOCOL)


class SharedSection(NamedTuple):
    """A section that others may read, or, where it `is_large`, the one who asks for it, before the next one is looked for.

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
            yield SharedSection(first._replace(start=start, end=end), (end or size) - start > LARGEST)


def stream_sections(first: Section, parts: Iterator[bytes | None]) -> Iterator[SharedSection]:
    """The sections of a stream that nobody waits for, like `first`; `parts` are its bytes, with None where a section ends.

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
        whole = cast(Iterable[bytes], chain(gathered, takewhile(_is_of_a_section, readable)) if is_large else gathered)
        opened = partial(open, _path_of(file), "rb") if file else partial(_Parts.file, whole)
        yield SharedSection(first._replace(open_again=cast(OpenAgain, opened), start=0), is_large, file)
    if stopped:
        raise stopped[0]


def _readable(parts: Iterator[bytes | None], stopped: list[SourceError]) -> Iterator[bytes | None]:
    """The parts up to what keeps more from coming, which is kept."""
    try:
        yield from (part for part in parts if part != b"")
    except SourceError as error:
        stopped.append(error)


def _gathered(parts: Iterator[bytes | None]) -> tuple[list[bytes], bool]:
    """The next parts of one section, and whether they are only the beginning of a large one; none at the end."""
    gathered: list[bytes] = []
    length = 0
    for part in takewhile(_is_of_a_section, parts):
        gathered.append(cast(bytes, part))
        length += len(gathered[-1])
        if length > LARGEST:
            return gathered, True
    return gathered, False


def _written(parts: Sequence[bytes]) -> BinaryIO | None:
    """A file without a name that holds the parts, which costs others far less than a pipe; None where there can be none."""
    import tempfile  # noqa: PLC0415  # only large compressed files come so far

    try:
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  # closed when nobody holds it any more
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

    @classmethod
    def file(cls, parts: Iterable[bytes]) -> BinaryIO:
        """A new one."""
        return cast(BinaryIO, cls(parts))

    def seek(self, offset: int, _whence: int = 0) -> int:
        """Stays where it is: at the beginning."""
        return offset

    def read(self, _size: int = -1) -> bytes:
        """The next part; empty at the end."""
        return next(self._parts, b"")


_Begun = tuple[SharedSection, Callable[[], bytes] | None]


class RestOfSource:
    """What follows the first sections of a source, read by others; iterate once.

    Attributes:
        lines, bytes: how many were read so far, the first sections included.
        problem: what kept it from being read further.
    """

    def __init__(
        self,
        automaton: Automaton,
        screen: Screen,
        readers: Readers,
        sections: Iterator[SharedSection],
        *,
        read: tuple[int, int],
        ahead: int | None = None,
    ) -> None:
        """`read` is how many lines and bytes come before; `ahead`, of sections, is at most as many as the readers take."""
        self._automaton, self._screen, self._readers, self._sections = automaton, screen, readers, sections
        self.lines, self.bytes = read
        self._ahead = min(readers.ahead, ahead or readers.ahead)
        self.problem: str | None = None

    def __iter__(self) -> Iterator[Iterator[Told]]:
        """What each section tells, in order; to be read to its end before the next is asked for."""
        begun: deque[_Begun] = deque()
        stopped: str | None = None
        try:
            for shared in self._sections:
                begun.append((shared, None if shared.is_large else self._readers.begin(shared.section)))
                while len(begun) > (0 if shared.is_large else self._ahead):
                    yield from self._told_by(*begun.popleft())
        except OSError as error:
            self.problem = self.problem or _in_words(error)
        except SourceError as error:
            stopped = error.what
        while begun:
            yield from self._told_by(*begun.popleft())
        self.problem = self.problem or stopped

    def _told_by(self, shared: SharedSection, ask: Callable[[], bytes] | None) -> Iterator[Iterator[Told]]:
        """The one section, whose file is closed once it was read."""
        with shared.file or nullcontext():
            yield self._take(shared.section, ask)

    def _take(self, section: Section, ask: Callable[[], bytes] | None) -> Iterator[Told]:
        """What a section tells, nothing after a problem; it is read here where nobody else did."""
        if self.problem:
            return
        try:
            done: SectionTold | None = pickle.loads(ask()) if ask else None  # noqa: S301  # what dump_section of ours made
        except ReaderLostError:
            done = None
        if done is None:
            yield from self._read_here(section)
            return
        for each in done.told:
            yield renumbered(each, self.lines)
        self.lines, self.bytes = self.lines + done.lines, self.bytes + done.bytes

    def _read_here(self, section: Section) -> Iterator[Told]:
        scanner = scanner_of(self._automaton, self._screen, section.lessons)
        reader = SourceReader(self._automaton, section.source, section.head)
        try:
            for region in section_regions(scanner, section):
                for each in reader.read(region):
                    yield renumbered(each, self.lines)
        except OSError as error:
            self.problem = _in_words(error)
        for event in reader.flush(scanner.lines):
            yield renumbered(event, self.lines)
        self.lines, self.bytes = self.lines + scanner.lines, self.bytes + scanner.bytes


def _in_words(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
