"""Regexes to their syntax trees, and to what every match holds: parse_regex, runs,
mandatory_literals.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, cast

if sys.version_info >= (3, 11):
    # the standard library's own syntax tree of a pattern
    from re import _parser  # type: ignore[attr-defined]
else:
    import sre_parse as _parser

Tree = Iterable[tuple[Any, Any]]
"""Operations with their arguments, in order."""

LONGEST_KNOWN = 4000
"""Characters beyond which it makes no difference how long a match may be."""

LEAST_CHOICE = 3
"""Characters of an alternative of a regex that is looked for."""


@lru_cache(maxsize=64)
def parse_regex(pattern: str) -> Tree:
    """The tree of a pattern, for reading only; empty where it is written in syntax that only the
    package regex knows.
    """
    try:
        return cast(Tree, _parser.parse(pattern))
    except (re.error, OverflowError):
        return ()


@lru_cache(maxsize=4096)
def mandatory_literals(pattern: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Texts that every match of the regex holds, in order, and alternatives of which it holds
    one; empty where it is written in the syntax of the package regex.
    """
    found = list(_literals(parse_regex(pattern)))
    return tuple(each for each in found if isinstance(each, str)), tuple(
        each for each in found if isinstance(each, tuple)
    )


def longest_match(pattern: str) -> float:
    """Characters of the longest text that the regex takes or looks at; infinite where that is not
    known.
    """
    tree = parse_regex(pattern)
    if not isinstance(tree, _parser.SubPattern) or "(?=" in pattern or "(?<=" in pattern:
        return math.inf
    longest: int = tree.getwidth()[1]
    return longest if longest <= LONGEST_KNOWN else math.inf


def runs(tree: Tree) -> Iterator[str | tuple[str, Any]]:
    """What stands one after the other in a sequence: literal text, and the names and arguments
    of all other operations that take characters.
    """
    run = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
        elif name != "AT":
            yield run
            yield name, argument
            run = ""
    yield run


def surely_within(name: str, argument: Any) -> Tree:
    """What every match of an operation holds, in its order; empty where that is not one
    sequence.
    """
    if name == "SUBPATTERN":
        return cast("Tree", argument[-1])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] >= 1:
        return cast("Tree", argument[2])
    return cast("Tree", argument) if name == "ATOMIC_GROUP" else ()


def _literals(tree: Tree) -> Iterator[str | tuple[str, ...]]:
    for each in runs(tree):
        if isinstance(each, str):
            yield each
        elif each[0] == "BRANCH":
            yield from _choice(each[1][1])
        else:
            yield from _literals(surely_within(*each))


def _choice(branches: Iterable[Tree]) -> Iterator[tuple[str, ...]]:
    """The longest word of each branch, where all have one that is long enough to tell anything."""
    longest = tuple(
        max(
            (word for each in _literals(branch) if isinstance(each, str) for word in each.split()),
            key=len,
            default="",
        )
        for branch in branches
    )
    if min(map(len, longest)) >= LEAST_CHOICE:
        yield longest
