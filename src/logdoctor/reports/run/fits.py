"""Signatures that fit a few words, for a terminal: fits_text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdoctor.model import Signature
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.texts.filling import fill
from logdoctor.texts.phrases import reports as phrases


def fits_text(signatures: Iterable[Signature], style: TextStyle, *, is_log: bool = False) -> str:
    """The best first, each with its title; where the words came as a log, that it is a guess."""
    return "\n".join(_lines(signatures, Pen(style), is_log)) + "\n"


def _lines(signatures: Iterable[Signature], pen: Pen, is_log: bool) -> Iterator[str]:
    heading = phrases.WORDS_ONLY if is_log else phrases.WORDS_FIT
    yield pen.paint(pen.say(heading), "yellow" if is_log else None, bold=True)
    for each in signatures:
        yield f"  logdoctor explain {each.id}"
        yield from pen.prose(fill(pen.read(each.title), {}), bullet="  ", dim=True)
