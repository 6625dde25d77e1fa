"""Remedies to judged remedies: judge_remedies.

A condition is true, false or unknown; one that is false makes the remedy unfit, else one that is
unknown leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from logdoctor.formats.markers import APPLICATIONS
from logdoctor.model import Applies, JudgedRemedy, LocalText, Phase, Remedy, RunContext, When
from logdoctor.signatures import conditions
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.words import PHASE_NAMES

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")
_AND = LocalText("; ", "；")


def fill(text: str, captures: Mapping[str, str]) -> str:
    """The text with captures filled in; one that is missing reads `<name>`, and `{{` and `}}` read
    as braces.

    Where the text ends a sentence behind a capture that ends one itself, one full stop is enough.
    """
    return _PLACEHOLDER.sub(
        lambda found: _filled(found, captures) if found[1] else found[0][0], text
    )


def _filled(found: re.Match[str], captures: Mapping[str, str]) -> str:
    value = captures.get(found[1], f"<{found[1]}>")
    is_sentence = value.endswith(".") and not value.endswith("..")
    return (
        value[:-1] if is_sentence and found.string.startswith((".", "。"), found.end()) else value
    )


def fill_both(text: LocalText, captures: Mapping[str, str]) -> LocalText:
    """The same in both languages."""
    return LocalText(fill(text.en, captures), fill(text.zh, captures))


def placeholders(text: str) -> frozenset[str]:
    """Names of the captures that a text asks for."""
    return frozenset(name for name in _PLACEHOLDER.findall(text) if name)


def judge_remedies(
    remedies: Sequence[Remedy],
    context: RunContext,
    phase: Phase | None,
    captures: Mapping[str, str],
) -> tuple[JudgedRemedy, ...]:
    """All remedies: those made for this very situation first, those that do not fit last, else
    in their order.
    """
    judged = [
        (_judge(remedy, context, phase, captures), remedy.when == When()) for remedy in remedies
    ]
    return tuple(each for each, _ in sorted(judged, key=lambda pair: _place(*pair)))


def _place(remedy: JudgedRemedy, is_unconditional: bool) -> int:
    if remedy.applies is Applies.NO:
        return 2
    return 0 if remedy.applies is Applies.YES and not is_unconditional else 1


def _judge(
    remedy: Remedy, context: RunContext, phase: Phase | None, captures: Mapping[str, str]
) -> JudgedRemedy:
    conditions = list(_conditions(remedy.when, context, phase, captures))
    states = [state for state, _ in conditions]
    applies = (
        Applies.NO
        if Applies.NO in states
        else Applies.UNKNOWN
        if Applies.UNKNOWN in states
        else Applies.YES
    )
    reasons = [why for state, why in conditions if state is applies] or [phrases.FITS_ALWAYS.fill()]
    settings = {key: fill(value, captures) for key, value in remedy.settings.items()}
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
        check=fill_both(remedy.check, captures),
        reference=remedy.reference,
    )


def _conditions(
    when: When, context: RunContext, phase: Phase | None, captures: Mapping[str, str]
) -> Iterator[tuple[Applies, LocalText]]:
    if when.frameworks:
        yield _framework(when.frameworks, context.frameworks)
    if when.phases:
        yield _phase(when.phases, phase)
    for name, wanted in when.versions.items():
        yield _value(name, context.versions.get(name), wanted, conditions.version_holds)
    for name, wanted in when.config.items():
        yield _value(
            name,
            config_value(context.config, name),
            [fill(each, captures) for each in wanted],
            conditions.holds,
        )
    for name, wanted in when.captures.items():
        if name in captures:
            yield _capture(name, captures[name], [fill(each, captures) for each in wanted])
        else:
            yield Applies.NO, phrases.NOT_CAPTURED.fill(name=name)


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
