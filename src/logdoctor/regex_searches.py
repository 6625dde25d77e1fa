"""Searches of a signature's regex that surely end in time: prepare_search."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from logdoctor.regex_costs import is_understood_alike, most_steps
from logdoctor.regex_trees import mandatory_literals

if TYPE_CHECKING:
    import regex

STEPS_LIMIT = 10_000_000
"""Characters that `re`, which cannot be stopped, may have to look at in one search: at most a tenth of a second.

Patterns chosen to make it slow took up to 9 ns a step (`tests/test_regexes.py` has them; November 2026).
"""

Search = Callable[[str, float], tuple["re.Match[str] | None", bool]]
"""Text and seconds on the wall to what was found, and whether the search was stopped after them."""


def prepare_search(pattern: str, length: int) -> Search:
    """A search for texts of ASCII with up to so many characters; 0 for texts of any kind.

    The package regex, whose import takes as long as a scan, is left to what may take long. On ASCII with its white space
    reduced, both understand the same by a pattern; elsewhere they differ in what is a letter.
    """
    if not length or not is_understood_alike(pattern):
        return partial(_stoppable, pattern)
    return partial(_where_promising, pattern, length, _needs(pattern))


@cache
def _needs(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Texts in lower case, of each row of which every match holds one."""
    literals, choices = mandatory_literals(pattern)
    return (*((each.lower(),) for each in literals if each), *(tuple(map(str.lower, choice)) for choice in choices))


def _where_promising(pattern: str, length: int, needs: tuple[tuple[str, ...], ...], text: str, seconds: float) -> tuple[re.Match[str] | None, bool]:
    folded = text.lower()
    if not all(any(map(folded.__contains__, choice)) for choice in needs):
        return None, False
    if _ends_soon(pattern, length):
        return _compiled_by_re(pattern).search(text), False
    return _stoppable(pattern, text, seconds)


@cache
def _ends_soon(pattern: str, length: int) -> bool:
    return most_steps(pattern, length) <= STEPS_LIMIT


@cache
def _compiled_by_re(pattern: str) -> re.Pattern[str]:
    """Python's own memory of patterns is too small for those of a large log."""
    return re.compile(pattern)


def _stoppable(pattern: str, text: str, seconds: float) -> tuple[re.Match[str] | None, bool]:
    try:
        return cast("re.Match[str] | None", _compiled(pattern).search(text, timeout=seconds)), False
    except TimeoutError:
        return None, True


@cache
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex  # noqa: PLC0415

    return regex.compile(pattern)
