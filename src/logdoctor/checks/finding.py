"""A thing that a signature should not have: Finding."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from logdoctor.errors import Fault


class Kind(str, Enum):
    """What is wrong, as the budget names it."""

    UNFILLED = "unfilled"
    BROKEN_SENTENCE = "sentence-broken-by-a-clause"
    RUNS_ON = "capture-that-runs-on"
    UNLABELLED = "condition-without-words"
    EXCLUDED = "excluded-by-itself"
    REGEX_IN_TEMPLATE = "regex-in-template"
    SAME_PATTERN = "same-pattern"
    NO_EXAMPLE = "pattern-without-example"
    PROSE_CONDITION = "condition-in-prose"
    JOINING_WORD = "action-joined-to-another"
    UNASKED_CAPTURE = "condition-on-a-capture-in-prose"
    LOW_RISK = "risk-too-low"
    FOREIGN_KEY = "key-of-a-framework"
    FILLER = "filler-in-example"
    ARITHMETIC = "arithmetic-in-example"
    ENGLISH = "english"
    IDLE_CHECK = "check-only-restates-success"


class Finding(NamedTuple):
    """One of them, in one signature."""

    kind: Kind
    signature_id: str
    fault: Fault
