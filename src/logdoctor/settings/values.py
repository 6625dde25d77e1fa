"""Texts of settings to values: value_of."""

import re
from typing import TypeAlias, TypeGuard

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
"""What a setting can be; lists of any kind are tuples."""

LONGEST_RANGE = 100_000
"""Members of a written range; more is no list of devices."""

_INTEGER = re.compile(r"[-+]?\d[\d_]*")
_FLOAT = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_RANGE = re.compile(
    r"list\(\s*range\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?(?:,\s*(-?[1-9]\d*)\s*)?\)\s*\)"
)
_WORDS = {"true": True, "false": False, "null": None, "none": None, "~": None, "": None}


def value_of(text: str) -> Value:
    """The value that a text stands for: a truth value or null in any letter case, a number
    (`1e3`, `1_024`), a list (`[0, 1]`, `list(range(0, 8))`, sums of these), else the text itself
    without its quotes.
    """
    text = text.strip()
    folded = text.lower()
    if folded in _WORDS:
        return _WORDS[folded]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 400 else text  # noqa: PLR2004  # no number of a setting
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    if text[0] == text[-1] and text[0] in "'\"" and len(text) > 1:
        return text[1:-1]
    listed = _list(text)
    return text if listed is None else listed


def is_count(value: Value) -> TypeGuard[int]:
    """Whether it is a whole number; a truth value is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _list(text: str) -> tuple[Value, ...] | None:
    """The members of a written list; None where it is none."""
    if text.startswith("list(") and " + " in text:
        parts = [_list(part.strip()) for part in text.split(" + ")]
        return None if None in parts else tuple(each for part in parts for each in part or ())
    found = _RANGE.fullmatch(text)
    if found:
        first, second, step = (int(each) if each else None for each in found.groups())
        spread = range(first or 0) if second is None else range(first or 0, second, step or 1)
        return tuple(spread) if len(spread) <= LONGEST_RANGE else None
    if text.startswith("[") and text.endswith("]") and "[" not in text[1:]:
        inner = text[1:-1].strip().rstrip(",")
        return tuple(value_of(each) for each in inner.split(",")) if inner else ()
    return None
