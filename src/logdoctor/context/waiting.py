"""Last lines of a source to the waiting that they end with: waiting_at_end.

A program that only says, again and again, that it waits for something or tries again does not get
on; who reads its log wants to know for what.
"""

from collections.abc import Sequence
from typing import NamedTuple

from logdoctor.formats.closing_words import says_waiting, says_why
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.model import LogEvent
from logdoctor.texts.masking import masked, without_escapes

LINES = 10
"""Lines of waiting that stand at the very end: fewer are seen while a server starts."""

FORMS = 3
"""Different lines, numbers aside, of which they may be made: that it waits, for what, and why."""


class Waiting(NamedTuple):
    """The last line of waiting, and how many lines there are of it, as far as was looked."""

    event: LogEvent
    lines: int


def waiting_at_end(source: str, rows: Sequence[tuple[int, str]], worked: int) -> Waiting | None:
    """What it waits for, where the source ends with lines of a few forms that all say so or why,
    and nothing else; None without.

    Args:
        source: its name.
        rows: its last lines with their numbers, ascending.
        worked: the last line that reports a step or draws a bar of work; else 0.
    """
    told = [(number, without_escapes(row).rstrip()) for number, row in rows if row.strip()]
    lines = []
    forms: dict[str, bool] = {}
    for number, text in reversed(told):
        stripped = strip_prefixes(text)
        form = masked(stripped.text.strip())
        if form not in forms:
            said = stripped.text.strip()
            waits = says_waiting(said)
            if number <= worked or len(forms) == FORMS or not (waits or says_why(said)):
                break
            forms[form] = waits
        lines.append((number, text, form))
    waits_in = [each for each in lines if forms[each[2]]]
    if len(lines) < LINES or len(waits_in) * FORMS < len(lines):
        return None
    number, text, _ = waits_in[0]
    return Waiting(_event(source, number, text), len(lines))


def _event(source: str, number: int, text: str) -> LogEvent:
    line = strip_prefixes(text).line(source, number, text)
    return LogEvent((line,), 0, None, line.text.strip(), level=line.level)
