"""Exceptions that stand in one chain: ChainReader.

Python prints a chain oldest first. `During handling` says that the program had caught the older one; where it was a probe
(a module that may be missing), or where the newer one quotes it, the newer one says more. `direct cause` says that the
newer one only passes the older one on.
"""

from __future__ import annotations

import re

from logdoctor.model import Lane, LogEvent

CHAINED_LIMIT = 20_000
"""Links that are remembered."""

_HANDLED = re.compile(r"During handling of the above exception")
_PASSED_ON = re.compile(r"The above exception was the direct cause")
_PROBE = re.compile(
    r"(?:\w+\.)*(?:ModuleNotFoundError|PackageNotFoundError|KeyError|AttributeError|StopIteration|\w*DecodeError|UnexpectedCharacters)\b"
)
_REACH = 4
"""Lines from the end of an exception to its connector, and from there to the next exception."""
_QUOTED = 12
"""Characters of a message from which it counts as quoted."""


class ChainReader:
    """Takes the events of all sources in their order; events are named by source and first line."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, Lane], tuple[LogEvent, bool, int, bool]] = {}
        self._handled: set[tuple[int, int]] = set()
        self._passed_on: set[tuple[int, int]] = set()

    def feed(self, event: LogEvent, source: int, *, is_known_cause: bool) -> None:
        """Takes the next event; `source` is the number of its source."""
        if not event.exception:
            return
        key = (source, event.lines[0].stream)
        link = self._last.pop(key, None)
        if link and 0 < event.lines[0].number - link[2] <= _REACH and len(self._handled) + len(self._passed_on) < CHAINED_LIMIT:
            older, is_handled, _, was_known_cause = link
            if not is_handled:
                self._passed_on.add((source, event.lines[0].number))
            elif _PROBE.match(older.exception or "") or _quotes(event, older) or (is_known_cause and not was_known_cause):
                self._handled.add((source, older.lines[0].number))
        for line in event.after:
            if line.number > event.lines[-1].number + _REACH:
                break
            if _HANDLED.search(line.text) or _PASSED_ON.search(line.text):
                self._last[key] = (event, bool(_HANDLED.search(line.text)), line.number, is_known_cause)
                break

    def is_handled(self, event: LogEvent, source: int) -> bool:
        """Whether a newer exception of its chain says more."""
        return (source, event.lines[0].number) in self._handled

    def is_passed_on(self, event: LogEvent, source: int) -> bool:
        """Whether it only passes on an older exception of its chain."""
        return (source, event.lines[0].number) in self._passed_on


def _quotes(newer: LogEvent, older: LogEvent) -> bool:
    said = older.headline.removeprefix(older.exception or "").lstrip(": ")
    return len(said) >= _QUOTED and said in newer.message
