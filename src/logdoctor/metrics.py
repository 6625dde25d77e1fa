"""Step lines to numbers that are out of order: MetricReader.

A push machine beside the events. Which metrics are looked at, and what is out of order, say the signatures; a condition
stands while the last values of a metric fulfil it, and is gone when the run has recovered.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.model import LogEvent, LogLine, Match, MatchKind, MetricPattern, Signature

EARLIER_KEPT = 500
"""Values of a metric that its median is taken of."""

EARLIER_NEEDED = 10
"""Values that a median needs."""

SERIES_LIMIT = 10_000
"""Metrics (of one source each) that are looked at."""

NAMES_LIMIT = 20_000
"""Names whose rules are remembered."""

_PRINTED = re.compile(
    r"(?<![\w./-])(?P<name>[A-Za-z][\w./@-]*(?: [a-z]+){0,3})['\"]?(?: \(ms\))?[ \t]{0,40}[:=│|][ \t]{0,20}['\"]?(?:np\.\w+\(|tensor\()?"
    r"(?P<value>[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+|[Nn][Aa][Nn]|[Ii]nf(?:inity)?))(?![\w/])"
)
"""`actor/grad_norm:nan`, `'loss': '0.5'`, `"kl": np.float64(0.1)`, `│ entropy/avg │ 2.4e-01 │`, `grad norm: 2.948 |`."""


class Standing(NamedTuple):
    """A condition that holds at the end of a source: the match on the line where it began, and how often it held."""

    match: Match
    source_number: int
    steps: int


class _Series:
    """One metric of one source, under one rule."""

    def __init__(self, signature: Signature, rule: MetricPattern) -> None:
        self.signature = signature
        self.rule = rule
        self.earlier: deque[float] = deque()
        self._sorted: list[float] = []  # the same, ascending
        self.last: float | None = None
        self.count = 0
        self.began: tuple[LogLine, str, str, str] | None = None  # line, text, name and value of the first that held
        self.typical: float | None = None
        self.seen_line = -1

    @property
    def stands(self) -> bool:
        return self.count >= self.rule.steps

    def add(self, value: float, line: LogLine, printed: tuple[str, str, str]) -> None:
        if line.number == self.seen_line:
            return  # printed twice in a line
        self.seen_line = line.number
        if self.count == 0:
            self.typical = self._median()
        if self._holds(value):
            self.began = self.began if self.count else (line, *printed)
            self.count += 1
        else:
            self.count = 0
            if self.rule.times_median is not None and math.isfinite(value):
                self._keep(value)
        self.last = value

    def _keep(self, value: float) -> None:
        self.earlier.append(value)
        insort(self._sorted, value)
        if len(self.earlier) > EARLIER_KEPT:
            del self._sorted[bisect_left(self._sorted, self.earlier.popleft())]

    def _median(self) -> float | None:
        count = len(self._sorted)
        if count < EARLIER_NEEDED:
            return None
        middle = self._sorted[count // 2]
        return middle if count % 2 else (self._sorted[count // 2 - 1] + middle) / 2

    def _holds(self, value: float) -> bool:
        rule = self.rule
        if rule.is_not_finite:
            return not math.isfinite(value)
        if not math.isfinite(value) or (rule.is_constant and value != self.last):
            return False
        if (rule.above is not None and not value > rule.above) or (rule.below is not None and not value < rule.below):
            return False
        return rule.times_median is None or (self.typical is not None and self.typical > 0 and value > rule.times_median * self.typical)

    def match(self) -> Match:
        assert self.began is not None  # asked for where it stands
        line, text, name, value = self.began
        captures = {"metric": name, "value": value, "steps": str(self.count)}
        if self.typical is not None:
            captures["median"] = f"{self.typical:.4g}"
        event = LogEvent((line,), 0, None, text)
        return Match(event, line, self.signature.id, MatchKind.EXACT, 1.0, captures, len(text), text)


class MetricReader:
    """Reads the numbers of step lines; `changes` counts how often a condition began or ceased to stand."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        """`signatures` are those that have metric patterns."""
        self._rules = [(signature, rule, re.compile(rule.name, re.IGNORECASE)) for signature in signatures for rule in signature.metrics]
        self._fitting: dict[str, list[tuple[str, int]]] = {}  # by what stands before a value: the metric's name and the number of a rule
        self._series: dict[tuple[int, str, int], _Series] = {}  # by source, name and number of the rule
        self.changes = 0

    def feed(self, line: LogLine, source_number: int) -> None:
        """Takes a line that reports a step or a metric."""
        for found in _PRINTED.finditer(line.raw) if self._rules else ():
            named, value = found.groups()
            for name, rule in self._fitting[named] if named in self._fitting else self._rules_for(named):
                key = (source_number, name, rule)
                series = self._series.get(key)
                if series is None:
                    if len(self._series) >= SERIES_LIMIT:
                        continue
                    series = self._series[key] = _Series(*self._rules[rule][:2])
                stood = series.stands
                series.add(float(value), line, (found[0].strip(), name, value))
                self.changes += stood != series.stands

    def standing(self) -> Iterator[Standing]:
        """The conditions that hold now; of each signature the one that began first."""
        first: dict[str, Standing] = {}
        for (number, _, _), series in self._series.items():
            if series.stands:
                found = Standing(series.match(), number, series.count)
                known = first.get(series.signature.id)
                if known is None or (number, found.match.line.number) < (known.source_number, known.match.line.number):
                    first[series.signature.id] = found
        yield from first.values()

    def _rules_for(self, text: str) -> list[tuple[str, int]]:
        """The rules for what stands before a value: a name, or words of which the last ones are a name."""
        words = text.split(" ")
        names = [" ".join(words[first:]) for first in range(len(words))]
        fitting = [(name, number) for name in names for number, (_, _, pattern) in enumerate(self._rules) if pattern.fullmatch(name)]
        if len(self._fitting) < NAMES_LIMIT:
            self._fitting[text] = fitting
        return fitting
