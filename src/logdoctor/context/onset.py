"""Where values that are out of order now began to go there: onset_of.

A rule holds from where a bound is crossed, which is late where values drift. They began where they
left the straight line that they were on: the bend between that line and the bound.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.model import MetricBounds

NEEDED = 10
"""Values before the bound was crossed, without which nothing is said of how they were."""

BEHIND = 2
"""Values behind the first one beyond the bound that tell whether it was a spike."""

PLACES = 64
"""Places of a stretch of which the bend is one; longer ones are looked at again, closer."""

LINE = 3
"""How many times as long as what comes after the bend the line before it is looked at."""

EXPLAINED = 0.5
"""The share of what a straight line leaves unexplained that a bend must explain."""

FEW, MOST_SKIPPED = 0.05, 20
"""The share of values that may be far off on the other side, and of the first ones, which often
are and are left out; of these, so many at most.
"""

STEADY = 0.9
"""The share of all variation that a straight line explains where values went there all along."""

_POWERS = (0, 1, 2)
"""How values go off: at once, evenly, faster and faster."""


class _Bend(NamedTuple):
    """The share of all variation that is left, the same without a bend, and its place."""

    left: float
    left_by_line: float
    place: int


def direction(bounds: MetricBounds) -> int:
    """1 where what is out of order is great, -1 where it is small, else 0: as the run's own values
    have it and, where they are no matter, its absolute bounds.
    """
    if bounds.is_constant or bounds.is_zero or bounds.is_not_finite:
        return 0
    is_great = (bounds.times_median, bounds.above_start) != (None, None)
    is_small = (bounds.below_start, bounds.below_best) != (None, None)
    if is_great or is_small:
        return is_great - is_small
    return (bounds.above is not None) - (bounds.below is not None)


def onset_of(places: Sequence[float], values: Sequence[float], crossed: int, towards: int) -> int:
    """The index of the first value that has left the line on which the values were, in a course
    whose value number `crossed` (from 0) is the first one beyond a bound, and stays there.

    `places` ascend (lines, say), `towards` is the direction of the bound. It is 0 where they went
    there all along, and `crossed` itself where the values before are too few or show no bend.
    """
    end = min(crossed + 1 + BEHIND, len(values))
    calm = _within(_without_spikes(values[:end])[: crossed + 1], towards)
    first, onset = min(math.ceil(FEW * crossed), MOST_SKIPPED), crossed
    while crossed - first >= NEEDED:
        bend = _bend_of(places, calm, first, towards)
        if bend is None:
            break
        if bend.left > (1 - EXPLAINED) * bend.left_by_line:
            went_all_along = onset == crossed and bend.left_by_line < 1 - STEADY
            return 0 if went_all_along else onset
        onset = bend.place
        closer = onset - max(LINE * (crossed - onset), NEEDED)
        if closer <= first or crossed - first < PLACES:
            break
        first = closer
    return min(onset, crossed)


def _without_spikes(values: Sequence[float]) -> list[float]:
    """Each value's median with its neighbours: steps stay, spikes go."""
    last = len(values)
    return [
        sorted(values[max(0, i - BEHIND) : min(last, i + BEHIND + 1)])[
            (min(last, i + BEHIND + 1) - max(0, i - BEHIND)) // 2
        ]
        for i in range(last)
    ]


def _within(values: Sequence[float], towards: int) -> list[float]:
    """Values no further out than the last one, and on the other side no further than all but
    `FEW` are; as shares of the largest, so that their squares are numbers.
    """
    rank = FEW if towards > 0 else 1 - FEW
    usual = sorted(values)[int(rank * (len(values) - 1))]
    low, high = sorted((usual, values[-1]))
    size = max(-low, high) or 1.0
    return [min(max(each, low), high) / size for each in values]


def _bend_of(
    places: Sequence[float], values: Sequence[float], first: int, towards: int
) -> _Bend | None:
    """Of the values from that one on, the bend that explains most: in the values or, where all
    are positive, in their logarithms.
    """
    width = max(1, (len(values) - first) // PLACES)
    starts = range(len(values) - width, first - 1, -width)[::-1]
    at = [places[i + width - 1] for i in starts]
    means = [math.fsum(values[i : i + width]) / width for i in starts]
    forms = [means, [math.log(each) for each in means]] if min(means) > 0 else [means]
    found = [
        bend for form in forms for power in _POWERS for bend in _bends(at, form, power, towards)
    ]
    best = min(found, default=None)
    return best and best._replace(place=starts[best.place])


def _bends(
    at: Sequence[float], values: Sequence[float], power: int, towards: int
) -> Iterator[_Bend]:
    """Each bend in that direction: least squares of a line and, from a place on, a power of the
    distance from it.
    """
    count = len(at)
    middle, mean = math.fsum(at) / count, math.fsum(values) / count
    reach = at[-1] - at[0] or 1.0
    x = [(each - middle) / reach for each in at]
    spread = math.fsum(each * each for each in x) or 1.0
    slope = math.fsum(a * (b - mean) for a, b in zip(x, values, strict=True)) / spread
    rest = [b - mean - slope * a for a, b in zip(x, values, strict=True)]
    all_left = math.fsum((each - mean) ** 2 for each in values)
    line_left = math.fsum(each * each for each in rest)
    if not all_left:
        return
    for place in range(2, count):
        rise = [(each - x[place - 1]) ** power for each in x[place:]]
        own = sum(each * each for each in rise)
        own -= sum(rise) ** 2 / count
        own -= sum(a * b for a, b in zip(rise, x[place:], strict=True)) ** 2 / spread
        along = sum(a * b for a, b in zip(rise, rest[place:], strict=True))
        if own > 0 and along * towards > 0:
            left = line_left - along * along / own
            yield _Bend(left / all_left, line_left / all_left, place)
