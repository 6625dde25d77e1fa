"""How sure the tool is of a diagnosis: confidence_of.

A diagnosis falls into a class by what speaks for it; each class has the share in which such answers
stood at the labelled root line of real logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logdoctor.matching.rivals import Home
from logdoctor.model import MatchKind, Role, Signature

SHORT = 20
"""Literal characters below which a recognised text is short."""

UNMEASURED = 0.5
"""For classes in which no answer was ever judged."""

CLASSES: Mapping[str, float] = MappingProxyType(
    {
        "cause, fatal": 0.88,  # 158 of 173
        "cause, fatal, short": 0.38,  # 1 of 1
        "cause, error": 0.7,  # 19 of 23
        "cause, error, short": 0.32,  # 2 of 3
        "cause, warning": UNMEASURED,
        "cause, warning, short": UNMEASURED,
        "cause, other wording": UNMEASURED,
        "cause, other framework": UNMEASURED,
        "cause, framework not seen": UNMEASURED,
        "symptom": 0.85,  # 19 of 20
        "wrapper": 0.81,  # 7 of 7
        "teardown": UNMEASURED,
        "benign": UNMEASURED,
    }
)
"""Share of answers of a class that stand at the line that names the cause: the lower end of its
80 % interval, so that few answers promise little. Measured with `benchmarks/accuracy/calibrate.py`
on 2026-11-21 over 227 answers to 233 labelled logs of failed runs (200 excerpts from public issues,
public data sets and captures, 33 whole logs).
"""


def evidence_class(signature: Signature, kind: MatchKind, weight: int, home: Home) -> str:
    """The class: what the signature is, and what weakens it.

    Args:
        signature: the one that was recognised.
        kind: whether its text fits to the letter.
        weight: literal characters that were recognised.
        home: what the signature is to the run's frameworks.
    """
    if signature.role is not Role.CAUSE:
        return str(signature.role.value)
    if home is Home.ANOTHER:
        return "cause, other framework"
    if home is Home.OPEN:
        return "cause, framework not seen"
    if kind is MatchKind.FUZZY:
        return "cause, other wording"
    strength: str = signature.severity.value
    return f"cause, {strength}, short" if weight < SHORT else f"cause, {strength}"
