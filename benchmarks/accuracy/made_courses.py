"""Made courses of one metric with a known onset: course_of.

A metric wavers about what it usually does, goes off from one step on in one of six ways, and
crosses a bound later. `python -m benchmarks.accuracy.made_courses [FIRST COUNT]` prints how often
the onset is found within 5 % of the steps, and how often the crossing is as near.
"""
# ruff: noqa: PLR2004, S311  # the numbers are what is made up

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.context.onset import onset_of

USUAL: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "flat": lambda _: 1.0,
        "rises": lambda part: 1 + 0.5 * part,
        "falls": lambda part: 1 - 0.4 * part,
        "learns": lambda part: 1.8 - 0.8 * math.exp(-3.5 * part),
        "dies down": lambda part: 0.35 + 0.65 * math.exp(-2.5 * part),
    }
)
"""What a metric does by itself, over the part of the run."""

GOES: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "at once": lambda _: 1.0,
        "evenly": lambda gone: min(1.0, gone),
        "less and less": lambda gone: 1 - math.exp(-2.3 * gone),
        "more and more": lambda gone: min(1.0, gone) ** 2,
        "in an S": lambda gone: 1 / (1 + math.exp(5 - 10 * gone)) - 1 / (1 + math.exp(5)),
        "exponentially": lambda gone: (20 ** min(1.0, gone) - 1) / 19,
    }
)
"""How it goes off: what share of the way it has gone, by the part of its time."""


class MadeCourse(NamedTuple):
    """The values of a metric, and what is true of them.

    Attributes:
        usual, goes: which of `USUAL` and `GOES` it is made of.
        noise: the standard deviation of its values, as a share of them.
        towards: 1 where it goes up, else -1.
        onset: the index of the first value that has gone off.
        crossed: the index of the first one beyond the bound.
    """

    usual: str
    goes: str
    noise: float
    towards: int
    onset: int
    crossed: int
    values: tuple[float, ...]

    @property
    def found(self) -> int:
        """The onset that is found."""
        return onset_of(range(len(self.values)), self.values, self.crossed, self.towards)

    def is_near(self, index: int) -> bool:
        """Whether that is the onset, give or take 5 % of the steps."""
        return abs(index - self.onset) <= 0.05 * len(self.values)


def course_of(seed: int) -> MadeCourse:
    """The course of that number; 120 to 2500 values, spikes and a rough start in some."""
    rng = random.Random(f"course {seed}")
    count = round(math.exp(rng.uniform(math.log(120), math.log(2500))))
    usual, goes = rng.choice(list(USUAL)), rng.choice(list(GOES))
    onset, lasts = (
        round(count * rng.uniform(0.15, 0.75)),
        count * rng.choice([0.02, 0.05, 0.1, 0.2]),
    )
    noise, memory = rng.choice([0.003, 0.02, 0.05, 0.1, 0.2]), rng.choice([0.0, 0.6, 0.85])
    towards, size = rng.choice([(-1, -0.95), (1, 1.5), (1, 3.0), (1, 10.0), (1, 40.0)])
    has_spikes, is_rough = rng.random() < 0.3, rng.random() < 0.3
    bound, wavers, crossed = rng.uniform(0.5, 0.9), 0.0, count - 1
    values = []
    for i in range(count):
        gone = GOES[goes]((i - onset + 1) / lasts) if i >= onset else 0.0
        crossed = min(crossed, i) if gone >= bound else crossed
        wavers = memory * wavers + math.sqrt(1 - memory**2) * rng.gauss(0, 1)
        value = USUAL[usual](i / count) * (1 + size * gone) * (1 + noise * wavers)
        value *= 1 + 4 / (i + 1) if is_rough and i < 5 else 1
        value *= rng.choice([0.1, 5, 30]) if has_spikes and rng.random() < 0.01 else 1
        values.append(value)
    return MadeCourse(usual, goes, noise, towards, onset, crossed, tuple(values))


def main() -> None:
    """Prints the figures, by what the courses are made of."""
    first, number = (*map(int, sys.argv[1:]), 0, 1000)[:2] if sys.argv[1:] else (0, 1000)
    courses = [course_of(seed) for seed in range(first, first + number)]
    found = [(each, each.is_near(each.found)) for each in courses]
    crossings = sum(each.is_near(each.crossed) for each in courses)
    print(f"of {number} courses: onset {sum(is_near for _, is_near in found)}, "
          f"crossing {crossings}")  # fmt: skip
    for name in ("usual", "goes", "noise", "towards"):
        every = Counter(getattr(each, name) for each in courses)
        near = Counter(getattr(each, name) for each, is_near in found if is_near)
        print(name, {kind: f"{near[kind] / every[kind]:.0%}" for kind in every})


if __name__ == "__main__":
    main()
