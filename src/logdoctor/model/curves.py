"""Many values to those that a drawing cannot do without: Curve, thinned."""

import math
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.model.series import Series

STRETCHES = 512
"""Stretches that a long curve has at least, and half of those that it has at most: more than a
screen has columns for.
"""


class Point(NamedTuple):
    """A value, the step and the line that it is of, and which one it is, from 1."""

    value: float
    step: int | None
    line: int
    number: int


class _Stretch:
    """Values in succession, and the extremes of those that are finite."""

    __slots__ = ("first", "greatest", "last", "least", "odd", "size")

    def __init__(self, point: Point) -> None:
        self.first = self.last = point
        self.size = 1
        is_finite = math.isfinite(point.value)
        self.least = self.greatest = point if is_finite else None
        self.odd = None if is_finite else point

    def add(self, point: Point) -> None:
        self.last = point
        self.size += 1
        if not math.isfinite(point.value):
            self.odd = self.odd or point
        elif self.least is None or self.greatest is None:
            self.least = self.greatest = point
        elif point.value < self.least.value:
            self.least = point
        elif point.value > self.greatest.value:
            self.greatest = point

    def join(self, later: "_Stretch") -> None:
        size = self.size + later.size
        for point in later.points():
            self.add(point)
        self.size = size

    def points(self) -> Iterator[Point]:
        """Those to be kept, each once, in their order."""
        found = {self.first, self.last, self.least, self.greatest, self.odd}
        yield from sorted((each for each in found if each), key=lambda each: each.number)


class Curve:
    """Takes the values of a metric; what is kept does not grow with their number.

    Attributes:
        count: how many came.
        last_line: the line of the last one; 0 before the first.
    """

    __slots__ = ("_stretches", "_width", "count", "last_line")

    def __init__(self) -> None:
        self._stretches: list[_Stretch] = []
        self._width = 1  # values in a stretch
        self.count = self.last_line = 0

    def add(self, value: float, step: int | None, line: int, most: int = STRETCHES) -> None:
        """Takes the next value; at most twice `most` stretches are kept."""
        self.count += 1
        self.last_line = line
        point = Point(value, step, line, self.count)
        if self._stretches and self._stretches[-1].size < self._width:
            self._stretches[-1].add(point)
            return
        while len(self._stretches) >= 2 * most:
            self._halve()
            if self._stretches[-1].size < self._width:
                self._stretches[-1].add(point)
                return
        self._stretches.append(_Stretch(point))

    def points(self) -> tuple[Point, ...]:
        """Those that are kept, in their order."""
        return tuple(point for stretch in self._stretches for point in stretch.points())

    def series(self, source: str, metric: str, common: str | None) -> Series:
        """What is kept."""
        points = self.points()
        steps = [each.number if each.step is None else each.step for each in points]
        has_steps = all(each.step is not None for each in points)
        return Series(
            source,
            metric,
            common,
            array("q", steps if has_steps else [each.number for each in points]),
            array("d", [each.value for each in points]),
            array("q", [each.line for each in points]),
            self.count,
            has_steps,
        )

    def _halve(self) -> None:
        whole, self._width = self._stretches, 2 * self._width
        for one, other in zip(whole[::2], whole[1::2], strict=False):
            one.join(other)
        self._stretches = whole[::2]


def thinned(series: Series, stretches: int) -> Series:
    """The series with at most twice so many stretches; all its extremes are there."""
    if len(series.values) <= 2 * stretches:
        return series
    curve = Curve()
    for value, step, line in zip(series.values, series.steps, series.lines, strict=True):
        curve.add(value, step, line, stretches)
    fewer = curve.series(series.source, series.metric, series.common)
    return fewer._replace(count=series.count, has_steps=series.has_steps)
