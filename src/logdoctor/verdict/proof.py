"""Why a rule holds: Line, Proof, Priority, Ground.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.model import Verdict
from logdoctor.texts.phrases import Phrase


class Priority(IntEnum):
    """Where a failure stands among the candidates for the root cause; the lower, the better."""

    FATAL = 0
    CAUSE = 1
    HANDLED = 2
    SYMPTOM = 3
    PASSED_ON = 4
    WRAPPER = 5
    NOTICE = 6


class Line(NamedTuple):
    """A line of a source, by its number."""

    source: str
    number: int


class Proof(NamedTuple):
    """That a rule holds.

    Attributes:
        lines: those that show it, the telling one first; at least one.
        values: what else the rule's sentence says, by name.
    """

    lines: tuple[Line, ...]
    values: Mapping[str, object] = MappingProxyType({})


class Ground(NamedTuple):
    """A rule that holds of a failure.

    Attributes:
        rule: its id.
        proves: what follows from it.
        says: its sentence.
        proof: what shows it.
    """

    rule: str
    proves: Verdict | Priority
    says: Phrase
    proof: Proof
