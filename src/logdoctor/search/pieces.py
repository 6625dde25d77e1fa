"""Patterns to what is searched for them: searched_texts, and how each is chosen: choose_pieces,
required_literals.

A template with k damaged characters still holds one of any k+1 disjoint pieces unharmed; a text
that a regex matches holds the literals that every match must have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from logdoctor.model import Part, Where
from logdoctor.patterns.regex_trees import Tree, parse_regex, runs, surely_within
from logdoctor.patterns.templates import EXACT_ONLY_BELOW, Template, parse_template
from logdoctor.search.background import RAREST, Background

GUARANTEED_SHARE = 0.08
"""Share of a template's literal characters that may be damaged and the template is surely found,
where its pieces allow it.
"""

GENEROUS_SHARE, GENEROUS_HITS = 0.10, 0.5
"""The share that is guaranteed where all pieces together are expected less often than this in a
megabyte.
"""

LEAST_PIECE, GOOD_PIECES, LONGEST_PIECE = 5, (8, 7, 6), 12
"""Lengths of pieces in characters: shorter ones are everywhere, longer ones gain nothing; the
shortest only where nothing else is.

Of good ones the first length is taken with which as many characters may be damaged as with any:
Hyperscan searches 7,200 literals of which 95 are shorter than 8 characters at 680 MB/s, the 7,300
of which 1,360 are at 475 (November 2026).
"""
TOO_COMMON = 5.0
"""Hits per megabyte of healthy text that no piece may be expected to have; a template guarantees
fewer edits instead.

Measured over 808 templates and healthy text the table had not seen (`benchmarks/healthy/hits`,
November 2026): by 20, 10, 5, 2 and 1, this many templates guarantee less: 1, 3, 7, 18, 43; hits per
megabyte in source code: 1178, 1085, 902, 826, 745; in what programs print: 192, 187, 138, 137, 129.
"""

LONGEST_LITERAL = 24
"""Characters of a regex's literal that are searched."""

FOUND_BY = 8
"""Last characters of a literal that Hyperscan looks for; where they stand, it compares what stands
before.

Those of the literals of 1,164 signatures stood 15,000 times in a megabyte of healthy text, the
literals themselves 500 times; with the too common ends of 800 cut off, they are searched an eighth
faster (November 2026).
"""

_PER_FOUND = 1 / 30  # hits that it is worth where the last characters stand once less
_PER_PIECE = 0.01  # hits per MB that one more piece is worth
_DIGITS = re.compile(r"\d+")
_BLANKS = re.compile(r" +")
_DIGITS_OR_BLANKS = re.compile(r"[\d ]+")


def searched_texts(part: Part, background: Background) -> tuple[str, ...]:
    """Texts of which a line must hold one where the part may fit, at least one; none where a
    regex has to be searched as it is.
    """
    if part.template:
        return choose_pieces(parse_template(part.template), background)
    return required_literals(part.regex or "", background, part.where is Where.FRAME)


def expected_hits(texts: Sequence[str], background: Background) -> float:
    """How often one of these texts stands in a megabyte of healthy text; infinite where there
    are none.
    """
    return sum(map(background.expected_hits, texts)) if texts else math.inf


def choose_pieces(template: Template, background: Background) -> tuple[str, ...]:
    """k+1 disjoint pieces of a template's literals, rare ones, in order; at least one.

    They hold no digits, so that lines that differ in digits only have the same pieces; where a
    template has no other text of `LEAST_PIECE` characters, its longest literal as it is.
    """
    most, least = desired_edits(template, GENEROUS_SHARE) + 1, desired_edits(template) + 1
    literals = [part for literal in template.literals for part in _DIGITS.split(literal)]
    rated = _Rated.of(literals, background)
    good = [
        _cheapest(rated, most, least, shortest=shortest, limit=TOO_COMMON)
        for shortest in GOOD_PIECES
    ]
    pieces = (
        max(good, key=lambda pieces: min(len(pieces), least))
        or _cheapest(rated, 1, 1, shortest=LEAST_PIECE, limit=math.inf)
        or _cheapest(
            _Rated.of(template.literals, background), 1, 1, shortest=LEAST_PIECE, limit=math.inf
        )
        or (max(template.literals, key=len).strip(),)
    )
    return tuple(_with_rare_end(piece, background, RAREST) for piece in pieces)


def guaranteed_edits(template: Template, background: Background) -> int:
    """How many damaged characters a text may have and its line is surely looked at."""
    return len(choose_pieces(template, background)) - 1


def desired_edits(template: Template, share: float = GUARANTEED_SHARE) -> int:
    """How many it would be if its pieces were long and rare enough."""
    return 0 if template.length < EXACT_ONLY_BELOW else max(1, int(template.length * share))


class _Rated(NamedTuple):
    """Literals, one a line, and the hits per megabyte of their parts, as `Background.rates` has
    them.
    """

    text: str
    rates: Sequence[Sequence[float]]

    @classmethod
    def of(cls, literals: Sequence[str], background: Background) -> _Rated:
        text = "\n".join(literals)
        return cls(text, background.rates(text, LONGEST_PIECE))


def _cheapest(
    rated: _Rated, most: int, least: int, *, shortest: int, limit: float
) -> tuple[str, ...]:
    """As many disjoint pieces as can be had, with the least expected hits, by dynamic programming.

    Up to `most` of them, above `least` only as far as they stay below `GENEROUS_HITS`; none has
    more hits than `limit`.
    """
    text = rated.text
    expected = _expected_hits(rated, shortest, limit)
    rows: list[list[tuple[float, int]]] = [[(0.0, 0)] * (len(text) + 1)]
    while len(rows) <= most:
        row = _next_row(rows[-1], expected, text, shortest)
        if (
            row[-1][0] > (math.inf if len(rows) <= least else GENEROUS_HITS)
            or row[-1][0] == math.inf
        ):
            break
        rows.append(row)
    pieces, end = [], len(text)
    for row in reversed(rows[1:]):
        while row[end][1] == 0:
            end -= 1
        pieces.append(text[end - row[end][1] : end])
        end -= row[end][1]
    return tuple(reversed(pieces))


def _expected_hits(rated: _Rated, shortest: int, limit: float) -> list[list[float]]:
    """For each end and length of a piece its expected hits per megabyte; infinite above the
    limit and across a line end.
    """
    text, rates = rated
    table = []
    for end in range(len(text) + 1):
        row = []
        for length in range(shortest, LONGEST_PIECE + 1):
            hits = rates[length][end - length] if _is_piece(text, end - length, end) else math.inf
            row.append(hits + _PER_PIECE if hits <= limit else math.inf)
        table.append(row)
    return table


def _is_piece(text: str, start: int, end: int) -> bool:
    return start >= 0 and "\n" not in text[start:end] and not text[start:end].isspace()


def _next_row(
    above: list[tuple[float, int]], expected: list[list[float]], text: str, shortest: int
) -> list[tuple[float, int]]:
    row: list[tuple[float, int]] = [(math.inf, 0)]
    for end in range(1, len(text) + 1):
        best, best_length = row[end - 1][0], 0
        for length, hits in enumerate(expected[end][: max(0, end - shortest + 1)], shortest):
            cost = above[end - length][0] + hits
            if cost < best:
                best, best_length = cost, length
        row.append((best, best_length))
    return row


def required_literals(
    pattern: str, background: Background, is_frame: bool = False
) -> tuple[str, ...]:
    """Texts of which every match of the regex holds at least one, in lower case; empty where none
    can be found.

    The rarest that there are; without digits where such can be found. Blanks in them stand for
    themselves; those of a frame, whose text is put together of two lines, have none. Each has at
    least `LEAST_PIECE` characters.
    """
    tree = parse_regex(pattern)
    cuts = (_DIGITS_OR_BLANKS.split, _BLANKS.split) if is_frame else (_DIGITS.split, _whole)
    best = _best(_alternatives(tree, background, cuts[0]), background) or _best(
        _alternatives(tree, background, cuts[1]), background
    )
    return tuple(
        sorted(
            {
                _with_rare_end(literal[:LONGEST_LITERAL].lower(), background, TOO_COMMON)
                for literal in best
            }
        )
    )


def _with_rare_end(literal: str, background: Background, limit: float) -> str:
    """A text in lower case; where its end is too common, without what stands behind a rarer one,
    if what is left has no more hits than the limit.
    """
    if len(literal) <= FOUND_BY or not literal.isascii():
        return literal
    rates = background.rates(literal, len(literal))
    if rates[FOUND_BY][-1] <= TOO_COMMON:
        return literal
    ends = [end for end in range(FOUND_BY, len(literal)) if rates[end][0] <= limit]
    return literal[
        : min(
            [*ends, len(literal)],
            key=lambda end: (rates[end][0] + _PER_FOUND * rates[FOUND_BY][end - FOUND_BY], -end),
        )
    ]


def _best(candidates: Iterable[tuple[str, ...]], background: Background) -> tuple[str, ...]:
    long_enough = [each for each in candidates if each and min(map(len, each)) >= LEAST_PIECE]
    return min(
        long_enough,
        key=lambda each: (
            sum(background.expected_hits(literal[:LONGEST_LITERAL]) for literal in each),
            -min(map(len, each)),
        ),
        default=(),
    )


def _whole(run: str) -> list[str]:
    return [run]


def _alternatives(
    tree: Tree, background: Background, cut: Callable[[str], list[str]], before: str = ""
) -> Iterator[tuple[str, ...]]:
    """All sets of literals of which a match of this sequence must hold one; `before` is the text
    right before it.

    Texts go on into a group or a branch, but not where a blank stands at its edge, which may be the
    end of a line.
    """
    for each in runs(tree):
        if isinstance(each, str):
            before = each if before.endswith(" ") or each.startswith(" ") else before + each
            yield from ((part,) for part in cut(before))
            continue
        if each[0] == "BRANCH":
            branches = [
                _best(_alternatives(branch, background, cut, before), background)
                for branch in each[1][1]
            ]
            if all(branches):
                yield tuple(literal for branch in branches for literal in branch)
        elif each[0] == "ASSERT":  # what a match must stand before or behind is there as well
            yield from _alternatives(each[1][1], background, cut)
        else:
            yield from _alternatives(
                surely_within(*each), background, cut, before if each[0] == "SUBPATTERN" else ""
            )
        before = ""
