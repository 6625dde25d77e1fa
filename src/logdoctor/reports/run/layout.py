"""Texts to columns of a terminal: wrapped, shortened. Chinese characters take two columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_FIRST_WIDE = "\u2e80"
_NARROW_PIECE = r"\s+|\S+"
_PIECE = r"\s+|[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+"
LEAD = 10
"""Characters shown before the focus of a shortened text."""

_NOT_AT_START = "，。；：、！？）》」』”’%"
_NOT_AT_END = "（《「『“‘"


def columns(text: str) -> int:
    """How many columns a text takes."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns (at least 20), broken at blanks and between
    Chinese characters.

    Words that are longer stand alone in a line. Line breaks in the text are kept.
    """
    return [
        line for paragraph in text.splitlines() or [""] for line in _fold(paragraph, max(width, 20))
    ]


def _fold(paragraph: str, width: int) -> Iterator[str]:
    line, used = "", 0
    for token in _pieces(paragraph):
        size = columns(token)
        if used + size > width and line.strip() and token not in _NOT_AT_START:
            kept = line.rstrip().rstrip(_NOT_AT_END)
            line = line.rstrip()[len(kept) :]
            used = columns(line)
            yield kept.rstrip()
            if token.isspace():
                continue
        line += token
        used += size
    yield line.rstrip()


def _pieces(paragraph: str) -> list[str]:
    """What a line may be broken between.

    The regex of wide characters takes 2 ms to compile: only a text that has some pays for it.
    """
    wide = max(paragraph, default="") >= _FIRST_WIDE
    return re.findall(_PIECE if wide else _NARROW_PIECE, paragraph)


def shortened(text: str, width: int, focus: int = 0) -> str:
    """The text in at most `width` columns (at least 20); what is too much is left out of its
    middle.

    Where the character at `focus` would be left out, the text begins just before it instead.
    """
    width = max(width, 20)
    if columns(text) <= width:
        return text
    keep = (width - 3) // 2
    start = _start(text, width - 3 - keep // 2)
    if focus >= len(start) - LEAD:
        text = "… " + text[focus - LEAD :]
        return text if columns(text) <= width else _start(text, width - 2) + " …"
    return f"{start} … {_start(text[::-1], keep // 2)[::-1]}"


def spread(spots: Iterable[int], last: int, width: int) -> str:
    """Numbers from 1 to `last` as marks in `width` columns: `·` for one in a column, `▪` for
    more.
    """
    counts = [0] * width
    for spot in spots:
        counts[min(width - 1, (max(spot, 1) - 1) * width // max(last, 1))] += 1
    return "".join(" " if not count else "·" if count == 1 else "▪" for count in counts)


def _start(text: str, width: int) -> str:
    used = 0
    for position, character in enumerate(text):
        used += columns(character)
        if used > width:
            return text[:position]
    return text
