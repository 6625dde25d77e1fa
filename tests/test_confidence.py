"""The confidence of a diagnosis is the measured share of its class."""

from __future__ import annotations

import itertools

import pytest

from logdoctor.matching.rivals import Home
from logdoctor.model import MatchKind, Role, Severity
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.confidence import CLASSES, SHORT, UNMEASURED, evidence_class

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free.\n"


def test_every_class_has_its_number(automaton: Automaton) -> None:
    """Whatever the signature and its match are like."""
    signature = automaton.database.find("cuda-out-of-memory")
    assert signature is not None
    classes = {
        evidence_class(signature._replace(role=role, severity=severity), kind, weight, home)
        for role, severity, kind, weight, home in itertools.product(
            Role, Severity, MatchKind, (SHORT - 1, SHORT), Home
        )
    }
    assert classes == set(CLASSES)


@pytest.mark.parametrize(
    ("log", "grounds"),
    [
        (OOM, "cause, fatal"),
        (
            "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n",
            "wrapper",
        ),
    ],
)
def test_the_diagnosis_names_its_grounds(automaton: Automaton, log: str, grounds: str) -> None:
    """And takes its confidence from them."""
    diagnosis = scan_text(automaton, log).diagnoses[0]
    assert (diagnosis.grounds, diagnosis.confidence) == (grounds, CLASSES[grounds])


def test_few_answers_promise_little() -> None:
    """A certain match of a known cause is worth most."""
    assert max(CLASSES.values()) == CLASSES["cause, fatal"] > CLASSES["wrapper"] > UNMEASURED
