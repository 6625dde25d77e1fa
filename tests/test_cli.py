"""The command line as a user meets it: what is printed, where, and the exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.cli import together
from logdoctor.cli.options import NEVER
from logdoctor.cli.terminal import shows_progress
from logdoctor.cli.together import LOOKED_AT
from logdoctor.signatures.skeleton import signature_skeleton

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]
CHUNKS = b"AssertionError: batch_size 32 < chunks 64\n"


def first_line(output: bytes) -> str:
    return output.decode().splitlines()[0]


def test_a_failed_log_on_a_pipe(run_cli: RunCli) -> None:
    """The diagnosis is on stdout, nothing on stderr, exit code 1."""
    done = run_cli("scan", stdin=CHUNKS)
    assert (done.returncode, first_line(done.stdout), done.stderr) == (
        1,
        "✖ A guess: A batch of 32 samples cannot be shared among 64 data-parallel ranks",
        b"",
    )


def test_a_log_without_errors_is_one_line(run_cli: RunCli) -> None:
    """Exit code 0; the tick is for a run whose end was seen."""
    done = run_cli("scan", stdin=b"step 1 loss 0.5\nstep 2 loss 0.4\n")
    assert (done.returncode, done.stdout.decode(), done.stderr) == (
        0,
        "? No error found, no end seen · lines read: 2 · last step 2\n",
        b"",
    )
    ended = run_cli("scan", stdin=b"step 1 loss 0.5\nTraining complete\n")
    assert (ended.returncode, ended.stdout.decode(), ended.stderr) == (
        0,
        "✔ No problem found · lines read: 2 · last step 1\n",
        b"",
    )


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "markdown", "html"])
def test_nothing_read_is_not_a_healthy_log(run_cli: RunCli, tmp_path: Path, form: str) -> None:
    """A wrong path or a lost stdout is no success, unless the user says so."""
    empty = tmp_path / "train.log"
    empty.touch()
    for sources in ([], [empty]):
        done = run_cli("scan", "--format", form, *sources)
        said = done.stdout if form == "text" else done.stderr
        assert (done.returncode, b"othing was read" in said) == (2, True)
        assert b"No problem found" not in done.stdout or form == "html"  # its words are in it
        assert run_cli("scan", "--format", form, "--allow-empty", *sources).returncode == 0


def test_quiet_prints_what_is_wrong_only(run_cli: RunCli) -> None:
    """As cron likes it."""
    healthy, failed = (run_cli("scan", "-q", stdin=log) for log in (b"step 1 loss 0.5\n", CHUNKS))
    assert (healthy.returncode, healthy.stdout, healthy.stderr) == (0, b"", b"")
    assert (failed.returncode, failed.stdout) == (1, run_cli("scan", stdin=CHUNKS).stdout)


def test_each_source_has_its_own_verdict_where_asked_for(run_cli: RunCli, tmp_path: Path) -> None:
    """With the worst exit code; a form with room for one verdict is refused."""
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_bytes(b"step 1 loss 0.5\n")
    bad.write_bytes(CHUNKS)
    done = run_cli("scan", "--each", "--brief", good, bad)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, lines[:3]) == (
        1,
        [str(good), "", "? No error found, no end seen · lines read: 1 · last step 1"],
    )
    assert lines[lines.index(str(bad)) + 2].startswith("✖ ")
    refused = run_cli("scan", "--each", "--format", "json", good, bad)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"batch gives one document" in refused.stderr


def test_brief_is_the_notice_of_tail(run_cli: RunCli) -> None:
    """What, where, the line, the first thing to do with what to set, and where more is said."""
    lines = run_cli("scan", "--brief", stdin=CHUNKS).stdout.decode().splitlines()
    assert lines[:3] == [
        "✖ A guess: A batch of 32 samples cannot be shared among 64 data-parallel ranks",
        "  <stdin>:1",
        "  │ AssertionError: batch_size 32 < chunks 64",
    ]
    assert lines[3].startswith("  → ")
    assert lines[-1] == "  logdoctor explain dataproto-batch-smaller-than-chunks"
    assert len(lines) <= 9


def test_chinese_is_chinese_throughout(run_cli: RunCli) -> None:
    """Headings, cause and remedies."""
    text = run_cli("scan", "--lang", "zh", "--all", stdin=CHUNKS).stdout.decode()
    assert [heading in text for heading in ("位置", "原因", "处理", "如何确认")] == [True] * 4
    assert [heading in text for heading in ("Where", "Why", "Try", "fits every run")] == [False] * 4


def test_chinese_in_an_ascii_locale(run_cli: RunCli) -> None:
    """Reports are UTF-8 whatever the locale."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run_cli("scan", "--lang", "zh", stdin=CHUNKS, environment=environment)
    assert (done.returncode, "样本" in done.stdout.decode()) == (1, True)


def test_json_is_one_document_also_when_nothing_is_found(run_cli: RunCli) -> None:
    """`scan --format json` always prints it."""
    healthy = json.loads(run_cli("scan", "--format", "json", stdin=b"all is well").stdout)
    failed = json.loads(run_cli("scan", "--format", "json", stdin=CHUNKS).stdout)
    assert (healthy["answer"], healthy["diagnoses"], healthy["sources"]) == (
        None,
        [],
        [{"name": "<stdin>", "lines": 1, "bytes": 11, "problem": None}],
    )
    assert (failed["answer"], failed["diagnoses"][0]["captures"]) == (
        {"in": "diagnoses", "index": 0},
        {"batch_size": "32", "chunks": "64"},
    )


def test_jsonl_ends_with_a_summary(run_cli: RunCli) -> None:
    """One diagnosis per line, then the rest of the document."""
    rows = [
        json.loads(line)
        for line in run_cli("scan", "--format", "jsonl", stdin=CHUNKS).stdout.splitlines()
    ]
    assert [row.get("signature_id") for row in rows] == [
        "dataproto-batch-smaller-than-chunks",
        None,
    ]
    assert list(rows[-1]) == ["summary"]
    assert rows[-1]["summary"]["answer"] == {"in": "diagnoses", "index": 0}


def test_jsonl_is_written_as_it_is_found() -> None:
    """A pipe that goes on; what the run survives is taken back, and the summary has how everything stood at the end."""
    command = [sys.executable, "-m", "logdoctor", "scan", "--format", "jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            CHUNKS + b"dark\n" * 5000
        )  # the order of the lines is told by the first 16 kB
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        process.stdin.write(
            b"".join(b"step:%d - actor/loss:0.5\n" % i for i in range(9)) + b"quiet\n" * 3000
        )
        process.stdin.close()
        rows = [json.loads(line) for line in process.stdout]
    assert (first["signature_id"], first["verdict"]) == (
        "dataproto-batch-smaller-than-chunks",
        "root_cause",
    )
    assert rows[0] == {"recovered": "dataproto-batch-smaller-than-chunks"}
    assert [each["verdict"] for each in rows[-1]["summary"]["diagnoses"]] == ["recovered"]


def test_a_report_goes_to_a_file(run_cli: RunCli, tmp_path: Path) -> None:
    """Instead of stdout, whatever the format, and what was in the file before is gone."""
    log, file = tmp_path / "train.log", tmp_path / "report"
    log.write_bytes(CHUNKS)
    for options in (["--format", "json"], ["--format", "jsonl"], ["--lang=zh"]):
        file.write_text("an older and longer report\n" * 1000, encoding="utf-8")
        printed = run_cli("scan", *options, log)
        kept = run_cli("scan", "-o", file, *options, log)
        assert (kept.returncode, kept.stdout) == (printed.returncode, b"")
        assert file.read_bytes() == printed.stdout
    assert run_cli("explain", "--output", file, "ray-channel-timeout").stdout == b""
    assert file.read_bytes() == run_cli("explain", "ray-channel-timeout").stdout


def test_a_report_that_cannot_go_to_its_file_is_told_before_anything_is_read(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Exit code 2 and the reason; a log is never overwritten by its own report."""
    log = tmp_path / "train.log"
    log.write_bytes(CHUNKS)
    said = {
        tmp_path / "no" / "report": "no such file or directory",
        tmp_path: "is a folder; expected a file",
        log: "is a source; the report would overwrite it",
        "/dev/full": "the report could not be written: no space left on device",
    }
    for file, reason in said.items():
        done = run_cli("scan", "-o", file, log)
        assert (done.returncode, done.stdout, reason in done.stderr.decode()) == (2, b"", True)
    assert log.read_bytes() == CHUNKS


def test_a_file_given_twice_is_read_once(run_cli: RunCli, tmp_path: Path) -> None:
    """By its name, through a link, and in its folder."""
    file = tmp_path / "train.log"
    file.write_bytes(CHUNKS)
    (tmp_path / "same.log").symlink_to(file)
    document = json.loads(
        run_cli("scan", "--format", "json", file, file, tmp_path / "same.log", tmp_path).stdout
    )
    assert (
        [each["name"] for each in document["sources"]],
        document["diagnoses"][0]["occurrences"],
    ) == ([str(file)], 1)


def test_markdown_is_for_a_ticket(run_cli: RunCli) -> None:
    """Title, evidence as code, remedies as a list."""
    text = run_cli("scan", "--format", "markdown", stdin=CHUNKS).stdout.decode()
    assert text.startswith(
        "## A guess: A batch of 32 samples cannot be shared among 64 data-parallel ranks\n"
    )
    assert "```text\n1: AssertionError: batch_size 32 < chunks 64\n```" in text


@pytest.mark.parametrize(
    ("fail_on", "code"), [("fatal", 1), ("error", 1), ("warning", 1), ("never", 0)]
)
def test_fail_on_decides_the_exit_code(run_cli: RunCli, fail_on: str, code: int) -> None:
    """A fatal diagnosis counts for every level but never."""
    assert run_cli("scan", "--fail-on", fail_on, stdin=CHUNKS).returncode == code


def test_an_error_without_a_signature_counts(run_cli: RunCli) -> None:
    """It is located, and the exit code is 1, unless only fatal counts."""
    log = b'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    g()\nValueError: nobody knows this one\n'
    done = run_cli("scan", stdin=log)
    assert (done.returncode, first_line(done.stdout)) == (1, "✖ ValueError: nobody knows this one")
    assert run_cli("scan", "--fail-on", "fatal", stdin=log).returncode == 0


def test_min_confidence_leaves_out(run_cli: RunCli) -> None:
    """Nothing is as sure as 1."""
    assert run_cli("scan", "--min-confidence", "1", stdin=CHUNKS).returncode == 0


def test_an_unreadable_source_does_not_stop_the_others(run_cli: RunCli, tmp_path: Path) -> None:
    """It is named on stderr and under what was not seen; exit code 2."""
    good = tmp_path / "good.log"
    good.write_bytes(CHUNKS)
    done = run_cli("scan", tmp_path / "gone.log", good)
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"logdoctor: {tmp_path}/gone.log: no such file or directory\n",
    )
    assert first_line(done.stdout).startswith("✖ A guess: A batch of 32 samples")


def test_a_folder_is_one_run(run_cli: RunCli, tmp_path: Path) -> None:
    """The cause in one file explains the wrapper in another."""
    (tmp_path / "driver.log").write_bytes(
        b"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
    )
    (tmp_path / "worker.err").write_bytes(CHUNKS)
    document = json.loads(run_cli("scan", "--format", "json", tmp_path).stdout)
    assert [(each["signature_id"], each["verdict"]) for each in document["diagnoses"]] == [
        ("dataproto-batch-smaller-than-chunks", "root_cause"),
        ("ray-actor-died", "consequence"),
    ]


ESCAPES = b"\x1b]0;owned\x07\x1b[31mAssertionError: batch_size 32 < chunks 64 \x1b[2J\x9b31m\x07\x08\xe2\x80\xae\xc2\x9b0m\x00\n"


@pytest.mark.parametrize("form", ["text", "markdown", "json", "jsonl"])
def test_no_control_character_of_the_log_reaches_the_terminal(run_cli: RunCli, form: str) -> None:
    """Neither in the report nor on stderr."""
    done = run_cli("scan", "--format", form, "--all", stdin=ESCAPES * 3)
    characters = set((done.stdout + done.stderr).decode())
    assert done.returncode == 1
    assert {
        each
        for each in characters
        if (ord(each) < 0x20 and each != "\n") or 0x7F <= ord(each) < 0xA0 or each == "\u202e"
    } == set()


SECRET_LOG = (
    b"export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\nlogin with hf_abcdefghijklmnopqrstuvwxyz\n"
    + CHUNKS
)


@pytest.mark.parametrize("form", ["text", "markdown", "json", "jsonl"])
def test_secrets_are_masked_unless_asked_for(run_cli: RunCli, form: str) -> None:
    """In the lines around the evidence too."""
    unknown = b"ValueError: bad token hf_abcdefghijklmnopqrstuvwxyz and password=hunter2hunter2\n"
    log = SECRET_LOG + unknown
    masked, plain = (
        run_cli("scan", "--format", form, "--all", *options, stdin=log).stdout
        for options in ([], ["--no-redact"])
    )
    assert [secret in masked for secret in (b"hf_abc", b"0123456789abcdef", b"hunter2")] == [
        False
    ] * 3
    assert b"hf_abc" in plain


def test_a_private_key_is_masked_with_all_its_lines(run_cli: RunCli) -> None:
    """Also where its lines are only the surroundings of the evidence."""
    key = (
        b"-----BEGIN PRIVATE KEY-----\n"
        + b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 2
        + b"-----END PRIVATE KEY-----\n"
    )
    for form in ("text", "markdown", "json"):
        assert (
            b"MIIEvQ"
            not in run_cli("scan", "--format", form, "--all", stdin=CHUNKS + key + CHUNKS).stdout
        )


def test_a_value_from_the_log_is_masked_and_visible_where_it_is_the_current_one(
    run_cli: RunCli,
) -> None:
    """The value before the arrow comes from the log as well."""
    log = b"rollout_batch_size: hf_abcdefghijklmnopqrstuvwxyz\xc2\x9b2J\n" + CHUNKS
    text = run_cli("scan", "--all", stdin=log).stdout.decode()
    assert ("rollout_batch_size: [redacted]" in text, "hf_abc" in text, "\x9b" in text) == (
        True,
        False,
        False,
    )


def test_names_of_files_cannot_reach_the_terminal(run_cli: RunCli, tmp_path: Path) -> None:
    """Escapes and line ends in them are shown, in every format and on stderr."""
    good, bad = tmp_path / "a\x1b]0;x\x07\n.log", tmp_path / "b\x9b.log"
    good.write_bytes(CHUNKS)
    bad.write_bytes(b"\x7fELF")
    for form in ("text", "markdown", "json"):
        done = run_cli("scan", "--format", form, good, bad)
        assert (
            b"\x1b" in done.stdout + done.stderr,
            "\x9b" in (done.stdout + done.stderr).decode(),
        ) == (False, False)
        assert b"a\\x1b]0;x\\x07\\n.log" in done.stdout.replace(b"\\\\", b"\\")


def test_the_proof_in_a_long_line_is_shown(run_cli: RunCli) -> None:
    """What is left out is what stands before and after it."""
    text = run_cli(
        "scan", stdin=b"x " * 3000 + CHUNKS.strip() + b" y" * 3000 + b"\n"
    ).stdout.decode()
    assert "batch_size 32 < chunks 64" in text


def test_what_is_left_out_is_said(run_cli: RunCli) -> None:
    """A threshold that hides everything does not look like health."""
    assert (
        "1 diagnoses below --min-confidence were left out"
        in run_cli("scan", "--min-confidence", "1", stdin=CHUNKS).stdout.decode()
    )


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        ("<&-", 2, "stdin is closed"),
        (">&-", 2, "stdout is closed"),
        (">/dev/full", 2, "the report could not be written: no space left on device"),
    ],
)
def test_closed_and_full_streams_are_said_in_words(
    tmp_path: Path, redirection: str, code: int, message: str
) -> None:
    """Never a traceback."""
    log = tmp_path / "train.log"
    log.write_bytes(CHUNKS)
    source = "-" if redirection == "<&-" else str(log)
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m logdoctor scan "$1" {redirection}', sys.executable, source],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, message in done.stderr.decode(), b"Traceback" in done.stderr) == (
        code,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: &a {y: *a}", "an alias that contains itself"),
        ("a: " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        (
            "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + "".join(
                f"{b}: &{b} [{','.join(['*' + a] * 10)}]\n"
                for a, b in zip("abcdef", "bcdefg", strict=True)
            ),
            "more than 100,000",
        ),
        ("- 1", "no mapping at its top"),
    ],
)
def test_a_hostile_configuration_is_refused(
    run_cli: RunCli, tmp_path: Path, text: str, message: str
) -> None:
    """Cycles, depth and aliases that multiply."""
    config = tmp_path / "run.yaml"
    config.write_text(text, encoding="utf-8")
    done = run_cli("scan", "--config", config, stdin=CHUNKS)
    assert (done.returncode, message in done.stderr.decode(), b"Traceback" in done.stderr) == (
        2,
        True,
        False,
    )


def test_empty_names_are_refused(run_cli: RunCli) -> None:
    """`"$UNSET"` is not the current folder."""
    assert [
        run_cli("scan", "").returncode,
        run_cli("scan", "--signatures", "", stdin=CHUNKS).returncode,
    ] == [2, 2]


@pytest.mark.slow  # compiles the whole database with one more
def test_a_runaway_regex_ends_with_code_2(run_cli: RunCli, tmp_path: Path) -> None:
    """It is said on stderr and under what was not seen."""
    skeleton = signature_skeleton("runaway", "demo").replace(
        "template: 'ValueError: the words that only this message has, with {count:int} as a slot'",
        "regex: 'words: (?P<count>(a|aa)+)$'",
    )
    (tmp_path / "runaway.yaml").write_text(skeleton, encoding="utf-8")
    done = run_cli(
        "scan",
        "--format",
        "json",
        "--signatures",
        tmp_path,
        stdin=b"ValueError: words: " + b"a" * 60 + b"b\n",
    )
    assert (
        done.returncode,
        b"runs away" in done.stderr,
        "runs away" in json.loads(done.stdout)["not_seen"][-1],
    ) == (2, True, True)


def test_colour_only_where_wanted(run_cli: RunCli) -> None:
    """Never on a pipe by itself, always when asked for."""
    assert b"\x1b[" not in run_cli("scan", stdin=CHUNKS).stdout
    assert b"\x1b[" in run_cli("scan", "--color", "always", stdin=CHUNKS).stdout


def test_a_configuration_file_is_read(run_cli: RunCli, tmp_path: Path) -> None:
    """Remedies are judged by it; a broken one is an error with words."""
    config = tmp_path / "run.yaml"
    config.write_text(
        "models:\n  policy: {tensor_model_parallel_size: 4, enforce_eager: false}\n",
        encoding="utf-8",
    )
    log = b"ray.exceptions.RayChannelTimeoutError: System error: increase RAY_CGRAPH_get_timeout which is currently 10 seconds."
    done = run_cli(
        "scan", "--framework", "chatlearn", "--config", config, "--format", "json", stdin=log
    )
    remedy = json.loads(done.stdout)["diagnoses"][0]["remedies"][0]
    assert (
        remedy["applies"],
        f"{config}:2 sets models.policy.tensor_model_parallel_size = 4" in remedy["why"],
    ) == ("yes", True)
    config.write_text("a: [", encoding="utf-8")
    broken = run_cli("scan", "--config", config, stdin=log)
    assert (
        broken.returncode,
        broken.stderr.decode().startswith(f"logdoctor: {config}: not YAML"),
    ) == (2, True)


def test_bad_options_are_usage_errors(run_cli: RunCli) -> None:
    """Exit code 2 and a sentence, never a traceback."""
    for arguments in (
        ("scan", "--framework", "caffe"),
        ("scan", "--format", "xml"),
        ("explain", "no-such-id"),
        ("frobnicate",),
    ):
        done = run_cli(*arguments)
        assert (done.returncode, b"Traceback" in done.stderr, bool(done.stderr)) == (2, False, True)


@pytest.mark.slow  # compiles the whole database with one more
def test_more_signatures_are_used(run_cli: RunCli, tmp_path: Path) -> None:
    """A file of one's own is matched beside the database, and checked with it."""
    file = tmp_path / "worker-lost-its-batch.yaml"
    file.write_text(signature_skeleton("worker-lost-its-batch", "demo"), encoding="utf-8")
    done = run_cli(
        "scan",
        "--signatures",
        file,
        "--format",
        "json",
        stdin=b"ValueError: the words that only this message has, with 7 as a slot",
    )
    assert json.loads(done.stdout)["diagnoses"][0]["signature_id"] == "worker-lost-its-batch"
    assert run_cli("signatures", "check", file).stdout == b"signatures checked: 1, faults: 0\n"


def test_broken_signatures_are_named_all_at_once(run_cli: RunCli, tmp_path: Path) -> None:
    """Exit code 2, one line for each fault, no traceback."""
    (tmp_path / "a.yaml").write_text("id: a\nnonsense: 1\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(": : :\n", encoding="utf-8")
    done = run_cli("scan", "--signatures", tmp_path, stdin=CHUNKS)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)
    assert {line.split(":")[1].strip() for line in lines} == {
        str(tmp_path / "a.yaml"),
        str(tmp_path / "b.yaml"),
    }


def test_explain_shows_the_whole_page_in_both_languages(run_cli: RunCli) -> None:
    """Cause, remedies with their conditions, examples with their origin, references."""
    english, chinese = (
        run_cli("explain", "ray-channel-timeout", "--lang", language).stdout.decode()
        for language in ("en", "zh")
    )
    assert [
        heading in english
        for heading in ("## What is seen", "## Cause", "## Remedies", "## References", "origin:")
    ] == [True] * 5
    assert [
        heading in chinese for heading in ("## 日志里的样子", "## 原因", "## 处理办法", "## 参考")
    ] == [True] * 4


def test_signatures_are_listed_by_component_framework_and_word(run_cli: RunCli) -> None:
    """All filters together."""
    rows = (
        run_cli("signatures", "list", "--component", "roll", "--framework", "roll", "chunks")
        .stdout.decode()
        .splitlines()
    )
    assert [row.split()[0] for row in rows] == ["dataproto-batch-smaller-than-chunks"]
    listed = json.loads(
        run_cli("signatures", "list", "--format", "json", "--lang", "zh", "chunks").stdout
    )["signatures"]
    assert [row["title"] for row in listed if row["component"] == "roll"] == [
        "{batch_size} 条样本不够分给 {chunks} 个数据并行 rank"
    ]


def test_the_schema_is_printed(run_cli: RunCli, repository: Path) -> None:
    """It is the one in the repository."""
    assert json.loads(run_cli("signatures", "schema").stdout) == json.loads(
        (repository / "signatures" / "schema.json").read_text(encoding="utf-8")
    )


def test_every_command_has_help(run_cli: RunCli) -> None:
    """With the first line saying what it does."""
    for command in (
        [],
        ["scan"],
        ["explain"],
        ["signatures"],
        ["signatures", "list"],
        ["signatures", "check"],
        ["signatures", "new"],
        ["signatures", "schema"],
    ):
        done = run_cli(*command, "--help")
        assert (done.returncode, done.stdout.startswith(b"Usage: ")) == (0, True)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "logdoctor", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_reports_what_was_read(number: signal.Signals) -> None:
    """The verdict so far is printed, and the exit code is 130; also where `timeout` ends it."""
    process = start("scan")
    assert process.stdin is not None
    process.stdin.write(CHUNKS + b"more\n")
    process.stdin.flush()
    time.sleep(3)  # until the process has started and reads; there is no sign from outside
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, b"Traceback" in errors) == (130, False)
    assert first_line(output).startswith("✖ A guess: A batch of 32 samples")


def test_a_closed_pipe_is_no_error() -> None:
    """`logdoctor scan … | head -1` ends with 0 and says nothing."""
    with start("signatures", "list") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        assert (process.wait(timeout=30), errors) == (0, b"")


def test_files_whose_times_lie_apart_get_a_note(run_cli: RunCli, tmp_path: Path) -> None:
    """They are one run all the same; parts of one run, and files without times, get none."""
    days = {"a": "2026-03-01 10:00:00", "b": "2026-03-01 10:30:00", "c": "2026-03-02 10:00:00"}
    for name, when in days.items():
        (tmp_path / f"{name}.log").write_text(f"{when} step:1 - loss:0.5\n", encoding="utf-8")
    (tmp_path / "d.log").write_text("step:1 - loss:0.5\n", encoding="utf-8")
    apart, near, zh = (
        run_cli("scan", *(tmp_path / f"{name}.log" for name in names), "--lang", lang)
        for names, lang in (("ac", "en"), ("abd", "en"), ("ac", "zh"))
    )
    assert b"2 files are judged as one run" in apart.stderr
    assert (near.stderr, "2 个文件" in zh.stderr.decode()) == (b"", True)


@pytest.mark.parametrize(
    ("logs", "because"),
    [
        ({"slurm-4711.out": "a\n", "slurm-4712.out": "b\n"}, b"of different jobs"),
        ({"job.4711.out": "a\n", "job.4711.err": "b\n"}, None),
        ({"a.log": "verl/trainer/ppo/x.py\n", "b.log": "ChatLearn 1.2\n"}, None),
        ({"a.log": "/roll/pipeline/x.py\n", "b.log": "ChatLearn 1.2\n"}, b"different programs"),
        ({"a.log": "/roll/pipeline/x.py\n", "b.log": "loss 0.5\n"}, None),
    ],
)
def test_files_of_different_jobs_or_programs_get_a_note(
    run_cli: RunCli, tmp_path: Path, logs: dict[str, str], because: bytes | None
) -> None:
    """Those of one job get none, nor what may be built on the other."""
    for name, text in logs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = run_cli("scan", *(tmp_path / name for name in logs)).stderr
    assert (told == b"") if because is None else (because in told and b"--each" in told)


def test_of_many_files_the_first_are_asked_for_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are all of their bytes kept, or all pairs of them compared."""
    for number in range(60):
        (tmp_path / f"{number}.log").write_bytes(b"/roll/pipeline/x.py\n" + b"x" * LOOKED_AT)
    told, real = [], together._programs

    def told_of(ends: tuple[bytes, bytes]) -> frozenset[str]:
        told.append(real(ends))
        return told[-1]

    monkeypatch.setattr(together, "_programs", told_of)
    monkeypatch.setattr(together, "_differ", lambda one, other: pytest.fail(f"{one} {other}"))
    names = [str(tmp_path / f"{number}.log") for number in range(60)]
    tracemalloc.start()
    assert together.difference_of(names) is None
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(told), bool(told[0]), most < 20 * LOOKED_AT) == (16, True, True)


def test_progress_is_shown_where_it_is_wanted() -> None:
    """By itself only on a terminal, which the tests have not."""
    choices = ("always", NEVER, "auto")
    assert [shows_progress(each) for each in choices] == [True, False, False]
