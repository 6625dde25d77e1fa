"""What CI and monitoring read: annotations of GitHub, OpenMetrics, JUnit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from prometheus_client.openmetrics import parser as openmetrics_parser
from prometheus_client.parser import text_string_to_metric_families

from logdoctor.texts.annotations import annotation
from logdoctor.texts.openmetrics import Gauge, exposition
from tests.conftest import RunCli

SAMPLE = "sample_logs/chatlearn-ray-channel-timeout.log"
HEALTHY = "step:1 - loss:0.5\nstep:2 - loss:0.4\nstep:3 - loss:0.3\n"
SHORT = "AssertionError: batch_size 32 < chunks 64\n"
UNKNOWN = """\
Traceback (most recent call last):
  File "/home/u/train.py", line 5, in <module>
    main()
ValueError: 100% of <rows> are "bad",
 %0A::error::no :: command
"""


def read(text: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """The samples of a text by metric and labels, as both of prometheus_client's parsers have them."""
    found: list[dict[str, dict[tuple[tuple[str, str], ...], float]]] = []
    for parse in (
        text_string_to_metric_families,
        openmetrics_parser.text_string_to_metric_families,
    ):
        by_name: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
        for family in parse(text):
            assert (family.type, bool(family.documentation)) == ("gauge", True)
            by_name[family.name] = {
                tuple(sorted(each.labels.items())): each.value for each in family.samples
            }
            assert len(by_name[family.name]) == len(family.samples)
        found.append(by_name)
    assert found[0] == found[1]
    return found[0]


def test_an_annotation_is_one_line_whatever_is_in_it() -> None:
    """As GitHub's own toolkit escapes: in properties colons and commas as well."""
    assert annotation("error", "a: b, 100%", "x\r\n::error::y", file="a,b:c.log", line=3) == (
        "::error file=a%2Cb%3Ac.log,line=3,title=a%3A b%2C 100%25::x%0D%0A::error::y\n"
    )
    assert annotation("notice", "t", "x", file=None, line=3) == "::notice title=t::x\n"


def test_annotations_stand_at_the_line_that_proves(run_cli: RunCli, repository: Path) -> None:
    """The root cause as an error with its first remedy; what follows from it is none of its own."""
    told = run_cli("scan", "--format", "github", repository / SAMPLE).stdout.decode()
    first, *others = told.splitlines()
    assert first.startswith(
        f"::error file={repository / SAMPLE},line=81,title=vLLM rollout of ChatLearn timed out"
    )
    assert first.endswith("%0Alogdoctor explain chatlearn-ray-channel-timeout")
    assert "→ Set models.policy.enforce_eager=True" in first
    assert [each for each in others if not each.startswith("::warning file=")] == []


def test_a_setting_that_is_compared_is_no_value(run_cli: RunCli) -> None:
    """It stands as it does in the text report."""
    told = run_cli(
        "scan", "--format", "github", stdin=b"AssertionError: batch_size 32 < chunks 64\n"
    ).stdout.decode()
    assert "%0A  rollout_batch_size >= 64 / num_return_sequences_in_group%0A" in told


def test_a_log_cannot_command_github(run_cli: RunCli, tmp_path: Path) -> None:
    """Not by a line that looks like a command, and not by what it has escaped itself."""
    log = tmp_path / "train.log"
    log.write_text(UNKNOWN, encoding="utf-8")
    told = run_cli("scan", "--format", "github", log).stdout.decode()
    assert [line for line in told.splitlines() if not line.startswith("::error file=")] == []
    assert '100%25 of <rows> are "bad",' in told


def test_a_job_gets_a_summary_and_a_healthy_run_a_notice(run_cli: RunCli, tmp_path: Path) -> None:
    """The Markdown report, behind what other steps have written."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary)}
    done = run_cli("scan", "--format", "github", stdin=HEALTHY.encode(), environment=environment)
    assert (
        done.stdout.decode()
        == "::notice title=logdoctor::? No error found, no end seen · lines read: 3 · last step 3\n"
    )
    run_cli(
        "scan", "--format", "github", "--lang", "zh", stdin=SHORT.encode(), environment=environment
    )
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n## No error found, no end seen")
    assert "dataproto-batch-smaller-than-chunks" in text


def test_a_summary_that_cannot_be_written_is_said(run_cli: RunCli, tmp_path: Path) -> None:
    """The annotations come all the same."""
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path)}
    done = run_cli("scan", "--format", "github", stdin=SHORT.encode(), environment=environment)
    assert done.stderr.decode() == "logdoctor: GITHUB_STEP_SUMMARY: is a directory\n"
    assert (done.returncode, done.stdout[:8]) == (1, b"::error ")


def test_labels_are_read_as_they_were_written() -> None:
    """Quotes, backslashes, line ends."""
    text = 'C:\\new "x"\nüñ'
    assert read(exposition([Gauge("a", "Says.", [({"run": text}, 1.5), ({}, 2)])])) == {
        "a": {(("run", text),): 1.5, (): 2.0}
    }


def test_metrics_of_a_run(run_cli: RunCli, tmp_path: Path) -> None:
    """Causes by signature, unknown errors by fingerprint, steps, and when the log last grew."""
    log = tmp_path / "train.log"
    log.write_text(HEALTHY + SHORT, encoding="utf-8")
    os.utime(log, (1.7e9, 1.7e9))
    out = tmp_path / "train.prom"
    done = run_cli("scan", "--format", "openmetrics", "-o", out, log)
    run = ("run", str(log))
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")

    assert read(out.read_text(encoding="utf-8")) == {
        "logdoctor_runs": {(run,): 1.0},
        "logdoctor_runs_failed": {(run,): 1.0},
        "logdoctor_causes": {
            (
                run,
                ("severity", "fatal"),
                ("signature", "dataproto-batch-smaller-than-chunks"),
                ("verdict", "root_cause"),
            ): 1.0
        },
        "logdoctor_unknown_errors": {},
        "logdoctor_lines_read": {(run,): 4.0},
        "logdoctor_sources_unreadable": {(run,): 0.0},
        "logdoctor_last_step": {(run,): 3.0},
        "logdoctor_last_write_timestamp_seconds": {(run,): 1.7e9},
        "logdoctor_silence_seconds": {},
    }


def test_metrics_of_a_healthy_run_and_of_an_unknown_error(run_cli: RunCli) -> None:
    """Both from stdin, where nobody knows when it was written."""
    healthy = read(
        run_cli("scan", "--format", "openmetrics", stdin=HEALTHY.encode()).stdout.decode()
    )
    assert healthy["logdoctor_runs_failed"] == {(("run", "-"),): 0.0}
    assert healthy["logdoctor_last_write_timestamp_seconds"] == healthy["logdoctor_causes"] == {}
    unknown = read(
        run_cli("scan", "--format", "openmetrics", stdin=UNKNOWN.encode()).stdout.decode()
    )
    assert unknown["logdoctor_runs_failed"] == {(("run", "-"),): 1.0}
    assert [dict(each)["verdict"] for each in unknown["logdoctor_unknown_errors"]] == ["root_cause"]


def test_metrics_replace_their_file_whole(run_cli: RunCli, tmp_path: Path) -> None:
    """Who has it open goes on reading the old one; nothing is left beside it."""
    folder = tmp_path / "textfile"
    folder.mkdir()
    out = folder / "train.prom"
    out.write_text("old 1\n", encoding="utf-8")
    with out.open(encoding="utf-8") as reader:
        run_cli("scan", "--format", "openmetrics", "-o", out, stdin=HEALTHY.encode())
        assert reader.read() == "old 1\n"
    assert read(out.read_text(encoding="utf-8"))["logdoctor_runs"] == {(("run", "-"),): 1.0}
    assert [each.name for each in folder.iterdir()] == ["train.prom"]


def test_tail_keeps_its_metrics_while_it_follows(tmp_path: Path) -> None:
    """A cause is in the file a second after its line, long before the end."""
    log, out = tmp_path / "train.log", tmp_path / "train.prom"
    log.write_text(HEALTHY, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "tail",
        "--format",
        "openmetrics",
        "-o",
        str(out),
        str(log),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tail:
        try:
            wait_for(lambda: out.exists() and "last_step{" in out.read_text(encoding="utf-8"))
            before = read(out.read_text(encoding="utf-8"))
            with log.open("a", encoding="utf-8") as file:
                file.write(SHORT)
            wait_for(lambda: "dataproto-batch" in out.read_text(encoding="utf-8"))
            after = read(out.read_text(encoding="utf-8"))
        finally:
            tail.terminate()
            said, _ = tail.communicate(timeout=60)
    run = ("run", str(log))
    assert before["logdoctor_runs_failed"] == {(run,): 0.0}
    assert before["logdoctor_silence_seconds"] == {(run,): 0.0}
    assert after["logdoctor_runs_failed"] == {(run,): 1.0}
    assert after["logdoctor_last_write_timestamp_seconds"][(run,)] == pytest.approx(
        time.time(), abs=120
    )
    assert said == b""
    assert read(out.read_text(encoding="utf-8"))["logdoctor_lines_read"] == {(run,): 4.0}


def wait_for(is_so: object) -> None:
    assert callable(is_so)
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Four runs: failed, failed with an unknown error, healthy, and one that cannot be read."""
    root = tmp_path / "archive"
    for name, text in {"a<1>": SHORT, "b": UNKNOWN + "\x1b[31m\x00\x0b\n", "c": HEALTHY}.items():
        (root / name).mkdir(parents=True)
        (root / name / "train.log").write_text(text, encoding="utf-8")
    (root / "d").mkdir()
    (root / "d" / "train.log.gz").write_bytes(b"\x1f\x8b broken")
    return root


def test_an_archive_as_junit(run_cli: RunCli, archive: Path) -> None:
    """A test case for each run; XML whatever the logs contain."""
    done = run_cli("batch", archive, "--format", "junit")
    suites = ET.fromstring(done.stdout)
    (suite,) = suites
    cases = {each.attrib["name"]: [child.tag for child in each] for each in suite}
    assert done.returncode == 2
    assert cases == {"a<1>": ["failure"], "b": ["failure"], "c": [], "d": ["error"]}
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == (
        "4",
        "2",
        "1",
    )
    failure = suite[0][0]
    assert failure.attrib["type"] == "dataproto-batch-smaller-than-chunks"
    assert (failure.text or "").startswith(
        "a<1>/train.log:1: AssertionError: batch_size 32 < chunks 64\n"
    )


def test_an_archive_as_metrics(run_cli: RunCli, archive: Path, tmp_path: Path) -> None:
    """Runs by what they died of, and no run by its name."""
    out = tmp_path / "archive.prom"
    done = run_cli("batch", archive, "--format", "openmetrics", "-o", out)
    found = read(out.read_text(encoding="utf-8"))
    assert (done.returncode, done.stdout) == (2, b"")
    counts = {name: each[()] for name, each in found.items() if () in each}
    assert counts == {
        "logdoctor_archive_runs": 4.0,
        "logdoctor_archive_runs_failed": 2.0,
        "logdoctor_archive_runs_warned": 0.0,
        "logdoctor_archive_runs_unread": 1.0,
        "logdoctor_archive_sources_unreadable": 1.0,
    }
    assert found["logdoctor_archive_cause_runs"] == {
        (("signature", "dataproto-batch-smaller-than-chunks"),): 1.0
    }
    assert list(found["logdoctor_archive_unknown_error_runs"].values()) == [1.0]
