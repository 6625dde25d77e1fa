"""Last lines of a source to the complaint that they end with: last_words.

Programs that catch what ends them say so in a line of their own and leave; where nothing else tells
of a failure, that line is all there is. It does not say which lines ended well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from logdoctor.formats.common_prefixes import CommonPrefix, common_prefix
from logdoctor.formats.error_lines import COMPLAINT, ERROR_LEVEL
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.model import LogEvent, LogLine
from logdoctor.texts.masking import without_escapes

LINES_BELOW = 3
"""Lines that may stand below it: that the program stops, when it ended.

Of 171 whole logs of runs that went well, none has such a line among its last eight.
"""

LETTERS = 12
"""Letters that it says at least, so that no metric called error is taken for it."""

_SAID = re.compile(COMPLAINT)

_WENT_WELL = r" HTTP/[12]\b|\b(?:status|code)[ :=]{1,2}0\b"
"""What a server prints of a request, and a program of its end: where one follows, the complaint
was outlived.
"""

_LETTER = re.compile(r"[^\W\d_]")


def last_words(source: str, rows: Sequence[tuple[int, str]]) -> LogEvent | None:
    """The latest record at level error or fatal, or line that begins with `Error:` or `program:
    error:`, of the last lines that are not blank; None without.

    Args:
        source: name of the source.
        rows: its last lines with their numbers, ascending.
    """
    told = [(number, row) for number, row in rows if row.strip()]
    prefix = common_prefix([without_escapes(row) for _, row in told], COMPLAINT)
    for below, (number, row) in enumerate(reversed(told[-1 - LINES_BELOW :])):
        line = _line(source, number, without_escapes(row).rstrip(), prefix)
        if _complains(line):
            place = len(told) - 1 - below
            if any(re.search(_WENT_WELL, later) for _, later in told[place + 1 :]):
                return None
            before, after = (
                [_line(source, *each) for each in part]
                for part in (told[max(0, place - 3) : place], told[place + 1 :][:3])
            )
            return LogEvent(
                (line,),
                0,
                None,
                line.text.strip(),
                before=tuple(before),
                after=tuple(after),
                level=line.level,
            )
    return None


def _complains(line: LogLine) -> bool:
    said = _SAID.match(line.text.strip())
    is_record = (
        line.is_record
        and line.level in ("error", "fatal")
        and bool(re.search(ERROR_LEVEL, line.raw[: len(line.raw) - len(line.text)]))
    )
    return (is_record or said is not None) and len(
        _LETTER.findall(said["said"] if said else line.text)
    ) >= LETTERS


def _line(source: str, number: int, text: str, prefix: CommonPrefix | None = None) -> LogLine:
    stripped = (prefix and prefix.applied(text)) or strip_prefixes(text)
    return LogLine(
        source,
        number,
        text,
        stripped.text,
        stripped.lane,
        stripped.stream,
        stripped.time,
        stripped.level,
        stripped.is_record,
    )
