"""The stages in their order: Scan.

bytes ─▶ SectionedScanner ─Region▶ Examination ─▶ Findings ─▶ ScanResult
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from logdoctor.errors import SourceError
from logdoctor.formats.error_lines import IN_COMPLAINTS
from logdoctor.model import (
    Answer,
    AnswerList,
    Findings,
    RunContext,
    ScanOptions,
    ScanResult,
    SourceSummary,
)
from logdoctor.scanning.cutting import SECTION, OpenAgain, Section, SectionedScanner
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton
from logdoctor.sources.newest_first import Chronology

if TYPE_CHECKING:
    from logdoctor.pipeline.examination import Examination
    from logdoctor.pipeline.section_reading import Readers, RestOfSource

HEAD_BYTES = 8192
"""First bytes of a source that are kept, to see where they come again."""

TAIL_BYTES = 4096
"""Last bytes of a source that are kept, to see who was still writing."""

WORTH_SHARING = 2 * SECTION
"""Bytes that must be left of a source for other processes to be asked: they take half a second
to start.
"""

__all__ = ["Scan", "ScanOptions", "scan_text"]


class Scan:
    """One run under examination: feed its sources one after the other, then ask for the result.

    Sources are told apart by name; their lines are judged together.
    """

    def __init__(
        self,
        automaton: Automaton,
        options: ScanOptions | None = None,
        readers: Readers | None = None,
        on_found: Callable[[Scan], None] | None = None,
    ) -> None:
        """`readers` read large sources together; the result is the same without them.

        `on_found` is given the scan when something different was found: after a section of a file,
        or a chunk of a stream.
        """
        self._automaton = automaton
        self._readers = readers
        self._on_found = on_found
        self._different = 0  # things found when that was last called
        self._screen = Screen(automaton)
        self._options = options or ScanOptions()
        # its modules are imported when something lights up
        self._examination: Examination | None = None
        self._sources: list[SourceSummary] = []
        # by source, numbers of the lines of those that had the newest first
        self._turned: dict[str, Sequence[int]] = {}

    def read(
        self,
        name: str,
        chunks: Iterable[bytes],
        open_again: OpenAgain | None = None,
        *,
        is_stored: bool = False,
    ) -> None:
        """Reads one source to its end; what keeps it from being read further is noted in its
        summary.

        `open_again` is given for a plain file, whose bytes the chunks are; `is_stored` says that
        none of them is still to be written, so that nobody waits for what they tell. A
        KeyboardInterrupt passes through after what was read has been taken.
        """
        reading = _Reading(
            name,
            SectionedScanner(self._automaton, self._screen),
            Chronology(chunks),
            is_stored=is_stored,
        )
        try:
            self._read_chunks(reading, open_again)
        except SourceError as error:
            reading.problem = error.what
        finally:
            self._end(reading)

    def _read_chunks(self, reading: _Reading, open_again: OpenAgain | None) -> None:
        for chunk in reading.chunks:
            for region in reading.scanner.feed(chunk):
                if region is not None:
                    self._examined(reading.head).take(reading.name, region)
                    continue
                self._examined().end_section()
                self._tell_found()
                reading.rest = self._rest(reading, chunk, open_again)
                if reading.rest:
                    self._take_rest(reading.rest)
                    reading.problem = reading.rest.problem
                    reading.tail = (
                        _tail_of_file(open_again, reading.rest.bytes)
                        if open_again
                        else reading.tail
                    )
                    return
            if open_again is None and self._on_found and self._examination:
                # the last line may not have ended
                self._examination.take_ended(reading.scanner.lines - 1)
                self._tell_found()

    def _rest(
        self, reading: _Reading, chunk: bytes, open_again: OpenAgain | None
    ) -> RestOfSource | None:
        """What follows the section that has just ended, where others can read it; `chunk` is
        what was fed last.
        """
        if self._readers is None or reading.chronology.numbers:
            return None
        if open_again is None:
            return self._rest_of_stream(reading, self._readers)
        scanner = reading.scanner
        try:
            with open_again() as file:
                file.seek(scanner.begun)
                # neither decoded nor without its first bytes
                is_plain = file.read(min(TAIL_BYTES, len(chunk))) == chunk[:TAIL_BYTES]
                size = file.seek(0, os.SEEK_END)
        except OSError:
            return None
        if not is_plain or size - scanner.bytes < WORTH_SHARING:
            return None
        # hardly any source is so large
        from logdoctor.pipeline.section_reading import RestOfSource  # noqa: PLC0415
        from logdoctor.scanning.sharing import file_sections  # noqa: PLC0415

        first = Section(
            reading.name, reading.head, open_again, scanner.bytes, None, scanner.lessons
        )
        sections = file_sections(self._automaton, self._screen, first)
        return RestOfSource(
            self._automaton,
            self._screen,
            self._readers,
            sections,
            read=(scanner.lines, scanner.bytes),
        )

    def _rest_of_stream(self, reading: _Reading, readers: Readers) -> RestOfSource | None:
        """The same of a stream: after what came of it, as much is likely to follow."""
        scanner = reading.scanner
        if not reading.is_stored or scanner.bytes < WORTH_SHARING:
            return None
        from logdoctor.pipeline.section_reading import RestOfSource  # noqa: PLC0415  # the same
        from logdoctor.scanning.sharing import STREAM_AHEAD, stream_sections  # noqa: PLC0415

        sections = stream_sections(
            reading.name, reading.head, scanner.lessons, scanner.unread(reading.chunks)
        )
        return RestOfSource(
            self._automaton,
            self._screen,
            readers,
            sections,
            read=(scanner.lines, scanner.bytes),
            ahead=STREAM_AHEAD,
        )

    def _take_rest(self, rest: RestOfSource) -> None:
        examination = self._examined()
        for section in rest:
            for told in section:
                examination.hear(told)
            self._tell_found()

    def _tell_found(self) -> None:
        if self._on_found and self._examination and self._examination.different != self._different:
            self._different = self._examination.different
            self._on_found(self)

    def _end(self, reading: _Reading) -> None:
        scanner = reading.scanner
        # else the scan of a chunk was interrupted, and its rest is not judged
        if reading.is_between_chunks and reading.rest is None:
            for region in scanner.flush():
                self._examined(reading.head).take(reading.name, region)
        read = reading.rest or scanner
        if self._examination is None and re.search(IN_COMPLAINTS, reading.tail):
            self._examined(reading.head)
        if self._examination:
            self._examination.end_source(reading.name, read.lines, reading.tail)
        self._sources.append(SourceSummary(reading.name, read.lines, read.bytes, reading.problem))
        if reading.chronology.numbers:
            self._turned[reading.name] = reading.chronology.numbers

    def note_unreadable(self, error: SourceError) -> None:
        """Takes note of a source that could not even be opened."""
        self._sources.append(SourceSummary(error.source, 0, 0, error.what))

    def result(self) -> ScanResult:
        """The verdict over everything read so far."""
        findings = self._examination.findings() if self._examination else _nothing(self._options)
        if self._turned:
            # a rare form of export
            from logdoctor.verdict.renumbering import renumbered  # noqa: PLC0415

            findings = renumbered(findings, self._turned)
        problems = [(each.name, each.lines, each.problem) for each in self._sources if each.problem]
        if problems:
            from logdoctor.pipeline.examination import unread  # noqa: PLC0415

            findings = findings._replace(
                not_seen=(*findings.not_seen, *(unread(*problem) for problem in problems))
            )
        result = ScanResult(
            sources=tuple(self._sources),
            context=findings.context,
            answer=findings.answer,
            diagnoses=findings.diagnoses,
            unknown_errors=findings.unknown_errors,
            not_seen=findings.not_seen,
            signature_faults=findings.signature_faults,
            database=self._automaton.database.version,
            signatures=len(self._automaton.database.signatures),
        )
        return _confident(result, self._options.min_confidence)

    def _examined(self, head: bytes = b"") -> Examination:
        if self._examination is None:
            # half of a start, which a quiet log does without
            from logdoctor.pipeline.examination import Examination  # noqa: PLC0415

            self._examination = Examination(self._automaton, self._options)
        self._examination.begin_source(len(self._sources), head)
        return self._examination


class _Reading:
    """How far a source has been read."""

    def __init__(
        self, name: str, scanner: SectionedScanner, chronology: Chronology, *, is_stored: bool
    ) -> None:
        self.name, self.scanner, self.chronology, self.is_stored = (
            name,
            scanner,
            chronology,
            is_stored,
        )
        self.rest: RestOfSource | None = None
        self.problem: str | None = None
        self.head = self.tail = b""
        self.is_between_chunks = True
        self.chunks = self._watched()

    def _watched(self) -> Iterator[bytes]:
        """The chunks, whose beginning and end are kept."""
        for chunk in self.chronology:
            self.is_between_chunks = False
            self.head = self.head or chunk[:HEAD_BYTES]
            yield chunk
            self.tail = (
                chunk[-TAIL_BYTES:]
                if len(chunk) >= TAIL_BYTES
                else (self.tail + chunk)[-TAIL_BYTES:]
            )
            self.is_between_chunks = True


def _tail_of_file(open_again: OpenAgain, size: int) -> bytes:
    """The last of its first so many bytes; none where it has gone."""
    try:
        with open_again() as file:
            file.seek(max(0, size - TAIL_BYTES))
            return file.read(min(size, TAIL_BYTES))
    except OSError:
        return b""


def _nothing(options: ScanOptions) -> Findings:
    context = RunContext(
        options.frameworks, config={key: (value,) for key, value in options.config.items()}
    )
    return Findings(context)


def scan_text(automaton: Automaton, text: str, options: ScanOptions | None = None) -> ScanResult:
    """Judges a text as if it were a log of its own."""
    scan = Scan(automaton, options)
    scan.read("<text>", [text.encode()])
    return scan.result()


def _confident(result: ScanResult, least: float) -> ScanResult:
    if not least:
        return result
    from logdoctor.texts.phrases import verdict as phrases  # noqa: PLC0415

    diagnoses = tuple(each for each in result.diagnoses if each.confidence >= least)
    left_out = len(result.diagnoses) - len(diagnoses)
    not_seen = (
        (*result.not_seen, phrases.LEFT_OUT.fill(count=left_out)) if left_out else result.not_seen
    )
    answer = result.answer
    if answer and answer.kind is AnswerList.DIAGNOSES:
        chosen = result.diagnoses[answer.index]
        answer = Answer(answer.kind, diagnoses.index(chosen)) if chosen in diagnoses else None
    return result._replace(diagnoses=diagnoses, answer=answer, not_seen=not_seen)
