"""The course of metrics as pages draw it: curves_of,
curves_of_runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from logdoctor.document.document import Json
from logdoctor.document.places import course
from logdoctor.model import ScanResult, Series
from logdoctor.reports.run.marks import Mark, marks_of, place_in

PANELS = 400
"""Metrics that a page has; those without a common name are left out first."""

POINTS = 200_000
"""Values that a page has, about: beyond, each series has fewer."""

LINES_OF_PANEL = 32
"""Series of one metric that a page has."""

RUNS_OF_PANEL = 40
"""Bad runs, and good ones, that are drawn over each other; the latest."""


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


def _drawn(series: Series, marks: Sequence[Mark], stretches: int) -> Json:
    return {
        "source": series.source,
        **course(series, stretches),
        "marks": [place_in(series, mark) for mark in marks],
    }


class CourseOfRun(NamedTuple):
    """What an archive keeps of the metrics of a run (see `places_beside`), and whether the run is
    a bad one.
    """

    name: str
    is_bad: bool
    series: Sequence[Json]


def curves_of_runs(runs: Sequence[CourseOfRun], order: Sequence[str]) -> Json:
    """The panels of many runs: of each metric with a common name that two of them have, all of
    them over each other, the bad ones on top.
    """
    panels = []
    for name in order:
        found = [
            (run, each)
            for run in runs
            for each in [next((one for one in run.series if one["common"] == name), None)]
            if each
        ]
        shown = [
            (run, each)
            for is_bad in (False, True)
            for run, each in [pair for pair in found if pair[0].is_bad is is_bad][-RUNS_OF_PANEL:]
        ]
        if len(shown) > 1:
            panels.append(
                {
                    "metric": shown[0][1]["metric"],
                    "common": name,
                    "series": [
                        {**each, "name": run.name, "is_bad": run.is_bad, "marks": []}
                        for run, each in shown
                    ],
                }
            )
    return {"panels": panels, "marks": [], "left": 0}
