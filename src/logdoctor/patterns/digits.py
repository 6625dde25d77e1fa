"""Patterns that tell digits apart, and texts in which they may: has_digits, Blurred.

Where every digit of a pattern and of a text is a zero, the pattern fits wherever it fitted before.
So a text that it does not fit then, it fits with no digits whatever.
"""

from __future__ import annotations

import re

from logdoctor.model import Part
from logdoctor.patterns.templates import parse_template
from logdoctor.texts.digits import without_digits

TIMEOUT_S = 0.2
"""Seconds after which a regex is taken to fit."""

_DIGIT_CLASSES = r"\{[0-9,]+\}|0-9|\\d"
_PIECE = (
    r"(?s)\\.|\{[0-9,]+\}|\(\?P?<[A-Za-z_]\w*>"  # what only looks like digits
    r"|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<absence>\(\?<?!)"
    r"|(?P<digit>[0-9])"
)
_PARENTHESIS = r"(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<parenthesis>[()])"


def has_digits(part: Part) -> bool:
    """Whether a digit of a text may make a difference to a part of a pattern."""
    return bool(re.search(r"\d", re.sub(_DIGIT_CLASSES, "", part.template or part.regex or "")))


class Blurred:
    """A part that takes any digit for any other."""

    def __init__(self, part: Part) -> None:
        self._template = (
            parse_template(_without_digits_outside_slots(part.template)) if part.template else None
        )
        self._regex = None if part.template else _blurred_regex(part.regex or "")

    def may_fit(self, shape: str) -> bool:
        """Whether it fits some text that is this one but for its digits, in its comparable form."""
        if self._template:
            return self._template.compare(shape, is_exact=False) is not None
        if self._regex is None:
            return True
        import regex  # noqa: PLC0415  # its import takes as long as a scan

        try:
            return regex.search(self._regex, shape, timeout=TIMEOUT_S) is not None
        except TimeoutError:
            return True


def _without_digits_outside_slots(template: str) -> str:
    return re.sub(
        r"\{\w+(?::\w+)?\}|[0-9]+",
        lambda found: found[0] if found[0][0] == "{" else without_digits(found[0]),
        template,
    )


def _blurred_regex(pattern: str) -> str | None:
    """The regex with zeros for digits; None where that cannot be said: it wants a digit not to
    be there.
    """
    parts, end = [], 0
    for token in re.finditer(_PIECE, pattern):
        parts.append(pattern[end : token.start()])
        end = token.end()
        text = token[0]
        if token["digit"]:
            text = "0"
        elif token["class"] and re.search(r"\d", text.replace("0-9", "").replace("\\d", "")):
            if text.startswith("[^"):
                return None
            text = f"[0{text[1:]}"
        elif token["absence"] and re.search(
            r"\d", re.sub(_DIGIT_CLASSES, "", _inside(pattern, end))
        ):
            return None
        parts.append(text)
    return "".join([*parts, pattern[end:]])


def _inside(pattern: str, start: int) -> str:
    """What stands from there up to the parenthesis that closes it."""
    depth = 1
    for found in re.compile(_PARENTHESIS).finditer(pattern, start):
        if found["parenthesis"]:
            depth += 1 if found[0] == "(" else -1
            if not depth:
                return pattern[start : found.start()]
    return pattern[start:]
