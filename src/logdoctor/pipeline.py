"""The stages in their order: Scan.

bytes ─▶ Scanner ─Region▶ read_line ─LogLine▶ EventGrouper ─LogEvent▶ Matcher ─Match▶ Diagnoser ─▶ ScanResult
                                      └─────▶ ContextReader ──────────────────────────▲
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.automaton import Automaton
from logdoctor.context import ContextReader
from logdoctor.diagnose import Diagnoser
from logdoctor.errors import SourceError
from logdoctor.events import EventGrouper
from logdoctor.lines import read_line
from logdoctor.match import Matcher
from logdoctor.model import Answer, AnswerList, LocalText, LogEvent, Region, ScanResult, SourceSummary
from logdoctor.phrases import Phrase
from logdoctor.scan import Scanner

_CRASH = re.compile(r"Fatal Python error|[Ss]egmentation fault|Bus error|core dumped|terminate called after throwing|\*\*\* SIG[A-Z]{3,4} ")
_DELIBERATE = re.compile(r"(?:\w+\.)*(?:KeyboardInterrupt|SystemExit|GeneratorExit|StopIteration|StopAsyncIteration)\b")


class ScanOptions(NamedTuple):
    """What the user said about the scan.

    Attributes:
        frameworks: those that the run uses, whatever the log shows.
        config: the run's configuration by dotted key; outranks what the log prints.
        redact: whether secrets are masked in the result.
        min_confidence: diagnoses below are left out.
    """

    frameworks: tuple[str, ...] = ()
    config: Mapping[str, str] = MappingProxyType({})
    redact: bool = True
    min_confidence: float = 0.0


class Scan:
    """One run under examination: feed its sources one after the other, then ask for the result.

    Sources are told apart by name; their lines are judged together.
    """

    def __init__(self, automaton: Automaton, options: ScanOptions | None = None) -> None:
        self._automaton = automaton
        self._options = options or ScanOptions()
        self._context = ContextReader(automaton, self._options.frameworks, self._options.config)
        self._matcher = Matcher(automaton)
        self._diagnoser = Diagnoser(automaton.database, self._options.redact)
        self._sources: list[SourceSummary] = []

    def read(self, name: str, chunks: Iterable[bytes]) -> None:
        """Reads one source to its end; what keeps it from being read further is noted in its summary.

        A KeyboardInterrupt passes through after what was read has been taken.
        """
        scanner, grouper = Scanner(self._automaton), EventGrouper()
        problem: str | None = None
        is_between_chunks = True
        try:
            for chunk in chunks:
                is_between_chunks = False
                for region in scanner.feed(chunk):
                    self._take_region(name, region, grouper)
                is_between_chunks = True
        except SourceError as error:
            problem = error.what
        finally:
            if is_between_chunks:  # else the scan of a chunk was interrupted, and its rest is not judged
                for region in scanner.flush():
                    self._take_region(name, region, grouper)
            for event in grouper.flush():
                self._take_event(event)
            self._sources.append(SourceSummary(name, scanner.lines, scanner.bytes, problem))

    def note_unreadable(self, error: SourceError) -> None:
        """Takes note of a source that could not even be opened."""
        self._sources.append(SourceSummary(error.source, 0, 0, error.what))

    def result(self) -> ScanResult:
        """The verdict over everything read so far."""
        context = self._context.result()
        judgement = self._diagnoser.judge(context)
        unread = [_unread(each) for each in self._sources if each.problem]
        result = ScanResult(
            sources=tuple(self._sources),
            context=context,
            answer=judgement.answer,
            diagnoses=judgement.diagnoses,
            unknown_errors=judgement.unknown_errors,
            not_seen=(*judgement.not_seen, *unread, *(Phrase.FAULTY.fill(what=fault) for fault in self._matcher.faults)),
            signature_faults=self._matcher.faults,
            database=self._automaton.database.version,
            signatures=len(self._automaton.database.signatures),
        )
        return _confident(result, self._options.min_confidence)

    def _take_region(self, source: str, region: Region, grouper: EventGrouper) -> None:
        for raw in region.lines:
            line = read_line(source, raw, self._automaton.kinds(raw.anchors))
            self._context.feed(line)
            for event in grouper.feed(line):
                self._take_event(event)

    def _take_event(self, event: LogEvent) -> None:
        situation = self._context.situation(event)
        matches = self._matcher.match(event, self._context.frameworks)
        if matches:
            self._diagnoser.add_matches(matches, situation, len(self._sources))
        elif _is_error(event):
            self._diagnoser.add_unknown(event, situation, len(self._sources))


def scan_text(automaton: Automaton, text: str, options: ScanOptions | None = None) -> ScanResult:
    """Judges a text as if it were a log of its own."""
    scan = Scan(automaton, options)
    scan.read("<text>", [text.encode()])
    return scan.result()


def _unread(source: SourceSummary) -> LocalText:
    end = Phrase.TO_ITS_END.fill(lines=source.lines) if source.lines else LocalText("", "")
    english, chinese = (Phrase.UNREADABLE.fill(source=source.name, what=source.problem, end=text) for text in (end.en, end.zh))
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


def _confident(result: ScanResult, least: float) -> ScanResult:
    diagnoses = tuple(each for each in result.diagnoses if each.confidence >= least)
    left_out = len(result.diagnoses) - len(diagnoses)
    not_seen = (*result.not_seen, Phrase.LEFT_OUT.fill(count=left_out)) if left_out else result.not_seen
    answer = result.answer
    if answer and answer.kind is AnswerList.DIAGNOSES:
        chosen = result.diagnoses[answer.index]
        answer = Answer(answer.kind, diagnoses.index(chosen)) if chosen in diagnoses else None
    return result._replace(diagnoses=diagnoses, answer=answer, not_seen=not_seen)
