"""The page of a rule, as `logdoctor explain` shows it."""

from __future__ import annotations

import pytest

from logdoctor.model import Language
from logdoctor.reports.handbook.rule_page import PLACE_NAMES, rule_page
from logdoctor.verdict.proof import Place
from logdoctor.verdict.remedies import placeholders
from logdoctor.verdict.rule import Rule
from logdoctor.verdict.rules.registry import rules
from tests.conftest import RunCli


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_has_a_page(rule: Rule, language: Language) -> None:
    """Its sentence, why it holds, logs on which it fires and near misses."""
    page = rule_page(rule, language)
    assert page.startswith(f"# {rule.id}\n")
    for text in (rule.meaning, *rule.fires, *rule.silent):
        assert text.strip() in page
    names = placeholders(rule.says.in_language(language))
    assert names
    assert all(f"<{name}>" in page for name in names)


def test_every_place_among_the_candidates_has_a_name() -> None:
    """A rule may prove each of them."""
    assert set(PLACE_NAMES) == set(Place)


def test_explain_knows_rules(run_cli: RunCli) -> None:
    """In both languages."""
    english, chinese = (
        run_cli("explain", "after-the-end", "--lang", language).stdout.decode()
        for language in ("en", "zh")
    )
    assert "\n## Where it holds\n" in english
    assert "\n## 成立的例子\n" in chinese


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("after-teh-end", "did you mean after-the-end"),
        ("channel-timeouts", "did you mean ray-channel-timeout"),
        ("frobnicate", "logdoctor signatures list shows all signatures"),
    ],
)
def test_a_mistyped_id_gets_near_ones_of_rules_and_signatures(
    run_cli: RunCli, name: str, said: str
) -> None:
    """The nearest first; where nothing is near, where ids are listed."""
    done = run_cli("explain", name)
    assert done.returncode == 2
    assert f'no signature, rule or relation "{name}"; {said}' in done.stderr.decode()
