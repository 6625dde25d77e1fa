"""Steps and their times to silence: Pace.

A run that prints no step for much longer than any of its steps took has most likely stopped. How
long that is, the run itself tells; a push machine without a clock.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import NamedTuple

TIMES_LONGEST = 3.0
"""How many times the longest step a silence must last. A heuristic: frameworks document no such
number; validation and saving, which come every few steps, make single steps two or three times
as long as others.
"""

LEAST_SILENCE_S = 60.0
"""Seconds below which no silence is told, whatever the pace."""

STEPS_NEEDED = 3
"""Steps with known duration before the pace says anything: the first ones load, compile and warm
up.
"""

STEPS_KEPT = 1000
"""Durations remembered."""


class Silence(NamedTuple):
    """That nothing came for suspiciously long.

    Attributes:
        since: when the last step (or line, where the run has none) came, in seconds of the clock.
        lasts: seconds since then.
        longest: the longest step so far in seconds, if any is known.
        has_steps: whether steps were seen at all.
    """

    since: float
    lasts: float
    longest: float | None
    has_steps: bool


class Pace:
    """Tells the durations of steps; all times are seconds of one clock."""

    def __init__(self, stall_s: float | None = None) -> None:
        """`stall_s` is what the user calls too long; None leaves it to the run's own pace."""
        self._stall_s = stall_s
        self._durations: deque[float] = deque(maxlen=STEPS_KEPT)
        self._longest: float | None = None
        self._last_step: float | None = None
        self._last_line: float | None = None
        self._next_telling = 0.0  # a silence is told again when it has doubled

    def line(self, now: float) -> None:
        """Something was printed."""
        self._last_line = now
        if self._last_step is None:
            self._next_telling = 0.0

    def step(self, now: float, *, is_live: bool = True) -> float | None:
        """A step was reported; where not `is_live`, it is an old one that is only read now.

        Returns the seconds of the silence that it ends, where that was told.
        """
        broken = (
            now - self._last_step if self._last_step is not None and self._next_telling else None
        )
        if is_live and self._last_step is not None and broken is None:
            duration = now - self._last_step
            self._durations.append(duration)
            self._longest = max(duration, self._longest or 0.0)
        self._last_step, self._next_telling = (now if is_live else None), 0.0
        if not is_live:
            self._last_line = now
        return broken

    @property
    def typical(self) -> float | None:
        """The median duration of a step in seconds, where there are enough."""
        if len(self._durations) < STEPS_NEEDED:
            return None
        from statistics import median  # noqa: PLC0415  # its import takes as long as a short log

        return median(self._durations)

    @property
    def limit(self) -> float | None:
        """Seconds without a step that are suspicious; None where nothing can be said yet."""
        if self._stall_s is not None:
            return self._stall_s
        if self._longest is None or len(self._durations) < STEPS_NEEDED:
            return None
        return max(LEAST_SILENCE_S, TIMES_LONGEST * self._longest)

    def silence(self, now: float) -> Silence | None:
        """The silence to be told now, if any: when it becomes suspicious, and whenever it has
        doubled since.
        """
        since = self._last_step if self._last_step is not None else self._last_line
        limit = self.limit
        if since is None or limit is None or now - since < max(limit, self._next_telling):
            return None
        self._next_telling = 2 * (now - since)
        return Silence(since, now - since, self._longest, self._last_step is not None)

    def excess(self, now: float) -> float:
        """Seconds of a silence that has become suspicious; 0 of one that has not."""
        since = self._last_step if self._last_step is not None else self._last_line
        limit = self.limit
        return 0.0 if since is None or limit is None or now - since < limit else now - since


def spoken(seconds: float) -> str:
    """A duration as people write it: `45 s`, `4 min`, `2 h 5 min`, `3 d 4 h`; understood in both
    languages.
    """
    whole = round(seconds)
    if whole < 1:
        return f"{seconds:.1f} s"
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    for (unit, size), (small, small_size) in pairwise(units):
        if whole >= size:
            rest = whole % size // small_size
            # of ten hours the minutes matter little
            is_told = rest and whole // size < 10  # noqa: PLR2004
            return f"{whole // size} {unit}" + (f" {rest} {small}" if is_told else "")
    return f"{whole} s"
