"""Python files to settings: read_python, as far as the literals of a configuration's call go."""

from __future__ import annotations

import ast
from typing import NamedTuple

from logdoctor.settings.configuration import Place, Problem, Setting, Unresolved
from logdoctor.settings.values import Value

DEEPEST = 400
"""Levels of a syntax tree; deeper ones exhaust the stack of what reads them."""


class PythonCall(NamedTuple):
    """A call that makes a configuration, with the keywords that it gives."""

    name: str
    settings: dict[str, Setting]
    unresolved: dict[str, Unresolved]
    openings: tuple[Unresolved, ...]


def read_python(text: str, name: str) -> tuple[tuple[PythonCall, ...], tuple[Problem, ...]]:
    """The calls of classes named `…Config` or `…Arguments`, in the order of the file; names stand
    for what the module's top gives them once.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return (), (Problem(Place(name, error.lineno or 0), f"not Python: {error.msg}"),)
    except (ValueError, RecursionError, MemoryError) as error:
        return (), (Problem(Place(name, 0), f"not Python: {error}"),)
    constants = _constants(tree)
    calls = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node).endswith(("Config", "Arguments")):
            calls.append(_call(node, constants, name))
    return tuple(sorted(calls, key=lambda each: each.name)), ()


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _constants(tree: ast.Module) -> dict[str, Value]:
    found: dict[str, Value] = {}
    twice: set[str] = set()
    for node in ast.walk(tree):
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For)
            else []
        )
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            if target.id in found:
                twice.add(target.id)
            value = _literal(node.value, {}) if isinstance(node, ast.Assign) else ...
            if value is ... or node not in tree.body:
                twice.add(target.id)
            else:
                found[target.id] = value
    return {name: value for name, value in found.items() if name not in twice}


def _literal(node: ast.expr | None, constants: dict[str, Value]) -> Value:
    """The value of a literal; `...` where it is none."""
    if isinstance(node, ast.Name) and node.id in constants:
        return constants[node.id]
    try:
        value = ast.literal_eval(node) if node is not None else ...
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ...  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        value = tuple(value)
        plain = all(isinstance(each, bool | int | float | str | None) for each in value)
        return value if plain else ...  # type: ignore[return-value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return ...  # type: ignore[return-value]


def _call(node: ast.Call, constants: dict[str, Value], file: str) -> PythonCall:
    settings: dict[str, Setting] = {}
    unresolved: dict[str, Unresolved] = {}
    openings = []
    for each in node.keywords:
        place = Place(file, each.value.lineno)
        written = ast.unparse(each.value)[:100]
        if each.arg is None:
            openings.append(Unresolved("", f"**{written}", place, written))
            continue
        value = _literal(each.value, constants)
        if value is ...:
            unresolved[each.arg] = Unresolved(each.arg, written, place, written)
        else:
            settings[each.arg] = Setting(each.arg, value, place)
    openings += [
        Unresolved("", ast.unparse(each)[:100], Place(file, each.lineno), "by position")
        for each in node.args
    ]
    return PythonCall(_called(node), settings, unresolved, tuple(openings))
