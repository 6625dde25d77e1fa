"""Words by which programs tell what becomes of an error that they print: is_left_out, is_retried,
tells_of_failure, tells_of_want, is_of_main.

A test holds every row to its sample.
"""

import re
from enum import Enum
from typing import NamedTuple

from logdoctor.model import LogEvent, LogLine

BELOW = 2
"""Lines below an error in which a harness says what it does about it."""


class Outcome(Enum):
    """What the words say, and where they stand."""

    SKIPPED = "it leaves out what failed, says the error's own first line"
    SKIPPED_BELOW = "a harness leaves it out, says one of the lines below"
    PASSED_OVER = "it goes on without what failed, says a line directly above or below"
    RETRIED = "it tries again, says the error, the record it is printed below, or one beside it"
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
    OutcomeWords(
        Outcome.PASSED_OVER,
        r"(?i)\b(?:skip(?:ped|ping)|continuing|ignor(?:ed|ing)|dropp(?:ed|ing)"
        r"|leaving (?:it|this) out|moving on|going on)\b|跳过|忽略|继续",
        "reading of sample 17 failed, skipping",
    ),
    OutcomeWords(
        Outcome.RETRIED,
        (
            r"(?i)\b(?:attempt|try|retry|trial) #?(?P<tried>\d{1,4}) ?"
            r"(?:/|of|out of) ?(?P<allowed>\d{1,4})\b"
        ),
        "2026-11-23 02:34:29 WARNING reward request 4 failed (attempt 2/3): TimeoutError()",
    ),
    # Ray's raylet (src/ray/core_worker/task_manager.cc)
    OutcomeWords(
        Outcome.RETRIED,
        (
            r"There (?:are|is) (?:infinite|[1-9]\d*) retr(?:y|ies) remaining, "
            r"so the task will be retried"
        ),
        "Task W.gen failed. There are 2 retries remaining, so the task will be retried. Error: x",
    ),
    OutcomeWords(
        Outcome.RETRIED,
        r"(?i)\b(?:retrying|trying again|will (?:be retried|retry|try again))\b"
        r"|\bretry(?:ing)? (?:in|after) \d|重试中|正在重试|将重试|秒后重试",
        "download of shard 7 failed: connection reset; retrying in 4s",
    ),
    # Hydra prints it above the traceback, which it cuts down to the frames below its own, before
    # it exits (_internal/utils.py)
    OutcomeWords(
        Outcome.MAIN_FAILED,
        r"^Error executing job with overrides",
        "Error executing job with overrides: ['trainer.total_epochs=2']",
    ),
)


_MARKS_OF_RETRIES = ("attempt", "try", "trial", "retr", "重试")
"""What in lower case has one of these is all that may say so: every line of every rank's traceback
is asked.
"""

_GIVEN_UP = (
    r"(?i)\bgiv(?:ing|en?|es) up\b|\bno (?:more )?retr|\bnot? (?:be )?retr"
    r"|\bretries (?:exhausted|left: 0)|\blast (?:attempt|try)\b|\bout of retries\b"
    r"|\bwithout retrying\b|不再重试|放弃"
)
"""What says that it is not tried again, whatever else the line says."""


_FAILED = (
    r"(?i)\b(?:fail(?:ed|s|ure|ing)?|error|exception|could ?n[o']t|cannot|can't|unable)\b"
    r"|失败|错误|异常|无法"
)
"""How a record says that something failed."""


_WANT = (
    r"(?i)no such file|(?:not|n't) (?:exist|found|find)|\bnot found|\bempty\b|\bmissing\b|=0$"
    r"|cannot (?:access|stat|open)|no module named|\b(?:0|no) (?:samples|rows|examples|lines"
    r"|records|files|batches|data|checkpoints?)\b|\bEOF|Expecting value|truncated|corrupt"
)
"""How programs say that what they read is not there, or not all of it."""


def is_left_out(event: LogEvent) -> bool:
    """Whether the program says that it leaves out what failed."""
    return _is_said(Outcome.SKIPPED, event.lines[0].text) or any(
        _is_said(Outcome.SKIPPED_BELOW, line.text) for line in event.after[:BELOW]
    )


def is_retried(event: LogEvent) -> bool:
    """Whether the program says that it tries again what failed: in the error's own lines, in the
    record that a traceback is printed below, or in a line of the same writer beside it.
    """
    texts = [line.text for line in (*event.lines, *_beside(event))]
    return _may_say_retried("\n".join(texts)) and any(map(_says_retried, texts))


def is_passed_over(event: LogEvent) -> bool:
    """Whether a line of the same writer directly above or below it says that it is left out."""
    return any(_is_said(Outcome.PASSED_OVER, line.text) for line in _beside(event))


def tells_of_failure(text: str) -> bool:
    """Whether a record says that something failed or is tried again."""
    return _says_retried(text) or re.search(_FAILED, text) is not None


def tells_of_want(text: str) -> bool:
    """Whether it says that something is missing or empty that was to be there."""
    return re.search(_WANT, text) is not None


def is_of_main(event: LogEvent) -> bool:
    """Whether a line above says that the program's main function failed."""
    return any(_is_said(Outcome.MAIN_FAILED, line.text) for line in event.before[-1:])


def _beside(event: LogEvent) -> list[LogLine]:
    """The lines of the same writer directly above and below it."""
    first, last = event.lines[0], event.lines[-1]
    return [
        line
        for line in (*event.before[-1:], *event.after[:1])
        if line.number in (first.number - 1, last.number + 1) and line.stream == first.stream
    ]


def _says_retried(text: str) -> bool:
    if not _may_say_retried(text) or re.search(_GIVEN_UP, text):
        return False
    for row in OUTCOME_WORDS:
        found = re.search(row.pattern, text) if row.outcome is Outcome.RETRIED else None
        if found:
            tried = found.groupdict().get("tried")
            return tried is None or int(tried) < int(found["allowed"])
    return False


def _may_say_retried(text: str) -> bool:
    return any(map(text.lower().__contains__, _MARKS_OF_RETRIES))


def _is_said(outcome: Outcome, text: str) -> bool:
    return any(re.search(row.pattern, text) for row in OUTCOME_WORDS if row.outcome is outcome)
