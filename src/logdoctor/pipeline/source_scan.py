"""One source on its way from bytes to what they tell: SourceScan.

bytes ─▶ Chronology ─▶ SectionedScanner ─Region▶ SourceReader ─▶ lines and events
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdoctor.model import SourceSummary
from logdoctor.scanning.cutting import SectionedScanner
from logdoctor.search.engines import Search
from logdoctor.sources.newest_first import Chronology, OwnNumbers

if TYPE_CHECKING:
    from logdoctor.events.source_reader import SourceReader, Told
    from logdoctor.model import LogEvent, Region
    from logdoctor.scanning.relevance import Screen
    from logdoctor.search.automaton import Automaton

HEAD_BYTES = 8192
"""First bytes of a source that are kept, to see where they come again."""

TAIL_BYTES = 4096
"""Last bytes of a source that are kept, to see who was still writing."""

SETTLINGS = 2
"""Settlings after which all that came was told: the first one waits for the lines below."""


class SourceScan:
    """Takes the bytes of one source, in pieces of any size.

    Attributes:
        number: of the source among those of its scan, from 0.
        problem: what keeps it from being read further, if anything.
        head, tail: its first and its last bytes, from its oldest line on.
        expected: what it will tell if nothing else comes, as of the last settling.
        unsettled: settlings until all that came was seen.
        told_lines: lines of which all was told, as of the last settling.
        whole_lines: lines as of then; 0 where they end inside a traceback.
    """

    def __init__(
        self,
        automaton: Automaton,
        screen: Screen,
        search: Search,
        own_numbers: OwnNumbers,
        *,
        number: int,
        name: str,
        first_line: int = 1,
    ) -> None:
        """`screen`, `search` and `own_numbers` are those of the run; what stands before
        `first_line`, an earlier call has read.
        """
        self.number, self.name = number, name
        self.problem: str | None = None
        self.fault: str | None = None  # which stays, whatever comes
        self.head = self.tail = b""
        self.expected: list[Told] = []
        self.unsettled = self.told_lines = self.whole_lines = 0
        self._automaton, self._own_numbers = automaton, own_numbers
        self._chronology = Chronology()
        self.scanner = SectionedScanner(automaton, screen, search, first_line)
        self._is_resumed = first_line > 1
        self.reader: SourceReader | None = None
        self._is_in_first_section = True
        self._is_whole = True  # else the scan of a chunk was interrupted: its rest is not judged
        self._closed: SourceSummary | None = None  # nothing else is read of it
        self._ahead: SourceScan | None = None  # as if it had ended at the last settling
        self._stood: set[int] = set()  # first lines of events that were complete at a settling

    @property
    def lines(self) -> int:
        """Lines so far; a last one that has not ended counts, too."""
        if self._closed:
            return self._closed.lines
        held = self._chronology.held
        is_open = (held or self.tail)[-1:] not in (b"", b"\n")
        return self.scanner.lines + held.count(b"\n") + is_open

    @property
    def has_lit_up(self) -> bool:
        """Whether there was anything to read in its latest section."""
        return self.reader is not None

    def summary(self) -> SourceSummary:
        """What was read of it."""
        if self._closed:
            return self._closed
        size = self.scanner.bytes + len(self._chronology.held)
        return SourceSummary(self.name, self.lines, size, self.fault or self.problem)

    def feed(self, chunk: bytes) -> Iterator[Told | None]:
        """Takes the next bytes; yields what they tell for good, and None where a section ends."""
        self._is_whole, self.unsettled, self.problem = False, SETTLINGS, None
        yield from self._scanned(self._chronology.feed(chunk))
        self._is_whole = True

    def close(self, lines: int, size: int, problem: str | None) -> None:
        """Takes note that others have read it from the section on that has just ended."""
        self._closed = SourceSummary(self.name, lines, size, problem)

    def note_fault(self, fault: str) -> None:
        """Takes note that the program itself failed on it."""
        self.fault = self.fault or fault
        if self._closed:
            self._closed = self._closed._replace(problem=self.fault)

    def ended(self) -> list[LogEvent]:
        """Events to which nothing can be added any more, whatever the next bytes are."""
        return self.reader.ended(self.scanner.passed_lines) if self.reader else []

    def finish(self) -> Iterator[Told]:
        """Takes the end of the source; yields what its last lines tell, but not what is open."""
        if self._is_whole and not self._closed:
            yield from (each for each in self._scanned(self._ordered()) if each)
            for region in self.scanner.flush():
                yield from self._read(region)

    def open_events(self) -> list[LogEvent]:
        """After the end: the events that were open until then; what it was read with goes."""
        self._closed = self.summary()
        events = self.reader.flush(self.lines) if self.reader else []
        self.reader = self._ahead = None
        del self.scanner, self._chronology
        return events

    def settle(self) -> None:
        """Has `expected` hold what stands complete: of events that may go on, those that were
        complete at the last settling.
        """
        from logdoctor.pipeline.forking import forked  # noqa: PLC0415  # for logs that grow

        if self._ahead is None or self.unsettled == SETTLINGS:
            self._ahead = None
            self._ahead = forked(self, (type(self._automaton), Search, OwnNumbers))
            self._ahead.end_early()
        self.unsettled -= 1
        reader, stood = self._ahead.reader, self._stood
        standing = reader.standing if reader else []
        self._stood = {event.lines[0].number for event in standing}
        self.expected = [
            *self._ahead.expected,
            *(each for each in standing if each.lines[0].number in stood),
        ]
        untold = [*(self._stood - stood), *([reader.first_awaited] if reader else [])]
        self.told_lines = min([each for each in untold if each], default=self.lines + 1) - 1
        self.whole_lines = 0 if reader and reader.is_inside else self.lines

    def end_early(self) -> None:
        """Has `expected` hold what there is to tell if nothing follows the last whole line, less
        what is open; nothing is fed after it.
        """
        self._chronology.drop_open_line()
        self.expected = [each for each in self._scanned(self._ordered()) if each]
        for region in self.scanner.flush(drops_open_line=True):
            self.expected += self._read(region)

    def _ordered(self) -> bytes:
        """What the chronology has held, from its oldest line on."""
        data = self._chronology.flush()
        self._own_numbers.pop(self.name, None)
        if self._chronology.numbers:
            self._own_numbers[self.name] = self._chronology.numbers
        return data

    def _scanned(self, data: bytes) -> Iterator[Told | None]:
        if not data:
            return
        if not (self.tail or self._is_resumed):
            self.head = data[:HEAD_BYTES]
        for region in self.scanner.feed(self.noted(data)):
            if region is not None:
                yield from self._read(region)
                continue
            if self.reader:
                yield from self.reader.flush(0)
            self.reader, self._is_in_first_section = None, False
            yield None

    def noted(self, data: bytes) -> bytes:
        """The same bytes, which are now the latest of the source."""
        self.tail = (self.tail + data[-TAIL_BYTES:])[-TAIL_BYTES:]
        return data

    def _read(self, region: Region) -> Iterator[Told]:
        if self.reader is None:
            # half of a start, which a quiet log does without
            from logdoctor.events.source_reader import SourceReader  # noqa: PLC0415

            self.reader = SourceReader(
                self._automaton, self.name, self.head, is_first=self._is_in_first_section
            )
        return self.reader.read(region)
