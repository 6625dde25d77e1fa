"""The sources of one run, read and judged together: Scan.

bytes ─▶ SourceScan ─▶ lines and events ─▶ Examination ─▶ ScanResult
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from logdoctor.errors import SourceError, unforeseen
from logdoctor.formats.closing_words import IN_FAILED_ENDS
from logdoctor.formats.error_lines import IN_COMPLAINTS
from logdoctor.model import (
    Ending,
    LocalText,
    Progress,
    RunContext,
    RunState,
    ScanOptions,
    ScanResult,
    Signature,
    SourceSummary,
)
from logdoctor.pipeline.beginnings import Beginnings
from logdoctor.pipeline.endings import ending_of, last_lines
from logdoctor.pipeline.source_scan import TAIL_BYTES, SourceScan
from logdoctor.scanning.cutting import SECTION, OpenAgain, SectionedScanner
from logdoctor.scanning.relevance import Screen
from logdoctor.search.automaton import Automaton
from logdoctor.search.engines import Search
from logdoctor.sources.dump_files import HEAD, begins_as_dump, begins_as_stacks, may_be_log
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.masking import printable

if TYPE_CHECKING:
    from logdoctor.context.metric_state import Streak
    from logdoctor.dumps.dump_set import DumpSet, ToldOfDumps
    from logdoctor.events.source_reader import Told
    from logdoctor.pipeline.examination import Examination
    from logdoctor.pipeline.news import News, NewsDesk
    from logdoctor.pipeline.section_reading import Readers, RestOfSource
    from logdoctor.relations.proving import Prover

WORTH_SHARING = 2 * SECTION
"""Bytes that must be left of a source for other processes to be asked: they take half a second
to start.
"""

REPEATING = 10
"""Last lines that are compared with each other."""

__all__ = ["Scan", "ScanOptions", "scan_text"]


class Scan:
    """One run under examination.

    `read` its sources one after the other, or, while they grow, `feed` them in turns and `settle`
    several times a second, and `end` at last; then ask for the result. It does not depend on which
    of the two was done, nor on when anybody settled.
    """

    def __init__(
        self,
        automaton: Automaton,
        options: ScanOptions | None = None,
        readers: Readers | None = None,
        on_news: Callable[[News], None] | None = None,
        *,
        told: Iterable[str] = (),
        lines: Mapping[str, int] | None = None,
        streaks: Sequence[Streak] = (),
    ) -> None:
        """`readers` read large sources together; the result is the same without them.

        `on_news` is given what is new after a section of a file, or a chunk of a stream. Of an
        earlier call are `told`, keys of findings that need not be told again, `lines`, how many
        were read by source, and `streaks`, how metrics stood.
        """
        self._automaton = automaton
        self._options = options or ScanOptions()
        # what others read, they read without all of its steps
        self._readers = None if self._options.wants_series else readers
        self._on_news = on_news
        self._told_before, self._streaks_before = tuple(told), tuple(streaks)
        self._lines_before = dict(lines or {})
        self._screen = Screen(automaton, takes_all_steps=self._options.wants_series)
        self._search = Search(automaton.engines)
        self._own_numbers = OwnNumbers()
        self._sources: list[SourceScan | SourceSummary] = []
        self._growing: dict[str, SourceScan] = {}  # those that are fed
        self._beginnings = Beginnings()
        self._prover: Prover | None = None
        # its modules are imported when something lights up
        self._examination: Examination | None = None
        self._ahead: Examination | None = None  # as if all had ended at the last settling
        self._desk: NewsDesk | None = None
        self._different = 0  # things found when it was last looked for news
        self._judged_at: Progress | None = None
        self._dumps: DumpSet | None = None
        self._texts_of_stacks = 0  # of the dumps, those that are read as a log as well

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
        source = self._opened(name)
        self._beginnings.begin(source.number, name, open_again)
        try:
            pieces = self._beginnings.taken(source.number, chunks)
            head = next((each for each in pieces if each), b"")
            pieces = chain((head,), pieces)
            if begins_as_dump(head):
                self._read_dump(source, pieces)
            else:
                self._read_chunks(source, pieces, open_again, is_stored=is_stored)
        except Exception as error:  # noqa: BLE001  # no source may end the others
            self._note_failure(source, error)
        finally:
            self._end(source)

    def feed(self, name: str, data: bytes) -> None:
        """Takes the next bytes of a source that grows; ends of lines, if they are to be told by
        and by.
        """
        source = self._of(name)
        self._beginnings.take(source.number, data)
        try:
            for told in source.feed(data):
                if told:
                    self._hear(source, told)
        except Exception as error:  # noqa: BLE001  # no source may end the others
            self._note_failure(source, error)

    def add_dump(self, name: str, data: bytes) -> None:
        """Takes a dump that appeared beside sources that grow; one of stacks may be a source that
        is fed as well.
        """
        if name in self._growing:
            self._taken_dump(name, data)
        else:
            self.read(name, [data])

    def settle(self) -> News:
        """What can be said now and was not said before."""
        self.look_ahead()
        return self._news()

    def look_ahead(self) -> None:
        """Takes note of what stands complete, as settling does, but tells nothing."""
        unsettled = [source for source in self._growing.values() if source.unsettled]
        for source in unsettled:
            try:
                source.settle()
            except Exception as error:  # noqa: BLE001  # no source may end the others
                source.unsettled, source.expected = 0, []
                self._note_failure(source, error)
        if unsettled:
            self._ahead = self._examined_ahead()

    def end(self) -> None:
        """Takes the end of all sources; nothing is fed after it."""
        for source in self._growing.values():
            self._end(source)
        self._ahead = None

    def note_unreadable(self, error: SourceError) -> None:
        """Takes note of a source that could not even be opened."""
        if error.is_unforeseen and error.__cause__ and not self._options.is_isolated:
            raise error.__cause__
        self._sources.append(SourceSummary(error.source, 0, 0, error.what))

    def note_problem(self, name: str, problem: str) -> None:
        """Takes note that a source that grows cannot be read now."""
        self._of(name).problem = problem

    def result(self) -> ScanResult:
        """The verdict over everything read so far."""
        sources = tuple(
            each.summary() if isinstance(each, SourceScan) else each for each in self._sources
        )
        told = self._dumps.told() if self._dumps else None
        notes: tuple[LocalText, ...] = ()
        quiet = len(self._dumps) if self._dumps and not told else 0
        if quiet == self._texts_of_stacks == 1:
            quiet = 0  # one process that was asked to say where it stood, in its own log mostly
        if self._own_numbers or quiet or any(each.problem for each in sources):
            from logdoctor.pipeline.notes import source_notes  # noqa: PLC0415  # hardly ever

            notes = source_notes(sources, self._own_numbers, quiet)
        latest = self._latest
        if told:
            latest = self._with_dumps(told)
            sources = tuple(
                each._replace(lines=len(told.lines)) if each.name == told.source else each
                for each in sources
            )
        if latest:
            found = self._proven(latest.result(sources, notes))
            ending = self._ending(found, latest)
            return found._replace(ending=ending, charts=told.charts if told else None)
        given = {key: (value,) for key, value in self._options.config.items()}
        database = self._automaton.database
        found = ScanResult(
            sources=sources,
            context=RunContext(self._options.frameworks, config=given),
            answer=None,
            diagnoses=(),
            unknown_errors=(),
            not_seen=notes,
            signature_faults=(),
            database=database.version,
            signatures=len(database.signatures),
        )
        return found._replace(ending=self._ending(found, None))

    def _proven(self, found: ScanResult) -> ScanResult:
        """The result with what the run's own settings prove of its diagnoses."""
        if not found.diagnoses:
            return found
        if self._prover is None:
            from logdoctor.relations.naming import are_named  # noqa: PLC0415  # as below

            if not are_named(found.diagnoses):
                return found
            # hardly any diagnosis is one that a relation names
            from logdoctor.relations.proving import Prover  # noqa: PLC0415

            self._prover = Prover(self._options.config_file)
        return self._prover.proven(found, self._beginnings.known, self._beginnings.texts)

    @property
    def beginning(self) -> str:
        """What the first source begins with."""
        return next((text for _, text in self._beginnings.texts()), "")

    def _ending(self, found: ScanResult, examination: Examination | None) -> Ending:
        """How the run stands where its sources end."""
        if found.root:
            return Ending(RunState.PROBLEM)
        if not found.has_read:
            return Ending(RunState.NOTHING_READ)
        last = [
            last_lines(each.name, each.lines, each.tail)
            for each in self._sources
            if isinstance(each, SourceScan)
        ]
        told_end = examination.good_end if examination else None
        ending = ending_of(last, told_end, found.context.last_progress)
        if ending.text and self._options.redact:
            from logdoctor.texts.secrets import redacted_lines  # noqa: PLC0415  # as above

            ending = ending._replace(text=redacted_lines([ending.text])[0])
        if ending.source and ending.line and not told_end:
            ending = ending._replace(line=self._own_numbers.of(ending.source, ending.line))
        return ending._replace(text=ending.text and printable(ending.text))

    def last_news(self, result: ScanResult) -> News:
        """What of the whole verdict was not told before."""
        return self._news_desk().news(result, is_last=True)

    @property
    def told_keys(self) -> tuple[str, ...]:
        """Keys of the findings that were told."""
        return self._desk.told if self._desk else self._told_before

    @property
    def is_unsettled(self) -> bool:
        """Whether something was read that another settling may tell."""
        return any(source.unsettled for source in self._growing.values())

    def lines_of(self, name: str) -> int:
        """Lines read of a source that grows."""
        return self._of(name).lines

    def told_until(self, name: str) -> tuple[int, int]:
        """Of a source that grows, as of the last settling: lines of which all was told, and lines
        read; 0 for these where they end inside an event.
        """
        source = self._of(name)
        return source.told_lines, source.whole_lines

    @property
    def streaks(self) -> tuple[Streak, ...]:
        """How the metrics stand that were read so far; a later scan that is given them may read
        the last lines again.
        """
        return self._latest.streaks if self._latest else self._streaks_before

    @property
    def context(self) -> RunContext:
        """What the log says about the run so far."""
        return self._latest.context if self._latest else RunContext()

    @property
    def progress(self) -> Progress | None:
        """The last step reported."""
        return self._latest.last_progress if self._latest else None

    @property
    def has_ended(self) -> bool:
        """Whether a source has told of its run's end and of no step since."""
        return self._latest is not None and self._latest.has_ended

    @property
    def is_being_ended(self) -> bool:
        """Whether a source has told that its run is being ended from outside; steps may come all
        the same, until it has saved.
        """
        return self._latest is not None and self._latest.is_being_ended

    def known_hangs(self) -> tuple[Signature, ...]:
        """What makes a run like this one stand still, the likeliest first."""
        from logdoctor.signatures.coverage import hangs  # noqa: PLC0415  # hardly any run is silent

        context = self.context
        return hangs(self._automaton.database.signatures, context.frameworks, context.last_phase)

    def _read_chunks(
        self,
        source: SourceScan,
        chunks: Iterator[bytes],
        open_again: OpenAgain | None,
        *,
        is_stored: bool,
    ) -> None:
        for chunk in chunks:
            for told in source.feed(chunk):
                if told:
                    self._hear(source, told)
                    continue
                self._tell_news()
                rest = self._rest(source, open_again, chunks if is_stored else None)
                if rest:
                    self._read_rest(source, rest)
                    if open_again:
                        source.tail = _tail_of_file(open_again, rest.bytes)
                    return
            if open_again is None and self._on_news and self._examination:
                for event in source.ended():
                    self._hear(source, event)
                self._tell_news()

    def _read_dump(self, source: SourceScan, chunks: Iterator[bytes]) -> None:
        """Takes a dump, which is judged with the others; one of stacks is a text that may tell of
        an error as well, and may be a log that only begins so (of a run under gdb).
        """
        from logdoctor.dumps.unpickling import DUMP_LIMIT  # noqa: PLC0415  # hardly any run has one

        data = bytearray()
        for chunk in chunks:
            data += chunk
            if len(data) > DUMP_LIMIT:
                break
        problem, head = self._taken_dump(source.name, bytes(data)), bytes(data[:HEAD])
        if begins_as_stacks(head) and (problem is None or may_be_log(head)):
            self._texts_of_stacks += problem is None
            self._read_chunks(source, chain((bytes(data),), chunks), None, is_stored=True)
        else:
            source.close(0, len(data), problem)

    def _taken_dump(self, name: str, data: bytes) -> str | None:
        """What keeps a dump from being judged; None where nothing does."""
        from logdoctor.dumps.dump_set import DumpSet  # noqa: PLC0415  # hardly any run has one

        self._dumps = self._dumps or DumpSet()
        try:
            self._dumps.add(name, data)
        except ValueError as error:
            return str(error)
        return None

    def _with_dumps(self, told: ToldOfDumps) -> Examination:
        """The examination as if what the dumps tell had been logged after all else."""
        with_dumps = (self._latest or self._examined()).forked()
        source = self._new_source(told.source)
        heard = list(source.feed("".join(f"{line}\n" for line in told.lines).encode()))
        heard += source.finish()
        heard += source.open_events()
        for each in heard:
            if each:
                with_dumps.hear(source.number, each)
        return with_dumps

    def _rest(
        self,
        source: SourceScan,
        open_again: OpenAgain | None,
        chunks: Iterator[bytes] | None,
    ) -> RestOfSource | None:
        """What follows the section that has just ended, where others can read it; `chunks`
        is what comes next of a stream that nobody waits for.
        """
        scanner = source.scanner
        if self._readers is None:
            return None
        if open_again is None:
            # after what came of it, as much is likely to follow
            if chunks is None or scanner.bytes < WORTH_SHARING:
                return None
        elif not _is_worth_sharing(open_again, scanner):
            return None
        # hardly any source is so large
        from logdoctor.pipeline.section_reading import RestOfSource  # noqa: PLC0415

        following = open_again or chunks
        assert following is not None  # a file, or a stream
        return RestOfSource(self._automaton, self._screen, self._readers, source, following)

    def _read_rest(self, source: SourceScan, rest: RestOfSource) -> None:
        try:
            for section in rest:
                for told in section:
                    self._hear(source, told)
                self._tell_news()
        finally:
            source.close(rest.lines, rest.bytes, rest.problem)

    def _end(self, source: SourceScan) -> None:
        self._beginnings.end(source.number)
        try:
            for told in source.finish():
                self._hear(source, told)
            if self._examination or source.has_lit_up or _may_close_badly(source.tail):
                self._examined().end_source(source.name, source.lines, source.tail)
            for event in source.open_events():
                self._hear(source, event)
        except Exception as error:  # noqa: BLE001  # no source may end the others
            self._note_failure(source, error)

    def _hear(self, source: SourceScan, told: Told) -> None:
        try:
            self._examined().hear(source.number, told)
        except Exception as error:  # noqa: BLE001  # nor one of its events the others
            self._note_failure(source, error)

    def _note_failure(self, source: SourceScan, error: Exception) -> None:
        """Takes note of what ended the reading of a source, or was left out of it."""
        if isinstance(error, SourceError) and not error.is_unforeseen:
            source.problem = error.what
            return
        fault = error if isinstance(error, SourceError) else unforeseen(source.name, error)
        if not self._options.is_isolated:
            raise fault.__cause__ or fault
        source.note_fault(fault.what)

    def _examined(self) -> Examination:
        if self._examination is None:
            # half of a start, which a quiet log does without
            from logdoctor.pipeline.examination import Examination  # noqa: PLC0415

            self._examination = Examination(self._automaton, self._options, self._own_numbers)
            self._examination.go_on_from(self._streaks_before)
        return self._examination

    def _examined_ahead(self) -> Examination | None:
        """The examination as if nothing came any more."""
        expected = [(source, told) for source in self._growing.values() for told in source.expected]
        if not expected:
            return self._examination
        ahead = self._examined().forked()
        for source, told in expected:
            try:
                ahead.hear(source.number, told)
            except Exception as error:  # noqa: BLE001  # nor one of its events the others
                self._note_failure(source, error)
        return ahead

    @property
    def _latest(self) -> Examination | None:
        return self._ahead or self._examination

    def _opened(self, name: str) -> SourceScan:
        source = self._new_source(name)
        self._sources.append(source)
        return source

    def _new_source(self, name: str) -> SourceScan:
        return SourceScan(
            self._automaton,
            self._screen,
            self._search,
            self._own_numbers,
            number=len(self._sources),
            name=name,
            first_line=1 + self._lines_before.get(name, 0),
        )

    def _of(self, name: str) -> SourceScan:
        if name not in self._growing:
            self._growing[name] = source = self._opened(name)
            if not self._lines_before.get(name):
                self._beginnings.begin(source.number, name)
        return self._growing[name]

    def _news_desk(self) -> NewsDesk:
        if self._desk is None:
            from logdoctor.pipeline.news import NewsDesk  # noqa: PLC0415  # reports need none

            self._desk = NewsDesk(self._told_before)
        return self._desk

    def _news(self) -> News:
        """What is new, where more was found or the run has gone on after what was told."""
        desk, progress = self._news_desk(), self.progress
        different = (self._latest.different if self._latest else 0) + len(self._dumps or ())
        if different == self._different and (not desk.may_recover or progress == self._judged_at):
            return desk.nothing
        self._different, self._judged_at = different, progress
        return desk.news(self.result())

    def _tell_news(self) -> None:
        news = self._news() if self._on_news else None
        if news and self._on_news:
            self._on_news(news)


def _is_worth_sharing(open_again: OpenAgain, scanner: SectionedScanner) -> bool:
    """Whether much is left of a file, which is neither decoded nor without its first bytes."""
    latest = scanner.latest[:TAIL_BYTES]
    try:
        with open_again() as file:
            file.seek(scanner.begun)
            is_plain = file.read(len(latest)) == latest
            return is_plain and file.seek(0, os.SEEK_END) - scanner.bytes >= WORTH_SHARING
    except OSError:
        return False


def _may_close_badly(tail: bytes) -> bool:
    """Whether the last lines may hold a complaint, the last one says that something failed, or they
    are but a few that come again and again.
    """
    last = tail.rstrip().rpartition(b"\n")[2]
    if re.search(IN_COMPLAINTS, tail) or re.search(IN_FAILED_ENDS, last):
        return True
    rows = [row for row in tail.split(b"\n") if row.strip()][-REPEATING:]
    forms = {re.sub(rb"[0-9]+", b"", row) for row in rows}
    return len(rows) == REPEATING and len(forms) <= REPEATING // 2


def _tail_of_file(open_again: OpenAgain, size: int) -> bytes:
    """The last of its first so many bytes; none where it has gone."""
    try:
        with open_again() as file:
            file.seek(max(0, size - TAIL_BYTES))
            return file.read(min(size, TAIL_BYTES))
    except OSError:
        return b""


def scan_text(automaton: Automaton, text: str, options: ScanOptions | None = None) -> ScanResult:
    """Judges a text as if it were a log of its own."""
    scan = Scan(automaton, options)
    scan.read("<text>", [text.encode()])
    return scan.result()
