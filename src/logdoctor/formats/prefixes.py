"""Lines without their prefixes: strip_prefixes.

A line of a training log carries a stack of prefixes: of the transport (Kubernetes, srun, Ray,
torchrun), which says who wrote it, and of the program's own logger (a record's), which says when
and how bad.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from logdoctor.formats.levels import level_named
from logdoctor.formats.prefix_rows import PREFIX_ROWS
from logdoctor.formats.rows import Prefix
from logdoctor.memo import Memo
from logdoctor.model import NOBODY, Lane, LogLine
from logdoctor.texts.digits import without_digits

_MONTHS = {
    name: i
    for i, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1
    )
}
_STACK_LIMIT = 8
_USUAL = 19
"""Characters of a date and a time to the second."""

REMEMBERED_LENGTH = 1024
"""Characters of a line beyond which it is not remembered how it is taken apart."""

WRITERS_REMEMBERED = 1024
"""Prefixes of one form of which it is remembered whom they name: ranks print in turns."""


class Stripped(NamedTuple):
    """A line without its prefixes.

    Attributes:
        text: the rest, with the indentation it had behind them.
        lane: all that the prefixes say of the writer; where several do, the outermost counts.
        stream: the same from the transport's prefixes alone, which every line of a message carries.
        time, level, is_record, repeats: as in `LogLine`.
    """

    text: str
    lane: Lane = NOBODY
    stream: Lane = NOBODY
    time: str | None = None
    level: str | None = None
    is_record: bool = False
    repeats: int = 1

    def line(self, source: str, number: int, raw: str) -> LogLine:
        """The line itself, which nothing was searched in."""
        text, lane, stream, time, level, is_record, repeats = self
        return LogLine(
            source, number, raw, text, lane, stream, time, level, is_record, repeats=repeats
        )


def strip_prefixes(line: str) -> Stripped:
    """Takes all prefixes off a line without terminal escapes."""
    cut = cut_of(line)
    return cut.applied(line) if cut else Stripped(line)


def cut_of(line: str) -> "Cut | None":
    """How a line is taken apart; None for one that is all text."""
    return _cut_of(without_digits(line)) if len(line) <= REMEMBERED_LENGTH else find_cut(line)


_Span = tuple[int, int]
_Places = tuple[_Span | None, _Span | None, _Span | None, _Span | None]


class _Head:
    """Where in the prefixes of a line it stands who wrote it, and when; a place is None where no
    prefix says so.
    """

    def __init__(self, lane: _Places | None, stream: _Places | None, time: _Span | None) -> None:
        """`lane` and `stream` are the places of host, rank, pid and actor."""
        self._lane, self._stream, self._time = lane, stream, time
        self._said: Memo[str, tuple[Lane, Lane, str | None]] = Memo(WRITERS_REMEMBERED)

    def said(self, prefixes: str) -> tuple[Lane, Lane, str | None]:
        """The lane, the stream and the time that these prefixes tell."""
        if self._time:  # it hardly comes again
            return self._read(prefixes)
        found = self._said.get(prefixes)
        if found is None:
            found = self._said[prefixes] = self._read(prefixes)
        return found

    def _read(self, prefixes: str) -> tuple[Lane, Lane, str | None]:
        lane = _lane_at(self._lane, prefixes)
        stream = lane if self._stream is self._lane else _lane_at(self._stream, prefixes)
        return lane, stream, iso_time(prefixes[slice(*self._time)]) if self._time else None


class Cut(NamedTuple):
    """Where in a line its prefixes say what, and where its text stands; the same in all lines that
    differ in digits only.

    Attributes:
        start, end: where the rest stands.
        head: what stands before it; None where that says nothing of the writer or the time.
        level, is_record: as in `Stripped`.
        repeats: where these stand, None where they are not told.
    """

    start: int
    end: int
    head: _Head | None
    level: str | None
    is_record: bool
    repeats: slice | None

    def applied(self, line: str) -> Stripped:
        """The line without its prefixes; it is one of those that the places are for."""
        head = self.head
        lane, stream, time = head.said(line[: self.start]) if head else _SAYS_NOTHING
        return Stripped(
            line[self.start : self.end],
            lane,
            stream,
            time,
            self.level,
            self.is_record,
            int(line[self.repeats]) if self.repeats else 1,
        )


_SAYS_NOTHING = (NOBODY, NOBODY, None)


def find_cut(line: str) -> Cut | None:
    """As `cut_of`, found out anew. No digit is told from another, as a test makes sure."""
    end, repeats = _without_repeats(line) if "[repeated " in line else (len(line), None)
    start, found, transport, is_record = _found_prefixes(line[:end])
    if not start:
        return Cut(0, end, None, None, is_record=False, repeats=repeats) if repeats else None
    level = line[slice(*found["level"])] if "level" in found else None
    lane, time = _places(found), found.get("time")
    stream = _places(transport) if is_record else lane
    return Cut(
        start,
        end,
        head=_head(lane, stream, time) if lane or time else None,
        level=level_named(level) if level else None,
        is_record=is_record,
        repeats=repeats,
    )


def _found_prefixes(text: str) -> tuple[int, dict[str, _Span], dict[str, _Span], bool]:
    """Where the text behind all prefixes begins, where they say what, where those of the transport
    do, and whether one is a record's.
    """
    start, is_any_record = 0, False
    found: dict[str, _Span] = {}
    transport: dict[str, _Span] = {}
    for _ in range(_STACK_LIMIT):
        match, is_record = _first_match(text[start:])
        if match is None:
            break
        told = {
            name: (start + match.start(name), start + match.end(name))
            for name, value in match.groupdict().items()
            if value
        }
        found = {**told, **found}  # an inner prefix adds what no outer one has said
        if is_record:
            is_any_record = True
        else:
            transport = {**told, **transport}
        start += match.end()
    return start, found, transport, is_any_record


@lru_cache(maxsize=2048)
def _cut_of(shape: str) -> Cut | None:
    return find_cut(shape)


def _lane_at(places: _Places | None, line: str) -> Lane:
    if places is None:
        return NOBODY
    return _lane(*[line[place[0] : place[1]] if place else None for place in places])


@lru_cache(maxsize=2048)
def _head(lane: _Places | None, stream: _Places | None, time: _Span | None) -> _Head:
    return _Head(lane, stream, time)


def _places(found: dict[str, _Span]) -> _Places | None:
    places = (found.get("host"), found.get("rank"), found.get("pid"), found.get("actor"))
    return places if any(places) else None


def _without_repeats(line: str) -> tuple[int, slice | None]:
    """Where the line ends without Ray's note, and where that says how many lines it stands for."""
    repeated = re.search(
        r" ?\[repeated (\d{1,9})x across (?:the )?cluster\](?: \(Ray deduplicates.{0,300})?$", line
    )
    return (repeated.start(), slice(*repeated.span(1))) if repeated else (len(line), None)


def _first_match(text: str) -> tuple[re.Match[str] | None, bool]:
    """The first prefix that fits, and whether it is a record's."""
    if text.startswith('  File "'):
        return None, False
    for row in _rows_for(text[:2]):
        if row.needs in text:
            match = row.regex.match(text)
            if match and match.end():
                return match, row.is_record
    return None, False


@lru_cache(maxsize=2048)
def _rows_for(head: str) -> tuple[Prefix, ...]:
    """The rows that can begin with these one or two characters."""
    kinds = "".join(
        "0"
        if each.isdigit()
        else "a"
        if each.islower() or each == "_"
        else "A"
        if each.isupper()
        else each
        for each in head
    )
    return (
        tuple(row for row in PREFIX_ROWS if kinds.startswith(row.heads))
        if head and head[0] != "\t"
        else ()
    )


@lru_cache(maxsize=2048)
def _lane(host: str | None, rank: str | None, pid: str | None, actor: str | None) -> Lane:
    return Lane(host, int(rank) if rank else None, int(pid) if pid else None, actor)


@lru_cache(maxsize=2048)
def iso_time(text: str) -> str | None:
    """A time as the tables find it in ISO 8601, `--MM-DDT…` where the year is not given; None
    where it is no time.
    """
    # nearly all of them, and the rest below is slow
    if len(text) >= _USUAL and text[4] in "-/" and text[10] in " T_":
        fraction = text[_USUAL + 1 :].rstrip("Z")
        return f"{text[:4]}-{text[5:7]}-{text[8:10]}T{text[11:19]}" + (
            f".{fraction}" if fraction else ""
        )
    digits = re.fullmatch(
        r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)[ T_-](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?", text
    )
    if digits:
        year, month, day, clock, fraction = digits.groups()
        return f"{year}-{month}-{day}T{clock}" + (f".{fraction}" if fraction else "")
    digits = re.fullmatch(r"(\d{1,2})-?(\d\d) (\d\d:\d\d:\d\d)(?:[.,](\d+))?", text)
    if digits:
        month, day, clock, fraction = digits.groups()
        return f"--{int(month):02d}-{day}T{clock}" + (f".{fraction}" if fraction else "")
    named = re.fullmatch(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d)", text)
    if named and named[1] in _MONTHS:
        return f"--{_MONTHS[named[1]]:02d}-{int(named[2]):02d}T{named[3]}"
    american = re.fullmatch(r"(\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d)", text)
    return f"20{american[3]}-{american[1]}-{american[2]}T{american[4]}" if american else None
