"""What lit up in an event, and what its texts need for it to fit: Candidate, CandidateFinder."""

from collections.abc import Sequence
from typing import NamedTuple

from logdoctor.matching.event_texts import EventTexts
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, Part, Signature
from logdoctor.search.automaton import Automaton
from logdoctor.search.traits import TextNeed, Traits

SETS_LIMIT = 5000
"""Sets of expressions, and sets of patterns of one signature, of which it is remembered what
they need.
"""


class CandidatePattern(NamedTuple):
    """A pattern that may fit.

    Attributes:
        most_value: what it may at most be worth where a character differs; 0 where none may.
        exact: what the texts must hold for it to fit to the letter.
        damaged: what they must hold even where characters differ: the needs of its regexes, which
            are never damaged.
        is_digit_blind: no digit of a text makes a difference to it, or to what excludes its
            signature.
        name: as in `Pattern`.
    """

    parts: tuple[Part, ...]
    most_value: int
    exact: tuple[TextNeed, ...]
    damaged: tuple[TextNeed, ...]
    is_digit_blind: bool
    name: str | None = None

    def may_fit(self, texts: EventTexts, *, is_exact: bool) -> bool:
        """Whether the texts hold what they must for it to fit: to the letter, or damaged."""
        for where, literals, choices in self.exact if is_exact else self.damaged:
            whole = texts.folded(where)
            if whole is None:
                continue
            for literal in literals:
                if literal not in whole:
                    return False
            for choice in choices:
                if not any(map(whole.__contains__, choice)):
                    return False
        return True


class Candidate(NamedTuple):
    """A signature of which patterns (at least one, ascending) lit up."""

    signature: Signature
    patterns: tuple[CandidatePattern, ...]
    is_digit_blind: bool

    @property
    def most_value(self) -> int:
        """What it may at most be worth where a character differs."""
        return max(pattern.most_value for pattern in self.patterns)


class CandidateFinder:
    """Finds the signatures that are compared with an event."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._found: Memo[frozenset[int], tuple[Candidate, ...]] = Memo(
            SETS_LIMIT
        )  # by expressions
        # by signature and patterns
        self._candidates: Memo[tuple[int, tuple[_Lit, ...]], Candidate] = Memo(SETS_LIMIT)
        self._patterns: dict[int, CandidatePattern] = {}  # by the number of the first part
        # numbers of signatures, and their patterns
        self._of_expression: dict[int, tuple[tuple[int, _Lit], ...]] = {}

    def find(self, expressions: frozenset[int]) -> tuple[Candidate, ...]:
        """What these expressions may mean, by number of the signature."""
        found = self._found.get(expressions)
        if found is None:
            lit = sorted(
                (number, tuple(sorted(patterns)))
                for number, patterns in self._lit(expressions).items()
            )
            found = self._found[expressions] = tuple(self._candidate(*each) for each in lit)
        return found

    def _lit(self, expressions: frozenset[int]) -> dict[int, set["_Lit"]]:
        """Patterns by the number of their signature."""
        lit: dict[int, set[_Lit]] = {}
        for expression in expressions:
            for signature, pattern in self._meant_by(expression):
                lit.setdefault(signature, set()).add(pattern)
        return lit

    def _meant_by(self, expression: int) -> tuple[tuple[int, "_Lit"], ...]:
        found = self._of_expression.get(expression)
        if found is None:
            owners = [
                anchor.owner
                for anchor in self._automaton.anchors_of(expression)
                if anchor.kind in (AnchorKind.TEMPLATE, AnchorKind.REGEX)
            ]
            parts = [(owner, self._automaton.parts[owner]) for owner in owners]
            found = self._of_expression[expression] = tuple(
                (part.signature, _Lit(part.pattern, owner - part.part)) for owner, part in parts
            )
        return found

    def _candidate(self, number: int, lit: tuple["_Lit", ...]) -> Candidate:
        found = self._candidates.get((number, lit))
        if found is None:
            signature = self._automaton.database.signatures[number]
            patterns = tuple(self._pattern(signature, *each) for each in lit)
            found = self._candidates[number, lit] = Candidate(
                signature, patterns, all(each.is_digit_blind for each in patterns)
            )
        return found

    def _pattern(self, signature: Signature, number: int, first: int) -> CandidatePattern:
        found = self._patterns.get(first)
        if found is None:
            parts, name, *_ = signature.patterns[number]
            traits = self._automaton.traits[first : first + len(parts)]
            found = self._patterns[first] = _candidate_pattern(parts, traits, name)
        return found


class _Lit(NamedTuple):
    """A pattern that lit up: its number in its signature, and that of its first part among all
    parts.
    """

    pattern: int
    first: int


def _candidate_pattern(
    parts: tuple[Part, ...], traits: Sequence[Traits], name: str | None
) -> CandidatePattern:
    most = sum(each.weight for each in traits) - 2
    return CandidatePattern(
        parts,
        most_value=most * any(each.can_be_damaged for each in traits),
        exact=tuple(each.text for each in traits),
        damaged=tuple(each.text for each in traits if each.is_regex),
        is_digit_blind=all(each.is_digit_blind for each in traits),
        name=name,
    )
