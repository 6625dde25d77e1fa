"""What lit up in an event, and what its texts need for it to fit: Candidates, CandidateFinder."""

from typing import NamedTuple

from logdoctor.automaton import Automaton
from logdoctor.digit_blindness import has_digits
from logdoctor.event_texts import EventTexts
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, Part, Signature
from logdoctor.regex_trees import mandatory_literals
from logdoctor.templates import ascii_literals, parse_template

REMEMBERED_LIMIT = 5000
"""Sets of expressions, and sets of patterns of one signature, of which it is remembered what they need."""

REGEX_WEIGHT_LIMIT = 60
"""A regex may run over any amount of text; no more of it counts."""

LEAST_LITERAL = 2
"""Characters of a literal of a regex that is looked for: shorter ones are in every text."""


class _Need(NamedTuple):
    """What one of the texts of an event, named by the value of a `Where`, must hold, and of each of `choices` one."""

    where: str
    literals: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...]


class CandidatePattern(NamedTuple):
    """A pattern that may fit.

    Attributes:
        number: of the pattern in its signature, from 0.
        most_value: what it may at most be worth where a character differs; 0 where none may.
    """

    number: int
    parts: tuple[Part, ...]
    most_value: int
    exact: tuple[_Need, ...]
    damaged: tuple[_Need, ...]

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
    """A signature of which patterns (at least one, ascending) lit up; `number` is its own in the database."""

    number: int
    signature: Signature
    patterns: tuple[CandidatePattern, ...]
    is_digit_blind: bool

    @property
    def most_value(self) -> int:
        """What it may at most be worth where a character differs."""
        return max(pattern.most_value for pattern in self.patterns)


class Candidates(NamedTuple):
    """What lit up, by number of the signature; `is_digit_blind` says whether no digit of a text makes a difference to any of them."""

    all: tuple[Candidate, ...]
    is_digit_blind: bool

    def among(self, numbers: frozenset[int]) -> "Candidates":
        """Those of these signatures."""
        return Candidates(tuple(each for each in self.all if each.number in numbers), self.is_digit_blind)


class CandidateFinder:
    """Finds the signatures that are compared with an event."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._found: Memo[frozenset[int], Candidates] = Memo(REMEMBERED_LIMIT)  # by expressions
        self._candidates: Memo[tuple[int, tuple[int, ...]], Candidate] = Memo(REMEMBERED_LIMIT)  # by signature and patterns
        self._patterns: dict[tuple[int, int], CandidatePattern] = {}
        self._of_expression: dict[int, tuple[tuple[int, int], ...]] = {}  # numbers of signatures and their patterns

    def find(self, expressions: frozenset[int]) -> Candidates:
        """What these expressions may mean."""
        found = self._found.get(expressions)
        if found is None:
            lit = sorted((number, tuple(sorted(patterns))) for number, patterns in self._lit(expressions).items())
            candidates = tuple(self._candidate(*each) for each in lit)
            found = self._found[expressions] = Candidates(candidates, all(each.is_digit_blind for each in candidates))
        return found

    def _lit(self, expressions: frozenset[int]) -> dict[int, set[int]]:
        """Numbers of patterns by that of their signature."""
        lit: dict[int, set[int]] = {}
        for expression in expressions:
            for signature, pattern in self._meant_by(expression):
                lit.setdefault(signature, set()).add(pattern)
        return lit

    def _meant_by(self, expression: int) -> tuple[tuple[int, int], ...]:
        found = self._of_expression.get(expression)
        if found is None:
            owners = [anchor.owner for anchor in self._automaton.anchors_of(expression) if anchor.kind in (AnchorKind.TEMPLATE, AnchorKind.REGEX)]
            parts = [self._automaton.parts[owner] for owner in owners]
            found = self._of_expression[expression] = tuple((part.signature, part.pattern) for part in parts)
        return found

    def _candidate(self, number: int, patterns: tuple[int, ...]) -> Candidate:
        found = self._candidates.get((number, patterns))
        if found is None:
            signature = self._automaton.database.signatures[number]
            parts = [part for pattern in patterns for part in signature.patterns[pattern].parts]
            is_digit_blind = not any(map(has_digits, (*parts, *signature.excludes)))
            found = Candidate(number, signature, tuple(self._pattern(number, signature, each) for each in patterns), is_digit_blind)
            self._candidates[number, patterns] = found
        return found

    def _pattern(self, number: int, signature: Signature, pattern: int) -> CandidatePattern:
        found = self._patterns.get((number, pattern))
        if found is None:
            found = self._patterns[number, pattern] = _candidate_pattern(pattern, signature.patterns[pattern].parts)
        return found


def _candidate_pattern(number: int, parts: tuple[Part, ...]) -> CandidatePattern:
    templates = [parse_template(part.template) for part in parts if part.template]
    most = sum(template.length for template in templates) + REGEX_WEIGHT_LIMIT * (len(parts) - len(templates)) - 2
    can_be_damaged = any(template.allowance for template in templates)
    return CandidatePattern(number, parts, most * can_be_damaged, tuple(map(_need, parts)), tuple(_need(part) for part in parts if not part.template))


def _need(part: Part) -> _Need:
    if part.template:
        return _Need(part.where.value, ascii_literals(parse_template(part.template).literals), ())
    literals, choices = mandatory_literals(part.regex or "")
    told = tuple(tuple(each.lower() for each in choice) for choice in choices if all(map(str.isascii, choice)))
    return _Need(part.where.value, tuple(each for each in ascii_literals(literals) if len(each) >= LEAST_LITERAL), told)
