"""What a failed run was set to proves what went wrong: Prover.

A diagnosis whose signature a relation names is judged by that relation, on the configuration that
the log shows or the user gives. One that is broken is the proof, and its nearest fitting values
are the first remedy, in the words of `logdoctor check`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path

from logdoctor.model import (
    Applies,
    Change,
    Diagnosis,
    JudgedRemedy,
    LocalText,
    Reason,
    Risk,
    RunContext,
    ScanResult,
)
from logdoctor.relations.judging import Asked, RelationBase, judge
from logdoctor.relations.logged import configuration_of
from logdoctor.relations.naming import bundled_root, named_by, names_of
from logdoctor.relations.relation import Judgement, Violation
from logdoctor.relations.wording import shown, suggested
from logdoctor.settings.configuration import Configuration, Setting, Unresolved
from logdoctor.settings.values import value_of
from logdoctor.texts.phrases import preflight as phrases
from logdoctor.texts.secrets import redacted

Texts = Callable[[], Iterable[tuple[str, str]]]
"""What the sources of a run begin with, by their names; asked for only where a relation counts."""


class Prover:
    """What relations prove of the diagnoses of one run, which may be asked again as it grows."""

    def __init__(self, file: tuple[str, str] | None = None) -> None:
        """`file` is the name and the text of the user's own configuration, which counts before
        what the log shows.
        """
        self._given = _given(*file) if file else ()
        self._known: object = None  # for which the violations are those that were found last
        self._violations: Mapping[str, list[Violation]] = {}

    def proven(self, result: ScanResult, known: object, texts: Texts) -> ScanResult:
        """The result with what is proven; the same where nothing is. `known` is equal only where
        the texts are.

        Raises:
            SignatureError: relations cannot be read.
        """
        found = named_by(result.diagnoses)
        if not found:
            return result
        context = result.context
        state = (known, found, context.config, context.versions, context.world_size)
        if self._known != state:
            self._violations = _violations(found, context, [*texts()], self._given)
            self._known = state
        if not self._violations:
            return result
        return result._replace(
            diagnoses=tuple(_with_proof(each, self._violations) for each in result.diagnoses)
        )


@lru_cache(maxsize=1)
def _base() -> RelationBase:
    return RelationBase(Path(bundled_root() or ""))  # where one is named, they are there


def _given(name: str, text: str) -> tuple[Configuration, ...]:
    """The configurations in the user's own file; most runs are judged without one."""
    from logdoctor.settings.files import read_configurations  # noqa: PLC0415  # see above

    return read_configurations(name, text, Path(name))


def _violations(
    found: Mapping[str, frozenset[str]],
    context: RunContext,
    texts: Sequence[tuple[str, str]],
    given: tuple[Configuration, ...],
) -> dict[str, list[Violation]]:
    """The relations that are broken, by the signature that they name."""
    base = _base()
    violations: dict[str, list[Violation]] = {}
    keys = frozenset[str]().union(*map(base.names, found))
    logged = [configuration_of(text, name, keys) for name, text in texts]
    for framework, ids in found.items():
        configuration = _configuration(base.names(framework), logged, given, context)
        version = context.versions.get(base.frameworks[framework].package)
        asked = Asked(framework, version, has_failed=True)
        for each in judge(configuration, base, asked).violations:
            if each.relation.signature_id in ids and each.at:
                violations.setdefault(each.relation.signature_id, []).append(each)
    return violations


def _configuration(
    keys: AbstractSet[str],
    logged: Iterable[Configuration],
    given: Iterable[Configuration],
    context: RunContext,
) -> Configuration:
    """What is known of the run's settings that have these keys; where the user's file has none, no
    default counts.
    """
    settings: dict[str, Setting] = {}
    unresolved: dict[str, Unresolved] = {}
    for each in logged:
        _join(each, keys, settings, unresolved)
    for key in keys & context.config.keys() - settings.keys() - unresolved.keys():
        values, places = context.config[key], context.places.get(key, ())
        if len(values) == 1:
            place = places[0] if places else None
            settings[key] = Setting(key, value_of(values[0]), place)
    resources: Mapping[str, Setting] = {}
    if context.world_size:
        resources = {"processes": Setting("processes", context.world_size)}
    mine = next((each for each in given if keys & each.settings.keys()), None)
    if mine is None:
        opening = Unresolved("", "the log", None, "it does not show all settings")
        return Configuration("", settings, unresolved, resources=resources, openings=(opening,))
    hidden = {key: each for key, each in unresolved.items() if key not in mine.settings}
    return mine._replace(
        settings={**settings, **mine.settings},
        unresolved={**hidden, **mine.unresolved},
        resources={**resources, **mine.resources},
    )


def _join(
    logged: Configuration,
    keys: AbstractSet[str],
    settings: dict[str, Setting],
    unresolved: dict[str, Unresolved],
) -> None:
    """Takes what another source shows of these keys; where sources differ, nothing is known."""
    unresolved.update({key: each for key, each in logged.unresolved.items() if key in keys})
    for key, each in logged.settings.items():
        if key not in keys:
            continue
        if key in settings and settings[key].value != each.value:
            unresolved[key] = Unresolved(key, "", each.place, "several values")
        settings.setdefault(key, each)
    for key in unresolved:
        settings.pop(key, None)


def _with_proof(diagnosis: Diagnosis, violations: Mapping[str, list[Violation]]) -> Diagnosis:
    found = [each for name in names_of(diagnosis) for each in violations.get(name, ())]
    if not found:
        return diagnosis
    remedies = list(diagnosis.remedies)
    for violation in reversed(found):
        made = _remedy(violation)
        same = next((each for each in remedies if _changes_the_same(each, made)), None)
        if same is not None:
            remedies.remove(same)
            why = same.why if same.applies is Applies.YES else made.why
            made = same._replace(applies=Applies.YES, why=why, changes=made.changes)
        remedies.insert(0, made)
    reasons = tuple(map(_reason, found))
    return diagnosis._replace(because=(*reasons, *diagnosis.because), remedies=tuple(remedies))


def _changes_the_same(one: JudgedRemedy, other: JudgedRemedy) -> bool:
    """Whether both set the same keys to the same values: then the signature's words are better."""
    return bool(other.settings) and _typed(one) == _typed(other)


def _typed(remedy: JudgedRemedy) -> dict[str, str]:
    return {key: value.casefold() for key, value in remedy.settings.items()}


def _reason(violation: Violation) -> Reason:
    assert violation.at
    at = violation.at
    return Reason(violation.relation.id, _clean(violation.because), *at)


def _remedy(violation: Violation) -> JudgedRemedy:
    """The nearest values that fit, else what the relation says."""
    relation = violation.relation
    changes = tuple(_changes(violation))[:1]
    return JudgedRemedy(
        action=_clean(suggested(violation)),
        applies=Applies.YES,
        why=_clean(violation.because),
        settings={each.key: each.value or "" for each in changes},
        current={each.key: each.current or "" for each in changes},
        risk=Risk.SAFE,
        check=phrases.HOLDS_THEN.fill(),
        reference=relation.references[0] if relation.references else None,
        changes=changes,
    )


def _changes(violation: Violation) -> Iterator[Change]:
    """Each suggestion as a change; the one to try first, first."""
    for each in violation.suggestions:
        known = next(one for one in violation.settings if one.key == each.key)
        where = known.place
        yield Change(each.key, shown(known.value), shown(each.value), where, True)


def changes_of(judgements: Iterable[Judgement]) -> tuple[Change, ...]:
    """One change for each violation, of settings that no other changes yet; those of errors
    first.
    """
    changes: dict[str, Change] = {}
    for judgement in judgements:
        for violation in judgement.violations:
            found = tuple(_changes(violation))
            if found and not any(each.key in changes for each in found):
                changes[found[0].key] = found[0]
    return tuple(changes.values())


def _clean(text: LocalText) -> LocalText:
    return LocalText(redacted(text.en), redacted(text.zh))
