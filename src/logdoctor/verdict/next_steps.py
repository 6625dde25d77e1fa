"""What to look at next where no signature knows an error: next_steps, waiting_steps."""

from __future__ import annotations

from collections.abc import Mapping

from logdoctor.model import LocalText, LogEvent
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.frames import places_of, raised_by


def next_steps(event: LogEvent, versions: Mapping[str, str]) -> tuple[LocalText, ...]:
    """Where it was raised and what called it, as its frames tell; of an error without frames,
    that they are missing. `versions` are those that the log tells.
    """
    raised = raised_by(event)
    facts = raised.facts(versions)
    if raised.at is None:
        outermost = next(places_of(event), None)
        return (
            (phrases.RAISED_IN_PYTHON.fill(place=outermost.name),)
            if outermost
            else (phrases.NO_FRAMES.fill(),)
        )
    if raised.package is None:
        own = phrases.RAISED_WITH_ROWS if raised.given_to else phrases.RAISED_HERE
        return (own.fill(place=raised.at.name, library=raised.given_to or ""),)
    called = (phrases.CALLED_HERE.fill(place=raised.own.name),) if raised.own else ()
    return (
        phrases.RAISED_IN_LIBRARY.fill(
            place=raised.at.name, library=raised.package, release=facts["raised_release"]
        ),
        *called,
    )


def waiting_steps(lines: int) -> tuple[LocalText, ...]:
    """Where a log ends with so many lines of waiting, at least."""
    return (phrases.WAITS_AT_END.fill(lines=lines),)
