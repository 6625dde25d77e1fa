"""How long a search for a regex may take at most: most_steps, longest_soon, is_understood_alike.

For texts of ASCII only. A set of characters is a number whose bit n stands for character n, in both
letter cases.
"""

import math
import re
import sys
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

from logdoctor.patterns.regex_trees import Tree, parse_regex

STEPS_LIMIT = 10_000_000
"""Characters that `re`, which cannot be stopped, may have to look at in one search: at most a tenth
of a second.

Patterns chosen to make it slow took up to 9 ns a step (`tests/test_regexes.py` has them; November
2026).
"""

LONGEST_TEXT = 1 << 15
"""Characters of the longest texts that are searched."""

_LAST = 127
_ALL = (1 << _LAST + 1) - 1
_LETTERS = (1 << 26) - 1
_DIGIT = ((1 << 10) - 1) << ord("0")
_WORD = _DIGIT | _LETTERS << ord("A") | _LETTERS << ord("a") | 1 << ord("_")
_SPACE = 1 << ord(" ") | 0b11111 << ord("\t") | 0b1111 << ord("\x1c")
_CATEGORIES = {
    "CATEGORY_DIGIT": _DIGIT,
    "CATEGORY_WORD": _WORD,
    "CATEGORY_SPACE": _SPACE,
    "CATEGORY_NOT_DIGIT": _ALL ^ _DIGIT,
    "CATEGORY_NOT_WORD": _ALL ^ _WORD,
    "CATEGORY_NOT_SPACE": _ALL ^ _SPACE,
}

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_OTHER_SYNTAX = re.compile(r"\{(?!\d*,?\d*\})|\[:")
"""What bounds damage, or names a class in a set, to the package regex, and is plain text to
`re`.
"""


class _Cost(NamedTuple):
    """In how many ways a part of a regex may fit at one place, the characters looked at to try
    them all, and which it or what follows may begin with.
    """

    ways: float
    steps: float
    first: int


def most_steps(pattern: str, length: int) -> float:
    """How many characters a search of so many may look at, however badly these are chosen: at most,
    and mostly far fewer.

    As if every repeat and every branch fitted in all ways in which the next character does not
    decide, and the search failed in the end. Infinite where that is not known, and where the
    package regex understands the pattern in another way.
    """
    tree = list(parse_regex(pattern)) if is_understood_alike(pattern) else []
    if not tree:
        return math.inf
    begin = _beginning(tree)
    apart = next(
        (shift for shift in range(1, len(begin)) if begin.startswith(begin[shift:])),
        max(1, len(begin)),
    )
    return (
        2 * length + max(1, length / apart) * _sequence(tree, max(1, length - len(begin)), 0).steps
    )


def longest_soon(pattern: str) -> int:
    """Characters, a power of two, of the longest text of ASCII in which a search surely takes no
    more steps than `STEPS_LIMIT`; 0 where no length is known.
    """
    if most_steps(pattern, LONGEST_TEXT) <= STEPS_LIMIT:  # so for most
        return LONGEST_TEXT
    lengths = [1 << bits for bits in range(LONGEST_TEXT.bit_length() - 1)]
    known = bisect_left(lengths, True, key=lambda length: most_steps(pattern, length) > STEPS_LIMIT)
    return lengths[known - 1] if known else 0


def is_understood_alike(pattern: str) -> bool:
    """Whether `re`, where it can read a pattern, means the same by it as the package regex."""
    return not _OTHER_SYNTAX.search(_ESCAPED.sub("", pattern))


def _beginning(tree: Tree) -> str:
    """The text that every match begins with: it cannot begin at two places closer than it can be
    shifted against itself.
    """
    begin = ""
    for operation, argument in tree:
        if str(operation) != "LITERAL":
            break
        begin += chr(argument).lower()
    return begin


def _sequence(tree: Tree, length: int, follows: int) -> _Cost:
    """Of parts one after the other, from the last to the first; `follows` is none at the end,
    where whatever fits is the result.
    """
    ways, steps = 1.0, 0.0
    for operation, argument in reversed(list(tree)):
        part = _part(str(operation), argument, length, follows)
        steps = part.steps + part.ways * steps
        ways, follows = ways * part.ways, part.first
    return _Cost(ways, steps, follows)


def _part(name: str, argument: Any, length: int, follows: int) -> _Cost:
    if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return _Cost(1, 1, _characters(name, argument))
    if name == "AT":
        return _Cost(1, 1, 1 << ord("\n") if str(argument) == "AT_END" else follows or _ALL)
    if name == "SUBPATTERN":
        return _sequence(argument[-1], length, follows)
    if name == "BRANCH":
        return _branches(argument[1], length, follows)
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, body = argument
        return _repeat(least, most, body, length=length, follows=follows)
    is_known = name in ("ASSERT", "ASSERT_NOT") and (
        argument[0] > 0 or len(set(argument[1].getwidth())) == 1
    )  # `re` looks back by a fixed width only
    return _Cost(
        1, _sequence(argument[1], length, _ALL).steps if is_known else math.inf, follows or _ALL
    )


def _branches(trees: Iterable[Tree], length: int, follows: int) -> _Cost:
    branches = [_sequence(tree, length, follows) for tree in trees]
    first, is_decided = 0, True
    for branch in branches:
        is_decided &= not first & branch.first
        first |= branch.first
    ways, steps = [branch.ways for branch in branches], [branch.steps for branch in branches]
    return (
        _Cost(max(ways), max(steps) + len(branches), first)
        if is_decided
        else _Cost(sum(ways), sum(steps), first)
    )


def _repeat(least: int, most: int, body: Tree, *, length: int, follows: int) -> _Cost:
    least, most = min(int(least), length), min(max(1, int(most)), length)
    begin = _sequence(body, length, follows).first
    once = _sequence(body, length, follows | begin)
    first = begin if least else begin | follows
    if not follows and once.steps == 1:
        # the rest is gone over once: nothing follows that could fail
        return _Cost(1, least + 1, first)
    if not begin & follows and once.ways == 1:
        return _Cost(1, most * (once.steps + 1), first)
    if most * math.log2(once.ways) > sys.float_info.max_exp / 2:
        return _Cost(1, math.inf, first)
    if once.ways == 1:
        return _Cost(most - least + 1, most * once.steps, first)
    ways = (once.ways ** (most + 1) - once.ways**least) / (once.ways - 1)
    return _Cost(ways, ways * once.steps, first)


def _characters(name: str, argument: Any) -> int:
    """What one character may be, whether or not letter case counts."""
    found = _in_case(name, argument)
    letters = (found >> ord("A") | found >> ord("a")) & _LETTERS
    return found | letters << ord("A") | letters << ord("a")


def _in_case(name: str, argument: Any) -> int:
    if name == "ANY":
        return _ALL
    if name == "CATEGORY":
        return _CATEGORIES[str(argument)]
    if name == "IN":
        found = 0
        for kind, value in argument:
            found |= 0 if str(kind) == "NEGATE" else _in_case(str(kind), value)
        return _ALL ^ found if str(argument[0][0]) == "NEGATE" else found
    low, high = map(int, argument if name == "RANGE" else (argument, argument))
    found = (1 << min(high, _LAST) + 1) - (1 << min(low, _LAST + 1)) & _ALL
    return _ALL ^ found if name == "NOT_LITERAL" else found
