"""What a result has beside its JSON document: values in force, ranks and places by writer. For
the pages.
"""

from __future__ import annotations

from logdoctor.document.document import Json
from logdoctor.model import Diagnosis, ScanResult, UnknownError

PLACES_KEPT = 64
"""Places of each thing found that an archive keeps."""


def places_beside(result: ScanResult) -> Json:
    """For each diagnosis and unknown error of the document, in its order: `now`, `ranks` and
    `sightings`.
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
