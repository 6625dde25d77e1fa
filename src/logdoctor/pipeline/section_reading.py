"""Sections to what they tell, read by many and put in order: read_section, RestOfSource."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import NamedTuple, Protocol

from logdoctor.errors import SourceError
from logdoctor.events.source_reader import SourceReader, Told, renumbered
from logdoctor.pipeline.source_scan import SourceScan
from logdoctor.scanning.cutting import OpenAgain, Section, scanner_of, section_regions
from logdoctor.scanning.relevance import Screen
from logdoctor.scanning.sharing import (
    STREAM_AHEAD,
    SharedSection,
    file_sections,
    stream_sections,
)
from logdoctor.search.automaton import Automaton


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
        """Has a section read by `dump_section`; what comes back waits for it, and may raise
        ReaderLostError.
        """


def read_section(automaton: Automaton, screen: Screen, section: Section) -> SectionTold:
    """All that a section tells; `screen` may be any of the same automaton.

    Raises:
        OSError: it cannot be read.
    """
    scanner = scanner_of(automaton, screen, section.lessons)
    reader = SourceReader(automaton, section.source, section.head, is_first=False)
    told: list[Told] = []
    for region in section_regions(scanner, section):
        told += reader.read(region)
    return SectionTold([*told, *reader.flush(scanner.lines)], scanner.lines, scanner.bytes)


def dump_section(automaton: Automaton, screen: Screen, section: Section) -> bytes:
    """The same, to be sent."""
    return pickle.dumps(read_section(automaton, screen, section), pickle.HIGHEST_PROTOCOL)


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
        source: SourceScan,
        following: OpenAgain | Iterator[bytes],
    ) -> None:
        """`following` opens the file that the source is, or gives the next bytes of a stream."""
        self._automaton, self._screen, self._readers = automaton, screen, readers
        scanner = source.scanner
        self.lines, self.bytes = scanner.passed_lines, scanner.bytes
        self.problem: str | None = None
        self._ahead = readers.ahead
        if callable(following):
            first = Section(
                source.name, source.head, following, scanner.bytes, None, scanner.lessons
            )
            self._sections = file_sections(automaton, screen, first)
        else:
            parts = scanner.unread(map(source.noted, following))
            self._sections = stream_sections(source.name, source.head, scanner.lessons, parts)
            self._ahead = min(readers.ahead, STREAM_AHEAD)

    def __iter__(self) -> Iterator[Iterator[Told]]:
        """What each section tells, in order; to be read to its end before the next is asked for."""
        begun: deque[_Begun] = deque()
        stopped: str | None = None
        try:
            for shared in self._sections:
                begun.append(
                    (shared, None if shared.is_large else self._readers.begin(shared.section))
                )
                while len(begun) > (0 if shared.is_large else self._ahead):
                    yield from self._told_by(*begun.popleft())
        except OSError as error:
            self.problem = self.problem or _in_words(error)
        except SourceError as error:
            stopped = error.what
        while begun:
            yield from self._told_by(*begun.popleft())
        self.problem = self.problem or stopped

    def _told_by(
        self, shared: SharedSection, ask: Callable[[], bytes] | None
    ) -> Iterator[Iterator[Told]]:
        """The one section, whose file is closed once it was read."""
        with shared.file or nullcontext():
            yield self._take(shared.section, ask)

    def _take(self, section: Section, ask: Callable[[], bytes] | None) -> Iterator[Told]:
        """What a section tells, nothing after a problem; it is read here where nobody else did."""
        if self.problem:
            return
        try:
            # what dump_section of ours made
            done: SectionTold | None = pickle.loads(ask()) if ask else None  # noqa: S301
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
        reader = SourceReader(self._automaton, section.source, section.head, is_first=False)
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
