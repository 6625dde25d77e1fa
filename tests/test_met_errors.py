"""Errors that people met, each behind the end of a traceback."""

from __future__ import annotations

import pytest

from benchmarks.texts.met_errors import MetError, met_errors
from logdoctor.model import SignatureDatabase
from logdoctor.search.automaton import Automaton
from scripts.coverage_page import Knowledge, knowledge_of

ERRORS = met_errors()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.message[:60])
def test_what_is_said_of_it_is_not_wrong(error: MetError, automaton: Automaton) -> None:
    level = knowledge_of(error, automaton)
    assert level is (Knowledge.OWN if error.answer else level)
    assert level is not Knowledge.WRONG


def test_answers_are_signatures(database: SignatureDatabase) -> None:
    ids = {signature.id for signature in database.signatures}
    assert {error.answer for error in ERRORS} - {""} <= ids


def test_messages_are_drawn_once() -> None:
    sites = [(error.library, error.at, error.message) for error in ERRORS]
    assert len(set(sites)) == len(sites)
