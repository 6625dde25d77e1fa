"""Which line of a log says why, where an error has a code only: reason_of.

What a component or another process says is tied to the code by the component's name, by a word that
both use, or by standing right above it in one process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logdoctor.formats.bare_codes import telling_words
from logdoctor.model import LogEvent, LogLine
from logdoctor.model.log import NOBODY
from logdoctor.verdict.failure import Failure

NEAR = 40
"""Lines between a reason and the code that one process makes of it, where nothing else ties them:
a traceback stands between them.
"""


def reason_of(code: Failure, failures: Sequence[Failure]) -> LogEvent | None:
    """The line that says why, if it is not part of a failure; None where there is none.

    Of what is tied by a name the first one holds, since others are what came of it; else the
    latest.
    """
    reasons = [event for event in _before(code) if not any(_has(each, event) for each in failures)]
    named = next((each for each in reasons if _is_of_one(code, each)), None)
    return named or next((each for each in reversed(reasons) if _is_above(code, each)), None)


def symptom_with_reason(code: Failure, failures: Sequence[Failure]) -> Failure | None:
    """What the same component had felt before, and says why; None without."""
    component = code.signature.component if code.signature else None
    reasons = list(_before(code))
    return next(
        (
            each
            for each in failures
            if each.signature
            and each.is_symptom
            and not each.is_harmless
            and each.signature.component == component
            and any(_has(each, reason) for reason in reasons)
        ),
        None,
    )


def _before(code: Failure) -> Iterator[LogEvent]:
    """What says why a call failed since the last step: before the code was last told, or in another
    source.
    """
    last = max((*code.spots, code.line))
    for history in code.case.histories.values():
        since = (history.steps or [0])[-1]
        for event in history.reasons:
            is_above = history is not code.history or event.line.number < last
            if event.line.number > since and is_above:
                yield _behind_prefix_of(code.event.lines[0], event)


def _behind_prefix_of(own: LogLine, reason: LogEvent) -> LogEvent:
    """The reason without what stands before the code's own line as well: a prefix that only an
    error shows to be one.
    """
    line, prefix = reason.line, own.raw.removesuffix(own.text)
    if not prefix or line.stream != NOBODY or not line.text.startswith(prefix):
        return reason
    bare = line._replace(text=line.text.removeprefix(prefix), lane=own.lane, stream=own.stream)
    return reason._replace(lines=(bare,))


def _has(failure: Failure, reason: LogEvent) -> bool:
    """Whether the line is part of a failure."""
    line = reason.line
    lines = failure.event.lines
    is_inside = (
        lines[0].source == line.source and lines[0].number <= line.number <= lines[-1].number
    )
    return is_inside or line.number in failure.group.spots.get(line.source, ())


def _is_of_one(code: Failure, reason: LogEvent) -> bool:
    """Whether both are of one component by its name, or use one telling word."""
    component = code.signature.component if code.signature else None
    if component and re.search(rf"(?i)\b{re.escape(component)}\b", reason.line.raw):
        return True
    said = code.event.message.partition("\n")[0]
    return component is None and bool(telling_words(said) & telling_words(reason.line.text))


def _is_above(code: Failure, reason: LogEvent) -> bool:
    """Whether the code's own process said it right above."""
    first = code.event.lines[0]
    lines_between = first.number - reason.line.number
    is_near = reason.line.source == first.source and 0 < lines_between <= NEAR
    return is_near and reason.line.stream == first.stream
