"""An unknown error becomes a signature, and a team keeps what it knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.patterns.templates import parse_template
from logdoctor.signatures.drafting import template_of
from logdoctor.signatures.reading import load_signatures
from tests.conftest import RunCli

FULL = "RingOverflowError: replay ring {} holds {} samples and was given {} more"


@pytest.mark.parametrize(
    ("messages", "text", "captures"),
    [
        (
            [FULL.format(3, 4096, 512)],
            FULL.format("{ring:int}", "{holds:int}", "{given:int}"),
            {"ring": "3", "holds": "4096", "given": "512"},
        ),
        (
            ["no worker alpha in pool", "no worker gamma in pool"],
            "no worker {worker:word} in pool",
            {"worker": "alpha"},
        ),
        (
            ["rate 0.5 is odd", "rate 1e-3 is odd"],
            "rate {rate:number} is odd",
            {"rate": "0.5"},
        ),
        (["cannot read /data/a/b.bin"], "cannot read {read:word}", {"read": "/data/a/b.bin"}),
        (["it says {x} 7 times"], "it says {{x}} {says:int} times", {"says": "7"}),
    ],
)
def test_slots_stand_where_occurrences_differ(
    messages: list[str], text: str, captures: dict[str, str]
) -> None:
    """And where numbers and paths do, each with the narrowest type."""
    assert template_of(messages) == (text, captures)


words = st.lists(
    st.one_of(
        st.sampled_from(["worker", "ring", "of", "{x}", "holds"]), st.integers(0, 999).map(str)
    ),
    min_size=3,
    max_size=9,
)


@given(words, st.integers(0, 999))
def test_a_drafted_template_fits_what_it_came_from(parts: list[str], number: int) -> None:
    """Each message, to the letter."""
    first = " ".join(["an error:", *parts])
    messages = [first, re.sub(r"\d+", str(number), first)]
    template = parse_template(template_of(messages).text)
    for message in messages:
        found = template.compare(message, is_exact=True)
        assert found is not None, template


def commands_of(page: str) -> list[list[str]]:
    return [line.split()[2:] for line in page.splitlines() if line.startswith("$ logdoctor ")]


@pytest.fixture
def folder(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tutorial, with its log."""
    page = (repository / "docs" / "write-a-signature.md").read_text(encoding="utf-8")
    log = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    assert log
    (tmp_path / "train.log").write_text(log[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tutorial_is_true(run_cli: RunCli, repository: Path, folder: Path) -> None:
    """Its commands, word for word, with what it says is to be written, end with a passing check."""
    page = (repository / "docs" / "write-a-signature.md").read_text(encoding="utf-8")
    scan, new, check = commands_of(page)[:3]
    shown = run_cli(*scan).stdout.decode().splitlines()[0]
    assert shown in page
    assert run_cli(*new).returncode == 0
    draft = folder / "ring-overflow.yaml"
    unwritten = run_cli(*check)
    assert (unwritten.returncode, unwritten.stderr.count(b"left to write")) == (2, 8)
    block = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert block
    written: dict[str, Any] = yaml.safe_load(draft.read_text(encoding="utf-8"))
    written.update(yaml.safe_load(block[1]))
    assert "TODO" not in json.dumps(written)
    draft.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
    done = run_cli(*check)
    assert (done.returncode, done.stdout.decode().splitlines()[-1] in page) == (0, True), done
    known = run_cli("scan", "--signatures", draft, "--format", "json", "train.log")
    (diagnosis,) = json.loads(known.stdout)["diagnoses"]
    assert (diagnosis["signature_id"], diagnosis["captures"]["holds"]) == ("ring-overflow", "4096")


def test_a_draft_has_the_whole_traceback_and_the_line_above(run_cli: RunCli, folder: Path) -> None:
    """Of the line that is asked for; it loads as it is."""
    log = (folder / "train.log").read_text(encoding="utf-8")
    other = log.replace("ring 3 holds 4096", "ring 7 holds 64")
    (folder / "both.log").write_text(log + other, encoding="utf-8")
    done = run_cli("signatures", "new", "ring-overflow", "--from", "both.log:16")
    (folder / "ring-overflow.yaml").write_bytes(done.stdout)
    (signature,) = load_signatures([folder / "ring-overflow.yaml"]).signatures
    (example,), (near,) = signature.examples, signature.counterexamples
    assert example.text.strip().splitlines() == other.splitlines()[2:]
    assert (near.text, example.captures["ring"]) == (other.splitlines()[1], "7")


def test_what_cannot_be_drafted_is_said(run_cli: RunCli, folder: Path) -> None:
    """In words."""
    (folder / "good.log").write_text("step 1 loss 0.5\n", encoding="utf-8")
    for words in (["--from", "good.log"], ["--from", "train.log:1"], ["--from", "gone.log"]):
        done = run_cli("signatures", "new", "x", *words)
        assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)


def test_a_team_keeps_what_it_knows(run_cli: RunCli, folder: Path) -> None:
    """Notes are told when an error is met again, by every reader, and stores can be joined."""
    log = (folder / "train.log").read_bytes()
    for day in ("2026-11-20-a", "2026-11-21-b"):
        (folder / "runs" / day).mkdir(parents=True)
        (folder / "runs" / day / "train.log").write_bytes(log)
    batch = run_cli("batch", "runs", "--store", "runs.sqlite", "--format", "json")
    (error,) = json.loads(batch.stdout)["unknown_errors"]
    assert json.loads(batch.stdout)["without_signature"] == {"runs": 2, "failed": 2}
    fingerprint = error["fingerprint"]
    text = "fixed by raising ring_size to 8192"
    assert run_cli("note", fingerprint, text, "--store", "other.sqlite").returncode == 0
    joined = run_cli("note", "--join", "other.sqlite", "--store", "runs.sqlite")
    assert b"0 runs, 1 notes" in joined.stderr
    seen = run_cli("scan", "train.log", "--store", "runs.sqlite").stdout.decode()
    expected = "seen in 2 runs, since 2026-11-20, last fixed by: raising ring_size to 8192"
    assert expected in seen
    document = json.loads(
        run_cli("scan", "train.log", "--store", "runs.sqlite", "--format", "json").stdout
    )
    assert document["unknown_errors"][0]["seen_before"] == {
        "runs": 2, "since": "2026-11-20", "fixed_by": "raising ring_size to 8192",
    }  # fmt: skip
    again = run_cli("batch", "runs", "--store", "runs.sqlite").stdout.decode()
    assert (text in again, "100 % of the failed ones without a signature" in again) == (True, True)
    tailed = run_cli("tail", "train.log", "--until-idle", "0.2", "--store", "runs.sqlite")
    assert expected in tailed.stdout.decode()
    gone = run_cli("scan", "train.log", "--store", "gone.sqlite")
    assert (gone.returncode, (folder / "gone.sqlite").exists()) == (2, False)
    drafted = run_cli("signatures", "new", "x", "--store", "runs.sqlite", "--from", fingerprint)
    assert b"replay ring {ring:int} holds" in drafted.stdout


def test_joined_runs_are_counted_once(run_cli: RunCli, folder: Path) -> None:
    """However often a store is taken over."""
    for name in ("a", "b"):
        (folder / name / "run-1").mkdir(parents=True)
        (folder / name / "run-1" / "train.log").write_bytes((folder / "train.log").read_bytes())
        run_cli("batch", name, "--store", f"{name}.sqlite")
    for expected in (b"1 runs", b"0 runs"):
        assert expected in run_cli("note", "--join", "b.sqlite", "--store", "a.sqlite").stderr
    seen = run_cli("scan", "train.log", "--store", "a.sqlite").stdout.decode()
    assert "seen in 2 runs" in seen
