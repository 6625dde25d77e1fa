"""Exceptions that stand in one chain: ChainReader.

Python prints a chain oldest first. `During handling` says that the program had caught the older
one; where it was a probe (a module that may be missing), or where the newer one quotes it, the
newer one says more. `direct cause` says that the newer one only passes the older one on.
"""

import re
from typing import NamedTuple

from logdoctor.model import Lane, LogEvent, LogLine

CHAINED_LIMIT = 20_000
"""Links that are remembered."""

WRITERS_LIMIT = 4096
"""Writers whose last exception is remembered, because it may get one: those that had one lately."""

SAID_LIMIT = 1000
"""Characters of a message that are looked for in the next one."""

_PASSED_ON = r"The above exception was the direct cause"
_PROBE = (
    r"(?:\w+\.)*(?:ModuleNotFoundError|PackageNotFoundError|KeyError|AttributeError|StopIteration"
    r"|\w*DecodeError|UnexpectedCharacters)\b"
)
REACH = 60
"""Lines from the head of an exception to the connector below its message."""
_QUOTED = 12
"""Characters of a message from which it counts as quoted."""


class _Older(NamedTuple):
    """What is asked of an exception when the next one of its writer comes."""

    first: int
    head: int
    exception: str
    said: str
    is_known_cause: bool


class ChainReader:
    """Takes the events of all sources in their order; events are named by source and first line."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, Lane], _Older] = {}  # by source and writer, the latest last
        self._handled: set[tuple[int, int]] = set()
        self._probes: set[tuple[int, int]] = set()
        self._passed_on: set[tuple[int, int]] = set()

    def feed(self, event: LogEvent, source: int, *, is_known_cause: bool) -> None:
        """Takes the next event; `source` is the number of its source."""
        if not event.exception:
            return
        key = (source, event.lines[0].stream)
        older = self._last.pop(key, None)
        connector = event.connector
        if older and connector and 0 < connector.number - older.head <= REACH:
            self._link(
                older, event, source, connector, is_news=is_known_cause and not older.is_known_cause
            )
        said = event.headline.removeprefix(event.exception).lstrip(": ")[:SAID_LIMIT]
        self._last[key] = _Older(
            event.lines[0].number, event.line.number, event.exception, said, is_known_cause
        )
        if len(self._last) > WRITERS_LIMIT:
            del self._last[next(iter(self._last))]

    def _link(
        self, older: _Older, newer: LogEvent, source: int, connector: LogLine, *, is_news: bool
    ) -> None:
        if len(self._handled) + len(self._probes) + len(self._passed_on) >= CHAINED_LIMIT:
            return
        if re.search(_PASSED_ON, connector.text):
            self._passed_on.add((source, newer.lines[0].number))
        elif re.match(_PROBE, older.exception):
            self._probes.add((source, older.first))
        elif (len(older.said) >= _QUOTED and older.said in newer.message) or is_news:
            self._handled.add((source, older.first))

    def is_handled(self, event: LogEvent, source: int) -> bool:
        """Whether a newer exception of its chain says more."""
        return (source, event.lines[0].number) in self._handled or self.is_probe(event, source)

    def is_probe(self, event: LogEvent, source: int) -> bool:
        """Whether the program only tried something that may fail, and a newer exception of its
        chain came of it.
        """
        return (source, event.lines[0].number) in self._probes

    def is_passed_on(self, event: LogEvent, source: int) -> bool:
        """Whether it only passes on an older exception of its chain."""
        return (source, event.lines[0].number) in self._passed_on
