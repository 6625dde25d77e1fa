"""Events that repeat one another, recognised once: Recogniser.

512 ranks print the same traceback, each with its own numbers. What an event is, one that differs from it in digits only is
as well; what it says in its slots is read when somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import xxhash

from logdoctor.marked_lines import without_digits
from logdoctor.match import Matcher
from logdoctor.memo import Memo
from logdoctor.model import LogEvent, LogLine, Match, MatchKind

REMEMBERED_LIMIT = 5000
"""Shapes of events that are remembered."""

_DIGIT = re.compile(r"[0-9]")

Shape = tuple[object, ...]
"""What events have in common that differ in digits only."""


class _Told(NamedTuple):
    """A match without its event: which of the event's lines proves it, and the rest as in `Match`."""

    place: int
    signature_id: str
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    weight: int
    quote: str
    is_read: bool

    def of(self, event: LogEvent, frameworks: tuple[str, ...]) -> Match:
        """The same of another event."""
        unread = None if self.is_read else frameworks
        return Match(event, event.lines[self.place], self.signature_id, self.kind, self.score, self.captures, self.weight, self.quote, unread)


class _Known(NamedTuple):
    """What is known of a shape.

    Attributes:
        told: what its events are recognised as.
        is_decided: whether the lines below them make no difference.
        is_digit_blind: whether all of that holds, whatever the digits.
    """

    told: tuple[_Told, ...] = ()
    is_decided: bool = True
    is_digit_blind: bool = True


_SEEN_ONCE = _Known()
_TOLD_APART = _Known(is_digit_blind=False)


def shape_of(event: LogEvent) -> Shape:
    """The shape of an event without the lines around it."""
    return (*_shape_of(event.lines), event.head, len(event.message), len(event.frames), event.is_traceback, event.is_cut)


class Recogniser:
    """Asks a Matcher for each shape of an event, and again where digits may make a difference."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._known: Memo[tuple[object, ...], _Known] = Memo(REMEMBERED_LIMIT)

    def recognise(self, event: LogEvent, shape: Shape, frameworks: tuple[str, ...]) -> tuple[Match, ...]:
        """As `Matcher.match`; captures and quotes may be left unread."""
        known = self._ask(event._replace(after=()), frameworks, (shape, frameworks))
        if known is not None and not known.is_decided and event.after:
            known = self._ask(event, frameworks, (shape, frameworks, _shape_of(event.after)))
        if known is None or not known.is_digit_blind:
            return self._matcher.match(event, frameworks)
        return tuple([told.of(event, frameworks) for told in known.told])

    def read(self, match: Match) -> Match:
        """The match with its captures and its quote."""
        if match.unread is None:
            return match
        found = self._matcher.match(match.event, match.unread)
        return next((each for each in found if each.signature_id == match.signature_id), match)

    def _ask(self, event: LogEvent, frameworks: tuple[str, ...], key: tuple[object, ...]) -> _Known | None:
        """What is known of events like one; None for the first of them: most come alone."""
        known = self._known.get(key)
        if known is None:
            self._known[key] = _SEEN_ONCE
            return None
        if known is _SEEN_ONCE:
            known = self._known[key] = self._learn(event, frameworks)
        return known

    def _learn(self, event: LogEvent, frameworks: tuple[str, ...]) -> _Known:
        if not self._matcher.is_digit_blind(event):
            return _TOLD_APART
        matches = self._matcher.match(event, frameworks)
        is_decided = event.is_traceback or bool(event.after) or (bool(matches) and matches[0].kind is MatchKind.EXACT)
        return _Known(tuple(_told(match) for match in matches), is_decided)


def _shape_of(lines: Sequence[LogLine]) -> Shape:
    texts = "\n".join([line.text for line in lines]).encode(errors="replace")
    return (xxhash.xxh3_128_digest(without_digits(texts)), tuple([line.anchors for line in lines]))


def _told(match: Match) -> _Told:
    place = next(place for place, line in enumerate(match.event.lines) if line is match.line)
    is_read = not any(map(_DIGIT.search, (*match.captures.values(), match.quote)))
    return _Told(place, match.signature_id, match.kind, match.score, match.captures, match.weight, match.quote, is_read)
