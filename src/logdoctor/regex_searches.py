"""Searches of a signature's regex that surely end in time: prepare_search."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from logdoctor.regex_costs import most_steps

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
    if length and most_steps(pattern, length) <= STEPS_LIMIT:
        compiled = re.compile(pattern)
        return lambda text, _: (compiled.search(text), False)
    return _stoppable(pattern)


def _stoppable(pattern: str) -> Search:
    import regex  # noqa: PLC0415

    compiled = regex.compile(pattern)

    def search(text: str, seconds: float) -> tuple[re.Match[str] | None, bool]:
        try:
            return cast("re.Match[str] | None", compiled.search(text, timeout=seconds)), False
        except TimeoutError:
            return None, True

    return search
