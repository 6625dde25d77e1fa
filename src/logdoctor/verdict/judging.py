"""Matches and unknown errors to the verdict: Diagnoser.

The law: roles decide before order, so that a cause outranks a wrapper or symptom wherever it
stands; among causes, `explains` edges, then order. What the run survived, what came after its end
and what is benign leave first place.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from logdoctor.context.clocks import Clocks
from logdoctor.context.metrics import Standing
from logdoctor.formats.exit_codes import explained_exits
from logdoctor.formats.markers import APPLICATIONS
from logdoctor.formats.torchrun_tables import said_first
from logdoctor.model import (
    HARMLESS,
    Answer,
    AnswerList,
    Course,
    Diagnosis,
    Evidence,
    LocalText,
    LogEvent,
    LogLine,
    Match,
    Role,
    RunContext,
    Severity,
    Sighting,
    Signature,
    SignatureDatabase,
    Situation,
    UnknownError,
    Verdict,
)
from logdoctor.signatures.nearest import Resemblance
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts import phrases
from logdoctor.texts.masking import fingerprint, printable, redacted_lines
from logdoctor.verdict.collectives import CollectiveReader
from logdoctor.verdict.confidence import CLASSES, evidence_class
from logdoctor.verdict.exception_chains import ChainReader
from logdoctor.verdict.groups import ErrorGroup, Occurrence, Room, shown_evidence
from logdoctor.verdict.not_seen import Gaps
from logdoctor.verdict.ranking import Suspect, choose_root, place_of, relate, silence_after_stop
from logdoctor.verdict.remedies import fill_both, judge_remedies
from logdoctor.verdict.survival import Survival

GROUPS_LIMIT = 2000
"""Different unknown errors that are kept apart; later ones are only counted with the last."""

COMPARED_ERRORS = 20
"""Unknown errors, first ones first, for which the nearest signatures are looked up."""

TITLE_LIMIT = 300
"""Characters of an unknown error's title."""

_VERDICT_ORDER = (
    Verdict.ROOT_CAUSE,
    Verdict.INDEPENDENT,
    Verdict.CONSEQUENCE,
    Verdict.RECOVERED,
    Verdict.TEARDOWN,
    Verdict.BENIGN,
)


HARMLESS_KEPT = 300
"""Lines of events that are kept of each warning and each harmless message, whose writers hardly
differ in what became of them.
"""


class Judgement(NamedTuple):
    """The verdict over a scan."""

    diagnoses: tuple[Diagnosis, ...]
    unknown_errors: tuple[UnknownError, ...]
    answer: Answer | None
    not_seen: tuple[LocalText, ...]


class Diagnoser:
    """Takes what was found in all sources, then judges it."""

    def __init__(
        self,
        database: SignatureDatabase,
        redact: bool,
        read: Callable[[Match], Match],
        own_numbers: OwnNumbers,
    ) -> None:
        """`redact` says whether secrets in evidence and captures are masked; `read` gives what a
        match left unread; `own_numbers` are those of lines that are shown.
        """
        self._own_numbers = own_numbers
        self.database = database
        self.redact = redact
        self._read = read
        self._known: dict[str, ErrorGroup] = {}
        self._unknown: dict[str, ErrorGroup] = {}
        self._latest: dict[str, int] = {}  # by source, the last line of what was taken
        self._room = Room()
        self._survival = Survival()
        self._chains = ChainReader()
        self._collectives = CollectiveReader()
        self._compared: set[str] = set()  # signatures whose events report of collectives
        self._is_crowded = False
        self._gaps = Gaps()

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return len(self._known) + len(self._unknown)

    def add_matches(
        self, matches: Iterable[Match], situation: Situation, source_index: int
    ) -> None:
        """Takes the matches of one event."""
        for match in matches:
            self._note_latest(match.event)
            signature = self._signature(match.signature_id)
            matters = (
                signature.role not in (Role.BENIGN, Role.TEARDOWN)
                and signature.severity is not Severity.WARNING
            )
            group = self._known.get(match.signature_id)
            if group is None:
                group = self._known[match.signature_id] = ErrorGroup(
                    match.signature_id, self._room if matters else Room(HARMLESS_KEPT)
                )
            self._gaps.feed(match.event)
            self._chains.feed(
                match.event, source_index, is_known_cause=signature.role is Role.CAUSE
            )
            if self._collectives.feed_event(match.event.lines):
                self._compared.add(signature.refines or signature.id)
            told = self._read(match) if group.keeps(match.line) else match
            occurrence = self._occurrence(match.event, match.line, situation, source_index, told)
            group.add(match.event, occurrence, self._clean_lines)
            if matters:
                self._survival.note(occurrence, signature.role)

    def add_unknown(self, event: LogEvent, situation: Situation, source_index: int) -> None:
        """Takes an event that no signature recognised and that is an error all the same."""
        self._note_latest(event)
        key = _fingerprint(event)
        if key not in self._unknown and len(self._unknown) >= GROUPS_LIMIT:
            key = next(reversed(self._unknown))
            self._is_crowded = True
        group = self._unknown.get(key)
        if group is None:
            group = self._unknown[key] = ErrorGroup(
                self._clean(event.headline)[:TITLE_LIMIT], self._room
            )
        self._gaps.feed(event)
        self._chains.feed(event, source_index, is_known_cause=False)
        occurrence = self._occurrence(event, event.line, situation, source_index, None)
        group.add(event, occurrence, self._clean_lines)
        self._survival.note(occurrence, Role.CAUSE)

    def _note_latest(self, event: LogEvent) -> None:
        self._latest[event.line.source] = max(
            event.lines[-1].number, self._latest.get(event.line.source, 0)
        )

    def _occurrence(
        self,
        event: LogEvent,
        line: LogLine,
        situation: Situation,
        source_index: int,
        match: Match | None,
    ) -> Occurrence:
        era, run = (
            self._survival.era(line.source, line.number),
            self._survival.run(line.source, line.number),
        )
        return Occurrence((source_index, line.number), event, line, situation, match, era, run)

    def note_rerun(self, source: str, number: int) -> None:
        """Takes a line with which a source seems to go on with another run."""
        self._survival.note_rerun(source, number)

    def note_unrest(self, event: LogEvent) -> None:
        """Takes an event that complains of something, but is no error."""
        self._survival.note_unrest(event.line.source, event.line.number)

    def judge(
        self,
        context: RunContext,
        standing: Iterable[Standing] = (),
        notes: Iterable[LocalText] = (),
        least: float = 0.0,
    ) -> Judgement:
        """The verdict over everything taken so far, and the numbers that are out of order now.

        `notes` are to be said beside it; diagnoses with less than the `least` confidence are left
        out.
        """
        config = {key: tuple(map(self._clean, values)) for key, values in context.config.items()}
        context = context._replace(
            config=config, courses={**context.courses, **self._last_courses(context)}
        )
        suspects = [
            *self._known_suspects(context),
            *self._unknown_suspects(context),
            *(self._number_suspect(each, context) for each in standing),
        ]
        silence_after_stop(suspects, context)
        clocks = Clocks(context.courses)
        root = choose_root(suspects, clocks)
        if root is None:
            said_last = list(self._said_last(context))
            silence_after_stop(said_last, context)
            root = choose_root(said_last, clocks)
            suspects += [each for each in said_last if root]
        for suspect in suspects:
            if root and suspect is not root and suspect.verdict not in HARMLESS:
                relate(suspect, root, clocks)
        if root:
            root.verdict = Verdict.ROOT_CAUSE
        suspects.sort(key=lambda each: (_VERDICT_ORDER.index(each.verdict), each.rank))
        all_known = [each for each in suspects if each.signature]
        known = [each for each in all_known if CLASSES[self._grounds(each, context)] >= least]
        unknown = [each for each in suspects if not each.signature]
        resemblance = Resemblance(self.database)
        answer = None
        if root:
            kind, members = (
                (AnswerList.DIAGNOSES, known)
                if root.signature
                else (AnswerList.UNKNOWN_ERRORS, unknown)
            )
            answer = Answer(kind, members.index(root)) if root in members else None
        return Judgement(
            tuple(self._diagnosis(each, context) for each in known),
            tuple(
                self._unknown_error(each, resemblance if number < COMPARED_ERRORS else None)
                for number, each in enumerate(unknown)
            ),
            answer,
            (
                *self._not_seen(root, context),
                *notes,
                *self._left_out(len(all_known) - len(known)),
            ),
        )

    def _clean(self, text: str) -> str:
        return self._clean_lines([text])[0]

    def _clean_lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(printable(line) for line in (redacted_lines(lines) if self.redact else lines))

    def _last_courses(self, context: RunContext) -> dict[str, Course]:
        """Courses of sources with several runs, without the ends and stops of the earlier ones."""
        last = {
            source: (context.courses.get(source, Course()), first)
            for source, (_, first) in self._survival.last_runs(context.courses).items()
        }
        return {
            source: course._replace(
                end=course.end if course.end and course.end >= first else None,
                stop=course.stop if course.stop and course.stop >= first else None,
            )
            for source, (course, first) in last.items()
        }

    def _not_seen(self, root: Suspect | None, context: RunContext) -> Iterable[LocalText]:
        for source, (count, first) in self._survival.last_runs(context.courses).items():
            yield phrases.SEVERAL_RUNS.fill(
                source=self._clean(source),
                count=count,
                line=f"{self._own_numbers.of(source, first):,}",
            )
        yield from self._gaps.told(root, context, self._clean)
        if self._is_crowded:
            yield phrases.CROWDED.fill(count=GROUPS_LIMIT)

    def _left_out(self, count: int) -> Iterable[LocalText]:
        if count:
            yield phrases.LEFT_OUT.fill(count=count)

    def _known_suspects(self, context: RunContext) -> list[Suspect]:
        groups: dict[str, ErrorGroup] = {}
        for signature_id, group in self._known.items():
            general_id = self._signature(signature_id).refines or signature_id
            groups[general_id] = groups[general_id].merged(group) if general_id in groups else group
        return [
            self._suspect(group, self._refined(general_id, context), context)
            for general_id, group in groups.items()
        ]

    def _unknown_suspects(self, context: RunContext) -> list[Suspect]:
        return [self._suspect(group, None, context) for group in self._unknown.values()]

    def _said_last(self, context: RunContext) -> Iterable[Suspect]:
        """What the sources end with, where nobody has looked at it yet."""
        for index, (source, course) in enumerate(context.courses.items()):
            event = course.last_words
            if event is not None and event.line.number > self._latest.get(source, 0):
                occurrence = self._occurrence(event, event.line, Situation(None, 0), index, None)
                group = ErrorGroup(self._clean(event.headline)[:TITLE_LIMIT])
                group.add(event, occurrence, self._clean_lines)
                yield self._suspect(group, None, context)

    def _suspect(
        self, group: ErrorGroup, signature: Signature | None, context: RunContext
    ) -> Suspect:
        shown, survived = group.shown(lambda each: self._survival.verdict(each, signature, context))
        shown = shown._replace(match=shown.match and self._read(shown.match))
        if survived is Verdict.RECOVERED and signature and signature.severity is Severity.WARNING:
            survived = None  # a warning is about a run that goes on
        verdict = survived or Verdict.INDEPENDENT
        if signature:
            verdict = {Role.BENIGN: Verdict.BENIGN, Role.TEARDOWN: Verdict.TEARDOWN}.get(
                signature.role, verdict
            )
        place = place_of(
            signature,
            shown,
            is_at_home=signature is None or _is_at_home(signature, context),
            is_handled=self._chains.is_handled(shown.event, shown.order[0]),
            is_probe=self._chains.is_probe(shown.event, shown.order[0]),
            is_passed_on=self._chains.is_passed_on(shown.event, shown.order[0]),
        )
        return Suspect(group, shown, signature, verdict, place)

    def _number_suspect(self, standing: Standing, context: RunContext) -> Suspect:
        """What stands at the end was not survived, however many steps were made with it."""
        match, signature = standing.match, self._refined(standing.match.signature_id, context)
        occurrence = Occurrence(
            (standing.source_number, match.line.number),
            match.event,
            match.line,
            Situation(None, 0),
            match,
            0,
        )
        group = ErrorGroup(signature.id)
        group.add(match.event, occurrence, self._clean_lines)
        group.occurrences = standing.steps
        place = place_of(
            signature,
            occurrence,
            is_at_home=_is_at_home(signature, context),
            is_handled=False,
            is_passed_on=False,
            is_probe=False,
        )
        return Suspect(group, occurrence, signature, Verdict.INDEPENDENT, place)

    def _refined(self, general_id: str, context: RunContext) -> Signature:
        for framework in context.frameworks:
            for signature in self.database.refinements(general_id):
                if framework in signature.frameworks:
                    return signature
        return self._signature(general_id)

    def _signature(self, signature_id: str) -> Signature:
        signature = self.database.find(signature_id)
        assert signature is not None  # ids come from the database's own matches
        return signature

    def _diagnosis(self, suspect: Suspect, context: RunContext) -> Diagnosis:
        signature, match = suspect.signature, suspect.shown.match
        assert signature is not None  # known suspects have both
        assert match is not None
        captures = {name: self._clean(value) for name, value in match.captures.items()}
        phase, _, told_by = suspect.shown.situation
        grounds = self._grounds(suspect, context)
        return Diagnosis(
            signature=signature,
            title=fill_both(signature.title, captures),
            verdict=suspect.verdict,
            confidence=CLASSES[grounds],
            grounds=grounds,
            kind=match.kind,
            score=match.score,
            captures=captures,
            phase=phase,
            phase_told_by=told_by and self._clean(told_by),
            cause=self._cause(suspect, signature, fill_both(signature.cause, captures), context),
            remedies=judge_remedies(signature.remedies, context, phase, captures),
            occurrences=suspect.group.occurrences,
            lanes=max(1, len(suspect.group.lanes)),
            ranks=tuple(sorted(suspect.group.ranks)),
            explained_by=suspect.explained_by,
            evidence=self._evidence(suspect),
            spots=self._spots(suspect),
            sightings=self._sightings(suspect),
        )

    def _grounds(self, suspect: Suspect, context: RunContext) -> str:
        """The class of evidence of a known suspect."""
        signature, match = suspect.signature, suspect.shown.match
        assert signature is not None  # known suspects have both
        assert match is not None
        is_at_home = _is_at_home(signature, context)
        return evidence_class(signature, match.kind, match.weight, is_at_home=is_at_home)

    def _evidence(self, suspect: Suspect) -> tuple[Evidence, ...]:
        return tuple(
            shown_evidence(each, self._own_numbers)
            for each in suspect.group.evidence_from(suspect.shown, self._clean_lines)
        )

    def _spots(self, suspect: Suspect) -> tuple[int, ...]:
        source = suspect.shown.line.source
        spots = suspect.group.spots.get(source, ())
        return tuple(sorted(self._own_numbers.of(source, each) for each in spots))

    def _sightings(self, suspect: Suspect) -> tuple[Sighting, ...]:
        return tuple(
            each._replace(line=self._own_numbers.of(each.source, each.line))
            for each in suspect.group.sightings
        )

    def _cause(
        self, suspect: Suspect, signature: Signature, cause: LocalText, context: RunContext
    ) -> LocalText:
        """The signature's own text, with what the ranks' reports and the exit codes of this very
        failure add to it.
        """
        added = (
            [self._collectives.finding(context.world_size)]
            if (signature.refines or signature.id) in self._compared
            else []
        )
        added.append(suspect.group.failed)
        if suspect.verdict is Verdict.ROOT_CAUSE:
            first, _ = said_first(suspect.shown.event)
            said = (
                f"exitcode: {first.exitcode}"
                if first
                else "\n".join(line.text for line in suspect.shown.event.lines)
            )
            added += explained_exits(said, cause.en)
        told = [each for each in added if each]
        return LocalText(
            " ".join([cause.en, *(each.en for each in told)]),
            "".join([cause.zh, *(each.zh for each in told)]),
        )

    def _unknown_error(self, suspect: Suspect, resemblance: Resemblance | None) -> UnknownError:
        # most errors are known
        from logdoctor.verdict.next_steps import next_steps  # noqa: PLC0415

        event = suspect.shown.event
        return UnknownError(
            fingerprint=_fingerprint(event),
            title=suspect.group.title,
            verdict=suspect.verdict,
            occurrences=suspect.group.occurrences,
            lanes=max(1, len(suspect.group.lanes)),
            explained_by=suspect.explained_by,
            evidence=self._evidence(suspect),
            nearest=resemblance.nearest(event.message) if resemblance else (),
            next_steps=tuple(
                LocalText(self._clean(each.en), self._clean(each.zh)) for each in next_steps(event)
            ),
            ranks=tuple(sorted(suspect.group.ranks)),
            spots=self._spots(suspect),
            sightings=self._sightings(suspect),
        )


def _is_at_home(signature: Signature, context: RunContext) -> bool:
    """Whether a signature belongs to the run's frameworks, as far as the application is known."""
    applications = set(context.frameworks) & set(APPLICATIONS)
    return (
        not signature.frameworks
        or not applications
        or bool(set(signature.frameworks) & set(context.frameworks))
    )


def _fingerprint(event: LogEvent) -> str:
    message = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return fingerprint(
        event.exception, message, _frame_name(event.frames[-1]) if event.frames else None
    )


def _frame_name(frame: str) -> str:
    """`file.py:function` of a frame's text."""
    path, _, rest = frame.partition('", line ')
    return path.rsplit("/", 1)[-1] + ":" + rest.partition(", in ")[2].split(" ", 1)[0]
