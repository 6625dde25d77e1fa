"""Source code to what it says when all is well: messages.

Reads the calls of loggers at INFO and DEBUG level, of print, and of verl's account of memory, out of Python packages, and
gives their texts with places for values. Texts that speak of a failure are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_METHODS = {"info", "debug", "info_rank0", "info_once", "log_dist", "print_rank_0", "print_rank_last", "log_single_rank", "log_gpu_memory_usage", "print"}
_UNHEALTHY = re.compile(r"fail|error|exception|invalid|timed? ?out|abort|kill|crash|corrupt|fatal|unable|cannot|can't|could not|not found|missing|died|dead|lost", re.I)
_PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sdrfgexXiu]")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Message:
    """What a call prints: literal texts, with a value between each two; where the call stands."""

    file: str
    line: int
    parts: tuple[str, ...]


def messages(package: Path) -> list[Message]:
    """All texts of a package, in the order of its files."""
    found: dict[tuple[str, ...], Message] = {}
    for path in sorted(package.rglob("*.py")):
        if "test" in path.name or "/tests/" in str(path):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in _METHODS:
                parts = _parts(node.args[0])
                text = "".join(parts)
                if 12 <= len(text) <= 300 and not _UNHEALTHY.search(text):
                    found.setdefault(parts, Message(path.name, node.lineno, parts))
    return list(found.values())


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _parts(argument: ast.expr) -> tuple[str, ...]:
    return tuple(_merge(_pieces(argument)))


def _pieces(node: ast.expr) -> Iterator[str | None]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        texts = _PERCENT.split(node.value) if _PERCENT.search(node.value) else _BRACES.split(node.value)
        for number, text in enumerate(texts):
            if number:
                yield None
            yield text
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield value.value if isinstance(value, ast.Constant) else None
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _pieces(node.left)
        yield from _pieces(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from _pieces(node.left)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        yield from _pieces(node.func.value)
    else:
        yield None


def _merge(pieces: Iterator[str | None]) -> Iterator[str]:
    text = ""
    for piece in pieces:
        if piece is None:
            yield text
            text = ""
        else:
            text += piece.replace("\n", " ")
    yield text
