"""The course of metrics as pages draw it: curves_of."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from logdoctor.document.document import Json
from logdoctor.model import ScanResult, Series
from logdoctor.model.curves import thinned
from logdoctor.reports.run.marks import Mark, marks_of, place_in

PANELS = 400
"""Metrics that a page has; those without a common name are left out first."""

POINTS = 200_000
"""Values that a page has, about: beyond, each series has fewer."""

LINES_OF_PANEL = 32
"""Series of one metric that a page has."""

DIGITS = 6
"""Of a value; a screen has far fewer rows."""


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
        "marks": [place_in(series, mark) for mark in marks],
    }
