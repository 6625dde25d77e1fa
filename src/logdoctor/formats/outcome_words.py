"""Words by which programs tell what becomes of an error that they print: is_left_out, is_of_main.

A test holds every row to its sample.
"""

import re
from enum import Enum
from typing import NamedTuple

from logdoctor.model import LogEvent

BELOW = 2
"""Lines below an error in which a harness says what it does about it."""


class Outcome(Enum):
    """What the words say, and where they stand."""

    SKIPPED = "it leaves out what failed, says the error's own first line"
    SKIPPED_BELOW = "a harness leaves it out, says one of the lines below"
    MAIN_FAILED = "the program's main function failed, says the line above"


class OutcomeWords(NamedTuple):
    """How a program says it: a regex for a line, and a line that it fits."""

    outcome: Outcome
    pattern: str
    sample: str


OUTCOME_WORDS = (
    OutcomeWords(
        Outcome.SKIPPED,
        r"^\W{0,2}[Ss]kip(?:ped|ping)?\b",
        "[skip] Failed to load symnco_tsp50.ckpt: Attempting to deserialize object on CUDA device "
        "7 but torch.cuda.device_count() is 6.",
    ),
    OutcomeWords(
        Outcome.SKIPPED_BELOW,
        r"(?i)\b(?:crash|fail|error)\w*.{1,40}\bskip(?:ped|ping)\b",
        "[warn] problem 47 eval crashed (exit 134); marking skipped",
    ),
    # Hydra prints it above the traceback, which it cuts down to the frames below its own, before
    # it exits (_internal/utils.py)
    OutcomeWords(
        Outcome.MAIN_FAILED,
        r"^Error executing job with overrides",
        "Error executing job with overrides: ['trainer.total_epochs=2']",
    ),
)


def is_left_out(event: LogEvent) -> bool:
    """Whether the program says that it leaves out what failed."""
    return _is_said(Outcome.SKIPPED, event.lines[0].text) or any(
        _is_said(Outcome.SKIPPED_BELOW, line.text) for line in event.after[:BELOW]
    )


def is_of_main(event: LogEvent) -> bool:
    """Whether a line above says that the program's main function failed."""
    return any(_is_said(Outcome.MAIN_FAILED, line.text) for line in event.before[-1:])


def _is_said(outcome: Outcome, text: str) -> bool:
    return any(re.search(row.pattern, text) for row in OUTCOME_WORDS if row.outcome is outcome)
