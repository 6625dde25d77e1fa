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

from logdoctor.context.metric_course import Course, Earlier
from logdoctor.context.metric_state import NOWHERE, Beginning, Streak
from logdoctor.context.onset import direction, onset_of
from logdoctor.context.series import SeriesKeeper
from logdoctor.formats.metric_names import with_common_names
from logdoctor.memo import Memo
from logdoctor.model import (
    Companion,
    LogEvent,
    LogLine,
    Match,
    MatchKind,
    MetricBounds,
    MetricPattern,
    Signature,
    SignatureDatabase,
)
from logdoctor.model.curves import Curve, Point

SERIES_LIMIT = 10_000
"""Metrics (of one source each) that are looked at."""

STREAKS_LIMIT = 2000
"""Metrics (of one source each) of which a file keeps how they stand; of others, streaks begin
anew after a restart.
"""

NAMES_LIMIT = 20_000
"""Names whose rules are remembered."""

ALL_SEEN, GAPS_KEPT = 250, 50
"""Values of a metric of which none is left out, and the distances between lines that are
remembered; of later ones only some come, but lines with a number that is not finite light up by
themselves.
"""

LAST = 10
"""Last values of a metric whose median is compared with its start or its best, where it stands
beside another one: a single one says little of how much is learnt.
"""

UNSEEN = 8
"""A line that is so many times as far from the one before as lines usually are has others
between that did not come.
"""

METRIC_CAPTURES = (
    *("metric", "value", "steps", "median", "start", "best", "now", "step"),
    *("onset", "onset_line"),
)
"""What may be filled into texts: its name, the first value that held, for how many steps it did,
the median before, the median of the first values, the best mean held, the last value, the
number of the step where it began; and the step and the line where the metric left its course for
there. Those that are not known are missing.
"""

_PRINTED = (
    r"(?<![\w./-])(?P<name>[A-Za-z][\w./@-]*(?: [A-Za-z][A-Za-z-]*){0,3})['\"]?(?: \(ms\))?"
    r"(?:[ \t]{0,40}[:=│|][ \t]{0,20}"
    r"|[ \t]{1,2}(?=[-+]?(?:[0-9]*\.[0-9]|[Nn][Aa][Nn]|[Ii]nf|[0-9]+ \|)))"
    r"['\"]?(?:np\.\w+\(|tensor\()?"
    r"(?P<value>[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+|[Nn][Aa][Nn]"
    r"|[Ii]nf(?:inity)?))(?![\w/])(?P<share>%?)"
)
"""`actor/grad_norm:nan`, `'loss': '0.5'`, `"kl": np.float64(0.1)`, `│ entropy/avg │ 2.4e-01 │`,
`grad norm: 2.948 |`, `loss 2.31, `, `Truncation 12.5%`: after a blank alone, what is no whole
number, or stands alone in a column.
"""

_ROUNDED = re.compile(r"-?0\.0{3,}")
"""Zero with so many decimals and no exponent, of which more may have been left out."""


class Standing(NamedTuple):
    """A condition that holds at the end of a source: the match on the line where it began, and
    for about how many steps.
    """

    match: Match
    source_number: int
    steps: int


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


class _Rule(NamedTuple):
    """A pattern of a signature, and what fits the names of its metrics and of their companions."""

    signature: Signature
    pattern: MetricPattern
    names: re.Pattern[str]
    others: re.Pattern[str] | None


class _Printed(NamedTuple):
    """A number as it stands in a line: its place among the numbers there, its name, its text,
    what it is, the step it is of, and that step where the line itself tells it.
    """

    place: int
    name: str
    text: str
    value: float
    step: int | None
    told_step: int | None

    def beginning(self, line: LogLine) -> Beginning:
        """What is kept of it, where something begins with it."""
        found = next(islice(re.finditer(_PRINTED, line.raw), self.place, None))
        return Beginning(line, found[0].strip(), self.name, self.text, self.step)


class _Series:
    """One metric of one source, under one rule."""

    def __init__(self, source: str, rule: _Rule, metric: str, before: Streak | None = None) -> None:
        """`before` is how it stood when an earlier call ended."""
        self.source = source
        self.signature = rule.signature
        self.rule = rule.pattern
        self.metric = metric
        self.course = Course(self.rule.bounds)
        self.gaps = _Gaps()
        self.count = 0  # of values that held, in succession
        self.lasted = 0  # steps in which they came, also those that were left out
        self.total = 0  # of all steps
        self.began: Beginning | None = None
        self.seen_line = -1
        self._told_step: int | None = None
        if before:
            self._go_on_from(before)
        self._is_whole = before is None
        self._known_until = self.seen_line  # what was read before is read again up to there
        self._streak = before

    def _go_on_from(self, before: Streak) -> None:
        course = self.course
        course.earlier = Earlier(before.earlier)
        course.first, course.best = list(before.first), before.best
        course.recent.extend(before.recent)
        course.last, course.typical = before.last, before.typical
        self.gaps = _Gaps(before.gap_sizes, before.gap_count, before.usual_gap)
        self.count, self.lasted, self.total = before.held, before.lasted, before.total
        self.began, self.seen_line = before.began, before.seen_line

    @property
    def streak(self) -> Streak:
        """How it stands."""
        if self._streak is None:
            self._streak = Streak(
                self.source,
                self.signature.id,
                _rule_key(self.rule),
                self.metric,
                self.seen_line,
                self.course.earlier.values,
                *self.gaps.known,
                self.course.last,
                self.count,
                self.lasted,
                self.total,
                self.began if self.count else None,
                self.course.typical,
                tuple(self.course.first),
                tuple(self.course.recent),
                self.course.best,
            )
        return self._streak

    @property
    def stands(self) -> bool:
        return self.count >= self.rule.steps and self.lasted >= self.rule.share * self.total

    @property
    def first_line(self) -> int:
        """The number of the line where it began."""
        assert self.began is not None  # asked for where it stands
        return self.began.line.number

    def add(self, line: LogLine, printed: _Printed, *, is_alone: bool) -> None:
        """Takes the next value; `is_alone` where another metric would have to be out of order as
        well, and is not.
        """
        if line.number == self.seen_line or line.number <= self._known_until:
            return  # printed twice in a line, or read again
        self._streak = None
        steps = self._steps(line.number, printed)
        if self.rule.bounds.is_not_finite and steps > 1 and not self.stands:
            self.count = 0  # those that did not come were finite
        self.seen_line = line.number
        if self.count == 0:
            self.course.compare_anew()
        self.total += steps
        is_exact = not _ROUNDED.fullmatch(printed.text)
        if self.course.add(printed.value, is_exact=is_exact) and not is_alone:
            if not self.count:
                steps, self.lasted = 1, 0
                self.began = printed.beginning(line)
            self.count += steps > 0
            self.lasted += steps
        else:
            self.count = 0

    def _steps(self, line: int, printed: _Printed) -> int:
        """How many steps there are since the value before: none where the same number is told of
        the same step, by another rank, or by a bar again and again.
        """
        before, self._told_step = self._told_step, printed.told_step
        steps = self.gaps.steps(line - self.seen_line) if self.seen_line >= 0 else 1
        is_told_again = (
            before is not None and before == printed.told_step and self.course.last == printed.value
        )
        return 0 if is_told_again else steps

    def match(self, curve: Curve | None) -> Match:
        """`curve` is the course of the metric, where it was kept."""
        assert self.began is not None  # asked for where it stands
        line, text, name, value, step = self.began
        course = self.course
        numbers = {
            "median": course.typical,
            "start": course.start,
            "best": course.best,
            "now": course.last,
        }
        captures = {"metric": name, "value": value, "steps": str(self.lasted)}
        captures.update((key, f"{each:.4g}") for key, each in numbers.items() if each is not None)
        if step is not None:
            captures["step"] = str(step)
        onset = self._onset(curve, line.number)
        if onset:
            captures["onset_line"] = str(onset.line)
            captures |= {"onset": str(onset.step)} if onset.step is not None else {}
        event = LogEvent((line,), 0, None, text)
        return Match(
            event, line, self.signature.id, MatchKind.EXACT, 1.0, captures, len(text), text
        )

    def _onset(self, curve: Curve | None, line: int) -> Point | None:
        """The value that left the course of the metric for that of the line; None where it is
        that one, or not known: of what an earlier call read only the state is left.
        """
        if not self._is_whole:
            return None
        towards = direction(self.rule.bounds)
        points = [each for each in curve.points() if math.isfinite(each.value)] if curve else []
        crossed = bisect_left(points, line, key=lambda each: each.line)
        if not towards or crossed == len(points):
            return None
        lines, values = [each.line for each in points], [each.value for each in points]
        onset = onset_of(lines, values, crossed, towards)
        return points[onset] if onset < crossed else None


def _names(pattern: str) -> re.Pattern[str]:
    return re.compile(with_common_names(pattern), re.IGNORECASE)


def _rule_key(rule: MetricPattern) -> MetricPattern:
    """What makes it this rule, wherever it stands."""
    return rule._replace(position=NOWHERE)


class _Other:
    """A metric that must be out of order beside another one."""

    def __init__(self, bounds: MetricBounds) -> None:
        self._course = Course(bounds)
        self._seen_line = -1
        relative = (bounds.above_start, bounds.below_start, bounds.below_best)
        self._is_relative = any(each is not None for each in relative)
        self._last: deque[float] = deque(maxlen=LAST)
        self.holds = False

    def add(self, line: int, value: float) -> None:
        """Takes the next value; of several in one line, the first."""
        if line > self._seen_line:
            self._seen_line = line
            self._course.compare_anew()
            self.holds = self._course.add(value)
            if self._is_relative and math.isfinite(value):
                self._last.append(value)
                self.holds = self._course.holds(sorted(self._last)[len(self._last) // 2])


class MetricReader:
    """Reads the numbers of step lines; `changes` counts how often a condition began or ceased to
    stand, `series` has their course.
    """

    def __init__(self, database: SignatureDatabase, *, takes_all: bool = False) -> None:
        """`takes_all` has the course of all metrics kept, not only of those with a rule."""
        self._database = database
        self.series = SeriesKeeper(takes_all=takes_all)
        self._fitting: Memo[str, tuple[tuple[str, _Rule, bool], ...]] = Memo(NAMES_LIMIT)
        self._series: dict[tuple[int, str, MetricPattern], _Series] = {}
        self._others: dict[tuple[int, str, Companion], _Other] = {}
        self._beside: dict[tuple[int, Companion], list[_Other]] = {}
        self._before: dict[str, tuple[Streak, ...]] = {}  # by source, until that is read
        self.changes = 0

    @cached_property
    def _rules(self) -> list[_Rule]:
        """Read when the first numbers come."""
        return [
            _Rule(
                signature,
                rule,
                _names(rule.name),
                _names(rule.companion.name) if rule.companion else None,
            )
            for signature in self._database.with_metrics()
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

    def feed(
        self,
        line: LogLine,
        source_number: int,
        step: int | None = None,
        *,
        has_own_step: bool = False,
    ) -> None:
        """Takes a line that reports a step or a metric; `step` is the number of its step, which
        it tells itself, or a line before it.
        """
        told = step if has_own_step else None
        if self._before and line.source in self._before:
            self._take_up(self._before.pop(line.source), source_number)
        fitting = []
        for place, (text, digits, share) in enumerate(
            re.findall(_PRINTED, line.raw) if self._rules else ()
        ):
            value = float(digits) / 100 if share else float(digits)
            rules = self._fitting.get(text)
            if rules is None:
                rules = self._fitting[text] = self._rules_for(text)
            if rules:
                longest = max((name for name, _, _ in rules), key=len)
                self.series.add_named(line, source_number, step, longest, value)
            else:
                self.series.add(line, source_number, step, text, value)
            for name, rule, is_other in rules:
                if is_other:
                    self._take_other(rule, source_number, name, line.number, value)
                else:
                    printed = _Printed(place, name, digits + share, value, step, told)
                    fitting.append((rule, printed))
        for rule, printed in fitting:  # those beside them stand in the same line
            self._take(rule, source_number, line, printed)

    def _take(self, rule: _Rule, source_number: int, line: LogLine, printed: _Printed) -> None:
        key = (source_number, printed.name, rule.pattern)
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= SERIES_LIMIT:
                return
            series = self._series[key] = _Series(line.source, rule, printed.name)
        stood = series.stands
        is_alone = rule.pattern.companion is not None and not any(
            other.holds for other in self._beside.get((source_number, rule.pattern.companion), ())
        )
        series.add(line, printed, is_alone=is_alone)
        self.changes += stood != series.stands

    def _take_other(
        self, rule: _Rule, source_number: int, name: str, line: int, value: float
    ) -> None:
        assert rule.pattern.companion is not None  # it has a name of one
        key = (source_number, name, rule.pattern.companion)
        other = self._others.get(key)
        if other is None:
            if len(self._others) >= SERIES_LIMIT:
                return
            other = self._others[key] = _Other(rule.pattern.companion.bounds)
            self._beside.setdefault((source_number, rule.pattern.companion), []).append(other)
        other.add(line, value)

    def standing(self) -> Iterator[Standing]:
        """The conditions that hold now; of each signature the one that began first."""
        first: dict[str, tuple[int, _Series]] = {}
        for (number, _, _), series in self._series.items():
            if series.stands:
                known = first.get(series.signature.id)
                if known is None or (number, series.first_line) < (known[0], known[1].first_line):
                    first[series.signature.id] = number, series
        for number, series in first.values():
            curve = self.series.curve(number, series.metric)
            yield Standing(series.match(curve), number, series.lasted)

    def _take_up(self, streaks: Iterable[Streak], source_number: int) -> None:
        rules = {(rule.signature.id, _rule_key(rule.pattern)): rule for rule in self._rules}
        for streak in streaks:
            known = rules.get((streak.signature_id, streak.rule))
            if known:
                series = _Series(streak.source, known, streak.metric, streak)
                self._series[source_number, streak.metric, known.pattern] = series
                self.changes += series.stands

    def _rules_for(self, text: str) -> tuple[tuple[str, _Rule, bool], ...]:
        """The rules for what stands before a value (a name, or words of which the last ones are
        a name), and whether it is their companion.
        """
        words = text.split(" ")
        names = [" ".join(words[first:]) for first in range(len(words))]
        fitting = [
            (name, rule, False)
            for name in names
            for rule in self._rules
            if rule.names.fullmatch(name)
        ]
        companions: dict[Companion | None, tuple[str, _Rule, bool]] = {
            rule.pattern.companion: (name, rule, True)
            for name in names
            for rule in self._rules
            if rule.others and rule.others.fullmatch(name)
        }
        return (*companions.values(), *fitting)
