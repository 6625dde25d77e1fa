"""Matches and unknown errors to the verdict: Diagnoser.

The law: roles decide before order, so that a cause outranks a wrapper or symptom wherever it stands; among causes,
`explains` edges, then order. What the run survived, what came after its end and what is benign leave first place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from logdoctor.groups import ErrorGroup, Occurrence
from logdoctor.markers import APPLICATIONS
from logdoctor.metrics import Standing
from logdoctor.model import (
    HARMLESS,
    Answer,
    AnswerList,
    Diagnosis,
    LocalText,
    LogEvent,
    Match,
    MatchKind,
    Role,
    RunContext,
    Severity,
    Signature,
    SignatureDatabase,
    Situation,
    UnknownError,
    Verdict,
)
from logdoctor.normalize import fingerprint, printable, redacted_lines
from logdoctor.phrases import Phrase
from logdoctor.remedies import fill_both, judge_remedies
from logdoctor.resemblance import Resemblance

GROUPS_LIMIT = 2000
"""Different unknown errors that are kept apart; later ones are only counted with the last."""

COMPARED_ERRORS = 20
"""Unknown errors, first ones first, for which the nearest signatures are looked up."""

TITLE_LIMIT = 300
"""Characters of an unknown error's title."""

STEPS_TO_RECOVER = 2
"""Progress lines after an error that show that the run went on: one may have been printed before and come late."""

_VERDICT_ORDER = (Verdict.ROOT_CAUSE, Verdict.INDEPENDENT, Verdict.CONSEQUENCE, Verdict.RECOVERED, Verdict.TEARDOWN, Verdict.BENIGN)


class Judgement(NamedTuple):
    """The verdict over a scan."""

    diagnoses: tuple[Diagnosis, ...]
    unknown_errors: tuple[UnknownError, ...]
    answer: Answer | None
    not_seen: tuple[LocalText, ...]


class _Suspect:
    """A group on its way to a verdict: a signature, or None for an unknown error."""

    def __init__(self, group: ErrorGroup, shown: Occurrence, signature: Signature | None, verdict: Verdict, *, is_at_home: bool = True) -> None:
        self.group = group
        self.shown = shown
        self.signature = signature
        self.verdict = verdict
        self.is_at_home = is_at_home
        self.explained_by: str | None = None

    @property
    def name(self) -> str:
        return self.signature.id if self.signature else self.group.title

    @property
    def rank(self) -> tuple[int, tuple[int, int]]:
        """The lower, the better a candidate for the root cause."""
        if self.signature is None:
            return (1, self.shown.order)
        if self.signature.severity is Severity.WARNING:
            return (4, self.shown.order)
        if self.signature.role is Role.CAUSE and (not self.is_at_home or self.signature.severity is Severity.ERROR):
            return (1, self.shown.order)  # it may have been caught: by order, like errors that nobody knows
        return ({Role.CAUSE: 0, Role.SYMPTOM: 2}.get(self.signature.role, 3), self.shown.order)


class Diagnoser:
    """Takes what was found in all sources, then judges it."""

    def __init__(self, database: SignatureDatabase, redact: bool = True) -> None:
        """`redact` says whether secrets in evidence and captures are masked."""
        self.database = database
        self.redact = redact
        self._known: dict[str, ErrorGroup] = {}
        self._unknown: dict[str, ErrorGroup] = {}
        self._is_deduplicated = False
        self._lacks_error_file = False
        self._is_crowded = False

    @property
    def different(self) -> int:
        """How many different things were found so far."""
        return len(self._known) + len(self._unknown)

    def add_matches(self, matches: Iterable[Match], situation: Situation, source_index: int) -> None:
        """Takes the matches of one event."""
        for match in matches:
            group = self._known.setdefault(match.signature_id, ErrorGroup(match.signature_id))
            self._note_gaps(match.event)
            group.add(match.event, Occurrence((source_index, match.line.number), match.event, match.line, situation, match), self._clean_lines)

    def add_unknown(self, event: LogEvent, situation: Situation, source_index: int) -> None:
        """Takes an event that no signature recognised and that is an error all the same."""
        key = _fingerprint(event)
        if key not in self._unknown and len(self._unknown) >= GROUPS_LIMIT:
            key = next(reversed(self._unknown))
            self._is_crowded = True
        group = self._unknown.setdefault(key, ErrorGroup(self._clean(event.headline)[:TITLE_LIMIT]))
        self._note_gaps(event)
        group.add(event, Occurrence((source_index, event.line.number), event, event.line, situation, None), self._clean_lines)

    def judge(self, context: RunContext, standing: Iterable[Standing] = ()) -> Judgement:
        """The verdict over everything taken so far, and the numbers that are out of order now."""
        context = context._replace(config={key: tuple(map(self._clean, values)) for key, values in context.config.items()})
        suspects = [*self._known_suspects(context), *self._unknown_suspects(context), *(self._number_suspect(each, context) for each in standing)]
        root = _choose_root(suspects)
        for suspect in suspects:
            if root and suspect is not root and suspect.verdict not in HARMLESS:
                _relate(suspect, root)
        if root:
            root.verdict = Verdict.ROOT_CAUSE
        suspects.sort(key=lambda each: (_VERDICT_ORDER.index(each.verdict), each.rank))
        known = [each for each in suspects if each.signature]
        unknown = [each for each in suspects if not each.signature]
        resemblance = Resemblance(self.database)
        answer = None
        if root:
            kind, members = (AnswerList.DIAGNOSES, known) if root.signature else (AnswerList.UNKNOWN_ERRORS, unknown)
            answer = Answer(kind, members.index(root))
        return Judgement(
            tuple(self._diagnosis(each, context) for each in known),
            tuple(self._unknown_error(each, resemblance if number < COMPARED_ERRORS else None) for number, each in enumerate(unknown)),
            answer,
            tuple(self._not_seen(root)),
        )

    def _clean(self, text: str) -> str:
        return self._clean_lines([text])[0]

    def _clean_lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(printable(line) for line in (redacted_lines(lines) if self.redact else lines))

    def _note_gaps(self, event: LogEvent) -> None:
        self._is_deduplicated |= any(line.repeats > 1 for line in event.lines)
        self._lacks_error_file |= any("error_file: <N/A>" in line.text for line in (*event.lines, *event.after))

    def _known_suspects(self, context: RunContext) -> list[_Suspect]:
        groups: dict[str, ErrorGroup] = {}
        for signature_id, group in self._known.items():
            general_id = self._signature(signature_id).refines or signature_id
            groups[general_id] = groups[general_id].merged(group) if general_id in groups else group
        suspects = []
        for general_id, group in groups.items():
            shown, survived = group.shown(context, STEPS_TO_RECOVER)
            signature = self._refined(general_id, context)
            if survived is Verdict.RECOVERED and signature.severity is Severity.WARNING:
                survived = None  # a warning is about a run that goes on
            verdict = {Role.BENIGN: Verdict.BENIGN, Role.TEARDOWN: Verdict.TEARDOWN}.get(signature.role, survived or Verdict.INDEPENDENT)
            suspects.append(_Suspect(group, shown, signature, verdict, is_at_home=_is_at_home(signature, context)))
        return suspects

    def _unknown_suspects(self, context: RunContext) -> list[_Suspect]:
        suspects = []
        for group in self._unknown.values():
            shown, survived = group.shown(context, STEPS_TO_RECOVER)
            suspects.append(_Suspect(group, shown, None, survived or Verdict.INDEPENDENT))
        return suspects

    def _number_suspect(self, standing: Standing, context: RunContext) -> _Suspect:
        """What stands at the end was not survived, however many steps were made with it."""
        match, signature = standing.match, self._refined(standing.match.signature_id, context)
        occurrence = Occurrence((standing.source_number, match.line.number), match.event, match.line, Situation(None, 0), match)
        group = ErrorGroup(signature.id)
        group.add(match.event, occurrence, self._clean_lines)
        group.occurrences = standing.steps
        return _Suspect(group, occurrence, signature, Verdict.INDEPENDENT, is_at_home=_is_at_home(signature, context))

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

    def _diagnosis(self, suspect: _Suspect, context: RunContext) -> Diagnosis:
        signature, match = suspect.signature, suspect.shown.match
        assert signature is not None  # known suspects have both
        assert match is not None
        captures = {name: self._clean(value) for name, value in match.captures.items()}
        phase = suspect.shown.situation.phase
        return Diagnosis(
            signature=signature,
            title=fill_both(signature.title, captures),
            verdict=suspect.verdict,
            confidence=_confidence(signature, match, is_at_home=suspect.is_at_home),
            kind=match.kind,
            score=match.score,
            captures=captures,
            phase=phase,
            cause=fill_both(signature.cause, captures),
            remedies=judge_remedies(signature.remedies, context, phase, captures),
            occurrences=suspect.group.occurrences,
            lanes=max(1, len(suspect.group.lanes)),
            ranks=tuple(sorted(suspect.group.ranks)),
            explained_by=suspect.explained_by,
            evidence=suspect.group.evidence_from(suspect.shown, self._clean_lines),
        )

    def _unknown_error(self, suspect: _Suspect, resemblance: Resemblance | None) -> UnknownError:
        event = suspect.shown.event
        return UnknownError(
            fingerprint=_fingerprint(event),
            title=suspect.group.title,
            verdict=suspect.verdict,
            occurrences=suspect.group.occurrences,
            lanes=max(1, len(suspect.group.lanes)),
            explained_by=suspect.explained_by,
            evidence=suspect.group.evidence_from(suspect.shown, self._clean_lines),
            nearest=resemblance.nearest(event.message) if resemblance else (),
        )

    def _not_seen(self, root: _Suspect | None) -> Iterable[LocalText]:
        if root and root.signature and root.signature.role is Role.WRAPPER:
            yield Phrase.WRAPPER_ONLY.fill()
        if root and root.signature and root.signature.role is Role.SYMPTOM:
            yield Phrase.SYMPTOM_ONLY.fill()
        if root and self._is_deduplicated:
            yield Phrase.DEDUPLICATED.fill()
        if self._is_crowded:
            yield Phrase.CROWDED.fill(count=GROUPS_LIMIT)
        if root and self._lacks_error_file:
            yield Phrase.NO_ERROR_FILE.fill()


def _is_at_home(signature: Signature, context: RunContext) -> bool:
    """Whether a signature belongs to the run's frameworks, as far as the application is known."""
    applications = set(context.frameworks) & set(APPLICATIONS)
    return not signature.frameworks or not applications or bool(set(signature.frameworks) & set(context.frameworks))


def _fingerprint(event: LogEvent) -> str:
    message = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return fingerprint(event.exception, message, _frame_name(event.frames[-1]) if event.frames else None)


def _frame_name(frame: str) -> str:
    """`file.py:function` of a frame's text."""
    path, _, rest = frame.partition('", line ')
    return path.rsplit("/", 1)[-1] + ":" + rest.partition(", in ")[2].split(" ", 1)[0]


def _choose_root(suspects: Iterable[_Suspect]) -> _Suspect | None:
    candidates = sorted((each for each in suspects if each.verdict not in HARMLESS), key=lambda each: each.rank)
    if not candidates:
        return None
    best = candidates[0]
    for other in candidates:
        if other.signature and best.signature and best.signature.id in other.signature.explains and other.rank[0] == best.rank[0]:
            return other
    return best


def _relate(suspect: _Suspect, root: _Suspect) -> None:
    """Says of what is not the root whether it follows from it."""
    is_effect = suspect.signature is not None and suspect.signature.role in (Role.WRAPPER, Role.SYMPTOM)
    is_explained = suspect.signature is not None and root.signature is not None and suspect.signature.id in root.signature.explains
    is_later_unknown = suspect.signature is None and suspect.shown.order > root.shown.order
    if is_effect or is_explained or is_later_unknown:
        suspect.verdict = Verdict.CONSEQUENCE
        suspect.explained_by = root.name


_CERTAIN, _LEAST_FUZZY = 0.95, 0.6
_ROLE_WEIGHT: dict[Role, float] = {Role.WRAPPER: 0.6, Role.SYMPTOM: 0.7}
_SHORT, _SHORT_WEIGHT = 20, 0.85
_ABROAD_WEIGHT = 0.8


def _confidence(signature: Signature, match: Match, *, is_at_home: bool) -> float:
    """How sure the tool is: less for other wordings, for short texts, and for what only wraps something else."""
    confidence = _CERTAIN if match.kind is MatchKind.EXACT else max(_LEAST_FUZZY, 2 * match.score - 1.05)
    confidence *= _ROLE_WEIGHT.get(signature.role, 1.0) * (1.0 if is_at_home else _ABROAD_WEIGHT)
    return round(confidence * (_SHORT_WEIGHT if match.weight < _SHORT else 1.0), 2)
