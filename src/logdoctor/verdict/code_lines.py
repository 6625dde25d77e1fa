"""What an exception is about in the line of code that raised it: culprit_of, used_in.

`mean = total / count` and `ZeroDivisionError` say that `count` was 0. The line is read as Python,
never run; where it can be read in several ways nothing is said.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

LINE_LIMIT, EXPRESSION_LIMIT = 400, 80
"""Characters of a line that is read, and of what is said of it."""

USED_LIMIT = 3
"""How many of the values that a line uses are told."""

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_STRING = r"([\"'])(?:\\.|(?!\1).)*\1"
_OPERATORS: Mapping[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod,
    "@": ast.MatMult, "|": ast.BitOr, "&": ast.BitAnd, "^": ast.BitXor, ">>": ast.RShift,
    "<<": ast.LShift,
}  # fmt: skip

_COMPARISONS: Mapping[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip

_LOADING = r"(?:^|[._])(?:load|loads|load_file|safe_load|safe_open|read|unpickle|from_file)\("
"""A call that gives what stands in a file."""

_LOADED_NAME = r"(?i)^(?:\w*_)?(?:checkpoint|ckpt|loaded|saved|snapshot)(?:_\w*|s)?$"
"""What such content is called."""

_TAKES_CONTENT = r"^(?:_?load_state_dict|load_state|set_state_dict|restore)$"
"""Functions that are given it."""

_DIVIDING = (ast.Div, ast.FloorDiv, ast.Mod)

Found = Iterator[ast.expr]


def culprit_of(exception: str | None, message: str, line: str) -> str | None:
    """The expression of a line of code that an exception's message speaks of: the divisor that
    was 0, what was None, what lacks the key or the attribute, the list that was too short, what was
    looked for or is no number, the condition that did not hold. None where the line does not
    tell, or tells of several.
    """
    name = (exception or "").rpartition(".")[2]
    half = name[: len(name) // 2]
    # two processes may have written it into one line, piece by piece
    search = _SEARCHES.get(half if half * 2 == name else name)
    if search is None or len(line) > LINE_LIMIT:
        return None
    nodes = list(_nodes(line))
    said = message.partition(":")[2].strip(" :")
    found = {ast.unparse(each) for each in search(nodes, said)}
    expression = found.pop() if len(found) == 1 else ""
    return expression if 0 < len(expression) <= EXPRESSION_LIMIT else None


def read_from_file(exception: str | None, message: str, line: str) -> str | None:
    """What a line of code takes from the content of a file and lacks something: the culprit, where
    it is what a call of loading gives, is named like that, or is handed on to one. None otherwise.
    """
    culprit = culprit_of(exception, message, line)
    if culprit is None:
        return None
    is_named = re.search(_LOADED_NAME, culprit) is not None
    is_loading = re.search(_LOADING, culprit) is not None
    handed_on = (
        ast.unparse(each)
        for node in _nodes(line)
        if isinstance(node, ast.Call) and re.search(_TAKES_CONTENT, _name_of(node))
        for each in node.args[:1]
    )
    return culprit if is_loading or is_named or any(culprit in each for each in handed_on) else None


def deleted_in(line: str) -> str | None:
    """The attribute that a line of code deletes, `model.cache`; None where it deletes none, or
    several.
    """
    if not line.lstrip().startswith("del "):
        return None
    deleted = [
        ast.unparse(target)
        for node in _nodes(line)
        if isinstance(node, ast.Delete)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    ]
    return deleted[0] if len(deleted) == 1 and len(deleted[0]) <= EXPRESSION_LIMIT else None


def is_code(line: str) -> bool:
    """Whether a line can be read as Python; one word or number alone is none."""
    return len(line) <= LINE_LIMIT and not line.isidentifier() and any(_nodes(line))


def used_in(line: str) -> tuple[str, ...]:
    """The values that a line of code uses, each once, in its order: what its calls are given, and
    what of `self` they are called on. What has a call in it is none, as to print it would do more.
    None of a line that raises something, nor of one that is not read; at most `USED_LIMIT`.
    """
    if len(line) > LINE_LIMIT or line.lstrip().startswith(("raise ", "def ", "class ", "import ")):
        return ()
    tree = next(_nodes(line), None)
    if tree is None:
        return ()
    bound = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)} | {
        each.id
        for loop in ast.walk(tree)
        if isinstance(loop, ast.comprehension)
        for each in ast.walk(loop.target)
        if isinstance(each, ast.Name)
    }
    used = dict.fromkeys(
        ast.unparse(each)
        for each in _values(tree)
        if _root(each) not in bound and not hasattr(builtins, _root(each))
    )
    short = [each for each in used if len(each) <= EXPRESSION_LIMIT]
    return tuple(short[:USED_LIMIT])


def _values(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        # any other name may be a module
        if isinstance(node.func, ast.Attribute) and _root(node.func.value) in ("", "self"):
            yield from _values(node.func.value)
        for each in (*node.args, *node.keywords):
            yield from _values(each)
    elif isinstance(node, ast.expr) and _root(node) and not _does_more(node):
        if isinstance(getattr(node, "ctx", None), ast.Load) and ast.unparse(node) != "self":
            yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _values(child)


def _does_more(node: ast.AST) -> bool:
    """Whether an expression changes something where it is asked for."""
    return any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in ast.walk(node))


def _root(node: ast.AST) -> str:
    """The name that a chain of attributes and elements begins with; empty of anything else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _nodes(line: str) -> Iterator[ast.AST]:
    """The parts of the first reading of a line that is Python, the whole first: as it is, as the
    head of a block, as entries of a dict, with the brackets closed that the next line closes.
    """
    text = line.strip()
    closed = _closed(text)
    block = re.sub(r"^(?:el(?=if\b)|else:|try:|finally:)", "", text).strip()
    for source in (text, f"{block} pass", block, f"{{{text}}}", closed, f"{{{closed}}}"):
        try:
            yield from ast.walk(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return


def _closed(text: str) -> str:
    open_: list[str] = []
    for mark in re.sub(_STRING, "", text):
        if mark in _CLOSERS:
            open_.append(_CLOSERS[mark])
        elif open_ and mark == open_[-1]:
            open_.pop()
    return text.rstrip(", ") + "".join(reversed(open_))


def _divisors(nodes: Sequence[ast.AST], _: str) -> Found:
    for node in nodes:
        if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, _DIVIDING):
            continue
        divided, divisor = (
            (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        )
        is_text = isinstance(divided, ast.Constant) and isinstance(divided.value, str)
        is_other_number = isinstance(divisor, ast.Constant) and divisor.value != 0
        if not is_text and not is_other_number:
            yield divisor


def _keyed(nodes: Sequence[ast.AST], said: str) -> Found:
    """What lacks a key: what is asked for this very key, or else all that is asked for some."""
    asked = [*_asked(nodes)]
    exact = [
        each for each, key in asked if isinstance(key, ast.Constant) and repr(key.value) == said
    ]
    yield from exact or (each for each, key in asked if not isinstance(key, ast.Constant))


def _asked(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.Subscript):
            yield node.value, node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"pop", "remove"}
            and node.args
        ):
            yield node.func.value, node.args[0]


def _indexed(nodes: Sequence[ast.AST], said: str) -> Found:
    for node in nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            yield node.value
        elif (
            said.startswith("pop")
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("pop", "popleft")
        ):
            yield node.func.value


def _used(nodes: Sequence[ast.AST], said: str) -> Found:
    """What was used in a way that its type does not have."""
    for expression, search in _USES:
        found = re.search(expression, said)
        if found:
            for node in nodes:
                yield from search(node, found[found.lastindex or 0])
            return


def _with_attribute(node: ast.AST, name: str) -> Found:
    if isinstance(node, ast.Attribute) and node.attr == name:
        yield node.value


def _combined(node: ast.AST, operator: str) -> Found:
    kind = _OPERATORS.get(operator)
    if kind and isinstance(node, ast.BinOp) and isinstance(node.op, kind):
        yield node


def _subscripted(node: ast.AST, _: str) -> Found:
    if isinstance(node, ast.Subscript):
        yield node.value


def _called(node: ast.AST, _: str) -> Found:
    if isinstance(node, ast.Call):
        yield node.func


def _measured(node: ast.AST, _: str) -> Found:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "len":
        yield from node.args


def _given_to(node: ast.AST, name: str) -> Found:
    if isinstance(node, ast.Call) and _name_of(node) == name:
        yield from node.args[:1]


def _compared(node: ast.AST, operator: str) -> Found:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], _COMPARISONS[operator]):
        yield node


def _iterated(node: ast.AST, _: str) -> Found:
    if isinstance(node, ast.Compare) and any(
        isinstance(each, ast.In | ast.NotIn) for each in node.ops
    ):
        yield node.comparators[-1]
    yield from _taken_apart(node)


def _taken_apart(node: ast.AST) -> Found:
    if isinstance(node, ast.For | ast.comprehension):
        yield node.iter
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
        yield node.value


_USES: Sequence[tuple[str, Callable[[ast.AST, str], Found]]] = (
    (r"has no attribute ['\"](\w+)", _with_attribute),
    (r"^unsupported operand type\(s\) for (\S+?)=?:", _combined),
    (r"not subscriptable|item assignment|item deletion", _subscripted),
    (r"not callable", _called),
    (r"has no len\(\)", _measured),
    (r"^(int|float)\(\) argument must be", _given_to),
    (r"^['\"]([<>]=?)['\"] not supported between", _compared),
    (r"iterable", _iterated),
)
"""What messages say of the use of a value, and which expressions may have been used so."""


def _refused(nodes: Sequence[ast.AST], said: str) -> Found:
    """What had a value that was not accepted."""
    if "to unpack" in said:
        for node in nodes:
            yield from _taken_apart(node)
        return
    names = next((names for part, names in _REFUSED_BY if part in said), ())
    for node in nodes:
        if isinstance(node, ast.Call) and _name_of(node) in names:
            yield from node.args[:1]


def _name_of(call: ast.Call) -> str:
    """The last part of what is called."""
    return ast.unparse(call.func).rpartition(".")[2]


_REFUSED_BY: Sequence[tuple[str, tuple[str, ...]]] = (
    ("empty", ("max", "min")),
    ("not in ", ("index", "remove")),
    ("substring not found", ("index", "rindex")),
    ("for int()", ("int",)),
    ("to float", ("float",)),
)
"""What messages say, and the names of what was called with a value that was not accepted."""


def _asserted(nodes: Sequence[ast.AST], _: str) -> Found:
    return (node.test for node in nodes if isinstance(node, ast.Assert))


_SEARCHES: Mapping[str, Callable[[Sequence[ast.AST], str], Found]] = {
    "ZeroDivisionError": _divisors,
    "KeyError": _keyed,
    "IndexError": _indexed,
    "TypeError": _used,
    "AttributeError": _used,
    "ValueError": _refused,
    "AssertionError": _asserted,
}
