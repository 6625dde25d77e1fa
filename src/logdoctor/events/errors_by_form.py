"""Events that are errors by their form, whatever they say: is_error."""

from __future__ import annotations

import re

from logdoctor.formats.error_lines import (
    DELIBERATE,
    DELIBERATE_ENDS,
    is_said,
    tells_of_crash,
    tells_of_report,
)
from logdoctor.model import LogEvent

REPORT_LENGTH = 400
"""Characters of a message that only reports a failure; a longer one is a text that speaks of it."""


def is_error(event: LogEvent) -> bool:
    """Whether an event that no signature knows is an error: a traceback, an exception printed as
    an error, a crash.
    """
    if event.exception and re.match(DELIBERATE, event.exception):
        is_end = event.is_traceback and re.match(DELIBERATE_ENDS, event.message)
        return bool(is_end) and event.level not in ("warning", "info", "debug")
    if event.is_cut:
        return event.level not in ("warning", "info", "debug")
    if event.is_traceback and event.exception is not None:
        return event.level not in ("warning", "info", "debug") or _is_passed_on(event)
    if event.is_traceback:
        return False
    if event.exception:
        return event.level in (None, "error", "fatal") and is_said(event.exception, event.message)
    return tells_of_crash(event.message) or is_report(event)


def _is_passed_on(event: LogEvent) -> bool:
    """Whether it ended a program whose output another logs, line by line, at one level for all."""
    outermost = event.frames[0] if event.frames else ""
    return event.level == "info" and " in <module>" in outermost


def is_report(event: LogEvent) -> bool:
    """Whether it is an error by its form that only reports that something failed, of which the
    reason stands elsewhere.
    """
    return (
        not event.is_traceback
        and event.exception is None
        and event.level in (None, "error", "fatal")
        and len(event.message) <= REPORT_LENGTH
        and tells_of_report(event.line.text[:REPORT_LENGTH])
    )
