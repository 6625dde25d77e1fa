"""What a run of which nothing went wrong ends with: ending_of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from logdoctor.model import Ending, Place, Progress, RunState
from logdoctor.texts.masking import without_escapes

LINES = 12
"""Last lines of a source that are not blank, in one of which it says that all went well."""

LENGTH = 400
"""Characters of a line; a longer one is data."""

_MAY_SAY = re.compile(
    r"(?i)done|finish|complet|succe|exit|exits|ended|wandb|train_|saved|saving|final|passed"
    r"|\brc\b|return ?code|status|\$\?|完成|结束|成功|退出|返回码"
)


class LastLines(NamedTuple):
    """The last lines of a source with their numbers, ascending."""

    source: str
    rows: tuple[tuple[int, str], ...]


def last_lines(source: str, lines: int, tail: bytes) -> LastLines:
    """Those among its last bytes that are not blank; `lines` is how many it has."""
    rows = tail.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
    numbered = enumerate(rows, max(1, lines - len(rows) + 1))
    told = [(number, _last_drawn(row)) for number, row in numbered if row.strip()]
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
        after = (row for row in reversed(each.rows) if row[0] >= worked)
        good = next((row for row in after if _is_good(row[1])), None)
        if good:
            return Ending(RunState.GOOD_END, each.source, *good)
        if each.rows and (progress is None or each.source == progress.source or last is None):
            last = each
    if progress and progress.step is not None and progress.step >= (progress.total or math.inf):
        return Ending(RunState.GOOD_END, progress.source, progress.line)
    return Ending(RunState.NO_END_SEEN, last.source, *last.rows[-1]) if last else _NO_LINE


_NO_LINE = Ending(RunState.NO_END_SEEN)


def _is_good(text: str) -> bool:
    if len(text) > LENGTH or not _MAY_SAY.search(text):
        return False
    # most logs of which nothing is known do without
    from logdoctor.formats.closing_words import says_good_end  # noqa: PLC0415
    from logdoctor.formats.prefixes import strip_prefixes  # noqa: PLC0415

    return says_good_end(strip_prefixes(text).text.strip())


def _last_drawn(row: str) -> str:
    """A line without escapes as it stood on a screen in the end."""
    return without_escapes(row).rstrip().rpartition("\r")[2]
