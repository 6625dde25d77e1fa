"""Last lines of a source to the one that says that its run ended well: good_end_at,
all_failed_at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from logdoctor.formats.closing_words import says_all_failed, says_good_end
from logdoctor.formats.common_prefixes import common_prefix
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.texts.masking import without_escapes

LINES = 12
"""Last lines of a source that are not blank, in one of which it says that all went well."""

LENGTH = 400
"""Characters of a line; a longer one is data."""

_SAYING = (
    r"(?:done|finish|complet|succe|exit|exits|ended|wandb|train_|saved|saving|final|passed"
    r"|\brc\b|return ?code|status|\$\?|完成|结束|成功|退出|返回码)"
)
_MAY_SAY = re.compile(rf"(?i){_SAYING}")
_BEGINS = rf"(?i)(?:[\w./-]{{1,60}}(?::\d+)? ?[:-] ?)?(?:\w{{1,20}} ){{0,2}}{_SAYING}"


def _is_good_end(text: str) -> bool:
    """Whether a line, with its prefixes, says that the run came to a good end."""
    if len(text) > LENGTH or not _MAY_SAY.search(text):
        return False
    return says_good_end(strip_prefixes(text).text.strip())


def good_end_at(rows: Sequence[tuple[int, str]], worked: int) -> int:
    """The last line of all that says so; 0 without, and where one says that all failed.

    Args:
        rows: the last lines of a source with their numbers, ascending.
        worked: the last line that reports a step; else 0.
    """
    told = _last_told(rows)
    if _in_vain(told):
        return 0
    return next(
        (number for number, text in reversed(told) if number > worked and _is_good_end(text)), 0
    )


def all_failed_at(rows: Sequence[tuple[int, str]]) -> int:
    """The last line of all (as above) that says that of what was tried nothing succeeded, however
    well the program ended; 0 without.
    """
    return _in_vain(_last_told(rows))


def _last_told(rows: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    drawn = [(number, last_drawn(row)) for number, row in rows if row.strip()][-LINES:]
    return without_common_prefix(drawn)


def _in_vain(told: Sequence[tuple[int, str]]) -> int:
    failed = (number for number, text in reversed(told) if says_all_failed(text[:LENGTH]))
    return next(failed, 0)


def without_common_prefix(rows: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """Lines with their numbers, without what stands before most of them and no row knows."""
    if not any(_MAY_SAY.search(text) for _, text in rows):
        return rows
    prefix = common_prefix([text for _, text in rows], _BEGINS)
    if prefix is None:
        return rows
    bare = ((number, text, prefix.applied(text)) for number, text in rows)
    return [(number, found.text if found else text) for number, text, found in bare]


def last_drawn(row: str) -> str:
    """A line without escapes as it stood on a screen in the end."""
    return without_escapes(row).rstrip().rpartition("\r")[2]
