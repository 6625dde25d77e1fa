"""Events that repeat one another, recognised once: Recogniser.

512 ranks print the same traceback, each with its own numbers. What an event is, one that differs
from it in digits only is as well; what it says in its slots is read when somebody asks.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import xxhash

from logdoctor.matching.event_texts import TEXT_LIMIT
from logdoctor.matching.matcher import Matcher, OwnedPart, Recognition
from logdoctor.memo import Memo
from logdoctor.model import LogEvent, LogLine, Match, MatchKind, Part
from logdoctor.patterns.digits import Blurred
from logdoctor.texts.digits import bytes_without_digits, without_digits
from logdoctor.texts.masking import comparable

SHAPES_LIMIT = 2048
"""Shapes of events that are remembered."""

_DIGIT = re.compile(r"[0-9]")

Shape = tuple[object, ...]
"""What events have in common that differ in digits only."""


class _Recognised(NamedTuple):
    """What an event was told to be, and whether captures and quote of another of its shape are
    the same.
    """

    told: Recognition
    is_read: bool

    def of(self, event: LogEvent) -> Match:
        """The same of another event."""
        return self.told.of(event, is_unread=not self.is_read)


class _Known(NamedTuple):
    """What is known of events of one shape.

    Attributes:
        told: what they are recognised as.
        is_decided: whether the lines below them make no difference.
    """

    told: tuple[_Recognised, ...] = ()
    is_decided: bool = True


def shape_of(event: LogEvent) -> Shape:
    """The shape of an event without the lines around it."""
    return (
        *_shape_of(event.lines),
        event.head,
        len(event.message),
        len(event.frames),
        event.is_traceback,
        event.is_cut,
    )


class Recogniser:
    """Asks a Matcher for each shape of an event, and again where digits may make a difference."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        # None where one such event was seen
        self._parts: Memo[tuple[object, ...], tuple[OwnedPart, ...] | None] = Memo(SHAPES_LIMIT)
        self._known: Memo[tuple[object, ...], _Known] = Memo(SHAPES_LIMIT)
        self._blurred: dict[Part, Blurred] = {}

    def recognise(self, event: LogEvent, shape: Shape) -> tuple[Match, ...]:
        """As `Matcher.match`; captures and quotes may be left unread."""
        known = self._ask(event._replace(after=()), (shape,))
        if known is not None and not known.is_decided and event.after:
            known = self._ask(event, (shape, _shape_of(event.after)))
        if known is None:
            return self._matcher.match(event)
        return tuple([each.of(event) for each in known.told])

    def read(self, match: Match) -> Match:
        """The match with its captures and its quote."""
        if not match.is_unread:
            return match
        found = self._matcher.match(match.event)
        return next((each for each in found if each.signature_id == match.signature_id), match)

    def _ask(self, event: LogEvent, key: tuple[object, ...]) -> _Known | None:
        """What is known of events like one; None for the first of them: most come alone."""
        if key not in self._parts:
            self._parts[key] = None
            return None
        parts = self._parts[key]
        if parts is None:
            parts = self._parts[key] = self._parts_with_digits(event)
        if parts:
            key = (key, self._matcher.fits(event, parts))
        known = self._known.get(key)
        if known is None:
            told = self._matcher.recognitions(event)
            is_decided = (
                event.is_traceback
                or bool(event.after)
                or (bool(told) and told[0].kind is MatchKind.EXACT)
            )
            known = self._known[key] = _Known(tuple(map(_recognised, told)), is_decided)
        return known

    def _parts_with_digits(self, event: LogEvent) -> tuple[OwnedPart, ...]:
        """Those to which the digits of events like one may make a difference."""
        owned = self._matcher.parts_with_digits(event)
        shapes = (
            {comparable(without_digits(text[:TEXT_LIMIT])) for text in _texts(event)}
            if owned
            else ()
        )
        return tuple(
            each for each in owned if any(map(self._blurred_of(each.part).may_fit, shapes))
        )

    def _blurred_of(self, part: Part) -> Blurred:
        found = self._blurred.get(part)
        if found is None:
            found = self._blurred[part] = Blurred(part)
        return found


def _texts(event: LogEvent) -> tuple[str, ...]:
    """All texts of an event that a pattern may be tried on."""
    below = " ".join(line.text.strip() for line in event.after)
    return (
        event.message,
        f"{event.message} {below}",
        *event.frames,
        *[line.text for line in event.lines],
    )


def _shape_of(lines: Sequence[LogLine]) -> Shape:
    texts = "\n".join([line.text for line in lines]).encode(errors="replace")
    return (
        xxhash.xxh3_128_digest(bytes_without_digits(texts)),
        tuple([line.anchors for line in lines]),
    )


def _recognised(told: Recognition) -> _Recognised:
    return _Recognised(told, not any(map(_DIGIT.search, (*told.captures.values(), told.quote))))
