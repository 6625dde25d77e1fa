"""The scorer of the labelled logs: what a right and a wrong verdict count for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy import score, score_peers
from benchmarks.accuracy.labels import Label, faults, read_labels
from benchmarks.accuracy.score import Firing, firings, judge, main, report

FAILED_LOG = """\
step 1 loss 2.0
ConnectionResetError: try 1 of 3
step 2 loss 1.9
ValueError: bad shard 7
worker 3 lost its peer
"""
FAILED_LABEL = """\
origin:
  {kind: captured, command: python x.py, script: capture/train_loop.py, versions: {python: "3"}}
component: python
framework: null
diagnoses: [bad-shard]
root_line: "ValueError: bad shard 7"
remedy_keywords: [["shard"], ["again", "anew"]]
lines:
  recovered: ["ConnectionResetError: try 1 of 3"]
  consequence: ["worker 3 lost its peer"]
"""
HEALTHY_LOG = """\
step 1 loss 2.0
ConnectionResetError: try 1 of 3
ERROR (none)
Traceback in a prompt
step 2 loss 1.9
"""
HEALTHY_LABEL = """\
origin:
  {kind: captured, command: python x.py, script: capture/train_loop.py, versions: {python: "3"}}
component: null
framework: null
diagnoses: []
root_line: null
lines:
  recovered: ["ConnectionResetError: try 1 of 3"]
  mentioned: ["Traceback in a prompt"]
"""


def label(folder: Path, log: str, content: str) -> Label:
    (folder / "a.log").write_text(log)
    (folder / "a.expected.yaml").write_text(content)
    (found,) = read_labels(folder)
    return found


def finding(line: int, verdict: str, rules: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    evidence = [{"source": "a.log", "line": line, "end_line": line, "text": ""}]
    because = [{"rule": rule, "text": "", "source": "a.log", "line": line} for rule in rules]
    return {
        "title": "",
        "cause": "",
        "severity": "error",
        "verdict": verdict,
        "evidence": evidence,
        "because": because,
        "remedies": [],
        **more,
    }


def document(
    *diagnoses: dict[str, Any],
    unknown: tuple[dict[str, Any], ...] = (),
    answer: tuple[str, int] | None = None,
) -> dict[str, Any]:
    pointer = {"in": answer[0], "index": answer[1]} if answer else None
    return {"diagnoses": list(diagnoses), "unknown_errors": list(unknown), "answer": pointer}


REMEDIES = [{"action": "Look at it.", "set": {}}, {"action": "Write the shard again.", "set": {}}]


@pytest.fixture
def failed(tmp_path: Path) -> Label:
    return label(tmp_path, FAILED_LOG, FAILED_LABEL)


@pytest.fixture
def healthy(tmp_path: Path) -> Label:
    return label(tmp_path, HEALTHY_LOG, HEALTHY_LABEL)


def test_a_right_diagnosis_reaches_every_figure(failed: Label) -> None:
    right = finding(4, "root_cause", signature_id="bad-shard", remedies=REMEDIES[::-1])
    assert judge(failed, document(right, answer=("diagnoses", 0))).figures == {
        "found",
        "root@1",
        "located",
        "remedy@1",
        "fix@1",
    }


def test_the_remedy_that_comes_second_is_no_first_one(failed: Label) -> None:
    late = finding(4, "root_cause", signature_id="bad-shard", remedies=REMEDIES)
    assert judge(failed, document(late, answer=("diagnoses", 0))).figures == {
        "found",
        "root@1",
        "located",
        "remedy@1",
    }


def test_a_setting_counts_as_said(failed: Label) -> None:
    remedy = {"action": "Do it anew.", "set": {"data.shard": "8"}}
    right = finding(4, "root_cause", signature_id="bad-shard", remedies=[remedy])
    assert "fix@1" in judge(failed, document(right, answer=("diagnoses", 0))).figures


def test_an_unknown_error_at_the_root_is_located(failed: Label) -> None:
    read = document(unknown=(finding(4, "root_cause"),), answer=("unknown_errors", 0))
    assert judge(failed, read).figures == {"located"}


def test_another_line_is_only_found(failed: Label) -> None:
    wrong = finding(1, "root_cause", signature_id="other", remedies=REMEDIES)
    assert judge(failed, document(wrong, answer=("diagnoses", 0))).figures == {"found"}
    assert judge(failed, document()).figures == set()


def test_a_healthy_log_is_quiet_and_silent_or_not(healthy: Label) -> None:
    harmless, alarm = (
        finding(2, "recovered", signature_id="reset"),
        finding(3, "root_cause", signature_id="reset"),
    )
    assert judge(healthy, document(harmless)).figures == {"quiet", "silent"}
    assert judge(healthy, document(unknown=(finding(3, "root_cause"),))).figures == {"quiet"}
    assert judge(healthy, document(alarm)).figures == set()
    assert judge(healthy, document({**alarm, "severity": "warning"})).figures == {"quiet", "silent"}


def test_rules_are_judged_by_the_labels_of_their_lines(failed: Label) -> None:
    read = document(
        finding(2, "recovered", ("run-went-on",)),
        finding(4, "consequence", ("first-of-all",)),
        finding(5, "consequence", ("after-the-root", "peer-named")),
        unknown=(finding(1, "benign", ("words",)), finding(2, "teardown", ("after-the-end",))),
    )
    assert set(firings(failed, read)) == {
        Firing("run-went-on", "right"),
        Firing("first-of-all", "wrong"),
        Firing("after-the-root", "right"),
        Firing("peer-named", "beside"),
        Firing("words", "unlabelled"),
        Firing("after-the-end", "near"),
    }


def test_a_wrapper_may_share_the_line_of_the_root(failed: Label) -> None:
    """Only where the answer stands there as well."""
    root = finding(4, "root_cause", ("root",), signature_id="bad-shard")
    wrapper = finding(4, "consequence", ("wrapper",), signature_id="wrapped")
    elsewhere = finding(1, "root_cause", ("root",), signature_id="other")
    beside = document(root, wrapper, answer=("diagnoses", 0))
    assert list(firings(failed, beside)) == [Firing("root", "right"), Firing("wrapper", "right")]
    alone = document(elsewhere, wrapper, answer=("diagnoses", 0))
    assert Firing("wrapper", "wrong") in firings(failed, alone)


def test_in_a_healthy_log_every_finding_must_be_harmless(healthy: Label) -> None:
    read = document(
        finding(3, "benign", ("words",)),
        finding(3, "independent", ("alone",)),
        finding(4, "benign", ("mentioned",)),
    )
    assert list(firings(healthy, read)) == [
        Firing("words", "right"),
        Firing("alone", "wrong"),
        Firing("mentioned", "right"),
    ]


def test_the_report_counts(failed: Label) -> None:
    rows = [
        judge(
            failed,
            document(
                finding(4, "root_cause", signature_id="x", remedies=REMEDIES),
                answer=("diagnoses", 0),
            ),
        )
    ]
    lines = list(
        report(
            rows,
            [Firing("a", "right"), Firing("a", "right"), Firing("a", "wrong"), Firing("b", "near")],
        )
    )
    assert lines[0].startswith("1 failed logs: found 100.0 %  root@1 100.0 %  located 100.0 %")
    assert lines[0].endswith("  remedy@1 100.0 %  fix@1 0.0 %")
    assert [line.split() for line in lines[2:]] == [
        ["a", "3", "2", "0", "1", "0", "0"],
        ["b", "1", "0", "1", "0", "0", "0"],
    ]


def test_faults_of_a_label_are_named(tmp_path: Path) -> None:
    broken = (
        FAILED_LABEL.replace("bad shard 7", "bad shard 8")
        .replace("recovered", "survived")
        .replace("python x.py", "")
    )
    found = faults(label(tmp_path, FAILED_LOG, broken))
    assert [each.split(":")[0].split(" needs")[0] for each in found] == [
        "not in the log",
        "no such word for lines",
        "origin",
    ]
    (tmp_path / "a.log").unlink()
    with pytest.raises(ValueError, match="no log beside it"):
        read_labels(tmp_path)


def test_a_folder_is_scored_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label(tmp_path, FAILED_LOG, FAILED_LABEL)
    (tmp_path / "b.log").write_text(HEALTHY_LOG)
    (tmp_path / "b.expected.yaml").write_text(HEALTHY_LABEL)
    wrong = document(
        finding(1, "root_cause", ("first",), signature_id="other", remedies=REMEDIES),
        answer=("diagnoses", 0),
    )
    monkeypatch.setattr(
        score, "scan_document", lambda log, _: wrong if log.name == "a.log" else document()
    )
    assert main([str(tmp_path), "--show"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert " ".join(printed[0].split()) == "a lacks root@1 located remedy@1 fix@1; answer: other"
    assert [line.split(":")[0] for line in printed[1:3]] == ["1 failed logs", "1 healthy logs"]
    assert printed[-1].split() == ["first", "1", "0", "0", "0", "1", "0"]
    assert main([str(tmp_path), "--only", "b"]) == 0
    assert "failed" not in capsys.readouterr().out


def test_other_programs_are_judged_by_the_line_that_they_point_at(tmp_path: Path) -> None:
    """Give or take two lines; of a run that went well, by their silence."""
    log = tmp_path / "x.log"
    log.write_text(FAILED_LOG, encoding="utf-8")
    failed = score_peers.LabelledLog("x", log, frozenset({7}))
    first, last = score_peers.first_error(log), score_peers.last_error(log)
    assert (first.line, last.line) == (2, 4)
    assert [score_peers.is_right(failed, each) for each in (first, last)] == [False, False]
    assert score_peers.is_right(failed._replace(roots=frozenset({6})), last)
    healthy = failed._replace(roots=frozenset())
    assert not score_peers.is_right(healthy, last)
    log.write_text("all is well\n", encoding="utf-8")
    assert score_peers.last_error(log)[:2] == (None, False)
    assert score_peers.is_right(healthy, score_peers.last_error(log))


def test_logdoctor_is_asked_as_the_others_are(repository: Path) -> None:
    """As a process, for a line."""
    answer = score_peers.logdoctor(repository / "sample_logs" / "chatlearn-ray-channel-timeout.log")
    assert (answer.line, answer.is_alarm, answer.seconds > 0) == (81, True, True)
