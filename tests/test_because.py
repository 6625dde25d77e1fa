"""Why a finding has its verdict, as each report shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.texts.sample_archive import batch_document
from logdoctor.archive.judging import JudgedRun
from logdoctor.archive.records import make_record, read_document
from logdoctor.document.document import document
from logdoctor.model import Language, LocalText, Reason, ScanResult, Verdict
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.html.archive import BatchDocuments, archive_data
from logdoctor.reports.html.run import run_data
from logdoctor.reports.run.layout import columns
from logdoctor.reports.run.markdown import render_markdown
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.rules.registry import rules
from tests.conftest import RunCli

RECOVERED = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free.\n"
STEPS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 5))
UNKNOWN = "somelib.errors.OddShardError: shard 7 is odd\n"
DEAD = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n\tclass_name: WorkerDict\n"
LOG = RECOVERED + STEPS + UNKNOWN + DEAD
SOURCE = "logs/of/a/run/with/a/long/name/train.log"
FIRST = Reason(
    "survived-by-steps",
    LocalText("the run made 4 more steps", "此后训练又前进了 4 步"),
    SOURCE,
    2,
)
SECOND = Reason("no-end", LocalText("it is not the end", "这不是结尾"), SOURCE, 5)


@pytest.fixture
def result(automaton: Automaton) -> ScanResult:
    """A recovered error, the root without a signature, and what followed; each for two reasons."""
    found = scan_text(automaton, LOG)
    because = (FIRST, SECOND)
    return found._replace(
        diagnoses=tuple(each._replace(because=because) for each in found.diagnoses),
        unknown_errors=tuple(each._replace(because=because) for each in found.unknown_errors),
    )


def test_json_has_all_reasons(result: ScanResult) -> None:
    """Of diagnoses and of errors without a signature, in the language of the document."""
    for language, text in ((Language.EN, FIRST.text.en), (Language.ZH, FIRST.text.zh)):
        whole = document(result, language, "0")
        found = [*whole["diagnoses"], *whole["unknown_errors"]]
        assert len(found) == 3
        for each in found:
            assert [row["rule"] for row in each["because"]] == ["survived-by-steps", "no-end"]
            assert each["because"][0] == {
                "rule": "survived-by-steps",
                "text": text,
                "source": SOURCE,
                "line": 2,
            }


def test_json_has_the_next_steps_of_an_error_without_a_signature(result: ScanResult) -> None:
    """In the language of the document."""
    (error,) = result.unknown_errors
    for language in Language:
        (row,) = document(result, language, "0")["unknown_errors"]
        assert row["next_steps"] == [step.in_language(language) for step in error.next_steps]
        assert row["next_steps"]


def test_a_stored_run_of_an_older_logdoctor_has_no_reasons(
    result: ScanResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its documents are read with empty ones; those of today as they were stored."""
    judged = JudgedRun("run", result, (), ())
    assert read_document(make_record(judged, "run", "0"), Language.ZH) == document(
        result, Language.ZH, "0"
    )

    def older(*arguments: Any) -> dict[str, Any]:
        whole = document(*arguments)
        for row in (*whole["diagnoses"], *whole["unknown_errors"]):
            del row["because"]
        for row in whole["unknown_errors"]:
            del row["next_steps"], row["package"]
        return whole

    monkeypatch.setattr("logdoctor.archive.records.document", older)
    read = read_document(make_record(judged, "run", "0"), Language.EN)
    assert [row["because"] for row in (*read["diagnoses"], *read["unknown_errors"])] == [[], [], []]
    assert [row["next_steps"] for row in read["unknown_errors"]] == [[]]
    assert [row["package"] for row in read["unknown_errors"]] == [None]


@pytest.mark.parametrize("language", list(Language))
def test_the_text_report_has_the_deciding_reason_of_the_root(
    result: ScanResult, language: Language
) -> None:
    """What followed from it stands below words that say so, and harmless things are counted."""
    lines = render_text(result, TextStyle(language, 100)).splitlines()
    (shown,) = [line for line in lines if FIRST.text.in_language(language) in line]
    assert shown.endswith(f" · {SOURCE}:2")
    assert not any(SECOND.text.in_language(language) in line for line in lines)


@pytest.mark.parametrize("language", list(Language))
def test_what_stands_beside_the_root_says_why(result: ScanResult, language: Language) -> None:
    """Each thing in its own words."""
    diagnoses = tuple(
        each._replace(verdict=Verdict.INDEPENDENT) if each.verdict is Verdict.CONSEQUENCE else each
        for each in result.diagnoses
    )
    text = render_text(result._replace(diagnoses=diagnoses), TextStyle(language, 100))
    assert text.count(FIRST.text.in_language(language)) == 2


def test_a_line_of_the_same_source_needs_no_name(result: ScanResult) -> None:
    """The sentence has its number."""
    (error,) = result.unknown_errors
    here = FIRST._replace(source=error.evidence[0].source)
    result = result._replace(unknown_errors=(error._replace(because=(here,)),))
    assert "  because: the run made 4 more steps" in render_text(result, TextStyle()).splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_long_reason_is_told_whole(result: ScanResult, width: int) -> None:
    """In lines that fit the terminal."""
    (error,) = result.unknown_errors
    source = error.evidence[0].source
    long = Reason("long", LocalText(" ".join(["step"] * 40), "步" * 90), source, 2)
    result = result._replace(unknown_errors=(error._replace(because=(long,)),))
    for language, word, count in ((Language.EN, "step", 40), (Language.ZH, "步", 90)):
        lines = render_text(result, TextStyle(language, width)).splitlines()
        (first,) = [i for i, line in enumerate(lines) if line.startswith(("  because", "  依据"))]
        said = lines[first : lines.index("", first)]
        assert sum(line.count(word) for line in said) == count
        assert max(columns(line) for line in said) <= width


@pytest.mark.parametrize("language", list(Language))
def test_why_shows_all_reasons_of_everything(result: ScanResult, language: Language) -> None:
    """Harmless things included, each with its rule, which `explain` knows."""
    lines = render_text(result, TextStyle(language, 120, show_why=True)).splitlines()
    for reason in (FIRST, SECOND):
        shown = [line for line in lines if reason.text.in_language(language) in line]
        assert [f" · {SOURCE}:{reason.line} · " in line for line in shown] == [True] * 3
        assert [line.endswith(reason.rule) for line in shown] == [True] * 3


def test_markdown_has_the_deciding_reason_and_all_where_asked_for(result: ScanResult) -> None:
    """Of the root as a paragraph, of everything else below its line."""
    first = f"because: the run made 4 more steps (`{SOURCE}:2`, `survived-by-steps`)"
    second = f"because: it is not the end (`{SOURCE}:5`, `no-end`)"
    brief = render_markdown(result, Language.EN).splitlines()
    whole = render_markdown(result, Language.EN, show_why=True).splitlines()
    assert [line for line in brief if "because" in line] == [first, f"  - {first}", f"  - {first}"]
    assert [line for line in whole if "because" in line] == [
        *(first, second),
        *(f"  - {first}", f"  - {second}") * 2,
    ]


def test_a_finding_without_reasons_has_no_line_for_them(automaton: Automaton) -> None:
    """Nothing is said where nothing is known."""
    found = scan_text(automaton, LOG)
    found = found._replace(
        diagnoses=tuple(each._replace(because=()) for each in found.diagnoses),
        unknown_errors=tuple(each._replace(because=()) for each in found.unknown_errors),
    )
    texts = [render_text(found, TextStyle(show_why=True)), render_markdown(found, Language.EN)]
    assert ["because" in text for text in texts] == [False, False]


def test_a_page_has_all_reasons_in_both_languages(result: ScanResult) -> None:
    """Of everything found."""
    data = run_data(result, "0")
    found = [*data["diagnoses"], *data["unknown_errors"]]
    assert [[row["text"] for row in each["because"]] for each in found] == [
        [FIRST.text._asdict(), SECOND.text._asdict()]
    ] * 3


def test_the_page_of_an_archive_has_the_reasons_of_each_run(result: ScanResult) -> None:
    """In both languages."""
    english, chinese = (batch_document({"run": document(result, each, "0")}) for each in Language)
    rows = archive_data(BatchDocuments(english, chinese), "0")["rows"]
    assert [[row["text"] for row in each["because"]] for each in rows] == [
        [FIRST.text._asdict(), SECOND.text._asdict()]
    ] * len(rows)
    assert {row["verdict"] for row in rows} == {"root_cause", "consequence", "recovered"}


def told(document: Any) -> list[tuple[str, list[str]]]:
    """Each verdict of a document with the rules that decided it."""
    rows = (*document["diagnoses"], *document["unknown_errors"])
    return [(row["verdict"], [reason["rule"] for reason in row["because"]]) for row in rows]


def test_every_verdict_of_a_scan_is_that_of_a_rule(run_cli: RunCli, automaton: Automaton) -> None:
    """In JSON: each has reasons, whose rules `explain` knows and whose lines are in the log."""
    done = run_cli("scan", "--format", "json", stdin=LOG.encode())
    whole = json.loads(done.stdout)
    found = (*whole["diagnoses"], *whole["unknown_errors"])
    known = {rule.id for rule in rules()}
    assert {each["verdict"] for each in found} == {"root_cause", "consequence", "recovered"}
    for each in found:
        assert each["because"]
        for reason in each["because"]:
            assert reason["rule"] in known
            assert (reason["source"], 1 <= reason["line"] <= 8) == ("<stdin>", True)
    assert told(whole) == told(document(scan_text(automaton, LOG), Language.EN, "0"))


def test_every_format_of_a_scan_says_why(run_cli: RunCli) -> None:
    """The recovered error's reason: steps that followed, the first in line 2."""

    def scan(form: str, *options: str) -> str:
        return run_cli("scan", "--format", form, *options, stdin=LOG.encode()).stdout.decode()

    (recovered,) = [
        each for each in json.loads(scan("json"))["diagnoses"] if each["verdict"] == "recovered"
    ]
    reason = recovered["because"][0]
    assert reason["line"] == 2
    rows = [json.loads(line) for line in scan("jsonl").splitlines()]
    assert reason in [each for row in rows if "signature_id" in row for each in row["because"]]
    assert reason["text"] not in scan("text")
    shown = scan("text", "--why")
    assert f"{reason['text']} · rule {reason['rule']}" in " ".join(shown.split())
    assert f"because: {reason['text']} (`<stdin>:2`, `{reason['rule']}`)" in scan("markdown")
    assert reason["text"] in scan("html")


def test_every_format_of_a_batch_says_why(run_cli: RunCli, tmp_path: Path) -> None:
    """Of each run; JSON and JSON lines, and the page."""
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "train.log").write_text(LOG, encoding="utf-8")
    page = tmp_path / "page.html"
    batch = ("batch", str(tmp_path / "runs"), "--html", str(page))
    (run,) = json.loads(run_cli(*batch, "--format", "json").stdout)["runs"]
    first, summary = run_cli(*batch, "--format", "jsonl").stdout.splitlines()
    assert json.loads(first) == run
    assert run["verdict"]["because"]
    assert (
        run["verdict"]["next_steps"]
        == json.loads(summary)["summary"]["unknown_errors"][0]["next_steps"]
    )
    for each in run["diagnoses"]:
        assert each["because"]
        assert each["because"][0]["text"] in page.read_text(encoding="utf-8")
