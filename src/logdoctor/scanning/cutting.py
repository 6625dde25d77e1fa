"""Large sources in sections: where they are cut, and what one of them tells.

A large source is cut where nothing is going on: between lines, with enough dark ones around that no
event and no line that belongs to one reaches across. Where that is, its bytes alone decide. Each
section is read by itself; it knows of the rest only what the first one has taught (`Lessons`). So
it may be read anywhere, at any time, and tells the same; whoever puts the sections in order moves
their line numbers and judges what they tell.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from logdoctor.errors import SourceError
from logdoctor.model import Region
from logdoctor.scanning.relevance import ReadSettings, Screen
from logdoctor.scanning.scanner import AFTER_FRAME, Past, Scanner
from logdoctor.search.automaton import Automaton
from logdoctor.search.engines import Search

FIRST, SECTION = 8 << 20, 16 << 20
"""Bytes of the first section and of later ones after which the next place without events is
looked for.
"""

WINDOW = 64 << 10
"""Bytes that are looked at for one; further ones begin ever further on, each time twice as far."""

QUIET = 8
"""Dark lines in whose middle the cut is: more than are handed on before an event."""

CHUNK = 1 << 20

OpenAgain = Callable[[], BinaryIO]
"""Opens a source anew, at its beginning; can be sent to another process."""


class Lessons(NamedTuple):
    """What a first section teaches: about its lines, and the configuration that was read."""

    past: Past
    settings: ReadSettings


class Section(NamedTuple):
    """Bytes of a source, which begins with `head`, from `start` up to `end`, or to where it ends
    then.
    """

    source: str
    head: bytes
    open_again: OpenAgain
    start: int
    end: int | None
    lessons: Lessons


class Cutter:
    """Cuts a stream into sections: a push machine."""

    def __init__(self, automaton: Automaton, screen: Screen) -> None:
        self._automaton, self._screen = automaton, screen
        # bytes of the section handed on, and those that are looked at
        self._done, self._window = 0, b""
        # bytes of it that come before the next window, and before the one after that
        self._next, self._step = FIRST, WINDOW

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The same bytes; None where a section ends."""
        while chunk:
            if self._done < self._next:
                part, chunk = chunk[: self._next - self._done], chunk[self._next - self._done :]
                self._done += len(part)
                yield part
                continue
            room = WINDOW - len(self._window)
            self._window, chunk = self._window + chunk[:room], chunk[room:]
            if len(self._window) == WINDOW:
                window, place = (
                    self._window,
                    quiet_place(self._automaton, self._screen, self._window),
                )
                if place is None:
                    yield window
                    self._done += WINDOW
                    self._next, self._step, self._window = (
                        self._done + self._step,
                        2 * self._step,
                        b"",
                    )
                else:
                    yield window[:place]
                    yield None
                    self._done, self._next, self._step, self._window = 0, SECTION, WINDOW, b""
                    chunk = window[place:] + chunk

    @property
    def held(self) -> bytes:
        """The bytes that are held back."""
        return self._window

    def flush(self) -> bytes:
        """The bytes that were held back."""
        window, self._window = self._window, b""
        return window


def cut_file(
    automaton: Automaton, screen: Screen, file: BinaryIO, start: int
) -> Iterator[tuple[int, int | None]]:
    """Where the sections begin and end that a Cutter makes of a file from `start` on, where the
    first one ends; reads little of it.
    """
    place, step = start + SECTION, WINDOW
    while True:
        file.seek(place)
        window = _read_exactly(file, WINDOW)
        if len(window) < WINDOW:
            yield start, None
            return
        found = quiet_place(automaton, screen, window)
        if found is None:
            place, step = place + WINDOW + step, 2 * step
        else:
            yield start, place + found
            start, place, step = place + found, place + found + SECTION, WINDOW


def quiet_place(automaton: Automaton, screen: Screen, window: bytes) -> int | None:
    """Where in some bytes of a log a line begins before and after which nothing is going on; None
    where there is no such place.

    What lit up before the bytes may reach AFTER_FRAME lines into them, so that the first lines
    prove nothing.
    """
    first, last = window.find(b"\n") + 1, window.rfind(b"\n") + 1
    scanner = Scanner(automaton, screen=screen.with_settings(ReadSettings()))
    regions = [*scanner.feed(window[first:last]), *scanner.flush()]
    dark = AFTER_FRAME + 2  # the first line that may be dark
    for region in regions:
        if not region.is_marked_only:
            if region.lines[0].number - dark >= QUIET:
                break
            dark = max(dark, region.lines[-1].number + 1)
    else:
        if scanner.lines + 1 - dark < QUIET:
            return None
    place = first
    for _ in range(dark + QUIET // 2 - 1):
        place = window.find(b"\n", place) + 1
    return place


class SectionedScanner:
    """A Scanner that begins anew with each section."""

    def __init__(
        self, automaton: Automaton, screen: Screen, search: Search, first_line: int = 1
    ) -> None:
        """`screen` is that of the run; sections after the first have one beside it. `first_line`
        is the number of the first line.
        """
        self._automaton, self._screen, self._search = automaton, screen, search
        self._cutter = Cutter(automaton, screen)
        self._scanner = Scanner(automaton, screen, search, first_line)
        self._lessons: Lessons | None = None
        self._bytes = 0
        self.begun, self.latest = 0, b""
        """Where in the source begins what was fed last, and what that was."""
        # of the chunk that was fed last, those not yet scanned
        self._parts: Iterator[bytes | None] = iter(())

    def feed(self, chunk: bytes) -> Iterator[Region | None]:
        """Takes the next bytes; yields regions, and None where a section ends."""
        self.begun, self.latest = self.begun + len(self.latest), chunk
        self._parts = self._cutter.feed(chunk)
        for part in self._parts:
            if part is not None:
                yield from self._scanner.feed(part)
                continue
            yield from self._scanner.flush()
            self._bytes += self._scanner.bytes
            if self._lessons is None:
                self._lessons = Lessons(self._scanner.past, self._screen.settings)
            screen = self._screen.with_settings(self._lessons.settings)
            self._scanner = Scanner(
                self._automaton,
                screen,
                self._search,
                self._scanner.lines + 1,
                self._lessons.past,
            )
            yield None
        self._parts = iter(())

    def flush(self, *, drops_open_line: bool = False) -> Iterator[Region]:
        """Takes the end of the source; yields what is left, without a line that has not ended
        where that is dropped.
        """
        held = self._cutter.flush()
        if drops_open_line:
            held = held[: held.rfind(b"\n") + 1]
            if not held:
                self._scanner.drop_open_line()
        yield from self._scanner.feed(held)
        yield from self._scanner.flush()

    def unread(self, chunks: Iterable[bytes]) -> Iterator[bytes | None]:
        """What follows the section that has just ended, cut as by a Cutter, for others to scan;
        `chunks` are the next ones.

        Raises:
            SourceError: as `chunks` do, after what came before it.
        """
        yield from self._parts
        try:
            for chunk in chunks:
                yield from self._cutter.feed(chunk)
        except SourceError:
            yield self._cutter.flush()
            raise
        yield self._cutter.flush()

    @property
    def lines(self) -> int:
        """Lines that have ended so far."""
        return self._scanner.ended_lines + self._cutter.held.count(b"\n")

    @property
    def passed_lines(self) -> int:
        """Those of them of which nothing is left to yield."""
        return self._scanner.passed_lines

    @property
    def bytes(self) -> int:
        """Bytes that were fed, as far as they are not held back to be cut."""
        return self._bytes + self._scanner.bytes

    @property
    def lessons(self) -> Lessons:
        """What the first section taught; asked for after it."""
        assert self._lessons is not None
        return self._lessons


def section_regions(scanner: Scanner, section: Section) -> Iterator[Region]:
    """The regions of a section, scanned by `scanner`, with lines counted from 1.

    Raises:
        OSError: it cannot be read.
    """
    with section.open_again() as file:
        file.seek(section.start)
        left = section.end - section.start if section.end is not None else None
        while data := file.read(CHUNK if left is None else min(CHUNK, left)):
            left = None if left is None else left - len(data)
            yield from scanner.feed(data)
    yield from scanner.flush()


def scanner_of(automaton: Automaton, screen: Screen, lessons: Lessons) -> Scanner:
    """What reads a section after the first; `screen` may be any of the same automaton."""
    return Scanner(automaton, screen=screen.with_settings(lessons.settings), past=lessons.past)


def _read_exactly(file: BinaryIO, size: int) -> bytes:
    parts = []
    while size and (data := file.read(size)):
        parts.append(data)
        size -= len(data)
    return b"".join(parts)
