"""Lines without their prefixes: strip_prefixes.

A line of a training log carries a stack of prefixes: of the transport (Kubernetes, srun, Ray, torchrun), which says who
wrote it, and of the program's own logger (a record's), which says when and how bad.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from logdoctor.model import Lane
from logdoctor.prefix_rows import ROWS, Row

_MONTHS = {name: i for i, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)}
_LEVELS = {"W": "warning", "WARN": "warning", "E": "error", "F": "fatal", "C": "fatal", "CRITICAL": "fatal", "I": "info", "D": "debug"}
_STACK_LIMIT = 8
_NOBODY = Lane()
_USUAL = 19
"""Characters of a date and a time to the second."""


class Stripped(NamedTuple):
    """A line without its prefixes.

    Attributes:
        text: the rest, with the indentation it had behind them.
        lane: all that the prefixes say of the writer; where several do, the outermost counts.
        stream: the same from the transport's prefixes alone, which every line of a message carries.
        time, level, is_record, repeats: as in `LogLine`.
    """

    text: str
    lane: Lane = _NOBODY
    stream: Lane = _NOBODY
    time: str | None = None
    level: str | None = None
    is_record: bool = False
    repeats: int = 1


def strip_prefixes(line: str) -> Stripped:
    """Takes all prefixes off a line without terminal escapes."""
    text, repeats = _without_repeats(line) if "[repeated " in line else (line, 1)
    match, is_record = _first_match(text)
    if match is None:
        return Stripped(text, repeats=repeats)
    found: dict[str, str | None] = {}
    transport: dict[str, str | None] = {}
    is_any_record = False
    for _ in range(_STACK_LIMIT):
        groups = match.groupdict()
        _take_over(groups, found)
        if is_record:
            is_any_record = True
        else:
            _take_over(groups, transport)
        text = text[match.end() :]
        match, is_record = _first_match(text)
        if match is None:
            break
    lane, time, level = _lane(found), found.get("time"), found.get("level")
    return Stripped(
        text=text,
        lane=lane,
        stream=_lane(transport) if is_any_record else lane,
        time=iso_time(time) if time else None,
        level=_LEVELS.get(level, level.lower()) if level else None,
        is_record=is_any_record,
        repeats=repeats,
    )


def _take_over(groups: dict[str, str | None], into: dict[str, str | None]) -> None:
    """Adds what an inner prefix says, where no outer one has said it."""
    if not into:
        into.update(groups)
        return
    for name, value in groups.items():
        if value and not into.get(name):
            into[name] = value


def _without_repeats(line: str) -> tuple[str, int]:
    """The line without Ray's note, and how many lines it stands for."""
    repeated = re.search(r" ?\[repeated (\d{1,9})x across (?:the )?cluster\](?: \(Ray deduplicates.{0,300})?$", line)
    return (line[: repeated.start()], int(repeated[1])) if repeated else (line, 1)


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


@lru_cache(maxsize=4096)
def _rows_for(head: str) -> tuple[Row, ...]:
    """The rows that can begin with these one or two characters."""
    kinds = "".join("0" if each.isdigit() else "a" if each.islower() or each == "_" else "A" if each.isupper() else each for each in head)
    return tuple(row for row in ROWS if kinds.startswith(row.heads)) if head and head[0] != "\t" else ()


def _lane(groups: dict[str, str | None]) -> Lane:
    if not groups:
        return _NOBODY
    rank, pid = groups.get("rank"), groups.get("pid")
    return Lane(groups.get("host"), int(rank) if rank else None, int(pid) if pid else None, groups.get("actor"))


def iso_time(text: str) -> str | None:
    """A time as the tables find it in ISO 8601, `--MM-DDT…` where the year is not given; None where it is no time."""
    if len(text) >= _USUAL and text[4] in "-/" and text[10] in " T_":  # nearly all of them, and the rest below is slow
        fraction = text[_USUAL + 1 :].rstrip("Z")
        return f"{text[:4]}-{text[5:7]}-{text[8:10]}T{text[11:19]}" + (f".{fraction}" if fraction else "")
    digits = re.fullmatch(r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)[ T_-](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?", text)
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
