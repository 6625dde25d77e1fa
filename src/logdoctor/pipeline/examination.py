"""Lines and events to the verdict: Examination, the half of the pipeline that only runs where
something lights up. It knows no bytes.

LogEvent ─▶ Recogniser ─Match▶ Diagnoser ─▶ ScanResult
LogLine ─▶ ContextReader ───────▲
"""

from __future__ import annotations

from collections.abc import Iterable

from logdoctor.context.metric_state import Streak
from logdoctor.context.metrics import MetricReader
from logdoctor.context.reader import ContextReader
from logdoctor.events.appended_runs import Rerun
from logdoctor.events.dividing import divided, places_to_divide
from logdoctor.events.errors_by_form import is_error
from logdoctor.events.source_reader import Told
from logdoctor.formats.unsaid import is_source_code
from logdoctor.matching.matcher import Matcher
from logdoctor.matching.recognition import Recogniser, shape_of
from logdoctor.model import (
    AnchorKind,
    Diagnosis,
    LocalText,
    LogEvent,
    Match,
    MatchKind,
    Place,
    Progress,
    Role,
    RunContext,
    ScanOptions,
    ScanResult,
    Series,
    SignatureDatabase,
    SourceSummary,
)
from logdoctor.search.automaton import Automaton
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.judging import Diagnoser


class Examination:
    """Takes what the sources of one run tell, each in its order."""

    def __init__(self, automaton: Automaton, options: ScanOptions, own_numbers: OwnNumbers) -> None:
        self._automaton, self._options = automaton, options
        self._context = ContextReader(
            automaton, options.frameworks, options.config, own_numbers, options.config_places
        )
        self._matcher = Matcher(automaton)
        self._recogniser = Recogniser(self._matcher)
        self._diagnoser = Diagnoser(
            automaton.database,
            options.redact,
            self._recogniser.read,
            self._context.histories,
            own_numbers,
        )
        self._metrics = MetricReader(automaton.database, takes_all=options.wants_series)

    def go_on_from(self, streaks: Iterable[Streak]) -> None:
        """Takes how metrics stood when an earlier call ended."""
        self._metrics.go_on_from(streaks)

    @property
    def streaks(self) -> tuple[Streak, ...]:
        """How metrics stand."""
        return self._metrics.streaks

    def hear(self, source_number: int, told: Told) -> None:
        """Takes the next line that tells about the run, or the next event, of the source of that
        number, from 0.
        """
        if isinstance(told, LogEvent):
            self._take_event(told, source_number)
        elif isinstance(told, Rerun):
            self._diagnoser.note_rerun(told.source, told.number)
        elif self._context.feed(told):
            last = self._context.last_progress
            step = last.step if last and last.source == told.source else None
            has_own = step is not None and last is not None and last.line == told.number
            self._metrics.feed(told, source_number, step, has_own_step=has_own)

    def end_source(self, source: str, lines: int, tail: bytes) -> None:
        """Takes note that a source has ended: how many lines it has, and its last bytes."""
        self._context.end_source(source, lines, tail)

    def forked(self) -> Examination:
        """An examination that goes on from here, without any effect on this one."""
        from logdoctor.pipeline.forking import forked  # noqa: PLC0415  # for logs that grow

        shared = (Automaton, SignatureDatabase, Matcher, Recogniser, OwnNumbers)
        return forked(self, shared)

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return self._diagnoser.different + self._metrics.changes

    @property
    def last_progress(self) -> Progress | None:
        """The last step reported so far."""
        return self._context.last_progress

    @property
    def good_end(self) -> Place | None:
        """The first line that says that the run ended well, where no step follows it."""
        return self._context.good_end

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

    def result(self, sources: tuple[SourceSummary, ...], notes: Iterable[LocalText]) -> ScanResult:
        """The verdict over everything taken so far; `notes` are what is to be said of the sources
        themselves.
        """
        context = self._context.result()
        faults = self._matcher.faults
        notes = (*(phrases.FAULTY.fill(what=fault) for fault in faults), *notes)
        judgement = self._diagnoser.judge(
            context,
            tuple(self._metrics.standing()),
            notes,
            self._options.min_confidence,
            self._options.ignored,
        )
        if judgement.root:
            last = self._context.progress_until(*judgement.root)
            context = context._replace(last_progress=last)
        database = self._automaton.database
        return ScanResult(
            sources=sources,
            context=context,
            answer=judgement.answer,
            diagnoses=judgement.diagnoses,
            unknown_errors=judgement.unknown_errors,
            not_seen=judgement.not_seen,
            signature_faults=faults,
            database=database.version,
            signatures=len(database.signatures),
            series=self._series(judgement.diagnoses),
        )

    def _series(self, diagnoses: Iterable[Diagnosis]) -> tuple[Series, ...]:
        """The course of all metrics that are kept, or of those that diagnoses are about."""
        if self._options.wants_series or self._options.keeps_series:
            return self._metrics.series.series()
        return self._metrics.series.series(
            (each.evidence[0].source, each.captures["metric"])
            for each in diagnoses
            if each.signature.metrics and "metric" in each.captures
        )

    def _take_event(self, event: LogEvent, source_number: int) -> None:
        if (
            not event.is_traceback
            and not event.line.is_record
            and is_source_code(event.line.text.strip())
        ):
            return
        shape = shape_of(event)
        matches = self._recogniser.recognise(event, shape)
        if matches:
            parts = self._parts(event, matches[0])
            if parts:
                for part in parts:
                    self._take_event(part, source_number)
                return
        situation = self._context.situation(event, shape)
        if event.is_ignored:
            matches = tuple(each for each in matches if self._is_benign(each))
        if matches:
            self._diagnoser.add_matches(matches, situation, source_number)
        elif not event.is_ignored and is_error(event):
            self._diagnoser.add_unknown(event, situation, source_number)
        elif AnchorKind.ERROR in event.line.kinds and event.level not in ("info", "debug"):
            self._diagnoser.note_unrest(event)

    def _parts(self, event: LogEvent, match: Match) -> tuple[LogEvent, LogEvent] | None:
        """An event as two, where each is recognised by itself, and one of them as what the whole
        was recognised as, with all its captures: what one is lost with belongs to it.
        """
        for place in places_to_divide(event):
            parts = divided(event, place)
            found = {each.signature_id: each for part in parts for each in self._exact(part)}
            own = found.get(match.signature_id)
            if own and len(found) == len(parts) and match.captures.keys() <= own.captures.keys():
                return parts
        return None

    def _exact(self, event: LogEvent) -> tuple[Match, ...]:
        """The best match of an event, where it is one to the letter."""
        found = self._recogniser.recognise(event, shape_of(event))[:1]
        return found if found and found[0].kind is MatchKind.EXACT else ()

    def _is_benign(self, match: Match) -> bool:
        signature = self._automaton.database.find(match.signature_id)
        return signature is not None and signature.role is Role.BENIGN
