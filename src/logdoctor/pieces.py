"""Patterns to what is searched for them: choose_pieces, required_literals.

A template with k damaged characters still holds one of any k+1 disjoint pieces unharmed; a text that a regex matches
holds the literals that every match must have.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from logdoctor.templates import EXACT_ONLY_BELOW, Template

if sys.version_info >= (3, 11):
    from re import _parser as _regex_parser  # type: ignore[attr-defined]  # the standard library's own syntax tree of a pattern
else:
    import sre_parse as _regex_parser

GUARANTEED_SHARE = 0.10
"""Share of a template's literal characters that may be damaged and the template is surely found."""

LEAST_PIECE, LONGEST_PIECE = 5, 12
"""Lengths of pieces in characters: shorter ones are everywhere, longer ones gain nothing."""

LONGEST_LITERAL = 24
"""Characters of a regex's literal that are searched."""

# Shares of characters in console logs, in 1/1000, in bands, as counted over sample_logs/healthy; others count as 1.
_SHARES = ((205, " "), (50, "e"), (36, "rtn0aiso"), (19, "1lpm:._c2d"), (13, "'-/g69u"), (8, "3[5,fh8=k74"), (4, "wb]y()^v"), (2, '"x'))
_LOG_SHARE = {character: math.log(share / 1000) for share, characters in _SHARES for character in characters}
_RARE = math.log(1 / 1000)
_BYTES_PER_MB = 1e6
_PER_PIECE = 0.01  # hits per MB that one more piece is worth


def choose_pieces(template: Template) -> tuple[str, ...]:
    """k+1 disjoint pieces of a template's literals, rare ones, in order; fewer where the literals are too short."""
    damage = 0 if template.length < EXACT_ONLY_BELOW else max(1, int(template.length * GUARANTEED_SHARE))
    return _cheapest(template.literals, damage + 1) or (max(template.literals, key=len).strip(),)


def guaranteed_edits(template: Template) -> int:
    """How many damaged characters a text may have and its line is surely looked at."""
    return len(choose_pieces(template)) - 1


def _cheapest(literals: Sequence[str], most: int) -> tuple[str, ...]:
    """As many disjoint pieces as can be had up to `most`, with the least expected hits, by dynamic programming."""
    text = "\n".join(literals)
    expected = _expected_hits(text)
    rows: list[list[tuple[float, int]]] = [[(0.0, 0)] * (len(text) + 1)]
    while len(rows) <= most:
        row = _next_row(rows[-1], expected, text)
        if row[-1][0] == math.inf:
            break
        rows.append(row)
    pieces, end = [], len(text)
    for row in reversed(rows[1:]):
        while row[end][1] == 0:
            end -= 1
        pieces.append(text[end - row[end][1] : end])
        end -= row[end][1]
    return tuple(reversed(pieces))


def _expected_hits(text: str) -> list[list[float]]:
    """For each end and length of a piece its hits per megabyte if characters were independent; infinite across a line end."""
    sums = [0.0]
    for character in text:
        sums.append(sums[-1] + _LOG_SHARE.get(character, _RARE))
    table = []
    for end in range(len(text) + 1):
        lengths = range(LEAST_PIECE, LONGEST_PIECE + 1)
        table.append(
            [_BYTES_PER_MB * math.exp(sums[end] - sums[end - n]) + _PER_PIECE if _is_piece(text, end - n, end) else math.inf for n in lengths]
        )
    return table


def _is_piece(text: str, start: int, end: int) -> bool:
    return start >= 0 and "\n" not in text[start:end]


def _next_row(above: list[tuple[float, int]], expected: list[list[float]], text: str) -> list[tuple[float, int]]:
    row: list[tuple[float, int]] = [(math.inf, 0)]
    for end in range(1, len(text) + 1):
        best, best_length = row[end - 1][0], 0
        for length, hits in enumerate(expected[end][: max(0, end - LEAST_PIECE + 1)], LEAST_PIECE):
            cost = above[end - length][0] + hits
            if cost < best:
                best, best_length = cost, length
        row.append((best, best_length))
    return row


def required_literals(pattern: str) -> tuple[str, ...]:
    """Texts of which every match of the regex holds at least one, in lower case; empty where none can be found.

    Blanks in them stand for themselves. Each has at least `LEAST_PIECE` characters.
    """
    try:
        tree = _regex_parser.parse(pattern)
    except (re.error, OverflowError):  # syntax that only the package regex knows
        return ()
    best = _best(_alternatives(tree))
    return tuple(sorted({literal[:LONGEST_LITERAL].lower() for literal in best}))


def _best(candidates: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    long_enough = [each for each in candidates if each and min(map(len, each)) >= LEAST_PIECE]
    return max(long_enough, key=lambda each: (min(LONGEST_LITERAL, *map(len, each)), -len(each)), default=())


def _alternatives(tree: Iterable[tuple[Any, Any]]) -> Iterator[tuple[str, ...]]:
    """All sets of literals of which a match of this sequence must hold one."""
    run = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
            continue
        if name == "AT":
            continue
        yield (run,)
        run = ""
        if name == "SUBPATTERN":
            yield from _alternatives(argument[-1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] >= 1:
            yield from _alternatives(argument[2])
        elif name == "ATOMIC_GROUP":
            yield from _alternatives(argument)
        elif name == "BRANCH":
            branches = [_best(_alternatives(branch)) for branch in argument[1]]
            if all(branches):
                yield tuple(literal for branch in branches for literal in branch)
    yield (run,)
