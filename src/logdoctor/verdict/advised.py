"""What a message itself advises, or contradicts, as a remedy and as a step: advised_remedy,
advised_step, misspelt_remedy, contradiction_remedy, contradiction_step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logdoctor.formats.advice_words import Advice, advice_of
from logdoctor.formats.misspelt_names import OfferedName, offered_name
from logdoctor.formats.refused_values import refused_though_allowed
from logdoctor.model import Applies, JudgedRemedy, LocalText, Risk
from logdoctor.texts.phrases import verdict as phrases


def advised_step(message: str) -> LocalText | None:
    """The sentence of a message that says what to do, or what it needs; None where none does."""
    slip = _slip(message)
    if slip:
        return _corrected(slip)
    advice = _advice(message)
    if advice is None:
        return None
    return (phrases.ADVISED if advice.is_order else phrases.ASKED_FOR).fill(advice=advice.text)


def advised_remedy(message: str, facts: Mapping[str, str]) -> JudgedRemedy | None:
    """What a message says to do, with the line of the run's own code that came there; `facts` as
    `Raised.facts` tells them. What it only expects is no remedy.
    """
    advice = _advice(message)
    if advice is None or not advice.is_order:
        return None
    return _said_by_message([phrases.ADVISED.fill(advice=advice.text)], facts)


def misspelt_remedy(message: str, facts: Mapping[str, str]) -> JudgedRemedy | None:
    """How a name is written for which Python found one that differs by a slip of the pen; None
    where it is no slip. `facts` as above.
    """
    slip = _slip(message)
    if slip is None:
        return None
    said = [_corrected(slip)]
    if "raised_package" in facts:
        there = phrases.MISSPELT_THERE.fill(
            package=facts["raised_package"], place=facts["raised_at"], meant=slip.offered
        )
        return _said_by_message([*said, there], {})
    return _said_by_message(said, facts)


def _said_by_message(said: Sequence[LocalText], facts: Mapping[str, str]) -> JudgedRemedy:
    here = (
        [phrases.ADVISED_HERE.fill(place=facts["own_at"], code=facts["own_line"])]
        if "own_line" in facts
        else []
    )
    told = [*said, *here]
    return JudgedRemedy(
        action=LocalText(" ".join(each.en for each in told), "".join(each.zh for each in told)),
        applies=Applies.YES,
        why=phrases.ADVISED_WHY.fill(),
        settings={},
        current={},
        risk=Risk.RESTARTS_RUN,
        check=phrases.ADVISED_CHECK.fill(),
        reference=None,
    )


def _slip(message: str) -> OfferedName | None:
    offer = offered_name(message)
    return offer if offer and offer.is_slip else None


def _corrected(slip: OfferedName) -> LocalText:
    return phrases.MISSPELT.fill(name=slip.name, meant=slip.offered)


def _advice(message: str) -> Advice | None:
    """The nearest name that Python found is no advice where it is another one."""
    return None if offered_name(message) else advice_of(message)


def contradiction_step(message: str, package: str | None) -> LocalText | None:
    """That a message refuses a value which it allows, and what follows from that; None where it
    does not. `package` is what raised it, if that is known.
    """
    value = refused_though_allowed(message)
    if value is None:
        return None
    said = [phrases.CONTRADICTS.fill(value=value)]
    if package:
        said.append(phrases.OTHER_RELEASE.fill(package=package))
    return LocalText(" ".join(each.en for each in said), "".join(each.zh for each in said))


def contradiction_remedy(message: str, package: str | None) -> JudgedRemedy | None:
    """The same as a remedy."""
    step = contradiction_step(message, package)
    if step is None:
        return None
    return JudgedRemedy(
        action=step,
        applies=Applies.YES,
        why=phrases.CONTRADICTS_WHY.fill(value=refused_though_allowed(message) or ""),
        settings={},
        current={},
        risk=Risk.RESTARTS_RUN,
        check=phrases.ADVISED_CHECK.fill(),
        reference=None,
    )
