"""What a result has beside its JSON document: values in force, ranks and places by writer, and the
course of metrics. For the pages.
"""

from __future__ import annotations

import math

from logdoctor.document.document import Json
from logdoctor.model import Diagnosis, ScanResult, Series, UnknownError
from logdoctor.model.curves import thinned

PLACES_KEPT = 64
"""Places of each thing found that an archive keeps."""

STRETCHES_KEPT = 32
"""Stretches of a metric that an archive keeps, or up to twice as many."""

DIGITS = 6
"""Of a value of a metric; a screen has far fewer rows."""


def places_beside(result: ScanResult) -> Json:
    """For each diagnosis and unknown error of the document, in its order: `now`, `ranks` and
    `sightings`; and `series`, the course of each metric that has a common name.
    """
    diagnoses = [
        {
            "now": _values_in_force(each),
            "ranks": list(each.ranks),
            "sightings": sightings(each)[:PLACES_KEPT],
        }
        for each in result.diagnoses
    ]
    return {
        "diagnoses": diagnoses,
        "unknown_errors": [
            {"sightings": sightings(each)[:PLACES_KEPT]} for each in result.unknown_errors
        ],
        "series": [
            {"metric": each.metric, "common": each.common, **course(each, STRETCHES_KEPT)}
            for each in result.series
            if each.common and each.count > 1
        ],
    }


def course(series: Series, stretches: int) -> Json:
    """Steps and values, thinned to so many stretches; what is not finite is a text."""
    kept = thinned(series, stretches)
    return {
        "steps": list(kept.steps),
        "values": [
            float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
            for value in kept.values
        ],
        "count": kept.count,
        "has_steps": kept.has_steps,
    }


def sightings(item: Diagnosis | UnknownError) -> list[Json]:
    """Where each writer printed it first."""
    return [
        {"source": each.source, "line": each.line, "time": each.time, **each.lane._asdict()}
        for each in item.sightings
    ]


def _values_in_force(diagnosis: Diagnosis) -> dict[str, str]:
    return {
        key: value
        for judged in diagnosis.remedies
        for key, value in judged.current.items()
        if key in judged.settings
    }
