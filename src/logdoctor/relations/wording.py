"""Formulas with their values to sentences: told; what would fit, as advice: suggested."""

from __future__ import annotations

from collections.abc import Callable

from logdoctor.model import Language, LocalText
from logdoctor.relations.formula import (
    FUNCTIONS,
    Constant,
    Name,
    Node,
    Operation,
    Unfit,
    Unknown,
    evaluate,
)
from logdoctor.relations.relation import Violation
from logdoctor.settings.values import Value
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases.preflight import (
    FACTS,
    MUST,
    MUST_BE,
    MUST_BE_SET,
    MUST_NOT_BE,
    NEAREST,
    NOT_DIVISIBLE,
    OR,
    OR_SETTING,
    OR_VALUE,
    SET,
    TO,
)

Lookup = Callable[[str], Value]

_SIGNS = {"*": "×", "/": "÷", "//": "÷", "-": "−", "%": "mod"}


def told(node: Node, lookup: Lookup) -> LocalText:
    """What must hold and does not, with the values; both languages."""
    if isinstance(node, Operation):
        if node.operator in ("and", "or"):
            return _joined(node, lookup)
        if node.operator == "not":
            return _denied(node.operands[0], lookup)
        if node.operator == "given" and (name := _named(node.operands[0])):
            return MUST_BE_SET.fill(name=name)
        if _is_division(node) and isinstance(node.operands[0], Operation):
            left, right = node.operands[0].operands
            return _filled(NOT_DIVISIBLE, left, right, lookup)
        if node.operator in MUST:
            left, right = node.operands
            return _filled(MUST[node.operator], left, right, lookup)
    return MUST_BE.fill(name=_named(node) or _plain(node), value=shown(_value(node, lookup)))


def _named(node: Node) -> str:
    """The setting that a formula is, with or without what the program takes where it is not set."""
    if isinstance(node, Operation) and node.operator == "default":
        node = node.operands[0]
    return node.name if isinstance(node, Name) else ""


def suggested(violation: Violation) -> LocalText:
    """What to change: the nearest values that fit, or where none is known what the relation says;
    the same words before a run and after it.
    """
    values: dict[str, list[str]] = {}
    for each in violation.suggestions:
        values.setdefault(each.key, []).append(shown(each.value))
    if not values:
        return violation.relation.why
    texts = []
    is_choice = all(isinstance(each.value, bool) for each in violation.suggestions)
    phrase = SET if is_choice else NEAREST
    for language in Language:
        between = OR_VALUE.say(language)
        parts = [TO.say(language, key=key, values=between.join(values[key])) for key in values]
        texts.append(phrase.say(language, values=OR_SETTING.say(language).join(parts)))
    return LocalText(*texts)


def shown(value: Value) -> str:
    """A value as YAML writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        inner = ", ".join(map(shown, value[:8])) + (", …" if len(value) > 8 else "")  # noqa: PLR2004
        return f"[{inner}]"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def written(node: Node) -> str:
    """A formula as text, without values."""
    return _plain(node)


def _joined(node: Operation, lookup: Lookup) -> LocalText:
    failing = [each for each in node.operands if _value(each, lookup) is not True]
    if node.operator == "and":
        return told(failing[0] if failing else node.operands[0], lookup)
    left, right = (told(each, lookup) for each in node.operands)
    return LocalText(
        OR.en.format(left=left.en, right=right.en), OR.zh.format(left=left.zh, right=right.zh)
    )


def _denied(node: Node, lookup: Lookup) -> LocalText:
    if isinstance(node, Operation) and node.operator == "given" and _named(node.operands[0]):
        inner = node.operands[0]
        return MUST_NOT_BE.fill(name=_named(inner), value=shown(_value(inner, lookup)))
    if isinstance(node, Operation) and node.operator == "==":
        left, value = node.operands
        name = _named(left) or _plain(left)
        return MUST_NOT_BE.fill(name=name, value=shown(_value(value, lookup)))
    if isinstance(node, Operation) and node.operator == "and":
        parts = [_denied(each, lookup) for each in node.operands]
        return LocalText(
            OR.en.format(left=parts[0].en, right=parts[1].en),
            OR.zh.format(left=parts[0].zh, right=parts[1].zh),
        )
    if isinstance(node, Operation) and node.operator in _OPPOSITE:
        return told(Operation(_OPPOSITE[node.operator], node.operands), lookup)
    name = _named(node) or _plain(node)
    return MUST_NOT_BE.fill(name=name, value=shown(_value(node, lookup)))


_OPPOSITE = {"!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _is_division(node: Operation) -> bool:
    left, right = node.operands if len(node.operands) == 2 else (node, node)  # noqa: PLR2004
    return (
        node.operator == "=="
        and right == Constant(0)
        and isinstance(left, Operation)
        and left.operator == "%"
    )


def _filled(phrase: Phrase, left: Node, right: Node, lookup: Lookup) -> LocalText:
    texts = [(_side(left, lookup, i), _side(right, lookup, i)) for i in (0, 1)]
    return LocalText(
        phrase.en.format(left=texts[0][0], right=texts[0][1]),
        phrase.zh.format(left=texts[1][0], right=texts[1][1]),
    )


def _side(node: Node, lookup: Lookup, language: int) -> str:
    text = _expression(node, lookup, language)
    is_made = isinstance(node, Operation) and node.operator != "default"
    return f"{text} = {_rounded(_value(node, lookup))}" if is_made else text


def _rounded(value: Value) -> str:
    """A value that was computed."""
    return f"{value:.4g}" if isinstance(value, float) else shown(value)


def _expression(node: Node, lookup: Lookup, language: int, *, inner: bool = False) -> str:
    if isinstance(node, Constant):
        return shown(node.value)
    if isinstance(node, Name):
        value = _value(node, lookup)
        fact = FACTS.get(node.name)
        return (
            fact[language].format(value=_rounded(value)) if fact else f"{node.name} {shown(value)}"
        )
    if node.operator == "default":
        return f"{_plain(node.operands[0])} {shown(_value(node, lookup))}"
    parts = [_expression(each, lookup, language, inner=True) for each in node.operands]
    if node.operator in ("/", "//", "%") and _is_product(node.operands[1]):
        parts[1] = f"({parts[1]})"
    if node.operator in ("+", "-", "*", "/", "//", "%", *MUST):
        text = f" {_SIGNS.get(node.operator, node.operator)} ".join(parts)
        return f"({text})" if inner and node.operator != "*" else text
    return f"{node.operator}({', '.join(parts)})"


def _is_product(node: Node) -> bool:
    return isinstance(node, Operation) and node.operator == "*"


def _plain(node: Node) -> str:
    """A formula as it is written, without values."""
    if isinstance(node, Constant):
        return shown(node.value)
    if isinstance(node, Name):
        return node.name
    parts = [
        f"({_plain(each)})"
        if isinstance(each, Operation) and len(each.operands) > 1 and each.operator not in FUNCTIONS
        else _plain(each)
        for each in node.operands
    ]
    if node.operator in FUNCTIONS:
        return f"{node.operator}({', '.join(map(_plain, node.operands))})"
    return f" {node.operator} ".join(parts) if len(parts) > 1 else f"{node.operator} {parts[0]}"


def _value(node: Node, lookup: Lookup) -> Value:
    try:
        return evaluate(node, lookup)
    except (Unknown, Unfit):
        return None
