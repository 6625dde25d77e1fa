"""The page of a rule, as `logdoctor explain` shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logdoctor.model import Language, SignatureDatabase
from logdoctor.reports.handbook.rule_page import PRIORITY_NAMES, rule_page
from logdoctor.reports.handbook.signature_page import related, signature_page
from logdoctor.reports.handbook.signature_rows import signature_row
from logdoctor.reports.handbook.styled import styled
from logdoctor.reports.run.painting import TextStyle
from logdoctor.signatures.lookup import Lookup
from logdoctor.texts.filling import placeholders
from logdoctor.verdict.proof import Priority
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
    assert set(PRIORITY_NAMES) == set(Priority)


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


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("KeyError node2pg", "roll-node-rank-without-placement-group"),
        ("batch_size < chunks", "dataproto-batch-smaller-than-chunks"),
        ("flash_attn ImportError", "flash-attn-extension-import-failed"),
        ("RayChannelTimeoutError", "ray-channel-timeout"),
        ("显存不足 vllm", "vllm-sampler-warmup-out-of-memory"),
        ("cuda oom", "cuda-out-of-memory"),
        ("no kernel image", "cuda-no-kernel-image"),
        ("nccl watchdg", "nccl-watchdog-timeout"),
        ("端口被占用", "sglang-port-in-use"),
    ],
)
def test_words_as_people_type_them_list_what_fits(
    database: SignatureDatabase, words: str, first: str
) -> None:
    """The best first, also where one is mistyped; telling ones are a guess where they are pasted
    as a log.
    """
    lookup = Lookup(database.signatures)
    assert lookup.find(words)[0].signature.id == first
    guessed = [each.signature.id for each in lookup.guess(words)]
    assert guessed[:1] in ([], [first])


def test_of_equal_ones_the_one_with_most_forms_is_first(database: SignatureDatabase) -> None:
    """Frameworks refine what their users meet most."""
    found = [each.signature.id for each in Lookup(database.signatures).find("oom")]
    assert (found[0], "ascend-out-of-memory" in found) == ("cuda-out-of-memory", True)


@pytest.mark.parametrize(
    "words", ["all is well", "training finished", "step 1 loss 0.5", "hello world", "", "12 3.5"]
)
def test_what_everybody_prints_is_no_guess(database: SignatureDatabase, words: str) -> None:
    """It stays the all-clear."""
    assert Lookup(database.signatures).guess(words) == []


def test_explain_takes_words_and_any_spelling_of_an_id(run_cli: RunCli) -> None:
    """A message leads to what recognises it."""
    listed = run_cli("explain", "KeyError", "node2pg").stdout.decode().splitlines()
    assert listed[:2] == [
        "Signatures that fit these words",
        "  logdoctor explain roll-node-rank-without-placement-group",
    ]
    message = run_cli("explain", "AssertionError: batch_size 32 < chunks 64").stdout.decode()
    assert message.splitlines()[1] == "  logdoctor explain dataproto-batch-smaller-than-chunks"
    pages = [run_cli("explain", *words).stdout for words in (["KEY_MISSING"], ["key-missing"])]
    assert pages[0] == pages[1] != b""


def test_a_short_form_pasted_alone_is_a_guess(run_cli: RunCli) -> None:
    """And said to be one, not the all-clear."""
    done = run_cli("scan", stdin=b"RayChannelTimeoutError\n").stdout.decode().splitlines()
    assert done[:2] == [
        "Too short for a diagnosis. A guess, by the words alone:",
        "  logdoctor explain ray-channel-timeout",
    ]


def test_the_page_says_what_to_do_before_what_was_seen(run_cli: RunCli) -> None:
    """As Markdown in a pipe, and as data."""
    page = run_cli("explain", "cuda-out-of-memory").stdout.decode()
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings[:3] == ["## Cause", "## Remedies", "## What is seen"]
    row = json.loads(run_cli("explain", "cuda-out-of-memory", "--format", "json").stdout)
    assert (row["signature_id"], row["remedies"] != []) == ("cuda-out-of-memory", True)
    rule = json.loads(run_cli("explain", "after-the-end", "--format", "json").stdout)
    assert rule["rule_id"] == "after-the-end"


def test_data_have_every_condition(database: SignatureDatabase) -> None:
    """Of whatever kind."""
    untold = [
        (each.id, remedy.when)
        for each in database.signatures
        for remedy, row in zip(
            each.remedies, signature_row(each, Language.EN)["remedies"], strict=True
        )
        if len(row["when"]) != sum(map(bool, remedy.when))
    ]
    assert untold == []


def test_a_page_on_a_terminal_has_no_marks(database: SignatureDatabase) -> None:
    """And fits it."""
    signature = database.find("key-missing")
    assert signature
    page = signature_page(signature, related(database)[signature.id], Language.EN)
    text = styled(page, TextStyle(width=80))
    assert ("## " in text, "```" in text) == (False, False)
    texts = [each.text for each in signature.examples]
    texts += [each.text for each in signature.counterexamples]
    code = {f"    {line}" for text in texts for line in text.splitlines()}
    assert all(len(line) <= 80 or line in code or "http" in line for line in text.splitlines())


UNKNOWN = """Traceback (most recent call last):
  File "/opt/qux/loss.py", line 88, in split
    assert len(x) == self.batch_size, (len(x), self.batch_size)
AssertionError: (7, 8)
"""


@pytest.fixture
def met(run_cli: RunCli, tmp_path: Path) -> tuple[Path, str]:
    """A store of two runs with an error that no signature knows, and its fingerprint."""
    for name in ("2026-11-20-a", "2026-11-21-b"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "train.log").write_text(UNKNOWN)
    store = tmp_path / "runs.sqlite"
    run_cli("batch", str(tmp_path / "runs"), "--store", str(store))
    scanned = run_cli("scan", "-", "--format", "json", stdin=UNKNOWN.encode())
    return store, json.loads(scanned.stdout)["unknown_errors"][0]["fingerprint"]


def test_a_fingerprint_has_the_page_of_its_error(run_cli: RunCli, met: tuple[Path, str]) -> None:
    """In how many runs since when, where it stands, what to look at, and what was noted."""
    store, name = met
    run_cli("note", name, "fixed by drop_last", "--store", str(store))
    page = run_cli("explain", name, "--store", str(store)).stdout.decode()
    assert page.startswith("# AssertionError: (7, 8)\n")
    for said in ("Runs with it: 2", "2026-11-20", "train.log:4", "fixed by drop_last", "split"):
        assert said in page
    row = json.loads(run_cli("explain", name, "--store", str(store), "--format", "json").stdout)
    assert (row["fingerprint"], row["since"], len(row["runs"])) == (name, "2026-11-20", 2)
    chinese = run_cli("explain", name, "--store", str(store), "--lang", "zh").stdout.decode()
    assert "出现过的运行：2" in chinese


def test_a_fingerprint_alone_is_answered_by_where_to_ask(
    run_cli: RunCli, met: tuple[Path, str]
) -> None:
    """Without a store, with one that is not there, with one that has not met it."""
    store, name = met
    refused = [
        run_cli("explain", *words)
        for words in (
            (name,),
            (name, "--store", f"{store}.not"),
            ("0123456789ab", "--store", str(store)),
        )
    ]
    assert [each.returncode for each in refused] == [2, 2, 2]
    said = [each.stderr.decode() for each in refused]
    assert "with --store FILE its page is shown" in " ".join(said[0].split())
    assert "no such store" in said[1]
    assert "no run in it has the error 0123456789ab" in said[2]
