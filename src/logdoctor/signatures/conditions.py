"""Conditions on values: `'< 64'`, `'!= 1'`, `'True'`, `'< 80% of 64 GiB'`.

No expression language: one operator and one operand, or a share of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import ge, gt, le, lt

_OPERATOR = r"(?s)\s*(==|!=|<=|>=|<|>)?\s*(.*)"
# compares equal types only
_ORDER: dict[str, Callable[[object, object], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}  # type: ignore[dict-item]
_NUMBER = r"[-+]?\d+(?:[,_]\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_SIZE = r"(?i)(\d+(?:\.\d+)?) ?([KMGT])i?B"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SHARE = r"(\d+(?:\.\d+)?)% of (.+)"
"""An operand that is a share of a number or a size."""

_NOTHING = ("null", "~", "", "[]", "{}", "()", "set()")
_RELEASE = r"\d+(?:\.\d+)*"


def split(comparison: str) -> tuple[str, str]:
    """Operator (`==` where none is written) and operand of a comparison."""
    found = re.fullmatch(_OPERATOR, comparison)
    assert found is not None  # every text fits
    return found[1] or "==", found[2].strip()


def holds(value: str, comparison: str) -> bool | None:
    """Whether a value meets a comparison; None where they cannot be compared.

    Numbers compare as numbers (`1,024` and `1_024` too), sizes of memory as bytes (`5.00 GiB`),
    truth values and nothing in any spelling (`False`, `false`, `none`, `[]`), everything else as
    text for `==` and `!=` only. `80% of 64` is a share of what follows.
    """
    operator, operand = split(comparison)
    share = re.fullmatch(SHARE, operand)
    operand = share[2] if share else operand
    if (
        bool(re.fullmatch(_SIZE, value.strip())) != bool(re.fullmatch(_SIZE, operand))
        and operator in _ORDER
    ):
        return None
    left, right = _value(value), _value(operand)
    if share and isinstance(right, float):
        right *= float(share[1]) / 100
    if operator in ("==", "!="):
        return (left == right) == (operator == "==")
    if isinstance(left, float) and isinstance(right, float):
        return _ORDER[operator](left, right)
    return None


def excludes_only(comparison: str) -> bool:
    """Whether it only says what a value may not be: `!= 2`, not `!= ` and `!= none`, which say
    that there is one, nor `!= {other}`, which compares two.
    """
    operator, operand = split(comparison)
    return operator == "!=" and _value(operand) != "none" and "{" not in operand


def version_holds(version: str, comparison: str) -> bool | None:
    """Whether a version meets a comparison by its release numbers (`0.9.1` < `0.10`); None where
    it has none.
    """
    operator, operand = split(comparison)
    left, right = _release(version), _release(operand)
    if left is None or right is None:
        return None
    width = max(len(left), len(right))
    left, right = left + (0,) * (width - len(left)), right + (0,) * (width - len(right))
    if operator in ("==", "!="):
        return (left == right) == (operator == "==")
    return _ORDER[operator](left, right)


def _value(text: str) -> float | str:
    text = text.strip().strip("'\"")
    if re.fullmatch(_NUMBER, text):
        return float(text.replace(",", "").replace("_", ""))
    size = re.fullmatch(_SIZE, text)
    if size:
        return float(size[1]) * _UNITS[size[2].upper()]
    folded = text.lower()
    return "none" if folded in _NOTHING else folded


def _release(version: str) -> tuple[int, ...] | None:
    found = re.search(_RELEASE, version)
    return tuple(map(int, found[0].split("."))) if found else None
