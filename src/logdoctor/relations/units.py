"""Formulas to units: unit_of, with a fault where unlike things are added or compared."""

from collections.abc import Callable, Mapping

from logdoctor.relations.formula import COMPARISONS, LOGIC, Constant, Name, Node
from logdoctor.settings.values import Value

UNITS = ("tokens", "GiB", "GPUs", "nodes", "steps", "samples", "prompts", "layers", "processes")
"""What settings count. Products and quotients are numbers of nothing in particular."""

TRUTH, TEXT, NUMBER = "truth", "text", "number"

_SPREADS = frozenset({"+", "-", "min", "max"})
_KEEPING = frozenset({"abs", "ceil", "floor", "%"})
_FIXED = {"given": TRUTH, "engine": TEXT, "len": NUMBER, "degree": NUMBER, "allocated": NUMBER}


def unit_of(node: Node, units: Mapping[str, str]) -> str:
    """The unit of what a formula gives: one of UNITS, truth, text or number (of nothing in
    particular, as what has no unit by its name is).

    Raises:
        ValueError: unlike things are added, compared or joined.
    """
    if isinstance(node, Constant):
        return _of_constant(node.value)
    if isinstance(node, Name):
        return units.get(node.name, "")
    kinds = [unit_of(each, units) for each in node.operands]
    if node.operator in LOGIC:
        _all_fit(node.operator, kinds, lambda kind: kind in ("", TRUTH))
    elif node.operator in ("default", "choose"):
        asked = kinds[:1] if node.operator == "choose" else []
        _all_fit(node.operator, asked, lambda kind: kind in ("", TRUTH))
        return _alike(node.operator, kinds[len(asked) :])
    elif node.operator in COMPARISONS or node.operator in _SPREADS:
        alike = _alike(node.operator, kinds)
        return TRUTH if node.operator in COMPARISONS else alike or NUMBER
    elif node.operator not in _FIXED:
        _all_fit(node.operator, kinds, lambda kind: kind not in (TRUTH, TEXT))
        return (kinds[0] if node.operator in _KEEPING else "") or NUMBER
    return _FIXED.get(node.operator, TRUTH)


def _of_constant(value: Value) -> str:
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, str):
        return TEXT
    return NUMBER if isinstance(value, int | float) else ""


def _alike(operator: str, kinds: list[str]) -> str:
    """The one unit of all; a plain number goes with any, what has none with everything."""
    told = [kind for kind in kinds if kind and kind != NUMBER]
    numbers = NUMBER in kinds
    if len(set(told)) > 1 or (numbers and set(told) & {TRUTH, TEXT}):
        raise ValueError(f'"{operator}" between {" and ".join(kinds)}')
    return told[0] if told else NUMBER if numbers else ""


def _all_fit(operator: str, kinds: list[str], fits: Callable[[str], bool]) -> None:
    for kind in kinds:
        if not fits(kind):
            raise ValueError(f'"{operator}" of {kind}')
