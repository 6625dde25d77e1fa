"""What a run of which nothing went wrong ends with: ending_of."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from logdoctor.context.good_ends import LINES, all_failed_at, good_end_at, last_drawn
from logdoctor.model import Ending, Place, Progress, RunState


class LastLines(NamedTuple):
    """The last lines of a source with their numbers, ascending."""

    source: str
    rows: tuple[tuple[int, str], ...]


def last_lines(source: str, lines: int, tail: bytes) -> LastLines:
    """Those among its last bytes that are not blank; `lines` is how many it has."""
    rows = tail.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
    numbered = enumerate(rows, max(1, lines - len(rows) + 1))
    told = [(number, last_drawn(row)) for number, row in numbered if row.strip()]
    return LastLines(source, tuple(told[-LINES:]))


def ending_of(
    sources: Iterable[LastLines], told_end: Place | None, progress: Progress | None
) -> Ending:
    """The good end that a line tells, among the last ones or elsewhere (`told_end`), or the last
    step of all, unless a source says at its end that all failed; else the last line: the one that
    says so, or that of the source that told the last step, if any.
    """
    last: LastLines | None = None
    good: Ending | None = Ending(RunState.GOOD_END, *told_end) if told_end else None
    for each in sources:
        if number := all_failed_at(each.rows):
            return Ending(RunState.NO_END_SEEN, each.source, number, dict(each.rows)[number])
        worked = progress.line if progress and progress.source == each.source else 0
        # the last step may say so itself
        if good is None and (number := good_end_at(each.rows, worked - 1)):
            good = Ending(RunState.GOOD_END, each.source, number, dict(each.rows)[number])
        if each.rows and (progress is None or each.source == progress.source or last is None):
            last = each
    if good:
        return good
    if progress and progress.step is not None and progress.step >= (progress.total or math.inf):
        return Ending(RunState.GOOD_END, progress.source, progress.line)
    return Ending(RunState.NO_END_SEEN, last.source, *last.rows[-1]) if last else _NO_LINE


_NO_LINE = Ending(RunState.NO_END_SEEN)
