"""The table that torchrun ends with: FailedRank, failed_ranks.

Torch's launcher lists every worker that ended with an error, the one that it saw first as number 0
and at the bottom (torch/distributed/elastic/multiprocessing/errors/__init__.py,
`ChildFailedError.format_msg`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdoctor.formats.prefixes import iso_time
from logdoctor.model import LogEvent, LogLine

ROWS_BEFORE_TRACEBACK = 6
"""Lines of a worker's entry above the traceback that it kept."""

_NUMBER = r"\s*\[(\d{1,6})\]:\s*$"
_ROW = r"\s+(time|host|rank|exitcode|error_file)\s*: (.+)"


class FailedRank(NamedTuple):
    """An entry of the table; what it does not say is None.

    Attributes:
        number: 0 for the worker whose failure was seen first.
        exitcode: negative where a signal ended it.
        error_file: where its traceback was kept; None also where the table says `<N/A>`.
    """

    number: int
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    exitcode: int | None = None
    error_file: str | None = None


def is_table(event: LogEvent) -> bool:
    """Whether an event is such a table."""
    return (event.exception or "").endswith("ChildFailedError")


def failed_ranks(texts: Iterable[str]) -> tuple[FailedRank, ...]:
    """The entries of a table, in its order; empty where none is among the texts."""
    return tuple(_entries(texts))


def said_by(entry: FailedRank, line: LogLine) -> LogLine:
    """The line with the worker that an entry of torchrun's table is about."""
    time = iso_time(entry.time) if entry.time else None
    return line._replace(
        lane=line.lane._replace(rank=entry.rank, host=line.lane.host or entry.host),
        time=line.time or time,
    )


def _entries(texts: Iterable[str]) -> Iterator[FailedRank]:
    entry: FailedRank | None = None
    for text in texts:
        numbered, row = re.match(_NUMBER, text), re.match(_ROW, text)
        if numbered:
            if entry:
                yield entry
            entry = FailedRank(int(numbered[1]))
        elif entry and row:
            entry = _with_row(entry, row[1], row[2].strip())
    if entry:
        yield entry


def _with_row(entry: FailedRank, name: str, value: str) -> FailedRank:
    number = re.match(r"-?\d{1,9}", value)
    if name == "rank":
        return entry._replace(rank=int(number[0])) if number else entry
    if name == "exitcode":
        return entry._replace(exitcode=int(number[0])) if number else entry
    if name == "host":
        return entry._replace(host=value)
    if name == "time":
        return entry._replace(time=value)
    return entry._replace(error_file=None if value == "<N/A>" else value)
