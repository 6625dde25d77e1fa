"""Configurations that a log prints as Python or JSON write them to settings: read_dumps.

`{'actor': {'lr': 1e-6, …` over many lines, as pprint puts it, and `GRPOConfig(lr=1e-6, …`.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from logdoctor.formats.prefixes import Stripped, strip_prefixes
from logdoctor.model import Place
from logdoctor.settings.configuration import Setting, Unresolved
from logdoctor.settings.python_files import NoLiteral, literal_of
from logdoctor.texts.masking import without_escapes

MOST_LINES, MOST_CHARACTERS = 5_000, 1_000_000
"""Of one dump; what is larger is no configuration of a run."""

LINES_IN_VAIN = 20_000
"""Lines below openings that are looked at for nothing, in all of a log: brackets that never close,
or hold no Python or nothing wanted. Behind them only what closes in its own line is read.
"""

_OPENING = re.compile(r"\{(?=['\"]\w)|\b[A-Z]\w+\((?=[a-z_]\w*=)")
_PIECE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[{(]|[\])}]")
_MEMBER_OF_ENUM = re.compile(r"<[A-Za-z_][\w.]*: ('[^'\n]*'|-?\d+)>")
_JSON = {"true": True, "false": False, "null": None}


class _Dump(NamedTuple):
    """A whole dump without what the log puts before its lines, and the number of each line."""

    text: str
    numbers: Sequence[int]


def read_dumps(
    lines: Sequence[str], is_wanted: Callable[[str], bool], name: str
) -> Iterator[Setting | Unresolved]:
    """Every setting of each dump whose text is wanted, by its path in it, in the log's order.

    What stands between the lines of a dump and is of another writer is left out.
    """
    end, left = 0, LINES_IN_VAIN
    for number, line in enumerate(lines, 1):
        if number <= end or _OPENING.search(line) is None:
            continue
        most = min(MOST_LINES, max(1, left))
        dump = _dump(lines, number, most)
        root = _parsed(dump.text) if dump and is_wanted(dump.text) else None
        if dump is None or root is None:
            left -= (len(dump.numbers) if dump else most) - 1
            continue
        end = dump.numbers[-1]
        for path, node in _leaves(root, ""):
            place = Place(name, dump.numbers[min(node.lineno, len(dump.numbers)) - 1])
            try:
                yield Setting(path, literal_of(node, _JSON), place)
            except NoLiteral:
                yield Unresolved(path, ast.unparse(node)[:100], place, "no plain value")


def _dump(lines: Sequence[str], first: int, most: int) -> _Dump | None:
    """What begins in the line of this number, up to the bracket that closes it within so many
    lines; None where none does.
    """
    stripped = _stripped(lines[first - 1])
    opened = _OPENING.search(stripped.text)
    if opened is None:
        return None
    depth, size, at = 0, 0, opened.start()
    texts: list[str] = []
    numbers: list[int] = []
    for number in range(first, min(first + most, len(lines) + 1)):
        each = _stripped(lines[number - 1])
        if each.stream != stripped.stream:
            continue
        text = each.text[at:] if number == first else each.text
        size += len(text)
        if size > MOST_CHARACTERS:
            return None
        numbers.append(number)
        for piece in _PIECE.finditer(text):
            depth += (piece[0] in "[{(") - (piece[0] in "])}")
            if depth == 0 and piece[0] in "])}":
                return _Dump("\n".join([*texts, text[: piece.end()]]), numbers)
        texts.append(text)
    return None


def _stripped(line: str) -> Stripped:
    return strip_prefixes(without_escapes(line))


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(_MEMBER_OF_ENUM.sub(r"\1", text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _leaves(node: ast.expr, path: str) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from _leaves(value, f"{path}{key.value}.")
    elif isinstance(node, ast.Call) and node.keywords and not node.args:
        for keyword in node.keywords:
            if keyword.arg:
                yield from _leaves(keyword.value, f"{path}{keyword.arg}.")
    elif path:
        yield path[:-1], node
