"""Days to bars of a chart: counted, calendar_day."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from typing import Any

BARS = 60
"""Bars that a chart may have; the shortest unit that needs no more is taken."""


def calendar_day(time: str | None) -> str | None:
    """The day, `YYYY-MM-DD`, of an ISO 8601 time; None where it has no year or is no day of the
    calendar.
    """
    digits = re.match(r"\d{4}-\d\d-\d\d", time or "")
    if digits is None:
        return None
    try:
        return date.fromisoformat(digits[0]).isoformat()
    except ValueError:
        return None


def counted(dated: Iterable[tuple[str | None, str | None]]) -> dict[str, Any]:
    """Runs by period and cause, from their days and the signature that ended them (None: an unknown
    error).

    Returns:
        unit: day, week, month or year.
        starts: the first day of each period, ascending without gaps; empty where no run has a day.
        counts: one list per cause, as long as `starts`; `""` stands for unknown errors.
        undated: runs without a day.
    """
    everything = list(dated)
    days = [(date.fromisoformat(day), cause or "") for day, cause in everything if day]
    if not days:
        return {"unit": "day", "starts": [], "counts": {}, "undated": len(everything)}
    first, last = min(days)[0], max(days)[0]
    unit, starts = _periods(first, last)
    begin, tally = _UNITS[unit], Counter(days)
    place = {start: i for i, start in enumerate(starts)}
    counts = {cause: [0] * len(starts) for _, cause in sorted(days)}
    for (day, cause), count in tally.items():
        counts[cause][place[begin(day)]] += count
    return {
        "unit": unit,
        "starts": [each.isoformat() for each in starts],
        "counts": counts,
        "undated": len(everything) - len(days),
    }


_UNITS: dict[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: (
        day - timedelta(days=day.weekday()) if day.toordinal() > day.weekday() else day
    ),
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
_LENGTHS = {"day": 1, "week": 7, "month": 28}


def _periods(first: date, last: date) -> tuple[str, list[date]]:
    span = (last - first).days
    unit = next((unit for unit, days in _LENGTHS.items() if span < BARS * days), "year")
    return unit, list(dict.fromkeys(_UNITS[unit](each) for each in _days(first, last, unit)))


def _days(first: date, last: date, unit: str) -> Iterator[date]:
    """Days from first to last, at least one in each period of the unit."""
    if unit == "year":
        yield from (date(year, 1, 1) for year in range(first.year, last.year + 1))
        return
    yield from (date.fromordinal(each) for each in range(first.toordinal(), last.toordinal() + 1))
