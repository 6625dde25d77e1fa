"""Remedies to judged remedies: judge_remedies.

A condition is true, false or unknown; one that is false makes the remedy unfit, else one that is
unknown leaves it open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.formats.markers import APPLICATIONS
from logdoctor.model import Applies, JudgedRemedy, LocalText, Phase, Remedy, RunContext, When
from logdoctor.signatures import conditions
from logdoctor.texts.filling import can_fill, fill, fill_both, placeholders, tell_both
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.words import PHASE_NAMES

_AND = LocalText("; ", "；")


class Circumstances(NamedTuple):
    """What the remedies of a diagnosis are judged by.

    Attributes:
        patterns: names of the patterns that fit.
        extracts: names that only extracts read; what is not there was not said, or not found.
        seen: where each signature was matched that was, by id and alias.
    """

    context: RunContext
    phase: Phase | None
    captures: Mapping[str, str]
    patterns: tuple[str, ...] = ()
    extracts: frozenset[str] = frozenset()
    seen: Mapping[str, str] = MappingProxyType({})


def judge_remedies(
    remedies: Sequence[Remedy], circumstances: Circumstances
) -> tuple[JudgedRemedy, ...]:
    """Remedies: those made for this very situation first, those that do not fit last, else in
    their order. One whose action names a missing capture is left out.
    """
    judged = [
        (_judge(remedy, circumstances), remedy.when == When())
        for remedy in remedies
        if all(can_fill(text, circumstances.captures) for text in remedy.action)
    ]
    return tuple(each for each, _ in sorted(judged, key=lambda pair: _place(*pair)))


def _place(remedy: JudgedRemedy, is_unconditional: bool) -> int:
    if remedy.applies is Applies.NO:
        return 2
    return 0 if remedy.applies is Applies.YES and not is_unconditional else 1


def _judge(remedy: Remedy, circumstances: Circumstances) -> JudgedRemedy:
    captures, context = circumstances.captures, circumstances.context
    conditions = list(_conditions(remedy.when, circumstances))
    states = [state for state, _ in conditions]
    applies = (
        Applies.NO
        if Applies.NO in states
        else Applies.UNKNOWN
        if Applies.UNKNOWN in states
        else Applies.YES
    )
    reasons = [why for state, why in conditions if state is applies] or [phrases.FITS_ALWAYS.fill()]
    settings = {
        key: fill(value, captures)
        for key, value in remedy.settings.items()
        if can_fill(value, captures)
    }
    current = {
        key: value for key in settings if (value := config_value(context.config, key)) is not None
    }
    return JudgedRemedy(
        action=fill_both(remedy.action, captures),
        applies=applies,
        why=LocalText(
            _AND.en.join(each.en for each in reasons), _AND.zh.join(each.zh for each in reasons)
        ),
        settings=settings,
        current=current,
        risk=remedy.risk,
        check=tell_both(remedy.check, captures),
        reference=remedy.reference,
    )


def _conditions(when: When, circumstances: Circumstances) -> Iterator[tuple[Applies, LocalText]]:
    context, captures = circumstances.context, circumstances.captures
    if when.frameworks:
        yield _framework(when.frameworks, context.frameworks)
    if when.phases:
        yield _phase(when.phases, circumstances.phase)
    if when.patterns:
        yield _pattern(when.patterns, circumstances.patterns)
    if when.seen:
        yield _seen(when.seen, circumstances.seen)
    for name, wanted in when.versions.items():
        yield _value(name, context.versions.get(name), wanted, conditions.version_holds)
    for name, wanted in when.config.items():
        open_name = _missing((), wanted, captures)
        yield (
            _not_said(open_name, circumstances)
            if open_name
            else _value(
                name,
                config_value(context.config, name),
                [fill(each, captures) for each in wanted],
                conditions.holds,
            )
        )
    for name, wanted in when.captures.items():
        open_name = _missing((name,), wanted, captures)
        yield (
            _not_said(open_name, circumstances)
            if open_name
            else _capture(name, captures[name], [fill(each, captures) for each in wanted])
        )


def _missing(
    names: Iterable[str], wanted: Iterable[str], captures: Mapping[str, str]
) -> str | None:
    """The first name, of these and of those that operands ask for, which was not captured."""
    asked = (*names, *(name for each in wanted for name in sorted(placeholders(each))))
    return next((name for name in asked if name not in captures), None)


def _not_said(name: str, circumstances: Circumstances) -> tuple[Applies, LocalText]:
    """A pattern that fits says all that it can, so that what it does not is another message's;
    what extracts look for may have been cut off.
    """
    is_open = name in circumstances.extracts
    return Applies.UNKNOWN if is_open else Applies.NO, phrases.NOT_CAPTURED.fill(name=name)


def _pattern(wanted: Sequence[str], fitting: Sequence[str]) -> tuple[Applies, LocalText]:
    if set(wanted) & set(fitting):
        return Applies.YES, phrases.PATTERN_IS.fill()
    return Applies.NO, phrases.PATTERN_IS_NOT.fill()


def _seen(wanted: Sequence[str], seen: Mapping[str, str]) -> tuple[Applies, LocalText]:
    """What was not seen may stand in a log that nobody gave."""
    for name in wanted:
        if name in seen:
            return Applies.YES, phrases.SEEN_AT.fill(name=name, line=seen[name])
    return Applies.UNKNOWN, phrases.SEEN_OPEN.fill(name=" / ".join(wanted))


def _framework(wanted: Sequence[str], seen: Sequence[str]) -> tuple[Applies, LocalText]:
    names = " / ".join(wanted)
    if set(wanted) & set(seen):
        return Applies.YES, phrases.FRAMEWORK_IS.fill(
            value=" / ".join(name for name in wanted if name in seen)
        )
    if set(wanted) <= set(APPLICATIONS) and set(seen) & set(APPLICATIONS):
        return Applies.NO, phrases.FRAMEWORK_IS_NOT.fill(value=names)
    return Applies.UNKNOWN, phrases.FRAMEWORK_OPEN.fill(value=names)


def _phase(wanted: Sequence[Phase], actual: Phase | None) -> tuple[Applies, LocalText]:
    english, chinese = (
        " / ".join(PHASE_NAMES[each].en for each in wanted),
        " / ".join(PHASE_NAMES[each].zh for each in wanted),
    )
    if actual is None:
        return Applies.UNKNOWN, LocalText(
            phrases.PHASE_OPEN.fill(value=english).en, phrases.PHASE_OPEN.fill(value=chinese).zh
        )
    if actual in wanted:
        name = PHASE_NAMES[actual]
        return Applies.YES, LocalText(
            phrases.PHASE_IS.fill(value=name.en).en, phrases.PHASE_IS.fill(value=name.zh).zh
        )
    name = PHASE_NAMES[actual]
    return Applies.NO, LocalText(
        phrases.PHASE_IS_NOT.fill(value=english, actual=name.en).en,
        phrases.PHASE_IS_NOT.fill(value=chinese, actual=name.zh).zh,
    )


def _capture(name: str, actual: str, wanted: Sequence[str]) -> tuple[Applies, LocalText]:
    results = [conditions.holds(actual, each) for each in wanted]
    if any(results):
        told = phrases.RAISED_IN.get(actual) if name == "raised_in" else None
        return Applies.YES, (told or phrases.CAPTURE_IS).fill(name=name, actual=actual)
    return Applies.UNKNOWN if None in results else Applies.NO, phrases.CAPTURE_IS_NOT.fill(
        name=name, actual=actual, value=" / ".join(wanted)
    )


def _value(
    name: str, actual: str | None, wanted: Sequence[str], holds: object
) -> tuple[Applies, LocalText]:
    assert callable(holds)
    value = " / ".join(wanted)
    results = [holds(actual, each) for each in wanted] if actual is not None else [None]
    if any(results):
        return Applies.YES, phrases.VALUE_IS.fill(name=name, actual=actual)
    if None in results:
        return Applies.UNKNOWN, phrases.VALUE_OPEN.fill(name=name, value=value)
    return Applies.NO, phrases.VALUE_IS_NOT.fill(name=name, actual=actual, value=value)


def config_value(config: Mapping[str, tuple[str, ...]], key: str) -> str | None:
    """The value of a dotted key, also where the log printed more or less of its path; None where
    that is not unique.
    """
    if key in config:
        values = set(config[key])
    else:
        values = {
            value
            for printed, found in config.items()
            if key.endswith("." + printed) or printed.endswith("." + key)
            for value in found
        }  # fmt: skip
    return values.pop() if len(values) == 1 else None
