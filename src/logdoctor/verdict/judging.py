"""Matches and unknown errors to the verdict: Diagnoser.

The law: roles decide before order, so that a cause outranks a wrapper or symptom wherever it
stands; among causes, `explains` edges, then order. What the run survived, what came after its end
and what is benign leave first place.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from logdoctor.context.complaints import complains, complaint_above
from logdoctor.context.metrics import Standing
from logdoctor.events.errors_by_form import is_error, is_report
from logdoctor.formats.exit_codes import is_failed_exit
from logdoctor.formats.setting_effects import settings_shown
from logdoctor.matching.rivals import chosen
from logdoctor.model import (
    Answer,
    AnswerList,
    Diagnosis,
    LocalText,
    LogEvent,
    LogLine,
    Match,
    Role,
    RunContext,
    Severity,
    Signature,
    SignatureDatabase,
    Situation,
    UnknownError,
    Verdict,
)
from logdoctor.model.history import Failed, Histories, Remark, Said
from logdoctor.sources.newest_first import OwnNumbers
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.collectives import CollectiveReader, Comparison
from logdoctor.verdict.confidence import CLASSES
from logdoctor.verdict.exception_chains import ChainReader
from logdoctor.verdict.failure import Case, Failure, kind_of, main_programs
from logdoctor.verdict.groups import ErrorGroup, Occurrence, Room
from logdoctor.verdict.not_seen import NotSeen
from logdoctor.verdict.one_host import only_host
from logdoctor.verdict.presenting import Cleaning, Presenter, fingerprint_of, grounds_of
from logdoctor.verdict.proof import Line, Priority
from logdoctor.verdict.ranking import choose
from logdoctor.verdict.reasons import reason_of, symptom_with_reason
from logdoctor.verdict.rules import registry
from logdoctor.verdict.rules.registry import decide

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
    """The verdict over a scan; `root` is the line that proves the root cause."""

    diagnoses: tuple[Diagnosis, ...]
    unknown_errors: tuple[UnknownError, ...]
    answer: Answer | None
    not_seen: tuple[LocalText, ...]
    root: Line | None = None


class Diagnoser:
    """Takes what was found in all sources, then judges it."""

    def __init__(
        self,
        database: SignatureDatabase,
        redact: bool,
        read: Callable[[Match], Match],
        histories: Histories,
        own_numbers: OwnNumbers,
    ) -> None:
        """`redact` says whether secrets in evidence and captures are masked; `read` gives what a
        match left unread; `histories` say what else happened, and are noted on; `own_numbers` are
        those of lines that are shown.
        """
        self._own_numbers = own_numbers
        self.database = database
        self._cleaning = Cleaning(redact=redact)
        self._read = read
        self._known: dict[tuple[str, ...], ErrorGroup] = {}  # by the ids of all rivals
        self._unknown: dict[str, ErrorGroup] = {}
        self._histories = histories
        self._room = Room()
        self._chains = ChainReader()
        self._collectives = CollectiveReader()
        self._compared: set[str] = set()  # signatures whose events report of collectives
        # settings that events show to be in force: their values and where
        self._shown: dict[tuple[str, str], tuple[str, Line]] = {}  # by source and key
        self._is_crowded = False
        self._not_seen = NotSeen(histories, own_numbers.of)

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return len(self._known) + len(self._unknown)

    def add_matches(
        self, matches: Sequence[Match], situation: Situation, source_index: int
    ) -> None:
        """Takes what one event may be taken for (at least one), the best first."""
        if any(self._signature(each.signature_id).frameworks for each in matches):
            self._add(matches, situation, source_index)
        else:
            for match in matches:
                self._add([match], situation, source_index)

    def _add(self, rivals: Sequence[Match], situation: Situation, source_index: int) -> None:
        """Takes an event that is recognised as one of these signatures: as which, is found when
        the run's frameworks are known. Until then it counts as any of them.
        """
        signatures = [self._signature(each.signature_id) for each in rivals]
        matters = any(map(_does_harm, signatures))
        key, first = tuple(each.signature_id for each in rivals), rivals[0]
        group = self._known.get(key)
        if group is None:
            room = self._room if matters else Room(HARMLESS_KEPT)
            group = self._known[key] = ErrorGroup(first.signature_id, room)
        event = first.event
        self._not_seen.feed(event)
        is_cause = any(each.role is Role.CAUSE for each in signatures)
        self._chains.feed(event, source_index, is_known_cause=is_cause)
        if self._collectives.feed_event(event.lines):
            self._compared.update(each.refines or each.id for each in signatures)
        if matters:
            self._note_copies(event, group)
        told = [self._read(each) for each in rivals] if group.keeps(first.line) else rivals
        occurrence = self._occurrence(event, first.line, situation, source_index, told[0])
        if len(rivals) > 1 or signatures[0].frameworks:
            occurrence = occurrence._replace(rivals=tuple(told))
        group.add(event, occurrence, self._cleaning.lines)
        self._note_recognised(event)
        if matters:
            is_effect = all(each.role in (Role.WRAPPER, Role.SYMPTOM) for each in signatures)
            self._note_failure(occurrence, is_effect=is_effect)

    def add_unknown(self, event: LogEvent, situation: Situation, source_index: int) -> None:
        """Takes an event that no signature recognised and that is an error all the same."""
        key = fingerprint_of(event)
        if key not in self._unknown and len(self._unknown) >= GROUPS_LIMIT:
            key = next(reversed(self._unknown))
            self._is_crowded = True
        group = self._unknown.get(key)
        if group is None:
            group = self._unknown[key] = ErrorGroup(
                self._cleaning.text(event.headline)[:TITLE_LIMIT], self._room
            )
        self._not_seen.feed(event)
        self._chains.feed(event, source_index, is_known_cause=False)
        self._note_copies(event, group)
        occurrence = self._occurrence(event, event.line, situation, source_index, None)
        group.add(event, occurrence, self._cleaning.lines)
        self._note_recognised(event)
        self._note_failure(occurrence, is_effect=is_report(event))

    def _note_recognised(self, event: LogEvent) -> None:
        for key, value in settings_shown(event).items():
            line = Line(event.line.source, event.line.number)
            self._shown.setdefault((line.source, key), (value, line))
        self._histories[event.line.source].note(Said(event.lines[-1].number, Remark.RECOGNISED))

    def _note_copies(self, event: LogEvent, group: ErrorGroup) -> None:
        """Notes where copies of it stand that were only counted: it was not quiet there."""
        line = event.lines[0]
        if line.left_out:
            group.note_copies(line)
            self._histories[line.source].note(Said(line.number - 1, Remark.UNREST))

    def _note_failure(self, occurrence: Occurrence, *, is_effect: bool) -> None:
        line, programs = occurrence.line, main_programs(occurrence.event)
        is_exit = is_effect and is_failed_exit(line.text)
        self._histories[line.source].note(
            Failed(line.number, line.stream, kind_of(occurrence), is_effect, programs, is_exit)
        )

    def _occurrence(
        self,
        event: LogEvent,
        line: LogLine,
        situation: Situation,
        source_index: int,
        match: Match | None,
    ) -> Occurrence:
        history, number = self._histories[line.source], line.number
        era, run = history.era(number), history.run_of(number)
        return Occurrence((source_index, number), event, line, situation, match, era, run)

    def note_rerun(self, source: str, number: int) -> None:
        """Takes a line with which a source seems to go on with another run."""
        self._histories[source].note(Said(number, Remark.RERUN))

    def note_unrest(self, event: LogEvent) -> None:
        """Takes an event that complains of something, but is no error."""
        self._histories[event.line.source].note(Said(event.line.number, Remark.UNREST))

    def judge(
        self,
        context: RunContext,
        standing: Iterable[Standing] = (),
        notes: Iterable[LocalText] = (),
        least: float = 0.0,
        ignored: Collection[str] = (),
    ) -> Judgement:
        """The verdict over everything taken so far, and the numbers that are out of order now.

        `notes` are to be said beside it; diagnoses with less than the `least` confidence are left
        out, and what is `ignored` decides nothing.
        """
        clean = self._cleaning.text
        config = {key: tuple(map(clean, values)) for key, values in context.config.items()}
        context = context._replace(config=config)
        case = Case(self._histories, context, self._chains)
        failures, hidden = _parted(
            [
                *self._failures(case, context),
                *(self._number_failure(each, case, context) for each in standing),
            ],
            ignored,
        )
        case.seen, case.shown = self._seen(failures), self._shown
        root = _found_root(failures, case)
        if root and _is_felt_before(root, failures):
            root = _found_root(failures, case)
        said, unwanted = _parted(self._said(root, failures, case), ignored)
        if said and (found := _found_root([*failures, *said] if root else said, case)):
            failures, root = [*failures, *said], found
        for failure in failures:
            if root and failure is not root and not failure.is_harmless:
                _set_beside(failure, root)
        failures.sort(key=lambda each: (_VERDICT_ORDER.index(each.verdict), each.rank))
        sure = [each for each in failures if not each.signature or _weight(each) >= least]
        untold = len(hidden) + len(unwanted)
        missing = [*notes, *_left_out(len(failures) - len(sure)), *_ignored(untold)]
        return self._judgement(sure, root, context, missing)

    def _judgement(
        self,
        failures: Sequence[Failure],
        root: Failure | None,
        context: RunContext,
        missing: Iterable[LocalText],
    ) -> Judgement:
        presenter = Presenter(
            self.database,
            self._own_numbers,
            self._cleaning,
            context,
            compared=lambda signature: self._reported_by_ranks(signature, context),
            only_host=lambda failure: _only_host(failure, failures),
        )
        known = [each for each in failures if each.signature]
        unknown = [each for each in failures if not each.signature]
        answer = None
        if root:
            kind, members = (
                (AnswerList.DIAGNOSES, known)
                if root.signature
                else (AnswerList.UNKNOWN_ERRORS, unknown)
            )
            answer = Answer(kind, members.index(root)) if root in members else None
        return Judgement(
            tuple(map(presenter.diagnosis, known)),
            tuple(
                presenter.unknown_error(each, is_compared=number < COMPARED_ERRORS)
                for number, each in enumerate(unknown)
            ),
            answer,
            (*self._told_missing(root, context), *missing),
            root.at if root else None,
        )

    def _reported_by_ranks(self, signature: Signature, context: RunContext) -> Comparison | None:
        """What the reports of ranks show side by side, where it is known by these."""
        is_by_ranks = (signature.refines or signature.id) in self._compared
        return self._collectives.comparison(context.world_size) if is_by_ranks else None

    def _told_missing(self, root: Failure | None, context: RunContext) -> Iterable[LocalText]:
        for history in self._histories.values():
            if history.last_runs:
                count, first = history.last_runs
                line = self._own_numbers.of(history.name, first)
                yield phrases.SEVERAL_RUNS.fill(
                    source=self._cleaning.text(history.name), count=count, line=f"{line:,}"
                )
        yield from self._not_seen.told(root, context, self._cleaning.text)
        if self._is_crowded:
            yield phrases.CROWDED.fill(count=GROUPS_LIMIT)

    def _failures(self, case: Case, context: RunContext) -> list[Failure]:
        """Those that signatures know first."""
        known: dict[str, ErrorGroup] = {}
        unknown = dict(self._unknown)
        for group in self._known.values():
            for signature_id, decided in self._decided(group, context):
                if signature_id is None:
                    _join(unknown, fingerprint_of(decided.first.event), decided)
                else:
                    general_id = self._signature(signature_id).refines or signature_id
                    _join(known, general_id, decided)
        return [
            *(
                self._failure(group, self._refined(general_id, context), case)
                for general_id, group in known.items()
            ),
            *(self._failure(group, None, case) for group in unknown.values()),
        ]

    def _decided(
        self, group: ErrorGroup, context: RunContext
    ) -> Iterable[tuple[str | None, ErrorGroup]]:
        """The group by each signature that it is of in a run of these frameworks; by None where
        it is an error that none of them knows.
        """
        first = group.first
        if not first.rivals:
            return [(group.title, group)]
        found = [(self._signature(each.signature_id), each) for each in first.rivals]
        held = chosen(found, context.frameworks, group.packages)
        if held:
            return [(each.id, group.taken_for(each.id, each.id)) for each, _ in held]
        title = self._cleaning.text(first.event.headline)[:TITLE_LIMIT]
        return [(None, group.taken_for(title, None))] if is_error(first.event) else []

    def _said(
        self, root: Failure | None, failures: Sequence[Failure], case: Case
    ) -> Iterable[Failure]:
        """What sources say of themselves without the form of an error, where nothing else tells
        why.
        """
        if root is None:
            return self._said_last(case)
        why = reason_of(root, failures) if root.is_bare_code else None
        if why:
            _settle_codes(failures, case, why.line)
            return [self._of_line(why, root)]
        return self._said_above(root, failures) if root.is_told_by_others else ()

    def _said_last(self, case: Case) -> Iterable[Failure]:
        """What the sources end with, where nobody has looked at it yet. What only says that
        something failed, and is no error by its form, the others of the run may have outlived.
        """
        histories = list(self._histories.values())
        for index, history in enumerate(histories):
            event = history.last_words
            if not event or not (history.waits or event.line.number > history.recognised):
                continue
            others = (each for each in histories if each is not history)
            is_error = history.waits > 0 or complains(event.line)
            if is_error or not any(each.steps or each.good_end for each in others):
                occurrence = self._occurrence(event, event.line, Situation(None, 0), index, None)
                yield self._complaint(occurrence, case, max(1, history.waits))

    def _said_above(self, told: Failure, failures: Iterable[Failure]) -> Iterable[Failure]:
        """What the one that ended said right above the line of the one that waited for it."""
        event = complaint_above(told.event)
        if event is None or any(each.has_line(event.line) for each in failures):
            return
        yield self._of_line(event, told)

    def _of_line(self, event: LogEvent, told: Failure) -> Failure:
        """A line as the reason of a failure."""
        source, situation = event.line.source, told.occurrence.situation
        index = (
            told.occurrence.order[0]
            if source == told.history.name
            else list(self._histories).index(source)
        )
        occurrence = self._occurrence(event, event.line, situation, index, None)
        return self._complaint(occurrence, told.case, 1)

    def _complaint(self, occurrence: Occurrence, case: Case, times: int) -> Failure:
        event = occurrence.event
        group = ErrorGroup(self._cleaning.text(event.headline)[:TITLE_LIMIT])
        group.add(event, occurrence, self._cleaning.lines)
        group.occurrences = times
        return self._failure(group, None, case)

    def _failure(self, group: ErrorGroup, signature: Signature | None, case: Case) -> Failure:
        shown, why = group.shown(
            lambda each: decide(registry.OUTLIVED, Failure(each, signature, case, group))
        )
        shown = shown._replace(
            match=shown.match and self._read(shown.match),
            beside=tuple(self._read(each) for each in group.beside(shown)),
        )
        failure = Failure(shown, signature, case, group)
        if why and why.proves is Verdict.RECOVERED and failure.is_warning:
            why = None  # a warning is about a run that goes on
        failure.settle(decide(registry.ROLES, failure) or why)
        failure.settle(decide(registry.PRIORITIES, failure))
        return failure

    def _number_failure(self, standing: Standing, case: Case, context: RunContext) -> Failure:
        """What stands at the end was not survived, however many steps were made with it."""
        match, signature = standing.match, self._refined(standing.match.signature_id, context)
        order, situation = (standing.source_number, match.line.number), Situation(None, 0)
        occurrence = Occurrence(order, match.event, match.line, situation, match)
        group = ErrorGroup(signature.id)
        group.add(match.event, occurrence, self._cleaning.lines)
        group.occurrences = standing.steps
        failure = Failure(occurrence, signature, case, group)
        failure.settle(decide(registry.PRIORITIES, failure))
        return failure

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

    def _seen(self, failures: Iterable[Failure]) -> dict[str, Line]:
        """Where each signature stands, by all its names."""
        seen = {}
        for failure in failures:
            signature, line = failure.signature, failure.occurrence.line
            general = signature and self.database.find(signature.refines or signature.id)
            for each in (signature, general):
                if each:
                    names = (each.id, *each.aliases)
                    seen.update(dict.fromkeys(names, Line(line.source, line.number)))
        return seen


def _does_harm(signature: Signature) -> bool:
    """Whether a run may end of what it knows."""
    is_harmless = signature.role in (Role.BENIGN, Role.TEARDOWN)
    return not is_harmless and signature.severity is not Severity.WARNING


def _join(groups: dict[str, ErrorGroup], key: str, group: ErrorGroup) -> None:
    groups[key] = groups[key].merged(group) if key in groups else group


def _found_root(failures: Sequence[Failure], case: Case) -> Failure | None:
    """The root cause among failures, once those are put aside that a stop brought about."""
    case.harmful = [
        each for each in failures if not each.is_harmless and each.priority <= Priority.SYMPTOM
    ]
    case.put_away = _first_put_away(failures)
    for failure in failures:
        failure.settle(decide(registry.STOPPED, failure))
    case.choice = choose(failures)
    if case.choice is None:
        return None
    root = case.choice.root
    root.settle(decide(registry.ROOTS, root))
    return root


def _is_felt_before(root: Failure, failures: Sequence[Failure]) -> bool:
    """Whether a root cause that is a mere code gives way to what its component had felt before,
    and says why; not where something else may be the cause.
    """
    others = (each for each in failures if not each.is_harmless and not each.is_bare_code)
    if not root.is_bare_code or any(each.priority < Priority.SYMPTOM for each in others):
        return False
    symptom = symptom_with_reason(root, failures)
    if symptom:
        _settle_codes(failures, root.case, symptom.occurrence.line)
    return symptom is not None


def _settle_codes(failures: Iterable[Failure], case: Case, why: LogLine) -> None:
    """Takes note of the line that says why of all failures that have a code only."""
    codes = [each for each in failures if each.is_bare_code and not each.is_harmless]
    case.reasons = {each.name: Line(why.source, why.number) for each in codes}
    for each in codes:
        each.settle(decide(registry.PRIORITIES, each))


def _first_put_away(failures: Iterable[Failure]) -> dict[str, int]:
    """By source, the first line with which a program puts things away."""
    firsts: dict[str, int] = {}
    for failure in failures:
        if failure.is_putting_away:
            for source, spots in failure.group.spots.items():
                firsts[source] = min((firsts.get(source, spots[0]), *spots))
    return firsts


def _set_beside(failure: Failure, root: Failure) -> None:
    failure.settle(decide(registry.BESIDE_THE_ROOT, failure))
    if failure.verdict is Verdict.CONSEQUENCE:
        failure.explained_by = root.name


def _weight(failure: Failure) -> float:
    """The confidence in a known failure."""
    return CLASSES[grounds_of(failure)]


def _is_among(failure: Failure, ids: Collection[str]) -> bool:
    """Whether its signature, one that this one refines, or its fingerprint is among the ids."""
    if failure.signature:
        return failure.signature.id in ids or failure.signature.refines in ids
    return bool(ids) and fingerprint_of(failure.occurrence.event) in ids


def _parted(
    failures: Iterable[Failure], ignored: Collection[str]
) -> tuple[list[Failure], list[Failure]]:
    """Those that count, and those that the user wants to hear nothing of."""
    counted: list[Failure] = []
    hidden: list[Failure] = []
    for each in failures:
        (hidden if _is_among(each, ignored) else counted).append(each)
    return counted, hidden


def _ignored(count: int) -> Iterable[LocalText]:
    if count:
        yield phrases.IGNORED.fill(count=count)


def _only_host(failure: Failure, failures: Sequence[Failure]) -> LocalText | None:
    """That the root is one host's alone, where it is."""
    if failure.verdict is not Verdict.ROOT_CAUSE:
        return None
    return only_host(
        failure.group.lanes, [each.group.lanes for each in failures if each is not failure]
    )


def _left_out(count: int) -> Iterable[LocalText]:
    if count:
        yield phrases.LEFT_OUT.fill(count=count)
