"""Captured logs get the diagnosis that they were captured for; healthy ones get none."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from logdoctor.model import HARMLESS, AnswerList
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

SAMPLES = Path(__file__).parents[1] / "sample_logs"
FAILED = sorted(SAMPLES.glob("*.log"))
HEALTHY = sorted((SAMPLES / "healthy").glob("*.log"))


@pytest.mark.parametrize("log", FAILED, ids=lambda path: path.stem)
def test_a_failed_run_gets_its_diagnoses(automaton: Automaton, log: Path) -> None:
    """The expected ids are found in their order, the first of them is the answer, and the evidence (with the source line above an exception) names the root."""
    expected = yaml.safe_load(log.with_suffix(".expected.yaml").read_text(encoding="utf-8"))
    result = scan_text(automaton, log.read_bytes().decode("utf-8", "replace"))
    found = [each.signature.id for each in result.diagnoses]
    assert [each for each in found if each in expected["diagnoses"]] == expected["diagnoses"]
    assert result.answer is not None
    if result.answer.kind is AnswerList.DIAGNOSES:
        root = result.diagnoses[result.answer.index]
        assert root.signature.id == expected["diagnoses"][0]
        evidence = root.evidence
    else:
        evidence = result.unknown_errors[result.answer.index].evidence
    lines = log.read_bytes().decode("utf-8", "replace").split("\n")
    spans = ["\n".join(lines[each.line - 3 : each.end_line]) for each in evidence]
    assert any(expected["root_line"] in span for span in spans), spans


@pytest.mark.parametrize("log", HEALTHY, ids=lambda path: path.stem)
def test_a_healthy_run_gets_no_diagnosis(automaton: Automaton, log: Path) -> None:
    """Scary lines are there, and nothing is made of them."""
    text = log.read_bytes().decode("utf-8", "replace")
    scary = yaml.safe_load(log.with_suffix(".origin.yaml").read_text(encoding="utf-8"))["scary"]
    assert scary
    assert [each for each in scary if each not in text] == []
    result = scan_text(automaton, text)
    assert (
        result.answer,
        [each.signature.id for each in result.diagnoses if each.verdict not in HARMLESS],
    ) == (None, [])
    assert [each.title for each in result.unknown_errors if each.verdict not in HARMLESS] == []


def test_there_is_an_origin_for_every_log() -> None:
    """Captured with which command and versions, or composed from which formats."""
    for log in FAILED:
        origin = yaml.safe_load(log.with_suffix(".expected.yaml").read_text(encoding="utf-8"))[
            "origin"
        ]
        assert origin["kind"] in ("captured", "composed")
        assert origin["command"]
        assert (SAMPLES / origin["script"]).is_file()
        assert origin["kind"] == "captured" or origin["note"]
