"""The same failure in another shape gets the same first diagnosis; the whole corpus of them is benchmarks/accuracy/score_variants.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from benchmarks.texts.variants import VARIANTS
from logdoctor.model import AnswerList, ScanResult
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.thoroughness import in_turn

SAMPLES = sorted((Path(__file__).parents[1] / "sample_logs").glob("*.log"))
UNANSWERED = {"loss-diverges"}
"""Nothing is found in them yet, so there is no answer that a variant could keep."""
SHORT = {
    ("on_four_ranks", "caught-errors-then-key-error"),
    ("wrapped", "caught-errors-then-key-error"),
    ("kubelet", "caught-errors-then-key-error"),
    ("on_four_ranks", "newest-first-label-out-of-range"),
    ("kubelet", "newest-first-label-out-of-range"),
    ("driver_first", "job-file-not-copied"),
    ("docker_json", "job-file-not-copied"),
    ("kubelet", "job-file-not-copied"),
    ("on_four_ranks", "job-file-not-copied"),
    ("wrapped", "job-file-not-copied"),
}
"""Variants whose answer is another one; they leave this table when it is the same."""
LARGE = SAMPLES[::6]
"""Enough of those that are embedded in 20,000 lines: each takes a second."""


def answer(result: ScanResult) -> str | None:
    if result.answer is None:
        return None
    if result.answer.kind is AnswerList.DIAGNOSES:
        return result.diagnoses[result.answer.index].signature.id
    return result.unknown_errors[result.answer.index].title


def pairs() -> Iterator[object]:
    for name in VARIANTS:
        for log in LARGE if name == "embedded" else SAMPLES:
            if log.stem not in UNANSWERED:
                case = f"{name}-{log.stem}"
                xfail = [pytest.mark.xfail] if (name, log.stem) in SHORT else []
                yield pytest.param(name, log, marks=[*in_turn(case), *xfail], id=case)


@pytest.fixture(scope="module")
def expected(automaton: Automaton) -> Callable[[Path], str | None]:
    @cache
    def found(log: Path) -> str | None:
        return answer(scan_text(automaton, log.read_bytes().decode("utf-8", "replace")))

    return found


@pytest.mark.parametrize(("name", "log"), list(pairs()))
def test_the_first_diagnosis_is_the_same(
    automaton: Automaton, expected: Callable[[Path], str | None], name: str, log: Path
) -> None:
    """For each variant and each failing sample log."""
    lines = log.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    result = scan_text(automaton, "\n".join(line.text for line in VARIANTS[name](lines)))
    assert (answer(result), expected(log) is not None) == (expected(log), True)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_knows_where_its_lines_come_from(name: str) -> None:
    """Each line of the log is there, in one or several places, and none that is not."""
    lines = ["one " * 40, "two", "", "  three"]
    made = VARIANTS[name](lines)
    assert {line.origin for line in made} - {None} == {1, 2, 3, 4}
    joined = "".join(line.text for line in made if line.origin == 1)
    assert joined.count("one") >= 40


def test_a_message_with_quotes_is_the_same_in_json(automaton: Automaton) -> None:
    """For each example of one line: JSON escapes its quotes."""

    def ids(*lines: str) -> set[str]:
        return {
            each.signature.id for each in scan_text(automaton, "\n".join([*lines, ""])).diagnoses
        }

    quoted = [
        (signature.id, example.text.strip())
        for signature in automaton.database.signatures
        for example in signature.examples
        if '"' in example.text and "\n" not in example.text.strip()
    ]
    told = [(name, line) for name, line in quoted if name in ids("step 1", line)]
    assert len(told) > 100
    rest = {"stream": "stderr", "time": "2026-03-01T08:00:02.000000043Z"}
    for name, line in told:
        wrapped = [json.dumps({"log": f"{each}\n"} | rest) for each in ("step 1", line)]
        assert name in ids(*wrapped)
