"""What a configuration key is to be, from what it is: as_text, new_value, is_in_force."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from logdoctor.model import Formula, Setting
from logdoctor.signatures import conditions

_NUMBER = re.compile(r"-?\d+(?:[,_]\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NOTATIONS = {
    Formula.HALVE: "÷ 2 (>= {})",
    Formula.DOUBLE: "× 2 (<= {})",
    Formula.AT_LEAST: ">= {}",
    Formula.AT_MOST: "<= {}",
    Formula.MULTIPLE_OF: "n × {}",
    Formula.NEAREST_DIVISOR_OF: "{} ÷ n",
}
_COMPARED = {">=": Formula.AT_LEAST, "<=": Formula.AT_MOST}
LARGEST_DIVIDED = 1_000_000_000
"""Numbers above are not divided; their divisors would take long to find."""


def as_text(setting: Setting, text: str) -> str:
    """The setting with captures filled into its text, as people who know the current value can
    read it.
    """
    return _NOTATIONS[setting.formula].format(text) if setting.formula else text


def is_computed(setting: Setting) -> bool:
    """Whether its new value comes from the run's own."""
    return setting.formula is not None or conditions.split(setting.text)[0] in _COMPARED


def is_in_force(setting: Setting, text: str, current: str) -> bool:
    """Whether the run's own value is what it is to be already."""
    if setting.formula is None:
        return bool(conditions.holds(current, text))
    value = new_value(setting, text, current)
    return value is not None and bool(conditions.holds(current, value))


def new_value(setting: Setting, text: str, current: str | None) -> str | None:
    """The value to set; None where it depends on a current one that is unknown or no number, or
    where the text says only what it is compared with.
    """
    operator, operand = conditions.split(text)
    if setting.formula is None and operator == "==":
        return text
    formula = setting.formula or _COMPARED.get(operator)
    left, right = _number(current or ""), _number(operand)
    if formula is None or left is None or right is None:
        return None
    value = _COMPUTED[formula](left, right)
    return None if value is None else _written(value)


def _halved(current: float, least: float) -> float:
    half = current // 2 if current.is_integer() else current / 2
    return min(current, max(half, least))


def _doubled(current: float, most: float) -> float:
    return max(current, min(2 * current, most))


def _next_multiple(current: float, factor: float) -> float | None:
    return math.ceil(current / factor) * factor if factor > 0 else None


def _nearest_divisor(current: float, number: float) -> float | None:
    """Of two that are equally near, the smaller one."""
    if not (number.is_integer() and 0 < number <= LARGEST_DIVIDED):
        return None
    small = [each for each in range(1, math.isqrt(int(number)) + 1) if number % each == 0]
    divisors = sorted({*small, *(int(number) // each for each in small)})
    return float(min(divisors, key=lambda each: abs(each - current)))


def _number(text: str) -> float | None:
    text = text.strip().strip("'\"")
    if not _NUMBER.fullmatch(text):
        return None
    return float(text.replace(",", "").replace("_", ""))


def _written(value: float) -> str:
    return str(int(value)) if value.is_integer() else f"{value:.6g}"


_COMPUTED: dict[Formula, Callable[[float, float], float | None]] = {
    Formula.HALVE: _halved,
    Formula.DOUBLE: _doubled,
    Formula.AT_LEAST: max,
    Formula.AT_MOST: min,
    Formula.MULTIPLE_OF: _next_multiple,
    Formula.NEAREST_DIVISOR_OF: _nearest_divisor,
}
