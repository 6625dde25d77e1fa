"""What a process was at work with when others had waited for it too long: Work, work_under_way.

A bar or a line of loading, tokenizing, saving … that nothing follows but the complaint of those who
waited says that its rank was late, not gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.formats.busy_words import is_of_preparation, names_busy
from logdoctor.formats.progress_bars import BAR
from logdoctor.model.history import SourceHistory
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line

NEAR = 60
"""Lines between the last drawing of a bar and the complaint, in one source: each of many ranks
complains in several lines, and a hung run writes nothing else.
"""

WORDS_LIMIT = 80
"""Characters of a line that are told."""


class Work(NamedTuple):
    """What was under way, and which line shows it."""

    what: str
    at: Line


def work_under_way(failure: Failure) -> Work | None:
    """The latest of what shows a process at work right before a failure, or beside it."""
    own = failure.history
    bars = [
        work
        for history in failure.case.histories.values()
        for work in _unfinished(history, failure.line if history is own else None)
    ]
    return max(bars, key=lambda each: each.at.number, default=None) or _said(failure)


def _unfinished(history: SourceHistory, line: int | None) -> Iterator[Work]:
    """The bars that a source shows unfinished, with no step since; those near the line, where it
    is given.
    """
    since = (history.steps or [0])[-1]
    for (label, total), loop in history.loops.items():
        is_near = line is None or abs(loop.line - line) <= NEAR
        is_left = loop.step < total and loop.line >= since
        if label and is_left and is_near and is_of_preparation(label):
            yield Work(f"{label} {loop.step}/{total}", Line(history.name, loop.line))


def _said(failure: Failure) -> Work | None:
    """What the line says that stands right above the failure, apart from empty ones; a bar says
    by its numbers whether its work is under way.
    """
    above = [each for each in failure.event.before if each.text.strip() and BAR not in each.text]
    last = above[-1] if above else None
    if last is None or last.level in ("error", "fatal") or not names_busy(last.text):
        return None
    return Work(last.text.strip()[:WORDS_LIMIT], Line(last.source, last.number))
