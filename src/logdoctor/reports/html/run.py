"""Scan result to a page: render_run."""

from __future__ import annotations

from logdoctor.document.document import document
from logdoctor.document.places import sightings
from logdoctor.formats.metric_names import COMMON_NAMES
from logdoctor.model import Diagnosis, Language, ScanResult, UnknownError
from logdoctor.reports.html.bilingual import Json, merged
from logdoctor.reports.html.collectives import collectives_of
from logdoctor.reports.html.curves import curves_of
from logdoctor.reports.html.page import write_page
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.reports.run.titles import state_of


def render_run(result: ScanResult, language: Language, version: str) -> str:
    """The page of one run, shown first in this language."""
    data = run_data(result, version)
    root = result.root
    title = (
        (root.title.in_language(language) if isinstance(root, Diagnosis) else root.title)
        if root
        else state_of(result).say(language)
    )
    return write_page(
        "run.js",
        data,
        f"{title} – logdoctor",
        language,
        render_text(result, TextStyle(language, show_all=True, show_why=True)),
    )


def run_data(result: ScanResult, version: str) -> Json:
    """The JSON document in both languages, with what it has no room for: the lines around,
    ranks, values in force, the course of metrics, what hung ranks launched.
    """
    data: Json = merged(
        document(result, Language.EN, version), document(result, Language.ZH, version)
    )
    for shown, diagnosis in zip(data["diagnoses"], result.diagnoses, strict=True):
        shown["ranks"] = list(diagnosis.ranks)
        for remedy, judged in zip(shown["remedies"], diagnosis.remedies, strict=True):
            remedy["now"] = {
                key: value for key, value in judged.current.items() if key in judged.settings
            }
        _add_places(shown, diagnosis)
    for shown, error in zip(data["unknown_errors"], result.unknown_errors, strict=True):
        _add_places(shown, error)
    data["curves"] = curves_of(result, [each.name for each in COMMON_NAMES])
    data["collectives"] = collectives_of(result.charts)
    return data


def _add_places(shown: Json, item: Diagnosis | UnknownError) -> None:
    for evidence, origin in zip(shown["evidence"], item.evidence, strict=True):
        evidence["context"] = [list(line) for line in origin.context]
    shown["sightings"] = sightings(item)
