"""Regions to findings: Examination, the half of the pipeline that only runs where something lights
up.

Region ─▶ SourceReader ─LogEvent▶ Matcher ─Match▶ Diagnoser ─▶ Findings
                └──────LogLine▶ ContextReader ────────▲
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from logdoctor.context.metric_state import Streak
from logdoctor.context.metrics import MetricReader
from logdoctor.context.reader import ContextReader
from logdoctor.events.appended_runs import Rerun
from logdoctor.events.source_reader import SourceReader, Told
from logdoctor.formats.error_lines import CRASH, DELIBERATE, is_said
from logdoctor.formats.message_shapes import is_source_code
from logdoctor.matching.matcher import Matcher
from logdoctor.matching.recognition import Recogniser, shape_of
from logdoctor.model import (
    AnchorKind,
    Findings,
    LocalText,
    LogEvent,
    Match,
    Progress,
    Region,
    Role,
    RunContext,
    ScanOptions,
)
from logdoctor.search.automaton import Automaton
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.verdict import problem_words
from logdoctor.verdict.judging import Diagnoser


class Examination:
    """Takes the regions of one source after the other."""

    def __init__(self, automaton: Automaton, options: ScanOptions) -> None:
        self._automaton = automaton
        self._context = ContextReader(automaton, options.frameworks, options.config)
        self._matcher = Matcher(automaton)
        self._recogniser = Recogniser(self._matcher)
        self._diagnoser = Diagnoser(
            automaton.database, options.redact, self._recogniser.read, self._context.histories
        )
        self._metrics = MetricReader(automaton.database)
        self._readers: dict[int, SourceReader] = {}  # of the sources that are being read
        self._source_number = 0
        self._head = b""

    def go_on_from(self, streaks: Iterable[Streak]) -> None:
        """Takes how metrics stood when an earlier call ended."""
        self._metrics.go_on_from(streaks)

    @property
    def streaks(self) -> tuple[Streak, ...]:
        """How metrics stand."""
        return self._metrics.streaks

    def begin_source(self, number: int, head: bytes = b"") -> None:
        """Says of which source the next regions are, from 0, and with which bytes it begins."""
        self._source_number = number
        self._head = head

    def take(self, source: str, region: Region) -> None:
        """Takes the next region of the source of that name."""
        reader = self._readers.get(self._source_number)
        if reader is None:
            reader = self._readers[self._source_number] = SourceReader(
                self._automaton, source, self._head
            )
        for told in reader.read(region):
            self.hear(told)

    def hear(self, told: Told) -> None:
        """Takes the next line that tells about the run, or the next event."""
        if isinstance(told, LogEvent):
            self._take_event(told)
        elif isinstance(told, Rerun):
            self._diagnoser.note_rerun(told.source, told.number)
        elif self._context.feed(told):
            self._metrics.feed(told, self._source_number)

    def end_section(self, last: int = 0) -> None:
        """Takes what is still open; what comes next of the source has nothing to do with it.
        `last` is the number of its last line, where it ends.
        """
        reader = self._readers.pop(self._source_number, None)
        for event in reader.flush(last) if reader else ():
            self._take_event(event)

    def take_ended(self, lines: int) -> None:
        """Takes the events that have ended by the time that so many lines of the source have
        been scanned.
        """
        reader = self._readers.get(self._source_number)
        for event in reader.ended(lines) if reader else ():
            self._take_event(event)

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes what is still open; `lines` is how many the source has, `tail` its last bytes."""
        self._context.end_source(source, lines, tail)
        self.end_section(lines)

    def settle(self) -> None:
        """Takes what stands complete in the source that is being read, though it may go on."""
        reader = self._readers.get(self._source_number)
        for event in reader.settle() if reader else ():
            self._take_event(event)

    @property
    def waiting(self) -> tuple[int | None, bool]:
        """Of the source that is being read: the first line of what is not judged yet, if any,
        and whether it ends inside a traceback.
        """
        reader = self._readers.get(self._source_number)
        return reader.waiting if reader else (None, False)

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return self._diagnoser.different + self._metrics.changes

    @property
    def last_progress(self) -> Progress | None:
        """The last step reported so far."""
        return self._context.last_progress

    @property
    def has_ended(self) -> bool:
        """Whether a source has told of its run's end and of no step since."""
        return self._context.has_ended

    @property
    def is_being_ended(self) -> bool:
        """Whether a source has told that its run is being ended from outside; steps may come all
        the same, until it has saved.
        """
        return self._context.is_being_ended

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
            not_seen=(*judgement.not_seen, *(phrases.FAULTY.fill(what=fault) for fault in faults)),
            signature_faults=faults,
        )

    def _take_event(self, event: LogEvent) -> None:
        if (
            not event.is_traceback
            and not event.line.is_record
            and is_source_code(event.line.text.strip())
        ):
            return
        shape = shape_of(event)
        situation = self._context.situation(event, shape)
        matches = self._recogniser.recognise(event, shape, self._context.frameworks)
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
    end = phrases.TO_ITS_END.fill(lines=lines) if lines else LocalText("", "")
    words = problem_words(problem)
    english, chinese = (
        phrases.UNREADABLE.fill(source=name, what=what, end=text)
        for what, text in ((words.en, end.en), (words.zh, end.zh))
    )
    return LocalText(english.en, chinese.zh)


def _is_error(event: LogEvent) -> bool:
    """Whether an event that no signature knows is an error: a traceback, an exception printed as
    an error, a crash.
    """
    if event.exception and re.match(DELIBERATE, event.exception):
        return False
    if event.is_cut:
        return event.level not in ("warning", "info", "debug")
    if event.is_traceback:
        return event.exception is not None and event.level not in ("warning", "info", "debug")
    if event.exception:
        return event.level in (None, "error", "fatal") and is_said(event.exception, event.message)
    return bool(re.search(CRASH, event.message))
