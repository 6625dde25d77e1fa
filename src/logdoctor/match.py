"""Events to matches: Matcher.

Only the signatures whose anchors lit up in an event are compared with it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.automaton import Automaton
from logdoctor.digit_blindness import has_digits
from logdoctor.failure_tables import is_table
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, LogEvent, LogLine, Match, MatchKind, Part, Role, Signature, Where
from logdoctor.normalize import comparable, without_digits
from logdoctor.regex_searches import Search, prepare_search
from logdoctor.templates import Comparison, Template, parse_template

REGEX_TIMEOUT_S = 0.2
"""Seconds a regex may search one text; one that takes longer is switched off and reported."""

REGEX_SLOW_S, REGEX_BUDGET_S = 0.01, 2.0
"""Seconds from which a search counts as slow, and what slow searches of one regex may take in all."""

REMEMBERED_LIMIT = 5000
"""Events and comparisons remembered: the same message comes from many ranks."""

REMEMBERED_LENGTH = 4000
"""Characters of an event or text beyond which it is not remembered."""

COMPARABLE_LIMIT = 64
"""Texts of the last events whose comparable form is remembered: many patterns are tried on each."""

QUOTE_LENGTH = 60
"""Characters of the recognised text that are kept, to find it in its line."""

REGEX_TEXT_LIMIT = 20000
"""Characters of a text that are looked at."""

REGEX_WEIGHT_LIMIT = 60
"""A regex may run over any amount of text; no more of it counts."""

_EXCEPTION_LIKE = re.compile(r"[\w.]{3,80}(?:\([\w.]+\))?(?::|$)")


class _Found(NamedTuple):
    """A part that fits: characters that differ, literal characters that are there, captures, its beginning, the line that proves it, and how many are cut off."""

    edits: int
    weight: int
    captures: Mapping[str, str]
    quote: str
    line: LogLine
    cut_off: int = 0

    @property
    def value(self) -> int:
        """Characters that speak for it less those that speak against it."""
        return self.weight - 2 * self.edits - self.cut_off

    @property
    def score(self) -> float:
        """1 minus the share of characters that differ or are cut off."""
        return 1 - (self.edits + self.cut_off) / max(self.weight + self.cut_off, self.edits + 1)


class Matcher:
    """Recognises events; `faults` names the regexes that ran away, each once."""

    def __init__(self, automaton: Automaton, clock: Callable[[], float] = time.thread_time) -> None:
        """`clock` gives seconds of this thread's own work: on a busy machine a search only seems to run away."""
        self._automaton = automaton
        self._clock = clock
        self._spent: dict[str, float] = {}
        self._matched: Memo[tuple[object, ...], list[tuple[int, Match]]] = Memo(REMEMBERED_LIMIT)
        self._shapes: Memo[tuple[object, ...], frozenset[int]] = Memo(REMEMBERED_LIMIT)  # signatures that were chosen, by shape of the event
        self._digit_blind: dict[tuple[int, int], bool] = {}  # by signature and pattern
        self._compared: Memo[tuple[str, str, bool], Comparison | None] = Memo(REMEMBERED_LIMIT)
        self._comparables: Memo[str, str] = Memo(COMPARABLE_LIMIT)
        self._searches: dict[tuple[str, int], Search] = {}  # by regex and length of the text
        self._templates: dict[str, Template] = {}
        self._runaway: dict[str, str] = {}
        self._lit: Memo[frozenset[int], dict[int, set[int]]] = Memo(REMEMBERED_LIMIT)  # by expressions, patterns by signature

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong with which signature, in the order in which it happened."""
        return tuple(self._runaway.values())

    def match(self, event: LogEvent, frameworks: Sequence[str] = ()) -> tuple[Match, ...]:
        """The best match, and after it the best exact one of a cause where the best is none; empty where nothing fits.

        The lines below a message are taken into account only where nothing fits the message itself to the letter.
        Refinements are tried only where one of their frameworks is among `frameworks`.
        """
        candidates = self._candidates(event)
        if not candidates:
            return ()
        names = tuple(frameworks)
        matches = self._remembered(event._replace(after=()), candidates, names)
        if event.after and not event.is_traceback and not (matches and matches[0].kind is MatchKind.EXACT):
            matches = self._remembered(event, candidates, names)
        return tuple(match._replace(event=event) for match in matches)

    def _remembered(self, event: LogEvent, candidates: Mapping[int, set[int]], frameworks: tuple[str, ...]) -> tuple[Match, ...]:
        lines = (*event.lines, *event.after)
        if sum(len(line.text) for line in lines) > REMEMBERED_LENGTH:
            return self._chosen(self._all_matches(event, candidates, frameworks))
        key = (frameworks, event.message, *((line.text, line.anchors) for line in lines))
        if key not in self._matched:
            self._matched[key] = [(event.lines.index(match.line), match) for match in self._match_by_shape(event, candidates, frameworks, lines)]
        return tuple(match._replace(line=event.lines[index]) for index, match in self._matched[key])

    def _match_by_shape(
        self, event: LogEvent, candidates: Mapping[int, set[int]], frameworks: tuple[str, ...], lines: Sequence[LogLine]
    ) -> tuple[Match, ...]:
        """Of an event that differs from an earlier one in digits only, only what the earlier one was recognised as is compared."""
        if not all(self._is_digit_blind(number, patterns) for number, patterns in candidates.items()):
            return self._chosen(self._all_matches(event, candidates, frameworks))
        shape = (frameworks, event.exception, *((without_digits(line.text), line.anchors) for line in lines))
        known = self._shapes.get(shape)
        if known is not None:
            candidates = {number: patterns for number, patterns in candidates.items() if number in known}
        chosen = self._chosen(self._all_matches(event, candidates, frameworks))
        if known is None:
            self._shapes[shape] = frozenset(self._automaton.database.directory.numbers[match.signature_id] for match in chosen)
        return chosen

    def parts_with_digits(self, event: LogEvent) -> tuple[Part, ...]:
        """Parts of patterns that lit up in an event, and of their signatures, to which its digits may make a difference."""
        parts = []
        for number, patterns in self._candidates(event).items():
            if not self._is_digit_blind(number, patterns):
                signature = self._automaton.database.signatures[number]
                parts += [*(part for pattern in sorted(patterns) for part in signature.patterns[pattern].parts), *signature.excludes]
        return tuple(part for part in parts if has_digits(part))

    def _is_digit_blind(self, number: int, patterns: Iterable[int]) -> bool:
        """Whether no digit of a text makes a difference to these patterns of a signature."""
        signature = self._automaton.database.signatures[number]
        for pattern in patterns:
            if (number, pattern) not in self._digit_blind:
                parts = (*signature.patterns[pattern].parts, *signature.excludes)
                self._digit_blind[number, pattern] = not any(map(has_digits, parts))
        return all(self._digit_blind[number, pattern] for pattern in patterns)

    def _chosen(self, found: Iterable[tuple[int, Match]]) -> tuple[Match, ...]:
        matches = [match for _, match in sorted(found, key=lambda pair: (self._is_general(pair[1]), -pair[0], pair[1].signature_id))]
        others = [each for each in matches[1:] if self._is_cause(each) and each.kind is MatchKind.EXACT]
        if not matches or self._is_cause(matches[0]):
            return tuple(matches[:1])
        return (matches[0], *others[:1])

    def fitting(self, signature: Signature, event: LogEvent) -> frozenset[int]:
        """Numbers, from 0, of the patterns of a signature that fit an event, whatever lit up in it."""
        return frozenset(
            number for number, pattern in enumerate(signature.patterns) if self._fit_all(pattern.parts, event, signature, is_exact=False)
        )

    def _is_cause(self, match: Match) -> bool:
        signature = self._automaton.database.find(match.signature_id)
        return signature is not None and signature.role is Role.CAUSE

    def _is_general(self, match: Match) -> bool:
        signature = self._automaton.database.find(match.signature_id)
        return signature is not None and signature.is_general

    def _all_matches(self, event: LogEvent, candidates: Mapping[int, set[int]], frameworks: Sequence[str]) -> Iterator[tuple[int, Match]]:
        """Signatures that fit, each with its value: to the letter, or else, where it could still come first, with damage."""
        database = self._automaton.database
        best, undecided = 0, []
        for number, patterns in sorted(candidates.items()):
            signature = database.signatures[number]
            if signature.refines and not set(signature.frameworks) & set(frameworks):
                continue
            match = self._match_signature(event, signature, patterns, is_exact=True)
            if match is None:
                undecided.append((signature, patterns))
                continue
            yield match
            if not self._is_general(match[1]):
                best = max(best, match[0])
        for signature, patterns in undecided:
            promising = {pattern for pattern in patterns if self._most_value(signature.patterns[pattern].parts) > best}
            match = self._match_signature(event, signature, promising, is_exact=False)
            if match:
                yield match

    def _most_value(self, parts: Iterable[Part]) -> int:
        """What a pattern may at most be worth where a character differs."""
        return sum(self._template(part.template).length if part.template else REGEX_WEIGHT_LIMIT for part in parts) - 2

    def _template(self, text: str) -> Template:
        if text not in self._templates:
            self._templates[text] = parse_template(text)
        return self._templates[text]

    def _match_signature(self, event: LogEvent, signature: Signature, patterns: Iterable[int], *, is_exact: bool) -> tuple[int, Match] | None:
        fits = [
            found for pattern in sorted(patterns) if (found := self._fit_all(signature.patterns[pattern].parts, event, signature, is_exact=is_exact))
        ]
        if not fits:
            return None
        fits.sort(key=lambda found: found.value, reverse=True)
        best = fits[0]
        if self._is_excluded(signature, max(found.score for found in fits), event):
            return None
        kind = MatchKind.EXACT if best.score == 1 else MatchKind.FUZZY
        captures = {name: value for found in reversed(fits) for name, value in found.captures.items()}
        return best.value, Match(event, best.line, signature.id, kind, round(best.score, 3), captures, best.weight, best.quote)

    def _candidates(self, event: LogEvent) -> Mapping[int, set[int]]:
        """Patterns that lit up in the event, by signature; all by number."""
        expressions = frozenset(number for line in event.lines for number in line.anchors)
        if expressions not in self._lit:
            self._lit[expressions] = self._patterns_of(expressions)
        return self._lit[expressions]

    def _patterns_of(self, expressions: frozenset[int]) -> dict[int, set[int]]:
        candidates: dict[int, set[int]] = {}
        for anchor in (anchor for number in expressions for anchor in self._automaton.anchors_of(number)):
            if anchor.kind in (AnchorKind.TEMPLATE, AnchorKind.REGEX):
                part = self._automaton.parts[anchor.owner]
                candidates.setdefault(part.signature, set()).add(part.pattern)
        return candidates

    def _fit_all(self, parts: Sequence[Part], event: LogEvent, signature: Signature, *, is_exact: bool) -> _Found | None:
        found = []
        for part in parts:
            fit = self._fit(part, event, signature, is_exact=is_exact)
            if fit is None:
                return None
            found.append(fit)
        captures = {name: value for each in reversed(found) for name, value in each.captures.items()}
        edits, weight, cut_off = (sum(values) for values in zip(*((each.edits, each.weight, each.cut_off) for each in found), strict=True))
        return _Found(edits, weight, captures, found[-1].quote, found[-1].line, cut_off)

    def _is_excluded(self, signature: Signature, score: float, event: LogEvent) -> bool:
        """Whether a near miss fits at least as well; where the signature fits exactly, only an exact one does."""
        found = (self._fit(part, event, signature, is_exact=score == 1) for part in signature.excludes)
        return any(each and each.score >= score for each in found)

    def _fit(self, part: Part, event: LogEvent, signature: Signature, *, is_exact: bool = False) -> _Found | None:
        fits = []
        for text, line, below in _texts(part.where, event):
            found = self._compare(part, self._comparable(text[:REGEX_TEXT_LIMIT]), line, signature, is_exact=is_exact)
            if found and below and self._compare(part, self._comparable(below[:REGEX_TEXT_LIMIT]), line, signature, is_exact=is_exact):
                continue  # another message says it
            if found and found.score == 1:
                return found
            if found:
                fits.append(found)
        return max(fits, key=lambda found: found.score, default=None)

    def _comparable(self, text: str) -> str:
        if text not in self._comparables:
            self._comparables[text] = comparable(text)
        return self._comparables[text]

    def _compare(self, part: Part, text: str, line: LogLine, signature: Signature, *, is_exact: bool) -> _Found | None:
        if part.template is None:
            return self._search(part, text, line, signature)
        template = self._template(part.template)
        if len(text) > REMEMBERED_LENGTH:
            return _found(template, template.compare(text, is_exact=is_exact), line)
        key = (part.template, text, is_exact)
        if key not in self._compared:
            self._compared[key] = template.compare(text, is_exact=is_exact)
        return _found(template, self._compared[key], line)

    def _search(self, part: Part, text: str, line: LogLine, signature: Signature) -> _Found | None:
        pattern = part.regex or ""
        if pattern in self._runaway:
            return None
        search = self._search_for(pattern, text)
        start = self._clock()
        found, is_stopped = search(text, REGEX_TIMEOUT_S)
        if is_stopped and self._clock() - start < REGEX_TIMEOUT_S / 2:  # the machine was busy with something else
            found, is_stopped = search(text, REGEX_BUDGET_S)
        spent = self._clock() - start
        self._spent[pattern] = self._spent.get(pattern, 0.0) + spent * (spent > REGEX_SLOW_S)
        if is_stopped or self._spent[pattern] > REGEX_BUDGET_S:
            self._runaway[pattern] = (
                f'{part.position}: a regex of "{signature.id}" runs away (over {REGEX_TIMEOUT_S} s on a text) and was switched off'
            )
        if found is None:
            return None
        captures = {name: value for name, value in found.groupdict().items() if value is not None}
        return _Found(0, min(len(found[0]), REGEX_WEIGHT_LIMIT), captures, found[0][:QUOTE_LENGTH], line)

    def _search_for(self, pattern: str, text: str) -> Search:
        length = 1 << len(text).bit_length() if text.isascii() else 0
        if (pattern, length) not in self._searches:
            self._searches[pattern, length] = prepare_search(pattern, length)
        return self._searches[pattern, length]


def _found(template: Template, comparison: Comparison | None, line: LogLine) -> _Found | None:
    if comparison is None:
        return None
    edits, captures, quote, cut_off = comparison
    return _Found(edits, template.length - cut_off, captures, quote, line, cut_off)


def _texts(where: Where, event: LogEvent) -> Iterator[tuple[str, LogLine, str]]:
    """The texts of an event that a part is tried on, each with the line that proves it, and what in it stands below the event."""
    head = event.line
    if where is Where.FRAME:
        yield from ((frame, head, "") for frame in event.frames)
        if event.is_traceback:
            yield from ((line.text, head, "") for line in event.lines[: event.head])
    elif where is Where.LINE:
        yield from ((line.text, line, "") for line in (reversed(event.lines) if is_table(event) else event.lines))  # a table has its first entry last
    elif where is Where.MESSAGE or event.exception or _EXCEPTION_LIKE.match(event.message):
        yield event.message, head, ""
        if not event.is_traceback and event.after:
            below = " ".join(line.text.strip() for line in event.after)
            yield f"{event.message} {below}", head, below
