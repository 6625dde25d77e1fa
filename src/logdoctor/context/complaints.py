"""Lines that say of themselves that they are errors, without the form of one: complains."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logdoctor.formats.error_lines import COMPLAINT, ERROR_LEVEL, NAMES_REASON, REPORT
from logdoctor.formats.marked import fits_any
from logdoctor.model import LogEvent, LogLine

LETTERS = 12
"""Letters that it says at least, so that no metric called error is taken for it."""

REPEATED = 3
"""Equal warnings right above a report that the program did not get beyond."""

_SAID = re.compile(COMPLAINT)

_ONLY_FAILED = r"(?i)\b(?:fail|abort|exit|error|terminat|stopp|crash|wrong|unsuccessful)|^\d+$"
"""What an exception says, besides a reason, of those that it was raised for."""

_LETTER = re.compile(r"[^\W\d_]")


def complains(line: LogLine) -> bool:
    """Whether it is a record at level error or fatal, or says `Error:`, or that a program cannot
    be called so, in words.
    """
    said = _SAID.match(line.text.strip())
    is_record = (
        line.is_record
        and line.level in ("error", "fatal")
        and bool(re.search(ERROR_LEVEL, line.raw[: len(line.raw) - len(line.text)]))
    )
    return (is_record or said is not None) and len(_LETTER.findall(_words(line))) >= LETTERS


def names_reason(line: LogLine) -> bool:
    """Whether a complaint names why: an option, a path, a key, a value, a cause behind a colon."""
    return re.search(NAMES_REASON, _words(line)) is not None


def says_only_failed(event: LogEvent) -> bool:
    """Whether an exception says no more than that something failed (`RuntimeError: job failed`,
    `SystemExit: 2`).
    """
    if event.exception is None:
        return False
    message = event.message.removeprefix(event.exception).lstrip(" :：").strip()
    if "\n" in message or not re.search(_ONLY_FAILED, message):
        return False
    return message.isdigit() or not re.search(NAMES_REASON, message)


def complaint(lines: Sequence[LogLine], at: int) -> LogEvent:
    """One of these lines as an event, with those around it."""
    line = lines[at]
    return LogEvent(
        (line,),
        0,
        None,
        line.text.strip(),
        before=tuple(lines[max(0, at - 3) : at]),
        after=tuple(lines[at + 1 :][:3]),
        level=line.level,
    )


def complaint_above(event: LogEvent) -> LogEvent | None:
    """The latest of the lines right above an event that complains and names a reason, and is no
    report of a failure itself, or the warning that they all repeat; None without.
    """
    lines = (*event.before, event.line)
    latest_first = range(len(event.before) - 1, -1, -1)
    found = next((at for at in latest_first if _says_why(lines[at])), None)
    if found is None and _repeat_a_warning(event.before):
        found = len(event.before) - 1
    return None if found is None else complaint(lines, found)


def _says_why(line: LogLine) -> bool:
    return complains(line) and names_reason(line) and not fits_any(REPORT, line.text)


def _repeat_a_warning(lines: Sequence[LogLine]) -> bool:
    """Whether one writer warned of the same again and again, and wrote nothing else."""
    forms = {(line.stream, line.level, re.sub(r"\d+", "", line.text)) for line in lines}
    is_warning = len(lines) >= REPEATED and len(forms) == 1 and lines[-1].level == "warning"
    return is_warning and names_reason(lines[-1])


def _words(line: LogLine) -> str:
    """What is said behind the word that it is an error."""
    text = line.text.strip()
    said = _SAID.match(text)
    return said["said"] if said else text
