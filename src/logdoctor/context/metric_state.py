"""What is known of a metric so far, as data that a file can keep: Streak."""

from typing import Any, NamedTuple

from logdoctor.model import LogLine, MetricPattern, Position
from logdoctor.model.rows import as_row, from_row

NOWHERE = Position("", 0, 0)
"""Where the rule of a streak stands: a streak is of use wherever it has moved."""


class Beginning(NamedTuple):
    """The first value that held: its line, the text around it, its name and value as they stand
    there, and the number of the step, where it is told.
    """

    line: LogLine
    text: str
    name: str
    value: str
    step: int | None


class Streak(NamedTuple):
    """The course of one metric of one source under one rule, up to a line.

    Attributes:
        rule: what it is judged by; of no use to a rule that has changed.
        metric: its name.
        seen_line: the number of that line.
        earlier: the last values that the median is taken of, in their order.
        gap_sizes, gap_count, usual_gap: how far apart its lines stood, in lines: the first
            distances in ascending order, how many there were, and their median.
        last: the last value, if any.
        held: values that held in succession, up to the last.
        lasted: steps in which they came.
        total: steps of all.
        began: where they began; None where `held` is 0.
        typical: the median that they are compared with.
        first: the first finite values, ascending in time.
        recent: the last finite values.
        best: the highest mean that so many values had.
    """

    source: str
    signature_id: str
    rule: MetricPattern
    metric: str
    seen_line: int
    earlier: tuple[float, ...]
    gap_sizes: tuple[int, ...]
    gap_count: int
    usual_gap: int
    last: float | None
    held: int
    lasted: int
    total: int
    began: Beginning | None
    typical: float | None
    first: tuple[float, ...]
    recent: tuple[float, ...]
    best: float | None


def encoded(streak: Streak) -> Any:
    """As JSON has it."""
    began = streak.began
    if began is None:
        return as_row(streak)
    # anchors are numbers of one database
    return as_row(streak._replace(began=began._replace(line=began.line._replace(anchors=()))))


def decoded(row: Any) -> Streak:
    """The streak again.

    Raises:
        ValueError, TypeError: it is none.
    """
    streak = from_row(Streak, row)
    if (
        streak.held < 0
        or (streak.began is None) != (streak.held == 0)
        or (streak.gap_count and not streak.gap_sizes)
    ):
        raise ValueError(row)
    return streak
