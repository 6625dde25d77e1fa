"""What a run of which nothing went wrong ends with: ending_of."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from logdoctor.context.good_ends import LINES, is_good_end, last_drawn, without_common_prefix
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
    step of all; else the last line: of the source that told the last step, if any.
    """
    if told_end:
        return Ending(RunState.GOOD_END, *told_end)
    last: LastLines | None = None
    for each in sources:
        worked = progress.line if progress and progress.source == each.source else 0
        bare = reversed(without_common_prefix(each.rows))
        good = (number for number, text in bare if number >= worked and is_good_end(text))
        if number := next(good, None):
            return Ending(RunState.GOOD_END, each.source, number, dict(each.rows)[number])
        if each.rows and (progress is None or each.source == progress.source or last is None):
            last = each
    if progress and progress.step is not None and progress.step >= (progress.total or math.inf):
        return Ending(RunState.GOOD_END, progress.source, progress.line)
    return Ending(RunState.NO_END_SEEN, last.source, *last.rows[-1]) if last else _NO_LINE


_NO_LINE = Ending(RunState.NO_END_SEEN)
