"""How sure the tool is of a diagnosis: confidence_of.

A diagnosis falls into a class by what speaks for it; each class has the share in which such answers stood at the labelled
root line of real logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logdoctor.model import MatchKind, Role, Signature

SHORT = 20
"""Literal characters below which a recognised text is short."""

UNMEASURED = 0.5
"""For classes in which no answer was ever judged."""

CLASSES: Mapping[str, float] = MappingProxyType(
    {
        "cause, fatal": 0.88,  # 143 of 157
        "cause, fatal, short": UNMEASURED,
        "cause, error": 0.77,  # 17 of 19
        "cause, error, short": UNMEASURED,  # none of 1
        "cause, warning": UNMEASURED,
        "cause, warning, short": UNMEASURED,
        "cause, other wording": 0.55,  # 2 of 2
        "cause, other framework": UNMEASURED,
        "symptom": 0.81,  # 15 of 16
        "wrapper": 0.66,  # 7 of 8
        "teardown": UNMEASURED,
        "benign": UNMEASURED,
    }
)
"""Share of answers of a class that stand at the line that names the cause: the lower end of its 80 % interval, so that few
answers promise little. Measured with scripts/calibrate.py on 2026-11-21 over 203 answers to 233 labelled logs of failed runs
(200 excerpts from public issues, public data sets and captures, 33 whole logs)."""


def evidence_class(signature: Signature, kind: MatchKind, weight: int, *, is_at_home: bool) -> str:
    """The class: what the signature is, and what weakens it.

    Args:
        signature: the one that was recognised.
        kind: whether its text fits to the letter.
        weight: literal characters that were recognised.
        is_at_home: whether it belongs to the run's frameworks.
    """
    if signature.role is not Role.CAUSE:
        return str(signature.role.value)
    if not is_at_home:
        return "cause, other framework"
    if kind is MatchKind.FUZZY:
        return "cause, other wording"
    strength: str = signature.severity.value
    return f"cause, {strength}, short" if weight < SHORT else f"cause, {strength}"
