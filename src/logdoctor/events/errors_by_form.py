"""Events that are errors by their form, whatever they say: is_error."""

from __future__ import annotations

import re

from logdoctor.formats.error_lines import CRASH, DELIBERATE, is_said
from logdoctor.model import LogEvent


def is_error(event: LogEvent) -> bool:
    """Whether an event that no signature knows is an error: a traceback, an exception printed as
    an error, a crash.
    """
    if event.exception and re.match(DELIBERATE, event.exception):
        return False
    if event.is_cut:
        return event.level not in ("warning", "info", "debug")
    if event.is_traceback:
        return event.exception is not None and event.level not in ("warning", "info", "debug")
    if event.exception:
        return event.level in (None, "error", "fatal") and is_said(event.exception, event.message)
    return bool(re.search(CRASH, event.message))
