"""Regions to findings: Examination, the half of the pipeline that only runs where something lights up.

Region ─▶ LineReader ─LogLine▶ EventGrouper ─LogEvent▶ Matcher ─Match▶ Diagnoser ─▶ Findings
                └─────▶ ContextReader ──────────────────────▲
"""

from __future__ import annotations

import re

from logdoctor.automaton import Automaton
from logdoctor.context import ContextReader
from logdoctor.diagnose import Diagnoser
from logdoctor.events import EventGrouper
from logdoctor.lines import LineReader
from logdoctor.match import Matcher
from logdoctor.metrics import MetricReader
from logdoctor.model import AnchorKind, Findings, Lane, LocalText, LogEvent, LogLine, Match, Progress, Region, Role, RunContext, ScanOptions
from logdoctor.phrases import Phrase
from logdoctor.reruns import RerunReader
from logdoctor.source_lanes import lane_of_source
from logdoctor.tracebacks import is_source_code

_CRASH = re.compile(r"Fatal Python error|[Ss]egmentation fault|Bus error|core dumped|terminate called after throwing|\*\*\* SIG[A-Z]{3,4} ")
_DELIBERATE = re.compile(r"(?:\w+\.)*(?:KeyboardInterrupt|SystemExit|GeneratorExit|StopIteration|StopAsyncIteration)\b")


class Examination:
    """Takes the regions of one source after the other."""

    def __init__(self, automaton: Automaton, options: ScanOptions) -> None:
        self._automaton = automaton
        self._context = ContextReader(automaton, options.frameworks, options.config)
        self._matcher = Matcher(automaton)
        self._diagnoser = Diagnoser(automaton.database, options.redact)
        self._metrics = MetricReader(automaton.database.with_metrics())
        self._groupers: dict[int, EventGrouper] = {}  # of the sources that are being read
        self._readers: dict[int, LineReader] = {}  # of the same
        self._reruns = RerunReader()
        self._source_number = 0
        self._head = b""
        self._lanes: dict[str, Lane] = {}  # by source, what its name tells
        self._kinds: dict[tuple[int, ...], frozenset[AnchorKind]] = {}  # by expressions

    def begin_source(self, number: int, head: bytes = b"") -> None:
        """Says of which source the next regions are, from 0, and with which bytes it begins."""
        self._source_number = number
        self._head = head

    @property
    def _grouper(self) -> EventGrouper:
        return self._groupers.setdefault(self._source_number, EventGrouper())

    def take(self, source: str, region: Region) -> None:
        """Takes the next region of the source of that name."""
        reader = self._readers.get(self._source_number)
        if reader is None:
            reader = self._readers[self._source_number] = LineReader(source, self._automaton.expressions_in, self._kinds_of)
            self._reruns.begin(source, self._head)
        grouper = self._grouper
        for line in map(self._placed, reader.read(region)):
            self._read_numbers(line)
            rerun = None if region.is_marked_only else self._reruns.feed(line)
            if rerun:
                self._diagnoser.note_rerun(source, rerun)
            for event in () if region.is_marked_only else grouper.feed(line):
                self._take_event(event)

    def _placed(self, line: LogLine) -> LogLine:
        """The line with what the name of its source tells about its writer, where its prefixes do not."""
        if line.source not in self._lanes:
            self._lanes[line.source] = lane_of_source(line.source)
        told = self._lanes[line.source]
        if told == Lane():
            return line
        own = line.lane
        rank, pid = told.rank if own.rank is None else own.rank, told.pid if own.pid is None else own.pid
        return line._replace(lane=Lane(own.host or told.host, rank, pid, own.actor or told.actor))

    def _kinds_of(self, expressions: tuple[int, ...]) -> frozenset[AnchorKind]:
        kinds = self._kinds.get(expressions)
        if kinds is None:
            kinds = self._kinds[expressions] = self._automaton.kinds(expressions)
        return kinds

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes what is still open; `lines` is how many the source has, `tail` its last bytes."""
        self._context.end_source(source, lines, tail)
        for event in self._grouper.flush():
            self._take_event(event)
        del self._groupers[self._source_number]
        self._readers.pop(self._source_number, None)

    def settle(self) -> None:
        """Takes what stands complete in the source that is being read, though it may go on."""
        for event in self._grouper.settle():
            self._take_event(event)

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return self._diagnoser.different + self._metrics.changes

    @property
    def last_progress(self) -> Progress | None:
        """The last step reported so far."""
        return self._context.last_progress

    @property
    def context(self) -> RunContext:
        """What is known about the run so far."""
        return self._context.result()

    def findings(self) -> Findings:
        """The verdict over everything taken so far."""
        context = self._context.result()
        judgement = self._diagnoser.judge(context, tuple(self._metrics.standing()))
        faults = self._matcher.faults
        return Findings(
            context=context,
            answer=judgement.answer,
            diagnoses=judgement.diagnoses,
            unknown_errors=judgement.unknown_errors,
            not_seen=(*judgement.not_seen, *(Phrase.FAULTY.fill(what=fault) for fault in faults)),
            signature_faults=faults,
        )

    def _read_numbers(self, line: LogLine) -> None:
        """Gives a line to the context, and its numbers to the metrics."""
        if self._context.feed(line):
            self._metrics.feed(line, self._source_number)

    def _take_event(self, event: LogEvent) -> None:
        if not event.is_traceback and not event.line.is_record and is_source_code(event.line.text.strip()):
            return
        situation = self._context.situation(event)
        matches = self._matcher.match(event, self._context.frameworks)
        if event.is_ignored:
            matches = tuple(each for each in matches if self._is_benign(each))
        if matches:
            self._diagnoser.add_matches(matches, situation, self._source_number)
        elif not event.is_ignored and _is_error(event):
            self._diagnoser.add_unknown(event, situation, self._source_number)
        elif AnchorKind.ERROR in event.line.kinds and event.level not in ("info", "debug"):
            self._diagnoser.note_unrest(event)

    def _is_benign(self, match: Match) -> bool:
        signature = self._automaton.database.find(match.signature_id)
        return signature is not None and signature.role is Role.BENIGN


def unread(name: str, lines: int, problem: str) -> LocalText:
    """That a source could not be read to its end, and what of it was."""
    end = Phrase.TO_ITS_END.fill(lines=lines) if lines else LocalText("", "")
    english, chinese = (Phrase.UNREADABLE.fill(source=name, what=problem, end=text) for text in (end.en, end.zh))
    return LocalText(english.en, chinese.zh)


def _is_error(event: LogEvent) -> bool:
    """Whether an event that no signature knows is an error: a traceback, an exception printed as an error, a crash."""
    if event.exception and _DELIBERATE.match(event.exception):
        return False
    if event.is_traceback:
        return event.exception is not None and event.level not in ("warning", "info", "debug")
    if event.exception:
        return event.level in (None, "error", "fatal") and ":" in event.message
    return bool(_CRASH.search(event.message))
