"""Last lines of a source to the complaint that they end with: last_words.

Programs that catch what ends them say so in a line of their own and leave; where nothing else tells
of a failure, that line is all there is. It does not say which lines ended well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from logdoctor.context.complaints import complains, complaint, names_reason
from logdoctor.formats.closing_words import says_failed
from logdoctor.formats.common_prefixes import CommonPrefix, common_prefix
from logdoctor.formats.error_lines import COMPLAINT
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.model import LogEvent, LogLine
from logdoctor.texts.masking import without_escapes

LINES_BELOW = 3
"""Lines that may stand below it: that the program stops, when it ended.

Of 171 whole logs of runs that went well, none has such a line among its last eight.
"""

LINES_ABOVE = 4
"""Lines above it among which another complaint may name the reason that it does not name."""

LENGTH = 300
"""Characters of a last line that says only that something failed; a longer one is data."""

_WENT_WELL = r" HTTP/[12]\b|\b(?:status|code)[ :=]{1,2}0\b"
"""What a server prints of a request, and a program of its end: where one follows, the complaint
was outlived.
"""


def last_words(source: str, rows: Sequence[tuple[int, str]]) -> LogEvent | None:
    """The latest record at level error or fatal, or line that begins with `Error:` or `program:
    error:`, of the last lines that are not blank. Where it names no reason, the latest of the same
    writer shortly above that does. Else the very last line, if it says that something failed; None
    where it does not.

    Args:
        source: name of the source.
        rows: its last lines with their numbers, ascending.
    """
    told = [(number, row) for number, row in rows if row.strip()]
    prefix = common_prefix([without_escapes(row) for _, row in told], COMPLAINT)
    lines = [_line(source, number, without_escapes(row).rstrip(), prefix) for number, row in told]
    places = range(len(lines) - 1, max(-1, len(lines) - 2 - LINES_BELOW), -1)
    last = next((place for place in places if complains(lines[place])), None)
    if last is None:
        return complaint(lines, len(lines) - 1) if lines and _failed(lines[-1]) else None
    if any(re.search(_WENT_WELL, later) for _, later in told[last + 1 :]):
        return None
    above = range(last - 1, max(-1, last - 1 - LINES_ABOVE), -1)
    same = (at for at in above if lines[at].stream == lines[last].stream and complains(lines[at]))
    reasoned = next((at for at in (last, *same) if names_reason(lines[at])), last)
    return complaint(lines, reasoned)


def _failed(line: LogLine) -> bool:
    """Whether it says so, and not as a record of what is no error."""
    is_told_as_less = line.is_record and line.level in ("debug", "info", "warning")
    text = line.text.strip()
    return not is_told_as_less and len(text) <= LENGTH and says_failed(text)


def _line(source: str, number: int, text: str, prefix: CommonPrefix | None) -> LogLine:
    stripped = (prefix and prefix.applied(text)) or strip_prefixes(text)
    return stripped.line(source, number, text)
