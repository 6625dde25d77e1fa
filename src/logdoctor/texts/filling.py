"""Captures filled into texts: fill, tell, outline.

A capture stands in braces; `{{` and `}}` are braces. `{port|PORT}` says `PORT` where the capture is
missing, or is more than one plain word: a command to copy has what the log tells in it, and a log
must not write commands. `[[ … ]]` round a capture is a clause, which goes where one of its captures
is missing; round anything else the brackets stay as they are.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from logdoctor.model import LocalText

LEFT_OUT = "…"
"""What a reader sees for a capture that is missing where nothing can be left out."""

_CAPTURE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)(?:\|([^{}|]+))?\}")
_PLAIN_WORD = re.compile(r"[\w/.][\w/.@%+:=~,-]*")
"""What every shell reads as one word, and no program as an option."""

_CLAUSE = re.compile(r"\[\[((?:(?!\[\[|\]\]).)*(?:\](?=\]\]))?)\]\]", re.DOTALL)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？])")
_CLOSES = re.compile(r"[\s,.;:!?)\]，。；：！？）、]|\Z")


class Pieces(NamedTuple):
    """A text taken apart: names of captures that it cannot do without, names in its clauses, and
    whether a clause has no end.
    """

    needed: frozenset[str]
    optional: frozenset[str]
    is_open: bool


def take_apart(text: str) -> Pieces:
    """What a text asks for."""
    rest = _CLAUSE.sub(lambda clause: "" if _names(clause[1]) else clause[1], text)
    inside = (_names(clause[1]) for clause in _CLAUSE.finditer(text))
    return Pieces(_names(rest), frozenset[str]().union(*inside), "[[" in rest)


def clauses(text: str) -> tuple[frozenset[str], ...]:
    """The captures that each clause of a text asks for, in their order."""
    named = (_names(clause[1]) for clause in _CLAUSE.finditer(text))
    return tuple(each for each in named if each)


def placeholders(text: str) -> frozenset[str]:
    """Names of the captures that a text asks for, in clauses or not."""
    return frozenset(found[1] for found in _CAPTURE.finditer(text) if found[1])


def can_fill(text: str, captures: Mapping[str, str]) -> bool:
    """Whether every capture outside of clauses is there; an empty one is not."""
    return all(captures.get(name) for name in take_apart(text).needed)


def fill(text: str, captures: Mapping[str, str]) -> str:
    """The text for this match: captures filled in, clauses without theirs left out, and
    `LEFT_OUT` for a capture that is missing elsewhere.

    Where the text ends a sentence behind a capture that ends one itself, one full stop is enough.
    """
    return _filled(_without_clauses(text, captures), captures, LEFT_OUT)


def leaves_gap(text: str, captures: Mapping[str, str]) -> bool:
    """Whether `tell` has to say `LEFT_OUT`: every sentence asks for a missing capture."""
    said = _without_clauses(text, captures)
    return not any(can_fill(each, captures) for each in _SENTENCE_ENDS.split(said) if each.strip())


def leads(text: str, captures: Mapping[str, str]) -> bool:
    """Whether `tell` begins with the first sentence, which asks for no missing capture."""
    return can_fill(_SENTENCE_ENDS.split(_without_clauses(text, captures))[0], captures)


def tell(text: str, captures: Mapping[str, str]) -> str:
    """The same of several sentences: one that asks for a missing capture is left out, unless
    none would remain.
    """
    said = _without_clauses(text, captures)
    told = [each for each in _SENTENCE_ENDS.split(said) if can_fill(each, captures)]
    return _filled("".join(told).strip() or said, captures, LEFT_OUT)


def outline(text: str) -> str:
    """The text for no match: all clauses, and captures as `<name>`."""
    whole = _CLAUSE.sub(lambda clause: clause[1] if _names(clause[1]) else clause[0], text)
    return _filled(whole, {}, None)


def fill_both(text: LocalText, captures: Mapping[str, str]) -> LocalText:
    """`fill` in both languages."""
    return LocalText(fill(text.en, captures), fill(text.zh, captures))


def tell_both(text: LocalText, captures: Mapping[str, str]) -> LocalText:
    """`tell` in both languages."""
    return LocalText(tell(text.en, captures), tell(text.zh, captures))


def _names(text: str) -> frozenset[str]:
    """The captures that nothing stands in for."""
    return frozenset(name for name, other in _CAPTURE.findall(text) if name and not other)


def _without_clauses(text: str, captures: Mapping[str, str]) -> str:
    """The text whose clauses are either part of it or gone, with the blank before them."""
    said = ""
    end = 0
    for clause in _CLAUSE.finditer(text):
        names = _names(clause[1])
        said += text[end : clause.start()]
        end = clause.end()
        if not names:
            said += clause[0]
        elif all(captures.get(name) for name in names):
            said += clause[1]
        elif said.endswith(" ") and _CLOSES.match(text, end):
            said = said[:-1]
        elif not said and text.startswith(" ", end):
            end += 1
    return said + text[end:]


def _filled(text: str, captures: Mapping[str, str], missing: str | None) -> str:
    def value(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0][0]
        told = captures.get(found[1], "")
        if found[2] and not _PLAIN_WORD.fullmatch(told):
            told = found[2]
        told = told or missing or f"<{found[1]}>"
        is_sentence = told.endswith(".") and not told.endswith("..")
        return told[:-1] if is_sentence and text.startswith((".", "。"), found.end()) else told

    return _CAPTURE.sub(value, text)
