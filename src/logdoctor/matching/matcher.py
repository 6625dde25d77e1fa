"""Events to matches: Matcher.

Only the signatures whose anchors lit up in an event are compared with it.
"""

import re
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.formats.torchrun_tables import is_table
from logdoctor.matching.candidates import Candidate, CandidateFinder
from logdoctor.matching.event_texts import EventText, EventTexts
from logdoctor.matching.rivals import OWN_WORDS, leading, literals_of, own_words
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, LogEvent, LogLine, Match, MatchKind, Part, Signature
from logdoctor.patterns.templates import Comparison, Template, parse_template
from logdoctor.patterns.timed_search import TimedSearch, prepare_search
from logdoctor.search.automaton import Automaton
from logdoctor.search.traits import REGEX_WEIGHT_LIMIT
from logdoctor.texts.digits import without_digits

REGEX_TIMEOUT_S = 0.2
"""Seconds a regex may search one text; one that takes longer is switched off and reported."""

REGEX_SLOW_S, REGEX_BUDGET_S = 0.01, 2.0
"""Seconds from which a search counts as slow, and what slow searches of one regex may take in
all.
"""

EVENTS_LIMIT, COMPARISONS_LIMIT = 2048, 2048
"""Events and comparisons remembered: the same message comes from many ranks."""

REMEMBERED_LENGTH = 4000
"""Characters of an event or text beyond which it is not remembered."""

SEAM = 80
"""Characters on both sides of a line's end in which a message may go on over it."""

QUOTE_LENGTH = 60
"""Characters of the recognised text that are kept, to find it in its line."""


class _Found(NamedTuple):
    """A part that fits: characters that differ, literal characters that are there, captures, its
    beginning, the line that proves it, how many are cut off, and how many words are its own.
    """

    edits: int
    weight: int
    captures: Mapping[str, str]
    quote: str
    line: LogLine
    cut_off: int = 0
    words: int = 0

    @property
    def value(self) -> int:
        """Characters that speak for it less those that speak against it."""
        return self.weight - 2 * self.edits - self.cut_off

    @property
    def score(self) -> float:
        """1 minus the share of characters that differ or are cut off."""
        return 1 - (self.edits + self.cut_off) / max(self.weight + self.cut_off, self.edits + 1)

    def but_for_digits(self, event: LogEvent) -> Hashable:
        """What it has in common with what was found in another event that differs in digits
        only.
        """
        captures = tuple((name, without_digits(value)) for name, value in self.captures.items())
        return (
            self.edits,
            self.weight,
            self.cut_off,
            self.words,
            captures,
            without_digits(self.quote),
            event.lines.index(self.line),
        )


class OwnedPart(NamedTuple):
    """A part of a pattern, and the signature that it belongs to."""

    part: Part
    signature: Signature


class Recognition(NamedTuple):
    """A match without its event: the number, from 0, of the line that proves it, and the rest as
    in `Match`.
    """

    place: int
    signature_id: str
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    weight: int
    quote: str
    is_own_text: bool
    patterns: tuple[str, ...] = ()

    def of(self, event: LogEvent, *, is_unread: bool = False) -> Match:
        """The match of an event; `is_unread` as in `Match`."""
        return Match(event, event.lines[self.place], *self[1:], is_unread)


class Matcher:
    """Recognises events; `faults` names the regexes that ran away, each once."""

    def __init__(
        self,
        automaton: Automaton,
        clock: Callable[[], float] = time.thread_time,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds of this thread's own work: on a busy machine, by `wall`, a
        search only seems to run away.
        """
        self._automaton = automaton
        self._wall = wall
        self._clock = clock
        self._spent: dict[str, float] = {}
        self._candidates = CandidateFinder(automaton)
        self._matched: Memo[tuple[object, ...], tuple[Recognition, ...]] = Memo(EVENTS_LIMIT)
        self._damaged: Memo[tuple[str, str], Comparison | None] = Memo(COMPARISONS_LIMIT)
        self._searches: dict[tuple[str, int], TimedSearch] = {}  # by regex and length of the text
        self._templates: dict[str, Template] = {}
        self._runaway: dict[str, str] = {}

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong with which signature, in the order in which it happened."""
        return tuple(self._runaway.values())

    def match(self, event: LogEvent) -> tuple[Match, ...]:
        """All that an event may be taken for; see `recognitions`."""
        return tuple(each.of(event) for each in self.recognitions(event))

    def recognitions(self, event: LogEvent) -> tuple[Recognition, ...]:
        """What an event may be taken for, the best first; empty where nothing fits.

        That is what fits best, and after it the best exact cause where that is none. Where
        signatures of frameworks are among those that fit, it is all that fit: which of them holds
        is only known when the whole run was read (`rivals.chosen`).

        The lines below a message are taken into account only where nothing fits the message itself
        to the letter.
        """
        return self.recognitions_of_both(event)[1]

    def recognitions_of_both(
        self, event: LogEvent
    ) -> tuple[tuple[Recognition, ...], tuple[Recognition, ...]]:
        """The same of the event without the lines below it, and of the event."""
        candidates = self._candidates_of(event)
        if not candidates:
            return (), ()
        alone = event._replace(after=())
        texts = EventTexts(alone)
        found = self._remembered(alone, candidates, texts)
        if not event.after or is_decided(event, found):
            return found, found
        return found, self._remembered(event, candidates, EventTexts(event, texts))

    def _remembered(
        self, event: LogEvent, candidates: tuple[Candidate, ...], texts: EventTexts
    ) -> tuple[Recognition, ...]:
        lines = (*event.lines, *event.after)
        if sum(len(line.text) for line in lines) > REMEMBERED_LENGTH:
            return self._chosen(event, candidates, texts)
        key = (event.message, *((line.text, line.anchors) for line in lines))
        found = self._matched.get(key)
        if found is None:
            found = self._matched[key] = self._chosen(event, candidates, texts)
        return found

    def parts_with_digits(self, event: LogEvent) -> tuple[OwnedPart, ...]:
        """Parts of patterns that lit up in an event, and of their signatures, to which its
        digits may make a difference.
        """
        owned: list[OwnedPart] = []
        for candidate in self._candidates_of(event):
            if not candidate.is_digit_blind:
                parts = (
                    *(part for pattern in candidate.patterns for part in pattern.parts),
                    *candidate.signature.excludes,
                )
                owned += [OwnedPart(part, candidate.signature) for part in parts]
        from logdoctor.patterns.digits import has_digits  # noqa: PLC0415  # few logs come here

        return tuple(each for each in owned if has_digits(each.part))

    def fits(self, event: LogEvent, owned: Sequence[OwnedPart]) -> tuple[Hashable, ...]:
        """How parts fit an event, to the letter and, where that may differ, with damage: all
        that `recognitions` asks of them, digits of the texts apart.
        """
        texts = EventTexts(event)
        # where a message that fits may be said by the lines below it
        has_below = bool(event.after) and not event.is_traceback
        fits: list[Hashable] = []
        for part, signature in owned:
            found = self._fit(part, texts, signature, is_exact=True)
            fits.append(found and found.but_for_digits(event))
            if part.template and (found is None or has_below):
                found = self._fit(part, texts, signature, is_exact=False)
                fits.append(found and found.but_for_digits(event))
        return tuple(fits)

    def _candidates_of(self, event: LogEvent) -> tuple[Candidate, ...]:
        lit = {number for line in event.lines for number in line.anchors}
        if event.is_unprinted:
            lit.update(self._automaton.expressions_in(event.message.encode()))
        if AnchorKind.MARKER not in event.line.kinds:  # what tells about the run is whole
            lines = (*event.lines[event.head :], *event.after)
            lit.update(*(line.anchors for line in event.after), self._lit_together(lines))
        return self._candidates.find(frozenset(lit))

    def _lit_together(self, lines: Sequence[LogLine]) -> set[int]:
        """Expressions that lines hold together and none by itself, for a message that was broken
        into lines: nothing is found over a line's end.
        """
        if len(lines) == 1:
            return set()
        texts = [line.text.strip() for line in lines]
        edges = [
            text if len(text) <= 2 * SEAM else f"{text[:SEAM]}\n{text[-SEAM:]}" for text in texts
        ]
        apart = self._automaton.expressions_in("\n".join(edges).encode())
        return {*self._automaton.expressions_in(" ".join(edges).encode())}.difference(apart)

    def _chosen(
        self, event: LogEvent, candidates: tuple[Candidate, ...], texts: EventTexts
    ) -> tuple[Recognition, ...]:
        found = list(self._all_matches(texts, event, candidates))
        found.sort(key=lambda each: (each[0].is_general, -each[1], each[0].id))
        if any(signature.frameworks for signature, _, _ in found):
            return tuple(each for _, _, each in found)
        return tuple(each for _, each in leading((one, each) for one, _, each in found))

    def fitting(self, signature: Signature, event: LogEvent) -> frozenset[int]:
        """Numbers, from 0, of the patterns of a signature that fit an event, whatever lit up in
        it.
        """
        texts = EventTexts(event)
        return frozenset(
            number
            for number, pattern in enumerate(signature.patterns)
            if self._fit_all(pattern.parts, texts, signature, is_exact=False)
        )

    def fits_exactly(self, event: LogEvent) -> frozenset[tuple[str, int]]:
        """Ids of signatures and numbers, from 0, of their patterns that lit up in an event and fit
        it to the letter, whatever excludes them.
        """
        texts = EventTexts(event)
        return frozenset(
            (signature.id, number)
            for signature, patterns, _ in self._candidates_of(event)
            for number, pattern in enumerate(signature.patterns)
            if any(pattern.parts == lit.parts for lit in patterns)
            and self._fit_all(pattern.parts, texts, signature, is_exact=True)
        )

    def _all_matches(
        self,
        texts: EventTexts,
        event: LogEvent,
        candidates: tuple[Candidate, ...],
    ) -> Iterator[tuple[Signature, int, Recognition]]:
        """Signatures that fit, each with its value: to the letter, or else, where it could still
        come first, with damage. One of a framework keeps none from coming first: the run may have
        nothing to do with it.
        """
        best, undecided = 0, []
        for candidate in candidates:
            signature = candidate.signature
            match = self._match_signature(texts, event, candidate, is_exact=True)
            if match is None:
                undecided.append(candidate)
                continue
            yield (signature, *match)
            if not (signature.is_general or signature.frameworks):
                best = max(best, match[0])
        least = best + 1
        undecided.sort(key=lambda each: each.most_value, reverse=True)
        for candidate in undecided:
            if candidate.most_value < least:
                break
            match = self._match_signature(texts, event, candidate, is_exact=False, beyond=best)
            if match:
                yield (candidate.signature, *match)
                if not (candidate.signature.is_general or candidate.signature.frameworks):
                    least = max(least, match[0])

    def _match_signature(
        self,
        texts: EventTexts,
        event: LogEvent,
        candidate: Candidate,
        *,
        is_exact: bool,
        beyond: int = 0,
    ) -> tuple[int, Recognition] | None:
        """How a signature fits, and what that is worth; where damage is allowed, by patterns
        that may be worth more than `beyond`.
        """
        signature = candidate.signature
        fits = []
        for pattern in candidate.patterns:
            if (is_exact or pattern.most_value > beyond) and pattern.may_fit(
                texts, is_exact=is_exact
            ):
                found = self._fit_all(pattern.parts, texts, signature, is_exact=is_exact)
                if found:
                    fits.append((found, pattern.name))
        if not fits:
            return None
        fits.sort(key=lambda fit: fit[0].value, reverse=True)
        best, _ = fits[0]
        if signature.excludes and self._is_excluded(
            signature, max(found.score for found, _ in fits), texts
        ):
            return None
        return best.value, _recognition(signature, event, fits)

    def _template(self, text: str) -> Template:
        found = self._templates.get(text)
        if found is None:
            found = self._templates[text] = parse_template(text)
        return found

    def _fit_all(
        self, parts: Sequence[Part], texts: EventTexts, signature: Signature, *, is_exact: bool
    ) -> _Found | None:
        if len(parts) == 1:
            return self._fit(parts[0], texts, signature, is_exact=is_exact)
        found = []
        for part in parts:
            fit = self._fit(part, texts, signature, is_exact=is_exact)
            if fit is None:
                return None
            found.append(fit)
        captures = {
            name: value for each in reversed(found) for name, value in each.captures.items()
        }
        edits, weight, cut_off, words = (
            sum(values)
            for values in zip(
                *((each.edits, each.weight, each.cut_off, each.words) for each in found),
                strict=True,
            )
        )
        return _Found(edits, weight, captures, found[-1].quote, found[-1].line, cut_off, words)

    def _is_excluded(self, signature: Signature, score: float, texts: EventTexts) -> bool:
        """Whether a near miss fits at least as well; where the signature fits exactly, only an
        exact one does.
        """
        found = (
            self._fit(part, texts, signature, is_exact=score == 1) for part in signature.excludes
        )
        return any(each and each.score >= score for each in found)

    def _fit(
        self, part: Part, texts: EventTexts, signature: Signature, *, is_exact: bool
    ) -> _Found | None:
        fits = []
        for text in texts.of(part.where.value):
            found = self._compare(part, text, signature, is_exact=is_exact)
            if found is None:
                continue
            if text.below and self._compare(part, text.of_below, signature, is_exact=is_exact):
                continue  # another message says it
            if found.score == 1:
                return found
            fits.append(found)
        return max(fits, key=lambda found: found.score, default=None)

    def _compare(
        self, part: Part, text: EventText, signature: Signature, *, is_exact: bool
    ) -> _Found | None:
        if part.template is None:
            return self._search(part, text.text, text.line, signature)
        template = self._template(part.template)
        found = template.compare_exactly(text.text, text.lower)
        if found is None and not is_exact:
            found = self._compare_damaged(part.template, template, text.compared)
        return _found(template, found, text.line, signature)

    def _compare_damaged(self, name: str, template: Template, text: str) -> Comparison | None:
        if len(text) > REMEMBERED_LENGTH:
            return template.compare_damaged(text)
        if (name, text) not in self._damaged:
            self._damaged[name, text] = template.compare_damaged(text)
        return self._damaged[name, text]

    def _search(self, part: Part, text: str, line: LogLine, signature: Signature) -> _Found | None:
        pattern = part.regex or ""
        if pattern in self._runaway:
            return None
        search = self._search_for(pattern, part.soon, text)
        start = self._wall()
        found, is_stopped = search(text, REGEX_TIMEOUT_S)
        if is_stopped or self._wall() - start > REGEX_SLOW_S:
            found = self._search_slowly(part, search, text, signature)
        if found is None:
            return None
        captures = {name: value for name, value in found.groupdict().items() if value is not None}
        weight, quote = min(len(found[0]), REGEX_WEIGHT_LIMIT), found[0][:QUOTE_LENGTH]
        words = own_words(found[0], literals_of(pattern)) if signature.frameworks else 0
        return _Found(0, weight, captures, quote, line, words=words)

    def _search_slowly(
        self, part: Part, search: TimedSearch, text: str, signature: Signature
    ) -> re.Match[str] | None:
        """Searches again, and counts what that takes by the clock of the thread's own work,
        which itself takes as long as a search.
        """
        pattern = part.regex or ""
        start = self._clock()
        found, is_stopped = search(text, REGEX_TIMEOUT_S)
        # the machine was busy with something else
        if is_stopped and self._clock() - start < REGEX_TIMEOUT_S / 2:
            found, is_stopped = search(text, REGEX_BUDGET_S)
        spent = self._clock() - start
        self._spent[pattern] = self._spent.get(pattern, 0.0) + spent * (spent > REGEX_SLOW_S)
        if is_stopped or self._spent[pattern] > REGEX_BUDGET_S:
            self._runaway[pattern] = (
                f'{part.position}: a regex of "{signature.id}" runs away (over '
                f"{REGEX_TIMEOUT_S} s on a text) and was switched off"
            )
        return found

    def _search_for(self, pattern: str, soon: int, text: str) -> TimedSearch:
        length = 1 << len(text).bit_length() if text.isascii() else 0
        if (pattern, length) not in self._searches:
            self._searches[pattern, length] = prepare_search(pattern, length, soon)
        return self._searches[pattern, length]


def is_decided(event: LogEvent, alone: Sequence[Recognition]) -> bool:
    """Whether the lines below an event make no difference, by what it is taken for without them."""
    return event.is_traceback or (bool(alone) and alone[0].kind is MatchKind.EXACT)


def _recognition(
    signature: Signature, event: LogEvent, fits: Sequence[tuple[_Found, str | None]]
) -> Recognition:
    """What the patterns that fit, the best first and each with its name, say together."""
    best, _ = fits[0]
    return Recognition(
        _proving(event, event.lines.index(best.line)),
        signature.id,
        MatchKind.EXACT if best.score == 1 else MatchKind.FUZZY,
        round(best.score, 3),
        {name: value for found, _ in reversed(fits) for name, value in found.captures.items()},
        best.weight,
        best.quote,
        best.words >= OWN_WORDS,
        tuple(dict.fromkeys(name for _, name in fits if name)),
    )


def _proving(event: LogEvent, place: int) -> int:
    """Which of its lines is shown as the one that proves it: of an exception whose message goes on
    below, the one that names it, even where only a line below (a link to a manual) was recognised.
    """
    goes_on = place > event.head and event.lines[place].text[:1] in (" ", "\t")
    is_of_message = goes_on and event.exception and not is_table(event)
    return event.head if is_of_message else place


def _found(
    template: Template, comparison: Comparison | None, line: LogLine, signature: Signature
) -> _Found | None:
    if comparison is None:
        return None
    edits, captures, quote, cut_off = comparison
    weight = template.length - cut_off
    words = own_words(" ".join(template.literals)) if signature.frameworks else 0
    return _Found(edits, weight, captures, quote, line, cut_off, words)
