"""Formulas to values: parse_formula, evaluate.

`data.batch * rollout.n % @gpus == 0`: arithmetic, comparisons, and/or/not and a few functions over
names of settings, facts of machine and model (`@gpus`), environment variables (`$NAME`), numbers
and texts. Nothing else can be said in it.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from operator import add, floordiv, ge, gt, le, lt, mod, mul, sub, truediv
from typing import NamedTuple, TypeAlias

from logdoctor.settings.values import Value

LONGEST, DEEPEST = 2000, 60
"""Characters and nested brackets of a formula; what is longer is no relation that one explains."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<text>'[^']*')"
    r"|(?P<name>[@$]?[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign>//|==|!=|<=|>=|[-+*/%<>(),\[\]]))"
)
_CONSTANTS: Mapping[str, Value] = {"true": True, "false": False, "none": None}
_WORDS = frozenset({"and", "or", "not", "in", *_CONSTANTS})


class Constant(NamedTuple):
    """A number, text, truth value, none or a list of them."""

    value: Value


class Name(NamedTuple):
    """A setting, `@fact` or `$VARIABLE`."""

    name: str


class Operation(NamedTuple):
    """An operator or function and what it is applied to."""

    operator: str
    operands: tuple["Node", ...]


Node: TypeAlias = Constant | Name | Operation


class FormulaError(ValueError):
    """A text is no formula; `column` counts its characters from 1."""

    def __init__(self, column: int, what: str) -> None:
        super().__init__(f"column {column}: {what}")
        self.column = column


class Unknown(Exception):  # noqa: N818  # it is an answer
    """A value depends on names that nothing is known of."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = names


class Absent(Unknown):
    """A name is set nowhere, and surely so."""


class Unfit(Exception):  # noqa: N818  # it is an answer
    """The values are of kinds to which an operator cannot be applied."""


def _whole_or_not(value: float) -> Value:
    return int(value) if isinstance(value, float) and value.is_integer() else value


_ARITHMETIC: Mapping[str, Callable[..., float]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "//": floordiv, "%": mod,
}  # fmt: skip
_ORDER: Mapping[str, Callable[..., bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_OF_NUMBERS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "ceil": math.ceil, "floor": math.floor,
    "lcm": math.lcm, "gcd": math.gcd,
}  # fmt: skip
FUNCTIONS = (
    "min",
    "max",
    *_OF_NUMBERS,
    "len",
    "given",
    "default",
    "degree",
    "engine",
    "allocated",
    "choose",
)
"""What can be called. `given(x)`: x is set to something else than none. `default(x, 1)`: x, or 1
where it is set nowhere and the program itself takes 1 then. `degree(x, 'd')`: how many ways an
allocation as AReaL writes it (`fsdp:d4t2`) splits in that dimension, 1 where it names none;
`degree(x, 'dpct')`: the product of several. `engine(x)`: what such an allocation is for.
`allocated(x)`: GPUs of all its parts together (`sglang.d4m2p1+d8m1p1`: 16). `choose(c, x, y)`: x
where c is true, else y; the other need not be known.
"""
_ALLOCATION = re.compile(r"([a-z_]+):(?:\(attn:)?((?:[a-z]\d+)+)(?:\|.*\))?", re.DOTALL)
_OF_ONE = ("abs", "ceil", "floor", "len", "given", "engine", "allocated")
_PART = re.compile(r"(?:[a-z]+[.:])?((?:[dmptce]\d+)+)")
COMPARISONS = (*_ORDER, "==", "!=", "in")
LOGIC = ("and", "or", "not")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._either()
        kind, word, column = self._peek()
        if kind:
            raise FormulaError(column, f'"{word}" is not expected here')
        return node

    def _peek(self) -> tuple[str, str, int]:
        if self._at < len(self._tokens):
            return self._tokens[self._at]
        return "", "", len(self._text) + 1

    def _takes(self, *words: str) -> str:
        kind, word, _ = self._peek()
        if word in words and kind != "text":
            self._at += 1
            return word
        return ""

    def _expects(self, word: str) -> None:
        if not self._takes(word):
            _, found, column = self._peek()
            raise FormulaError(column, f'"{found or "the end"}"; expected "{word}"')

    def _either(self) -> Node:
        node = self._both()
        while self._takes("or"):
            node = Operation("or", (node, self._both()))
        return node

    def _both(self) -> Node:
        node = self._negated()
        while self._takes("and"):
            node = Operation("and", (node, self._negated()))
        return node

    def _negated(self) -> Node:
        if self._takes("not"):
            return Operation("not", (self._deeper(self._negated),))
        left = self._sum()
        operator = self._takes(*COMPARISONS)
        if not operator and self._takes("not"):
            self._expects("in")
            return Operation("not", (Operation("in", (left, self._sum())),))
        return Operation(operator, (left, self._sum())) if operator else left

    def _sum(self) -> Node:
        node = self._product()
        while operator := self._takes("+", "-"):
            node = Operation(operator, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._factor()
        while operator := self._takes("*", "/", "//", "%"):
            node = Operation(operator, (node, self._factor()))
        return node

    def _factor(self) -> Node:
        if self._takes("-"):
            return Operation("-", (Constant(0), self._deeper(self._factor)))
        if self._takes("("):
            node = self._deeper(self._either)
            self._expects(")")
            return node
        if self._takes("["):
            return Constant(self._list())
        return self._atom()

    def _atom(self) -> Node:
        kind, word, column = self._peek()
        self._at += 1
        if kind == "number":
            return Constant(float(word) if set(word) & set(".eE") else int(word))
        if kind == "text":
            return Constant(word[1:-1])
        if kind == "name" and word in _CONSTANTS:
            return Constant(_CONSTANTS[word])
        if kind == "name" and word not in _WORDS:
            return self._call(word, column) if self._takes("(") else Name(word)
        raise FormulaError(column, f'"{word or "the end"}"; expected a name or a number')

    def _list(self) -> tuple[Value, ...]:
        members = []
        while not self._takes("]"):
            _, _, column = self._peek()
            node = self._factor()
            if not isinstance(node, Constant):
                raise FormulaError(column, "a list has numbers and texts only")
            members.append(node.value)
            if not self._takes(","):
                self._expects("]")
                break
        return tuple(members)

    def _call(self, name: str, column: int) -> Node:
        if name not in FUNCTIONS:
            raise FormulaError(
                column, f'unknown function "{name}"; expected one of {", ".join(FUNCTIONS)}'
            )
        operands = [self._deeper(self._either)]
        while self._takes(","):
            operands.append(self._deeper(self._either))
        self._expects(")")
        if name in _OF_ONE and len(operands) > 1:
            raise FormulaError(column, f'"{name}" takes one value')
        if name in ("default", "degree") and len(operands) > 2:  # noqa: PLR2004
            raise FormulaError(column, f'"{name}" takes two values')
        if name == "choose" and len(operands) != 3:  # noqa: PLR2004
            raise FormulaError(column, '"choose" takes three values')
        if name == "default" and (len(operands) == 1 or not isinstance(operands[0], Name)):
            raise FormulaError(column, '"default" takes a name and a value')
        return Operation(name, tuple(operands))

    def _deeper(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise FormulaError(self._peek()[2], "nested too deeply")
        node = read()
        self._depth -= 1
        return node


def parse_formula(text: str) -> Node:
    """The formula that a text is.

    Raises:
        FormulaError: it is none.
    """
    if len(text) > LONGEST:
        raise FormulaError(LONGEST + 1, f"longer than {LONGEST} characters")
    return _Parser(text).whole()


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if not found:
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            raise FormulaError(begin + 1, f'"{text[begin : begin + 10]}" is no part of a formula')
        kind = str(found.lastgroup)
        yield kind, found[kind], found.start(kind) + 1
        at = found.end()


def names_of(node: Node) -> tuple[str, ...]:
    """The names of a formula, each once, in the order of their first use."""
    if isinstance(node, Name):
        return (node.name,)
    if isinstance(node, Constant):
        return ()
    return tuple(dict.fromkeys(name for each in node.operands for name in names_of(each)))


def replaced(node: Node, by: Mapping[str, Node]) -> Node:
    """The formula with names replaced by other formulas."""
    if isinstance(node, Name):
        return by.get(node.name, node)
    if isinstance(node, Constant):
        return node
    return Operation(node.operator, tuple(replaced(each, by) for each in node.operands))


def evaluate(node: Node, lookup: Callable[[str], Value]) -> Value:
    """The value of a formula; `and` and `or` are known as soon as one side decides.

    Raises:
        Unknown: from `lookup`, where the value depends on it.
        Unfit: an operator has operands of a wrong kind, or a division by zero.
    """
    if isinstance(node, Operation):
        return _of_operation(node, lookup)
    return node.value if isinstance(node, Constant) else lookup(node.name)


def _of_operation(node: Operation, lookup: Callable[[str], Value]) -> Value:
    if node.operator in ("and", "or"):
        return _joined(node, lookup)
    if node.operator == "default":
        try:
            return evaluate(node.operands[0], lookup)
        except Absent:
            return evaluate(node.operands[1], lookup)
    if node.operator == "choose":
        return evaluate(node.operands[1 if _chosen(node, lookup) else 2], lookup)
    values = [evaluate(each, lookup) for each in node.operands]
    if node.operator == "not":
        return not _truth(values[0])
    try:
        return _applied(node.operator, values)
    except (ZeroDivisionError, OverflowError) as error:
        raise Unfit(str(error)) from error


def _chosen(node: Operation, lookup: Callable[[str], Value]) -> bool:
    return _truth(evaluate(node.operands[0], lookup))


def _joined(node: Operation, lookup: Callable[[str], Value]) -> Value:
    decides = node.operator == "or"
    unknown: set[str] = set()
    for each in node.operands:
        try:
            if _truth(evaluate(each, lookup)) is decides:
                return decides
        except Unknown as error:
            unknown |= error.names
    if unknown:
        raise Unknown(frozenset(unknown))
    return not decides


def _truth(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    raise Unfit(f"{value!r} is neither true nor false")


def _applied(operator: str, values: list[Value]) -> Value:
    if operator in _OF_ANYTHING:
        return _OF_ANYTHING[operator](*values)
    if operator in ("min", "max"):
        values = list(values[0]) if len(values) == 1 and isinstance(values[0], tuple) else values
        if not values:
            raise Unfit(f"{operator} of nothing")
        return (min if operator == "min" else max)(map(_number, values))
    numbers = [_number(each) for each in values]
    if operator in _ORDER:
        return _ORDER[operator](*numbers)
    if operator in _ARITHMETIC:
        return _whole_or_not(_ARITHMETIC[operator](*numbers))
    return _OF_NUMBERS[operator](*numbers)


def _is_in(member: Value, members: Value) -> bool:
    if not isinstance(members, tuple):
        raise Unfit(f"{members!r} is no list")
    return _comparable(member) in map(_comparable, members)


def _length(value: Value) -> int:
    if not isinstance(value, tuple):
        raise Unfit(f"{value!r} is no list")
    return len(value)


def _degree(allocation: Value, dimensions: Value = "dpct") -> int:
    ways = dict(re.findall(r"([a-z])(\d+)", _allocation(allocation)[2]))
    return math.prod(int(ways.get(letter, 1)) for letter in str(dimensions))


def _allocated(allocation: Value) -> int:
    parts = allocation.split("+") if isinstance(allocation, str) else []
    found = [_PART.fullmatch(each.strip()) for each in parts]
    if not parts or None in found:
        raise Unfit(f"{allocation!r} is no allocation")
    return sum(
        math.prod(int(each) for each in re.findall(r"\d+", part[1])) for part in found if part
    )


def _allocation(value: Value) -> re.Match[str]:
    found = _ALLOCATION.fullmatch(value) if isinstance(value, str) else None
    if not found:
        raise Unfit(f"{value!r} is no allocation")
    return found


def _comparable(value: Value) -> tuple[str, Value]:
    """Values of different kinds are never equal; 1 and 1.0 are, true and 1 are not."""
    if isinstance(value, bool):
        return "truth", value
    if isinstance(value, int | float):
        return "number", value
    return ("text", value.lower()) if isinstance(value, str) else ("other", value)


def _number(value: Value) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise Unfit(f"{value!r} is no number")


_OF_ANYTHING: Mapping[str, Callable[..., Value]] = {
    "==": lambda left, right: _comparable(left) == _comparable(right),
    "!=": lambda left, right: _comparable(left) != _comparable(right),
    "given": lambda value: value is not None,
    "in": _is_in,
    "len": _length,
    "degree": _degree,
    "engine": lambda value: _allocation(value)[1],
    "allocated": _allocated,
}
