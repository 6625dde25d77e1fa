"""What the clocks of a run's sources differ by: Clocks.

One source may tell UTC and another local time, and the clock of a node may be hours off. Ranks make
a step at about the same time, and where they tell no step in common, they end at about the same
time: what remains is their clocks.
"""

from __future__ import annotations

from collections.abc import Mapping

from logdoctor.formats.file_names import attempt_of_source, lane_of_source
from logdoctor.model import Lane
from logdoctor.model.history import Histories, SourceHistory

SAME_CLOCK_S = 900
"""Seconds by which the ranks of a run may be apart without their clocks being so: they wait for
each other.
"""

COMMON_STEPS = 2
"""Steps told by both from which a difference is believed."""

ZONE_S, ZONE_SLACK_S = 1800, 150
"""Seconds by which time zones differ, and by how much the ends of two ranks may miss a multiple
of it.
"""


RELAYED_S = 60
"""Seconds by which lines of several writers may come late into a log that holds them all; what
differs by more is another clock.
"""


class Clocks:
    """Compares the times of events in different sources."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories

    def common(self, times: Mapping[str, str | None]) -> dict[str, float] | None:
        """Times of several sources, by name, in seconds on one clock; None where one has none or
        they cannot be compared.
        """
        told = {source: seconds_of(time) for source, time in times.items() if time}
        reference = next(iter(times), "")
        common = {}
        for source in times:
            seconds, ahead = told.get(source), self._ahead(source, reference)
            if seconds is None or ahead is None:
                return None
            common[source] = seconds - ahead
        return common

    def _ahead(self, source: str, other: str) -> float | None:
        """Seconds by which the clock of a source is ahead of the other's; 0 where nothing says
        so, None where it cannot be told.
        """
        if source == other or not _are_apart(source, other):
            return 0.0
        one, two = self._histories[source], self._histories[other]
        differences = sorted(
            here - there
            for step, time in one.step_times.items()
            if step in two.step_times
            and (here := seconds_of(time)) is not None
            and (there := seconds_of(two.step_times[step])) is not None
        )
        if len(differences) >= COMMON_STEPS and differences[-1] - differences[0] <= SAME_CLOCK_S:
            median = differences[len(differences) // 2]
            return median if abs(median) >= SAME_CLOCK_S else 0.0
        return _by_their_ends(one, two)


def _are_apart(source: str, other: str) -> bool:
    """Whether the names say that different writers of one attempt wrote them."""
    one, two = lane_of_source(source), lane_of_source(other)
    return (
        one != two
        and Lane() not in (one, two)
        and attempt_of_source(source) == attempt_of_source(other)
    )


def _by_their_ends(one: SourceHistory, two: SourceHistory) -> float | None:
    """0 where they were written at the same time; else the difference of their ends, where it
    can be one of time zones.
    """
    times = (one.first_time, one.last_time, two.first_time, two.last_time)
    first, last, other_first, other_last = map(seconds_of, times)
    if last is None or other_last is None:
        return 0.0
    begin, other_begin = (
        last if first is None else first,
        other_last if other_first is None else other_first,
    )
    if begin <= other_last + SAME_CLOCK_S and other_begin <= last + SAME_CLOCK_S:
        return 0.0
    difference = last - other_last
    rounded = round(difference / ZONE_S) * ZONE_S
    return float(rounded) if abs(difference - rounded) <= ZONE_SLACK_S else None


def seconds_of(time: str | None) -> float | None:
    """A time as lines have it, in seconds from some point; None without a date. Years are left
    out: not every log has them.
    """
    date, _, clock = (time or "").partition("T")
    if len(date) < len("--11-21") or not clock:
        return None
    from datetime import datetime, timezone  # noqa: PLC0415  # most runs are one source

    try:
        return datetime.fromisoformat(f"2000{date[-6:]}T{clock[:8]}").replace(
            tzinfo=timezone.utc
        ).timestamp() + _fraction(clock)
    except ValueError:
        return None


def _fraction(clock: str) -> float:
    digits = clock.partition(".")[2][:9]
    return float(f"0.{digits}") if digits.isdigit() else 0.0
