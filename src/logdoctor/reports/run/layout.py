"""Texts to columns of a terminal: wrapped, shortened. Chinese characters take two columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

_FIRST_WIDE = "\u2e80"
_NARROW_PIECE = r"\s+|\S+"
_PIECE = r"\s+|[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+"
LEAD = 10
"""Characters shown before the focus of a shortened text."""

_NOT_AT_START = "，。；：、！？）》」』”’%"
_NOT_AT_END = "（《「『“‘"
_GAP = " … "
_BETWEEN = " · "
_SENTENCE_END = re.compile(r"(?<=[.!?] )(?=[A-Z0-9`\"'(])|(?<=[。！？])")


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


def in_lines(facts: Iterable[str], width: int) -> list[str]:
    """Short facts in lines of at most `width` columns, broken between two of them; one that needs
    more than a line is wrapped by itself.
    """
    lines = [""]
    for fact in facts:
        line = f"{lines[-1]}{_BETWEEN if lines[-1] else ''}{fact}"
        if columns(line) <= width:
            lines[-1] = line
        else:
            lines[-1:] = [*filter(None, lines[-1:]), *wrapped(fact, width)]
    return lines


def _fold(paragraph: str, width: int) -> Iterator[str]:
    line: list[str] = []
    used = 0
    for token in _pieces(paragraph):
        size = columns(token)
        if used + size > width and "".join(line).strip():
            carried = _carried(line, token)
            yield "".join(line[: len(line) - len(carried)]).rstrip()
            line = carried
            used = sum(map(columns, line))
            if token.isspace() and not line:
                continue
        line.append(token)
        used += size
    yield "".join(line).rstrip()


def _pieces(paragraph: str) -> list[str]:
    """What a line may be broken between.

    The regex of wide characters takes 2 ms to compile: only a text that has some pays for it.
    """
    wide = max(paragraph, default="") >= _FIRST_WIDE
    return re.findall(_PIECE if wide else _NARROW_PIECE, paragraph)


def _carried(line: list[str], token: str) -> list[str]:
    """The last tokens of a line that go to the next one with the token: a bracket that opens stays
    with what follows it, a mark that closes with what is before it.
    """
    begin = len(line)
    if token in _NOT_AT_START:
        begin -= 1
    while 0 < begin < len(line) and line[begin] in _NOT_AT_START:
        begin -= 1
    while begin and line[begin - 1] in _NOT_AT_END:
        begin -= 1
    return line[begin:] if begin and "".join(line[:begin]).strip() else []


def sentences(text: str) -> list[str]:
    """The sentences of a text; joined they are the text."""
    return [each for each in _SENTENCE_END.split(text) if each]


Span = tuple[int, int]
"""A part of a text: its first character, from 0, and the one behind its last."""


def shortened(
    text: str, width: int, focus: int = 0, kept: Sequence[Span] = (), least: int = 0
) -> str:
    """The text in at most `width` columns (at least 20); what is too much is left out of its
    middle.

    What is `kept` stays whole, with as much around it as fits and at least so many characters, as
    long as there is room for all of it (else the last of it goes first). Where there is nothing to
    keep and the character at `focus` would be left out, the text begins just before it instead.
    """
    width = max(width, 20)
    if columns(text) <= width:
        return text
    for count in range(len(kept), 0, -1):
        cut = _around(text, width, sorted(kept[:count]), least)
        if cut is not None:
            return cut
    keep = (width - 3) // 2
    start = _start(text, width - 3 - keep // 2)
    if focus >= len(start) - LEAD:
        text = "… " + text[focus - LEAD :]
        return text if columns(text) <= width else _start(text, width - 2) + " …"
    return f"{start} … {_start(text[::-1], keep // 2)[::-1]}"


def _around(text: str, width: int, kept: Sequence[Span], least: int) -> str | None:
    """The kept parts with as much around each as fits; None where that is less than asked for."""
    best, low, high = None, least, len(text)
    while low <= high:
        margin = (low + high) // 2
        cut = _with_margin(text, kept, margin)
        if columns(cut) <= width:
            best, low = cut, margin + 1
        else:
            high = margin - 1
    return best


def _with_margin(text: str, kept: Sequence[Span], margin: int) -> str:
    """The kept parts with so many characters on both sides, but no half words there."""
    pieces: list[Span] = []
    for first, end in kept:
        begin, stop = max(0, first - margin), min(len(text), end + margin)
        if begin:
            begin = next((at for at in range(begin, first) if text[at - 1].isspace()), first)
        if stop < len(text):
            stop = next((at for at in range(stop, end, -1) if text[at].isspace()), end)
        if pieces and begin <= pieces[-1][1] + len(_GAP):
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], stop))
        else:
            pieces.append((begin, stop))
    before = "" if not pieces[0][0] else _GAP.lstrip()
    behind = "" if pieces[-1][1] == len(text) else _GAP.rstrip()
    return before + _GAP.join(text[begin:stop].strip() for begin, stop in pieces) + behind


def found_spans(text: str, values: Iterable[str], focus: int = 0) -> tuple[Span, ...]:
    """Where the values stand in the text as words of their own: the first place from `focus` on,
    else the first one. What is not there has none.
    """
    spans = []
    for value in values:
        found = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)") if value else None
        place = found and (found.search(text, focus) or found.search(text))
        if place:
            spans.append(place.span())
    return tuple(spans)


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
