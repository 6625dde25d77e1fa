"""A metric over steps to a few lines of a terminal: curve_lines.

A character of Braille is two dots wide and four high, so that a line of a terminal shows more steps
than it has columns. Where several values share a column of dots, all from the least to the greatest
are drawn: extremes stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from logdoctor.model import Diagnosis, ScanResult, Series, UnknownError
from logdoctor.reports.run.layout import columns, shortened
from logdoctor.reports.run.marks import Mark, marks_of, place_in
from logdoctor.reports.run.painting import Pen
from logdoctor.texts.phrases import reports as phrases

SMALLEST, SMALL, LARGE = 2, 3, 10
"""Lines of a curve within a report that has hardly room, within a report, and of one that was asked
for.
"""

LEAST_COLUMNS, MOST_COLUMNS = 20, 120
"""Columns of a curve without its axis."""

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bits of a character's dots, by column and row."""

_SIGNS = {"onset": "▲", "error": "✖", "restart": "↻"}


def curve_of(item: Diagnosis | UnknownError, result: ScanResult) -> Series | None:
    """The course of the metric that a diagnosis is about; None where it is about none, or that is
    too short to be drawn.
    """
    if not isinstance(item, Diagnosis) or not item.signature.metrics:
        return None
    metric, source = item.captures.get("metric", ""), item.evidence[0].source
    fitting = (
        each
        for each in result.series
        if each.source == source and f" {each.metric}".endswith(f" {metric}")
    )
    return next((each for each in fitting if each.count >= SMALL), None)


def curve_lines(series: Series, result: ScanResult, height: int, pen: Pen) -> Iterator[str]:
    """A heading (where there are more than the fewest lines), lines of dots behind an axis, and a
    line for what is marked below.
    """
    finite = [each for each in series.values if math.isfinite(each)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    ends = [f"{high:.4g}", f"{low:.4g}"]
    left = max(map(len, ends)) + 2
    width = min(MOST_COLUMNS, max(LEAST_COLUMNS, pen.style.width - left - 3))
    first, last = min(series.steps), max(series.steps)
    span = phrases.STEPS_FROM_TO if series.has_steps else phrases.VALUES_FROM_TO
    said = pen.say(span, first=f"{first:,}", last=f"{last:,}")
    name = shortened(series.metric, max(LEAST_COLUMNS, pen.style.width - columns(said) - 5))
    if height > SMALLEST:
        yield f"  {pen.paint(name, None, bold=True)}  {pen.dim(said)}"
    for row, dots in enumerate(_drawn(series, low, high, width, height)):
        end = ends[0] if row == 0 else ends[1] if row == height - 1 else ""
        yield f"{pen.dim(f'{end:>{left}} │')}{dots}".rstrip()
    placed = [
        (mark, _column(at, first, last, width))
        for mark in marks_of(result)
        if (at := place_in(series, mark)) is not None
    ]
    if placed:
        yield f"{' ' * (left + 2)}{_marked(placed, width, series.has_steps, pen)}".rstrip()


def _drawn(series: Series, low: float, high: float, width: int, height: int) -> list[str]:
    """Rows of characters, the uppermost first; `×` where nothing but what is not finite stands."""
    first, last = min(series.steps), max(series.steps)
    reached: dict[int, tuple[int, int]] = {}
    odd: set[int] = set()
    rows = 4 * height
    before: tuple[int, int] | None = None
    for step, value in zip(series.steps, series.values, strict=True):
        column = _column(step, first, last, 2 * width)
        if not math.isfinite(value):
            odd.add(column // 2)
            before = None
            continue
        place = (column, _row(value, low, high, rows))
        for at, dot in _line(before or place, place):
            below, above = reached.get(at, (dot, dot))
            reached[at] = min(below, dot), max(above, dot)
        before = place
    cells = [[0] * width for _ in range(height)]
    for column, (below, above) in reached.items():
        for dot in range(below, above + 1):
            row = rows - 1 - dot
            cells[row // 4][column // 2] |= _DOTS[column % 2][row % 4]
    lost = odd - {column // 2 for column in reached}
    return [
        "".join(
            "×" if row == height - 1 and i in lost else chr(_BRAILLE + cell) if cell else " "
            for i, cell in enumerate(line)
        ).rstrip()
        for row, line in enumerate(cells)
    ]


def _line(one: tuple[int, int], other: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The dots from one to another; where steps go back, the latter alone."""
    size = other[0] - one[0]
    for half in range(2 * size + 1):
        dot = one[1] + (other[1] - one[1]) * half // (2 * size) if size else other[1]
        yield one[0] + half // 2, dot
        yield one[0] + (half + 1) // 2, dot  # halfway, in both: what is steep has no gaps
    if size < 0:
        yield other


def _row(value: float, low: float, high: float, rows: int) -> int:
    """From 0, the lowest; all of a level curve is in the middle."""
    if high <= low:
        return rows // 2
    # halves first: the range of floats may be greater than a float
    return round((value / 2 - low / 2) / (high / 2 - low / 2) * (rows - 1))


def _column(step: int, first: int, last: int, width: int) -> int:
    return (step - first) * (width - 1) // (last - first) if last > first else 0


def _marked(placed: Sequence[tuple[Mark, int]], width: int, has_steps: bool, pen: Pen) -> str:
    """A sign below each place; behind the first of them, its step, where there is room."""
    line = [" "] * width
    for mark, column in reversed(placed):
        line[column] = _SIGNS[mark.kind]
    mark, column = placed[0]
    told = f" {pen.say(phrases.AT_STEP_NUMBER, step=f'{mark.step:,}')}" if mark.step else ""
    room = line[column + 1 : column + 1 + columns(told) + 1]
    if has_steps and told and len(room) > columns(told) and not "".join(room).strip():
        line[column + 1 : column + 1 + columns(told)] = [told]
    return "".join(line)


def plotted(names: Sequence[str], result: ScanResult, pen: Pen) -> Iterator[str]:
    """The curves of all metrics that are called so: by their whole name, their common name, or a
    part of it; a blank line between them.
    """
    for i, series in enumerate(chosen(names, result.series)):
        yield from [""] * (i > 0)
        if len({each.source for each in result.series}) > 1:
            yield f"  {pen.dim(shortened(series.source, pen.style.width - 2))}"
        yield from curve_lines(series, result, LARGE, pen)


def chosen(names: Sequence[str], all_series: Sequence[Series]) -> list[Series]:
    """The series that these names mean, in the order of the names."""
    found: dict[tuple[str, str], Series] = {}
    for name in (each.lower() for each in names):
        for fits in (
            lambda one, name=name: one.metric.lower() == name,
            lambda one, name=name: one.common == name,
            lambda one, name=name: name in one.metric.lower(),
        ):
            fitting = [each for each in all_series if fits(each)]
            if fitting:
                found.update(((each.source, each.metric), each) for each in fitting)
                break
    return list(found.values())
