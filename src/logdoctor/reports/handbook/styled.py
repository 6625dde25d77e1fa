"""A page in Markdown for a terminal: styled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdoctor.reports.run.layout import wrapped
from logdoctor.reports.run.painting import TextStyle, painted

_HEADING = re.compile(r"#+ ")
_CODE = re.compile(r"`([^`\n]+)`")
_BULLET = re.compile(r" *(?:\d+\.|-) ")
_INDENT = "    "


def styled(page: str, style: TextStyle) -> str:
    """The page without its marks: headings in bold, code in a colour, lines as wide as the
    terminal.
    """
    return "\n".join(_lines(page, style)) + "\n"


def _lines(page: str, style: TextStyle) -> Iterator[str]:
    is_code = False
    for line in page.splitlines():
        if line.startswith("```"):
            is_code = not is_code
        elif is_code:
            yield painted(_INDENT + line, "cyan", style)
        elif found := _HEADING.match(line):
            yield painted(line[found.end() :], None, style, bold=True)
        else:
            yield from _prose(line, style)


def _prose(line: str, style: TextStyle) -> Iterator[str]:
    bullet = _BULLET.match(line)
    lead = bullet[0] if bullet else ""
    for i, part in enumerate(wrapped(line[len(lead) :], style.width - len(lead))):
        text = _CODE.sub(lambda found: painted(found[1], "cyan", style), part)
        yield (" " * len(lead) if i else lead) + text
