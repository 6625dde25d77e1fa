"""The values of one metric so far, and whether the last one is out of order: Course."""

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable

from logdoctor.model import MetricBounds

EARLIER_KEPT = 500
"""Values of a metric that its median is taken of."""

EARLIER_NEEDED = 10
"""Values that a median needs."""

FIRST_KEPT = 20
"""First finite values of a metric: what it was like when the run began (rldoctor takes as many)."""

HELD = 20
"""Values in succession whose mean counts as something that the run has held, where none is less
than half of it: one lucky step does not, nor does a slope.
"""

LEVEL = 0.9
"""The share of the start that a mean must have to count as held: what falls from the first step
on has held nothing.
"""


class Earlier:
    """The last values of a metric, and their median."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self._values: deque[float] = deque(values)
        self._sorted: list[float] = sorted(self._values)

    def add(self, value: float) -> None:
        """Takes the next one."""
        self._values.append(value)
        insort(self._sorted, value)
        if len(self._values) > EARLIER_KEPT:
            del self._sorted[bisect_left(self._sorted, self._values.popleft())]

    @property
    def values(self) -> tuple[float, ...]:
        """In the order in which they came."""
        return tuple(self._values)

    @property
    def median(self) -> float | None:
        """None where there are too few."""
        count = len(self._sorted)
        if count < EARLIER_NEEDED:
            return None
        return (self._sorted[(count - 1) // 2] + self._sorted[count // 2]) / 2


class Course:
    """What a metric was like, as far as its bounds ask for it.

    Attributes:
        earlier: the last values, those that were out of order left out.
        first: the first finite values, in their order.
        recent: the last finite values, in their order.
        best: the highest mean of `HELD` values in succession; None before there were as many.
        last: the last value, if any.
        typical: the median that the next values are compared with.
    """

    def __init__(self, bounds: MetricBounds) -> None:
        self._bounds = bounds
        self.earlier = Earlier()
        self.first: list[float] = []
        self.recent: deque[float] = deque(maxlen=HELD)
        self.best: float | None = None
        self.last: float | None = None
        self.typical: float | None = None
        self._start: float | None = None
        self._started_by = 0  # values that the start is known of

    @property
    def start(self) -> float | None:
        """What the first values were like; None where there are too few."""
        if self._started_by != len(self.first):
            self._started_by = len(self.first)
            self._start = Earlier(self.first).median
        return self._start

    def compare_anew(self) -> None:
        """What comes next is compared with what the values are like now."""
        if self._bounds.times_median is not None:
            self.typical = self.earlier.median

    def add(self, value: float, *, is_exact: bool = True) -> bool:
        """Takes the next value; returns whether it is out of order. `is_exact` unless decimals
        may have been left out.
        """
        holds = self.holds(value) and (is_exact or not self._bounds.is_zero)
        if not holds and self._bounds.times_median is not None and math.isfinite(value):
            self.earlier.add(value)
        if math.isfinite(value):
            if len(self.first) < FIRST_KEPT:
                self.first.append(value)
            if self._bounds.below_best is not None:
                self._hold(value)
        self.last = value
        return holds

    def _hold(self, value: float) -> None:
        self.recent.append(value)
        held = sum(self.recent) / HELD
        start = self.start
        if (
            len(self.recent) == HELD
            and min(self.recent) >= held / 2
            and start is not None
            and held >= LEVEL * start
        ):
            self.best = held if self.best is None else max(held, self.best)

    def holds(self, value: float) -> bool:
        """Whether a value would be out of order now."""
        bounds = self._bounds
        if bounds.is_not_finite or not math.isfinite(value):
            return bounds.is_not_finite and not math.isfinite(value)
        if (bounds.is_constant and value != self.last) or (bounds.is_zero and value != 0):
            return False
        return (
            (bounds.above is None or value > bounds.above)
            and (bounds.below is None or value < bounds.below)
            and (
                bounds.times_median is None
                or value > _times(bounds.times_median, self.typical, least=0.0)
            )
            and (
                bounds.above_start is None
                or value > _times(bounds.above_start, self.start, least=0.0)
            )
            and (bounds.below_start is None or value < _times(bounds.below_start, self.start))
            and (bounds.below_best is None or value < _times(bounds.below_best, self.best))
        )


def _times(factor: float, of: float | None, least: float = math.ulp(0.0)) -> float:
    """The bound that a factor gives; NaN (which nothing keeps) where there is nothing to
    multiply, or less than `least`.
    """
    return factor * of if of is not None and of >= least else math.nan
