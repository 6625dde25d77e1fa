"""Step lines to numbers that are out of order: MetricReader.

A push machine beside the events. Which metrics are looked at, and what is out of order, say the
signatures; a condition stands while the last values of a metric fulfil it, and is gone when the run
has recovered.
"""

import math
import re
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from logdoctor.context.metric_state import NOWHERE, Beginning, Streak
from logdoctor.memo import Memo
from logdoctor.model import (
    LogEvent,
    LogLine,
    Match,
    MatchKind,
    MetricPattern,
    Signature,
    SignatureDatabase,
)

EARLIER_KEPT = 500
"""Values of a metric that its median is taken of."""

EARLIER_NEEDED = 10
"""Values that a median needs."""

SERIES_LIMIT = 10_000
"""Metrics (of one source each) that are looked at."""

STREAKS_LIMIT = 2000
"""Metrics (of one source each) of which a file keeps how they stand; of others, streaks begin
anew after a restart.
"""

NAMES_LIMIT = 20_000
"""Names whose rules are remembered."""

ALL_SEEN, GAPS_KEPT = 500, 50
"""Values of a metric of which none is left out, and the distances between lines that are
remembered; of later ones only some come, but lines with a number that is not finite light up by
themselves.
"""

UNSEEN = 8
"""A line that is so many times as far from the one before as lines usually are has others
between that did not come.
"""

_PRINTED = (
    r"(?<![\w./-])(?P<name>[A-Za-z][\w./@-]*(?: [A-Za-z]+){0,3})['\"]?(?: \(ms\))?"
    r"(?:[ \t]{0,40}[:=│|][ \t]{0,20}|[ \t]{1,2}(?=[-+]?(?:[0-9]*\.[0-9]|[Nn][Aa][Nn]|[Ii]nf)))"
    r"['\"]?(?:np\.\w+\(|tensor\()?"
    r"(?P<value>[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+|[Nn][Aa][Nn]"
    r"|[Ii]nf(?:inity)?))(?![\w/])"
)
"""`actor/grad_norm:nan`, `'loss': '0.5'`, `"kl": np.float64(0.1)`, `│ entropy/avg │ 2.4e-01 │`,
`grad norm: 2.948 |`, `loss 2.31, `: after a blank alone, what is no whole number.
"""


class Standing(NamedTuple):
    """A condition that holds at the end of a source: the match on the line where it began, and
    for about how many steps.
    """

    match: Match
    source_number: int
    steps: int


class _Earlier:
    """The last values of a metric, and their median."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self._values: deque[float] = deque(values)
        self._sorted: list[float] = sorted(self._values)

    def add(self, value: float) -> None:
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


class _Gaps:
    """How far apart the lines of a metric stand while all of them come."""

    def __init__(self, sizes: Iterable[int] = (), count: int = 0, usual: int = 0) -> None:
        self._sizes = list(sizes)
        self._count = count
        self._usual = usual

    def steps(self, size: int) -> int:
        """Takes the distance to the line before, in lines; returns about how many steps that is:
        more than 1 where some did not come.
        """
        self._count += 1
        if len(self._sizes) < GAPS_KEPT:
            insort(self._sizes, size)
            self._usual = self._sizes[len(self._sizes) // 2]
        return (
            round(size / self._usual)
            if self._count > ALL_SEEN and size > UNSEEN * self._usual
            else 1
        )

    @property
    def known(self) -> tuple[tuple[int, ...], int, int]:
        """The first distances in ascending order, how many there were of all, and the usual one."""
        return tuple(self._sizes), self._count, self._usual


class _Series:
    """One metric of one source, under one rule."""

    def __init__(
        self,
        source: str,
        signature: Signature,
        rule: MetricPattern,
        metric: str,
        before: Streak | None = None,
    ) -> None:
        """`before` is how it stood when an earlier call ended."""
        self.source = source
        self.signature = signature
        self.rule = rule
        self.metric = metric
        self.earlier = _Earlier(before.earlier if before else ())
        self.gaps = (
            _Gaps(before.gap_sizes, before.gap_count, before.usual_gap) if before else _Gaps()
        )
        self.last = before.last if before else None
        self.count = before.held if before else 0  # of values that held, in succession
        # steps in which they came, also those that were left out
        self.lasted = before.lasted if before else 0
        self.began = before.began if before else None
        self.typical = before.typical if before else None
        self.seen_line = before.seen_line if before else -1
        self._known_until = self.seen_line  # what was read before is read again up to there
        self._streak = before

    @property
    def streak(self) -> Streak:
        """How it stands."""
        if self._streak is None:
            began = self.began if self.count else None
            key = (
                self.source,
                self.signature.id,
                _rule_key(self.rule),
                self.metric,
                self.seen_line,
            )
            self._streak = Streak(
                *key,
                self.earlier.values,
                *self.gaps.known,
                self.last,
                self.count,
                self.lasted,
                began,
                self.typical,
            )
        return self._streak

    @property
    def stands(self) -> bool:
        return self.count >= self.rule.steps

    def add(self, value: float, line: LogLine, printed: tuple[int, str, str]) -> None:
        """Takes the next value; `printed` is its place among the numbers of the line, its name,
        and the value as it stands there.
        """
        if line.number == self.seen_line or line.number <= self._known_until:
            return  # printed twice in a line, or read again
        self._streak = None
        steps = self.gaps.steps(line.number - self.seen_line) if self.seen_line >= 0 else 1
        if self.rule.is_not_finite and steps > 1 and not self.stands:
            self.count = 0  # those that did not come were finite
        self.seen_line = line.number
        if self.count == 0 and self.rule.times_median is not None:
            self.typical = self.earlier.median
        if self._holds(value):
            if not self.count:
                place, name, text = printed
                steps, self.lasted = 1, 0
                self.began = Beginning(
                    line,
                    next(islice(re.finditer(_PRINTED, line.raw), place, None))[0].strip(),
                    name,
                    text,
                )
            self.count += 1
            self.lasted += steps
        else:
            self.count = 0
            if self.rule.times_median is not None and math.isfinite(value):
                self.earlier.add(value)
        self.last = value

    def _holds(self, value: float) -> bool:
        rule = self.rule
        if rule.is_not_finite:
            return not math.isfinite(value)
        if not math.isfinite(value) or (rule.is_constant and value != self.last):
            return False
        if (rule.above is not None and not value > rule.above) or (
            rule.below is not None and not value < rule.below
        ):
            return False
        return rule.times_median is None or (
            self.typical is not None
            and self.typical > 0
            and value > rule.times_median * self.typical
        )

    def match(self) -> Match:
        assert self.began is not None  # asked for where it stands
        line, text, name, value = self.began
        captures = {"metric": name, "value": value, "steps": str(self.lasted)}
        if self.typical is not None:
            captures["median"] = f"{self.typical:.4g}"
        event = LogEvent((line,), 0, None, text)
        return Match(
            event, line, self.signature.id, MatchKind.EXACT, 1.0, captures, len(text), text
        )


def _rule_key(rule: MetricPattern) -> MetricPattern:
    """What makes it this rule, wherever it stands."""
    return rule._replace(position=NOWHERE)


class MetricReader:
    """Reads the numbers of step lines; `changes` counts how often a condition began or ceased to
    stand.
    """

    def __init__(self, database: SignatureDatabase) -> None:
        self._database = database
        self._fitting: Memo[str, tuple[tuple[str, Signature, MetricPattern], ...]] = Memo(
            NAMES_LIMIT
        )
        self._series: dict[tuple[int, str, MetricPattern], _Series] = {}
        self._before: dict[str, tuple[Streak, ...]] = {}  # by source, until that is read
        self.changes = 0

    @cached_property
    def _rules(self) -> list[tuple[Signature, MetricPattern, re.Pattern[str]]]:
        """Read when the first numbers come."""
        signatures = self._database.with_metrics()
        return [
            (signature, rule, re.compile(rule.name, re.IGNORECASE))
            for signature in signatures
            for rule in signature.metrics
        ]

    def go_on_from(self, streaks: Iterable[Streak]) -> None:
        """Takes how metrics stood when an earlier call ended; lines up to theirs are left out
        where they are read again.
        """
        for streak in streaks:
            self._before[streak.source] = (*self._before.get(streak.source, ()), streak)

    @property
    def streaks(self) -> tuple[Streak, ...]:
        """How metrics stand."""
        waiting = (streak for streaks in self._before.values() for streak in streaks)
        return tuple(
            islice(
                chain((series.streak for series in self._series.values()), waiting), STREAKS_LIMIT
            )
        )

    def feed(self, line: LogLine, source_number: int) -> None:
        """Takes a line that reports a step or a metric."""
        if self._before and line.source in self._before:
            self._take_up(self._before.pop(line.source), source_number)
        for place, (text, value) in enumerate(
            re.findall(_PRINTED, line.raw) if self._rules else ()
        ):
            rules = self._fitting.get(text)
            if rules is None:
                rules = self._fitting[text] = self._rules_for(text)
            for name, signature, rule in rules:
                key = (source_number, name, rule)
                series = self._series.get(key)
                if series is None:
                    if len(self._series) >= SERIES_LIMIT:
                        continue
                    series = self._series[key] = _Series(line.source, signature, rule, name)
                stood = series.stands
                series.add(float(value), line, (place, name, value))
                self.changes += stood != series.stands

    def standing(self) -> Iterator[Standing]:
        """The conditions that hold now; of each signature the one that began first."""
        first: dict[str, Standing] = {}
        for (number, _, _), series in self._series.items():
            if series.stands:
                found = Standing(series.match(), number, series.lasted)
                known = first.get(series.signature.id)
                if known is None or (number, found.match.line.number) < (
                    known.source_number,
                    known.match.line.number,
                ):
                    first[series.signature.id] = found
        yield from first.values()

    def _take_up(self, streaks: Iterable[Streak], source_number: int) -> None:
        rules = {
            (signature.id, _rule_key(rule)): (signature, rule) for signature, rule, _ in self._rules
        }
        for streak in streaks:
            known = rules.get((streak.signature_id, streak.rule))
            if known:
                series = _Series(streak.source, *known, streak.metric, streak)
                self._series[source_number, streak.metric, known[1]] = series
                self.changes += series.stands

    def _rules_for(self, text: str) -> tuple[tuple[str, Signature, MetricPattern], ...]:
        """The rules for what stands before a value: a name, or words of which the last ones are
        a name.
        """
        words = text.split(" ")
        names = [" ".join(words[first:]) for first in range(len(words))]
        return tuple(
            (name, signature, rule)
            for name in names
            for signature, rule, pattern in self._rules
            if pattern.fullmatch(name)
        )
