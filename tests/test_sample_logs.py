"""Captured logs get the diagnosis that they were captured for; healthy ones get none.

Their labels are well-formed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accuracy.labels import SAMPLES, Label, faults, lines_of, read_labels
from benchmarks.accuracy.score import Json
from logdoctor.document.document import document
from logdoctor.model import HARMLESS, Language
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import Source, find_sources

LABELS = read_labels()
FAILED = [label for label in LABELS if not label.healthy]
HEALTHY = [label for label in LABELS if label.healthy]

SHORT = {
    "loss-diverges": "a loss that grows from 6 to 4.7e9 without ever being nan is not found",
}
"""Logs whose verdict falls short of the label, and how; one whose verdict is right leaves it."""


def _params(labels: list[Label]) -> list[object]:
    return [pytest.param(label, id=label.name, marks=_marks(label)) for label in labels]


def _marks(label: Label) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(reason=SHORT[label.name])] if label.name in SHORT else []


def _files(label: Label) -> list[Path]:
    return sorted(label.log.rglob("*.log")) if label.log.is_dir() else [label.log]


def _document(automaton: Automaton, log: Path) -> Json:
    run = Scan(automaton)
    for source in find_sources([str(log)], None):
        assert isinstance(source, Source)
        run.read(source.name, source.chunks(), source.open_again)
    result = run.result()
    reasons = [each.because for each in result.diagnoses]
    reasons += [each.because for each in result.unknown_errors]
    for because in reasons:
        assert because
        lines = {each.name: each.lines for each in result.sources}
        assert all(1 <= reason.line <= lines[reason.source] for reason in because)
    return document(result, Language.EN, "")


@pytest.mark.parametrize("label", _params(FAILED))
def test_a_failed_run_gets_its_diagnoses(automaton: Automaton, label: Label) -> None:
    """The expected ids are found in their order, the first of them is the answer.

    Its evidence, with two lines above, names the root.
    """
    read = _document(automaton, label.log)
    found = [each["signature_id"] for each in read["diagnoses"]]
    assert [each for each in found if each in label.diagnoses] == list(label.diagnoses)
    assert read["answer"] is not None
    answer = read[read["answer"]["in"]][read["answer"]["index"]]
    first = label.diagnoses[:1]
    assert not first or answer.get("signature_id", first[0]) == first[0]
    texts = label.texts()
    spans = [
        "\n".join(lines_of(texts, each["source"])[max(0, each["line"] - 3) : each["end_line"]])
        for each in answer["evidence"]
    ]
    assert any(root in span for root in label.roots for span in spans), spans


@pytest.mark.parametrize("label", _params(HEALTHY))
def test_a_healthy_run_gets_no_diagnosis(automaton: Automaton, label: Label) -> None:
    """Scary lines are there, and nothing is made of them."""
    read = _document(automaton, label.log)
    harmless = {each.value for each in HARMLESS}
    findings = [*read["diagnoses"], *read["unknown_errors"]]
    assert read["answer"] is None
    assert [each["title"] for each in findings if each["verdict"] not in harmless] == []


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label.name)
def test_a_label_is_well_formed(label: Label) -> None:
    """Its lines are in the log, its words are known, and its origin says how the log was made."""
    assert faults(label) == []


def test_every_log_has_a_label() -> None:
    """Also the files of a run that is a folder."""
    labelled = {file for label in LABELS for file in _files(label)}
    assert set(SAMPLES.rglob("*.log")) - labelled == set()


def test_the_logs_that_fall_short_are_labelled() -> None:
    """The table names no log that is gone."""
    assert set(SHORT) <= {label.name for label in LABELS}
