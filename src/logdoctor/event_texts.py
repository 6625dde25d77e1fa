"""An event's texts, as patterns are tried on them: EventTexts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdoctor.failure_tables import is_table
from logdoctor.model import LogEvent, LogLine, Where
from logdoctor.normalize import comparable
from logdoctor.templates import folded

TEXT_LIMIT = 20000
"""Characters of a text that are looked at."""

_EXCEPTION_LIKE = re.compile(r"[\w.]{3,80}(?:\([\w.]+\))?(?::|$)")


class EventText(NamedTuple):
    """A text in comparable form, the line that proves what is found in it, and what in it stands below the event."""

    text: str
    line: LogLine
    below: str


class EventTexts:
    """The texts of an event, made when first asked for."""

    def __init__(self, event: LogEvent) -> None:
        self._event = event
        self._texts: dict[str, tuple[EventText, ...]] = {}
        self._folded: dict[str, str | None] = {}

    def of(self, where: Where) -> tuple[EventText, ...]:
        """Those that a part is tried on which is looked for there."""
        found = self._texts.get(where.value)
        if found is None:
            found = self._texts[where.value] = tuple(
                EventText(comparable(text[:TEXT_LIMIT]), line, comparable(below[:TEXT_LIMIT])) for text, line, below in _texts(where, self._event)
            )
        return found

    def may_hold(self, literals: Iterable[str], name: str) -> bool:
        """Whether literals, as `ascii_literals` gives them, may all stand in one of the texts there; `name` is the value of a `Where`."""
        if name not in self._folded:
            self._folded[name] = folded("\n".join(each.text for each in self.of(Where(name))))
        whole = self._folded[name]
        return whole is None or all(map(whole.__contains__, literals))


def _texts(where: Where, event: LogEvent) -> Iterator[tuple[str, LogLine, str]]:
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
