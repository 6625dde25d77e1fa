"""Every rule of the verdict fires on its texts, and is silent on its near misses."""

from __future__ import annotations

import re

import pytest

from logdoctor.model import Diagnosis, ScanResult, UnknownError
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.rule import Rule, expanded
from logdoctor.verdict.rules.registry import ORDER, rules


def scanned(automaton: Automaton, sample: str) -> ScanResult:
    scan = Scan(automaton)
    for name, text in expanded(sample).items():
        scan.read(name, [text.encode()])
    return scan.result()


def findings(result: ScanResult) -> tuple[Diagnosis | UnknownError, ...]:
    return (*result.diagnoses, *result.unknown_errors)


def named(result: ScanResult) -> set[str]:
    return {reason.rule for each in findings(result) for reason in each.because}


CASES = [
    pytest.param(rule, sample, id=f"{rule.id}-{number}")
    for rule in rules()
    for number, sample in enumerate(rule.fires)
]
MISSES = [
    pytest.param(rule, sample, id=f"{rule.id}-{number}")
    for rule in rules()
    for number, sample in enumerate(rule.silent)
]


@pytest.mark.parametrize(("rule", "sample"), CASES)
def test_a_rule_fires_on_its_texts(automaton: Automaton, rule: Rule, sample: str) -> None:
    """A finding names it, with a line that there is, and a sentence with everything filled in."""
    result, logs = scanned(automaton, sample), expanded(sample)
    reasons = [each for found in findings(result) for each in found.because if each.rule == rule.id]
    assert reasons, named(result)
    for reason in reasons:
        assert 1 <= reason.line <= logs[reason.source].count("\n")
        assert not re.search(r"[{}]|None", reason.text.en + reason.text.zh)


@pytest.mark.parametrize(("rule", "sample"), MISSES)
def test_a_rule_is_silent_on_its_near_misses(automaton: Automaton, rule: Rule, sample: str) -> None:
    """Something is found in them, and another rule decides."""
    result = scanned(automaton, sample)
    assert findings(result)
    assert rule.id not in named(result)


@pytest.mark.parametrize(("rule", "sample"), CASES)
def test_every_finding_says_why(automaton: Automaton, rule: Rule, sample: str) -> None:
    """The deciding rule first: what it proves is the finding's verdict."""
    proves = {each.id: each.proves for each in rules()}
    for found in findings(scanned(automaton, sample)):
        assert found.because
        assert proves[found.because[0].rule] is found.verdict


def test_the_registry_has_each_rule_once_under_its_own_name() -> None:
    """Its id is its file's name, and in the order is what the file says."""
    ids = [rule.id for rule in rules()]
    assert ids == [row.rule for row in ORDER]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_is_whole(rule: Rule) -> None:
    """It says what it means, has a sample of each kind, and the same names in both languages."""
    assert rule.meaning.splitlines()[0].endswith((".", "."))
    assert rule.fires
    assert rule.silent
    names = [sorted(set(re.findall(r"\{(\w+)\}", text))) for text in rule.says]
    assert names[0] == names[1]
