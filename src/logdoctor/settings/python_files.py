"""Python files to settings: read_python, as far as the literals of a configuration's call go."""

import ast
from collections.abc import Mapping
from typing import NamedTuple

from logdoctor.model import Place
from logdoctor.settings.configuration import Problem, Setting, Unresolved
from logdoctor.settings.values import Value


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
    calls = [
        _call(node, constants, name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node).endswith(("Config", "Arguments"))
    ]
    return tuple(sorted(calls, key=lambda each: each.name)), ()


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


class NoLiteral(Exception):  # noqa: N818  # it is an answer
    """An expression whose value is not written down."""


def _constants(tree: ast.Module) -> dict[str, Value]:
    found: dict[str, Value] = {}
    changing: set[str] = set()
    for node in ast.walk(tree):
        is_plain = isinstance(node, ast.Assign) and node in tree.body
        for target in _targets(node):
            try:
                if isinstance(node, ast.Assign) and is_plain and target not in found:
                    found[target] = literal_of(node.value, {})
                else:
                    changing.add(target)
            except NoLiteral:
                changing.add(target)
    return {name: value for name, value in found.items() if name not in changing}


def _targets(node: ast.AST) -> list[str]:
    """The names that a statement gives values."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        targets = [node.target]
    return [
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    ]


def literal_of(node: ast.expr, constants: Mapping[str, Value]) -> Value:
    """The value of a literal, or of a name among the constants.

    Raises:
        NoLiteral: it is another expression.
    """
    if isinstance(node, ast.Name) and node.id in constants:
        return constants[node.id]
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise NoLiteral from error
    members = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not all(each is None or isinstance(each, bool | int | float | str) for each in members):
        raise NoLiteral
    return members if isinstance(value, list | tuple) else members[0]


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
        try:
            settings[each.arg] = Setting(each.arg, literal_of(each.value, constants), place)
        except NoLiteral:
            unresolved[each.arg] = Unresolved(each.arg, written, place, written)
    openings += [
        Unresolved("", ast.unparse(each)[:100], Place(file, each.lineno), "by position")
        for each in node.args
    ]
    return PythonCall(_called(node), settings, unresolved, tuple(openings))
