"""Searches of a signature's regex that surely end in time: prepare_search."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import regex

TimedSearch = Callable[[str, float], tuple["re.Match[str] | None", bool]]
"""Text and seconds on the wall to what was found, and whether the search was stopped after them."""


def prepare_search(pattern: str, length: int, soon: int | None = None) -> TimedSearch:
    """A search for texts of ASCII with up to so many characters; 0 for texts of any kind. `soon` as
    in `Traits`, where it is known.

    The package regex, whose import takes as long as a scan, is left to what may take long. On ASCII
    with its white space reduced, both understand the same by a pattern; elsewhere they differ in
    what is a letter.
    """
    ends_soon = length <= soon if soon is not None else _ends_soon(pattern, length)
    return partial(_ending if length and ends_soon else _stoppable, pattern)


@cache
def _ends_soon(pattern: str, length: int) -> bool:
    # of the parts of patterns it is known
    from logdoctor.patterns.regex_costs import STEPS_LIMIT, most_steps  # noqa: PLC0415

    return most_steps(pattern, length) <= STEPS_LIMIT


def _ending(pattern: str, text: str, _seconds: float) -> tuple[re.Match[str] | None, bool]:
    return _compiled_by_re(pattern).search(text), False


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
