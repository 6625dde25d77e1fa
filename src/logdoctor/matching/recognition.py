"""Events that repeat one another, recognised once: Recogniser.

512 ranks print the same traceback, each with its own numbers. What an event is, one that differs
from it in digits only is as well; what it says in its slots is read when somebody asks.
"""

import re
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import xxhash

from logdoctor.matching.event_texts import TEXT_LIMIT
from logdoctor.matching.matcher import Matcher, OwnedPart, Recognition, is_decided
from logdoctor.memo import Memo
from logdoctor.model import LogEvent, LogLine, Match, Part
from logdoctor.patterns.digits import Blurred
from logdoctor.texts.digits import bytes_without_digits, without_digits
from logdoctor.texts.masking import comparable

SHAPES_LIMIT = 4096
"""Shapes of events that are remembered."""

FITS_LIMIT = 256
"""Ways in which digits make a difference that are remembered of one shape."""

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


_Told = tuple[_Recognised, ...]


class _Kind:
    """What is known of events of one shape.

    Attributes:
        first: what the first of them was recognised as.
        parts: those to which their digits may make a difference; None as long as there was one.
        told: what they are recognised as, by how these parts fit.
    """

    __slots__ = ("first", "parts", "told")

    def __init__(self, first: _Told) -> None:
        self.first = first
        self.parts: tuple[OwnedPart, ...] | None = None
        self.told: dict[tuple[Hashable, ...], _Told] = {}


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
        self._kinds: Memo[tuple[object, ...], _Kind] = Memo(SHAPES_LIMIT)
        self._blurred: dict[Part, Blurred] = {}

    def recognise(self, event: LogEvent, shape: Shape) -> tuple[Match, ...]:
        """As `Matcher.match`; captures and quotes may be left unread."""
        kind = self._kinds.get((shape,))
        if kind is None:
            alone, whole = self._matcher.recognitions_of_both(event)
            self._kinds[(shape,)] = _Kind(tuple(map(_recognised, alone)))
            return tuple([each.of(event) for each in whole])
        told = self._told(event._replace(after=()), kind)
        if event.after and not is_decided(event, [each.told for each in told]):
            key = (shape, _shape_of(event.after))
            kind = self._kinds.get(key)
            if kind is None:
                told = tuple(map(_recognised, self._matcher.recognitions(event)))
                self._kinds[key] = _Kind(told)
                return tuple([each.told.of(event) for each in told])
            told = self._told(event, kind)
        return tuple([each.of(event) for each in told])

    def read(self, match: Match) -> Match:
        """The match with its captures and its quote."""
        if not match.is_unread:
            return match
        found = self._matcher.match(match.event)
        return next((each for each in found if each.signature_id == match.signature_id), match)

    def _told(self, event: LogEvent, kind: _Kind) -> _Told:
        """What an event is recognised as that is not the first of its kind."""
        if kind.parts is None:
            kind.parts = self._parts_with_digits(event)
        if not kind.parts:
            return kind.first
        fits = self._matcher.fits(event, kind.parts)
        told = kind.told.get(fits)
        if told is None:
            told = tuple(map(_recognised, self._matcher.recognitions(event)))
            if len(kind.told) < FITS_LIMIT:
                kind.told[fits] = told
        return told

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
        f"{event.lines[-1].text} {below}",
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
