"""An event's texts, as patterns are tried on them: EventTexts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.formats.error_lines import MAY_BE_TYPED
from logdoctor.formats.torchrun_tables import is_table
from logdoctor.model import LogEvent, LogLine, Where
from logdoctor.patterns.templates import TEXT_LIMIT as COMPARED_LENGTH
from logdoctor.texts.masking import comparable, folded

TEXT_LIMIT = 20000
"""Characters of a text that are looked at."""

_EXCEPTION_LIKE = re.compile(MAY_BE_TYPED)

_SAID_BY_TWO = re.compile(r"\b([A-Za-z_]\w{2,60}(?:Error|Exception))\1(?:: ){2}")
"""Two processes wrote the same exception into one line, piece by piece: `KeyErrorKeyError: : `."""


class EventText(NamedTuple):
    """A text in comparable form, as patterns are tried on it.

    Attributes:
        line: proves what is found in it.
        below: what in it stands below the event.
        lower: as `folded`.
        compared: what of it is compared fuzzily.
    """

    text: str
    line: LogLine
    below: str
    lower: str | None
    compared: str

    @property
    def of_below(self) -> "EventText":
        """What stands below the event, by itself."""
        below = self.below
        return EventText(below, self.line, "", folded(below), below[:COMPARED_LENGTH])


class EventTexts:
    """The texts of an event, by the value of a `Where`; made when first asked for."""

    def __init__(self, event: LogEvent, without_below: "EventTexts | None" = None) -> None:
        """`without_below` are those of the same event without the lines below it, where they are
        there.
        """
        self._event, self._without_below = event, without_below
        self._texts: dict[str, tuple[EventText, ...]] = {}
        self._folded: dict[str, str | None] = {}

    def of(self, where: str) -> tuple[EventText, ...]:
        """Those that a part is tried on which is looked for there."""
        found = self._texts.get(where)
        if found is None:
            found = self._texts[where] = self._made(where)
        return found

    def folded(self, where: str) -> str | None:
        """The same as one text in lower case, which `ascii_literals` can be looked for in; None
        where it cannot be had.
        """
        if where not in self._folded:
            lower = [each.lower for each in self.of(where)]
            known = [each for each in lower if each is not None]
            self._folded[where] = "\n".join(known) if len(known) == len(lower) else None
        return self._folded[where]

    def _made(self, where: str) -> tuple[EventText, ...]:
        event = self._event
        if where == Where.EXCEPTION.value:
            return (
                self.of(Where.MESSAGE.value)
                if event.exception or _EXCEPTION_LIKE.match(event.message)
                else ()
            )
        kind = Where(where)
        more = map(_event_text, _with_below(kind, event))
        if self._without_below is None:
            return (*map(_event_text, _texts(kind, event)), *more)
        return (*self._without_below.of(where), *more)


def _event_text(said: tuple[str, LogLine, str]) -> EventText:
    text, line, below = said
    text = _once(comparable(text[:TEXT_LIMIT]))
    return EventText(
        text, line, comparable(below[:TEXT_LIMIT]), folded(text), text[:COMPARED_LENGTH]
    )


def _once(text: str) -> str:
    return _SAID_BY_TWO.sub(r"\1: ", text) if ": : " in text else text


def _texts(where: Where, event: LogEvent) -> Iterator[tuple[str, LogLine, str]]:
    head = event.line
    if where is Where.FRAME:
        yield from ((frame, head, "") for frame in event.frames)
        if event.is_traceback:
            yield from ((line.text, head, "") for line in event.lines[: event.head])
    elif where is Where.LINE:
        # a table has its first entry last
        yield from (
            (line.text, line, "")
            for line in (reversed(event.lines) if is_table(event) else event.lines)
        )
    else:
        yield event.message, head, ""
        first = head.text.strip()
        if event.exception and first != event.message:
            # what stands below an exception's line may be another process's
            yield first, head, ""


def _with_below(where: Where, event: LogEvent) -> Iterator[tuple[str, LogLine, str]]:
    if where in (Where.MESSAGE, Where.LINE) and not event.is_traceback and event.after:
        below = " ".join(line.text.strip() for line in event.after)
        above = event.message if where is Where.MESSAGE else event.lines[-1].text.rstrip()
        yield f"{above} {below}", event.line, below
