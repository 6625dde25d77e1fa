"""Patterns that are never seen, because others or their own excludes take the text:
rival_findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import regex

from logdoctor.checks.finding import Finding, Kind
from logdoctor.checks.near_duplicates import are_told_apart, said
from logdoctor.checks.proofs import events_of
from logdoctor.errors import Fault
from logdoctor.matching.matcher import Matcher
from logdoctor.model import Part, Pattern, Signature, Where
from logdoctor.patterns.templates import parse_template
from logdoctor.search.automaton import Automaton

PatternKey = tuple[str, int]
"""Id of a signature and number, from 0, of a pattern."""


def rival_findings(automaton: Automaton, among: Sequence[Signature]) -> Iterator[Finding]:
    """Patterns of no example, patterns that their own excludes kill, and patterns that are those
    of another signature: by their words, or because both fit the same examples. Of these
    signatures, in the order of ids.
    """
    shown = _examples_by_pattern(automaton, among)
    for signature in among:
        for number, pattern in enumerate(signature.patterns):
            part = pattern.parts[0]
            text = (part.template or part.regex or "")[:100]
            if not shown.get((signature.id, number), frozenset()) & _own(signature):
                what = f'no example of "{signature.id}" exercises "{text}"'
                fault = Fault(part.position, what, "add what the program prints then")
                yield Finding(Kind.NO_EXAMPLE, signature.id, fault)
            if any(
                _kills(exclude, each) for exclude in signature.excludes for each in pattern.parts
            ):
                what = f'"{text}" is taken by the excludes of "{signature.id}" itself'
                fault = Fault(part.position, what, "narrow the excludes")
                yield Finding(Kind.EXCLUDED, signature.id, fault)
    yield from _same_patterns(among, shown)


def _own(signature: Signature) -> frozenset[tuple[str, int]]:
    return frozenset((signature.id, number) for number in range(len(signature.examples)))


def _examples_by_pattern(
    automaton: Automaton, among: Sequence[Signature]
) -> Mapping[PatternKey, frozenset[tuple[str, int]]]:
    """The examples, by signature and number, that each pattern fits: to the letter, or, one of its
    own signature, at all.
    """
    matcher = Matcher(automaton)
    found: dict[PatternKey, set[tuple[str, int]]] = {}
    for signature in among:
        for number, example in enumerate(signature.examples):
            for event in events_of(automaton, example.text):
                keys = matcher.fits_exactly(event) | {
                    (signature.id, own) for own in matcher.fitting(signature, event)
                }
                for key in keys:
                    found.setdefault(key, set()).add((signature.id, number))
    return {key: frozenset(examples) for key, examples in found.items()}


def _kills(exclude: Part, part: Part) -> bool:
    """Whether every text of a part is one of an exclude."""
    if (exclude.template, exclude.regex) == (part.template, part.regex):
        return True
    if part.template is None or (exclude.where is Where.FRAME) != (part.where is Where.FRAME):
        return False
    text = said(parse_template(part.template))
    if exclude.template is not None:
        return parse_template(exclude.template).compare(text, is_exact=True) is not None
    return regex.search(exclude.regex or "", text) is not None


def _same_patterns(
    among: Sequence[Signature], shown: Mapping[PatternKey, frozenset[tuple[str, int]]]
) -> Iterator[Finding]:
    """Each pair once, at the later one."""
    by_words: dict[object, list[tuple[Signature, Pattern]]] = {}
    by_examples: dict[object, list[tuple[Signature, Pattern]]] = {}
    for signature in among:
        for number, pattern in enumerate(signature.patterns):
            words = tuple((each.template, each.regex, each.where) for each in pattern.parts)
            by_words.setdefault(words, []).append((signature, pattern))
            examples = shown.get((signature.id, number), frozenset())
            if len({owner for owner, _ in examples}) > 1:
                by_examples.setdefault(examples, []).append((signature, pattern))
    told: set[tuple[str, str]] = set()
    for how, groups in (("the same words", by_words), ("the same examples", by_examples)):
        for group in groups.values():
            yield from _pairs(group, how, told)


def _pairs(
    group: list[tuple[Signature, Pattern]], how: str, told: set[tuple[str, str]]
) -> Iterator[Finding]:
    for number, (signature, pattern) in enumerate(group):
        for other, _ in group[:number]:
            pair = (signature.id, other.id)
            is_apart = signature.id == other.id or are_told_apart(signature, other)
            if not is_apart and pair not in told and not (signature.excludes or other.excludes):
                told.add(pair)
                part = pattern.parts[0]
                what = (
                    f'"{(part.template or part.regex or "")[:80]}" of "{signature.id}" fits {how} '
                    f'as a pattern of "{other.id}"'
                )
                fault = Fault(part.position, what, "leave it out in one of them")
                yield Finding(Kind.SAME_PATTERN, signature.id, fault)
