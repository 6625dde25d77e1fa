"""Sections to what they tell, read by many and put in order: read_section, RestOfSource."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from logdoctor.automaton import Automaton
from logdoctor.reading import SourceReader, Told, renumbered
from logdoctor.screen import Screen
from logdoctor.sections import SECTION, Section, cut_file, scanner_of, section_regions

LARGEST = 4 * SECTION
"""Bytes of a section that another process may read: what it tells must fit into memory. A larger one is full of events."""


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


class RestOfSource:
    """What follows the first section of a source, read by others; iterate once.

    Attributes:
        lines, bytes: how many were read so far, the first section included.
        problem: what kept it from being read further.
    """

    def __init__(self, automaton: Automaton, screen: Screen, readers: Readers, first: Section, lines: int) -> None:
        """`first` is the section from where on it is read, to its end; before it there were so many lines."""
        self._automaton, self._screen, self._readers, self._first = automaton, screen, readers, first
        self.lines, self.bytes = lines, first.start
        self.problem: str | None = None

    def __iter__(self) -> Iterator[Iterator[Told]]:
        """What each section tells, in order; to be read to its end before the next is asked for."""
        begun: deque[tuple[Section, Callable[[], bytes] | None]] = deque()
        try:
            with self._first.open_again() as file:
                size = file.seek(0, os.SEEK_END)
                for start, end in cut_file(self._automaton, self._screen, file, self._first.start):
                    section = self._first._replace(start=start, end=end)
                    is_large = (end or size) - start > LARGEST
                    begun.append((section, None if is_large else self._readers.begin(section)))
                    if len(begun) > self._readers.ahead:
                        yield self._take(*begun.popleft())
        except OSError as error:
            self.problem = self.problem or _in_words(error)
        while begun and not self.problem:
            yield self._take(*begun.popleft())

    def tail(self, size: int) -> bytes:
        """The last bytes of what was read, at most so many."""
        try:
            with self._first.open_again() as file:
                file.seek(max(0, self.bytes - size))
                return file.read(min(size, self.bytes))
        except OSError:
            return b""

    def _take(self, section: Section, ask: Callable[[], bytes] | None) -> Iterator[Told]:
        """What a section tells; it is read here where nobody else did."""
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
