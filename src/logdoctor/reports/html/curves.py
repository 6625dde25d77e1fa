"""The course of metrics as pages draw it: curves_of, marks_of."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.document.document import Json
from logdoctor.model import HARMLESS, Diagnosis, LocalText, ScanResult, Series
from logdoctor.model.curves import thinned

PANELS = 400
"""Metrics that a page has; those without a common name are left out first."""

POINTS = 200_000
"""Values that a page has, about: beyond, each series has fewer."""

LINES_OF_PANEL = 32
"""Series of one metric that a page has."""

MARKS = 40
"""Things that are marked in the curves of a page."""

DIGITS = 6
"""Of a value; a screen has far fewer rows."""


class Mark(NamedTuple):
    """Something that happened at a line, and at a step where that is known.

    Attributes:
        kind: `onset` (of a metric that is out of order), `error` or `restart`.
        title: None where the kind says it all.
    """

    kind: str
    title: LocalText | None
    source: str
    line: int
    step: int | None


def curves_of(result: ScanResult, order: Sequence[str]) -> Json:
    """The panels of a page, a metric each: those with common names first, in this `order`, then
    as they were printed; what is marked in them; and how many metrics were `left` out.
    """
    panels: defaultdict[str, list[Series]] = defaultdict(list)
    for each in result.series:
        if each.count > 1:
            panels[each.metric].append(each)
    places = {name: i for i, name in enumerate(order)}
    shown = sorted(panels, key=lambda name: places.get(panels[name][0].common or "", len(places)))
    marks = marks_of(result)
    count = sum(min(len(panels[name]), LINES_OF_PANEL) for name in shown[:PANELS])
    stretches = max(16, min(512, POINTS // (3 * max(1, count))))
    return {
        "panels": [
            {
                "metric": name,
                "common": panels[name][0].common,
                "series": [
                    _drawn(each, marks, stretches) for each in panels[name][:LINES_OF_PANEL]
                ],
            }
            for name in shown[:PANELS]
        ],
        "marks": [
            {
                "kind": each.kind,
                "title": each.title and each.title._asdict(),
                "place": f"{each.source}:{each.line}",
                "step": each.step,
            }
            for each in marks
        ],
        "left": max(0, len(shown) - PANELS),
    }


def marks_of(result: ScanResult) -> tuple[Mark, ...]:
    """What is marked: where metrics went out of order, what did harm, where steps go back."""
    clocks = _steps_by_source(result.series)
    marks = []
    for each in result.findings:
        if each.verdict not in HARMLESS:
            proof = each.evidence[0]
            is_metric = isinstance(each, Diagnosis) and bool(each.signature.metrics)
            title = (
                each.title if isinstance(each.title, LocalText) else LocalText(*[each.title] * 2)
            )
            step = _step_at(clocks.get(proof.source), proof.line)
            kind = "onset" if is_metric else "error"
            marks.append(Mark(kind, title, proof.source, proof.line, step))
    return (*marks, *_restarts(clocks))[:MARKS]


def values_as_json(series: Series) -> list[float | str]:
    """Numbers with as many digits as a drawing needs; what is not finite as text."""
    return [
        float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
        for value in series.values
    ]


def _drawn(series: Series, marks: Sequence[Mark], stretches: int) -> Json:
    kept = thinned(series, stretches)
    return {
        "source": series.source,
        "steps": list(kept.steps),
        "values": values_as_json(kept),
        "count": kept.count,
        "has_steps": kept.has_steps,
        "marks": [_place_in(series, mark) for mark in marks],
    }


def _place_in(series: Series, mark: Mark) -> int | None:
    """Where a mark stands among the steps of a series; None where that is not known."""
    if mark.source == series.source:
        return series.steps[max(0, bisect_right(series.lines, mark.line) - 1)]
    return mark.step if series.has_steps else None


def _steps_by_source(series: Sequence[Series]) -> dict[str, tuple[list[int], list[int]]]:
    """The lines of steps and their numbers, of each source that tells them."""
    found: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for each in series:
        if each.has_steps:
            found[each.source].update(zip(each.lines, each.steps, strict=True))
    return {
        source: (sorted(steps), [steps[line] for line in sorted(steps)])
        for source, steps in found.items()
    }


def _step_at(clock: tuple[list[int], list[int]] | None, line: int) -> int | None:
    """The step that the run was at; None before the first."""
    place = bisect_right(clock[0], line) if clock else 0
    return clock[1][place - 1] if clock and place else None


def _restarts(clocks: Mapping[str, tuple[list[int], list[int]]]) -> Iterator[Mark]:
    for source, (lines, steps) in clocks.items():
        for i in range(1, len(steps)):
            if steps[i] < steps[i - 1]:
                yield Mark("restart", None, source, lines[i], steps[i])
