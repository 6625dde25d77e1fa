"""Metrics of good and bad runs to where they part: partings.

The steps that good and bad runs have are divided into equal stretches. In each, what the good runs
reach, with as much room on both sides as they usually differ by, is what a run may do; where the
middle value of the bad runs lies outside for good, they have parted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from logdoctor.model import Series

STRETCHES = 40
"""Stretches that are compared."""

GOOD_LEAST = 2
"""Good runs that must have a metric: one says nothing about how runs differ."""

HELD_LEAST = 3
"""Stretches up to the end of the bad runs that must lie outside."""


class Parting(NamedTuple):
    """Where bad runs leave good ones.

    Attributes:
        metric: its common name.
        step: the first step of the first stretch from which on all lie outside.
        good, bad: the middle values there.
    """

    metric: str
    step: int
    good: float
    bad: float

    def document(self) -> dict[str, str | int | float | None]:
        """As JSON, which has no infinity."""
        values = {"good": self.good, "bad": self.bad}
        shown = {key: value if math.isfinite(value) else None for key, value in values.items()}
        return {"metric": self.metric, "step": self.step, **shown}


def partings(good: Sequence[Sequence[Series]], bad: Sequence[Sequence[Series]]) -> list[Parting]:
    """One for each metric with a common name, where there is one; the earliest step first.

    Args:
        good: the series of each good run; of several that have one name, the first counts.
        bad: those of each bad run.
    """
    found: list[Parting] = []
    goods = _by_metric(good)
    for metric, of_bad in _by_metric(bad).items():
        of_good = goods.get(metric, [])
        if len(of_good) >= GOOD_LEAST:
            found += _parting(metric, of_good, of_bad)
    return sorted(found, key=lambda each: each.step)


def _by_metric(runs: Sequence[Sequence[Series]]) -> Mapping[str, list[Series]]:
    found: defaultdict[str, list[Series]] = defaultdict(list)
    for run in runs:
        seen: set[str] = set()
        for each in run:
            if each.common and each.common not in seen and each.has_steps:
                seen.add(each.common)
                found[each.common].append(each)
    return found


def _parting(metric: str, good: Sequence[Series], bad: Sequence[Series]) -> Iterator[Parting]:
    low = max(min(min(each.steps) for each in some) for some in (good, bad))
    high = min(max(max(each.steps) for each in some) for some in (good, bad))
    if high <= low:
        return
    size = (high - low + 1) / STRETCHES
    goods, bads = (_stretched(each, low, size) for each in (good, bad))
    both = sorted(goods.keys() & bads.keys())
    rooms = [
        max(values) - min(values)
        for values in map(goods.__getitem__, both)
        if all(map(math.isfinite, values))
    ]
    room = median(rooms) / 2 if rooms else 0.0
    outside = [
        not min(goods[each]) - room <= median(bads[each]) <= max(goods[each]) + room
        for each in both
    ]
    last = next((i for i in range(len(both) - 1, -1, -1) if not outside[i]), -1)
    if len(both) - 1 - last < HELD_LEAST:
        return
    stretch = both[last + 1]
    step = round(low + stretch * size)
    yield Parting(metric, step, median(goods[stretch]), median(bads[stretch]))


def _stretched(runs: Sequence[Series], low: int, size: float) -> dict[int, list[float]]:
    """The values of all runs by stretch; what is not finite lies beyond all others."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for each in runs:
        for step, value in zip(each.steps, each.values, strict=True):
            stretch = int((step - low) // size)
            if 0 <= stretch < STRETCHES:
                found[stretch].append(math.inf if math.isnan(value) else value)
    return found
