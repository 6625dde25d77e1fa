"""Many runs as a user meets them: found, judged as `scan` does, and told in every format."""

from __future__ import annotations

import csv
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.texts.archived_runs import HEALTHY, make_runs, sample, write
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]


def batch(run_cli: RunCli, *arguments: str | Path) -> Any:
    done = run_cli("batch", "--format", "json", "--jobs", "1", *arguments)
    assert b"Traceback" not in done.stderr
    return json.loads(done.stdout)


def alone(automaton: Automaton, name: str | None) -> str | None:
    """What `scan` says about one sample."""
    scan = Scan(automaton)
    scan.read("x.log", [sample(name) if name else HEALTHY])
    root = scan.result().root
    return getattr(root, "fingerprint", None) or root.signature.id if root else None  # type: ignore[union-attr]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str | None]]:
    root = tmp_path_factory.mktemp("archive")
    return root, make_runs(root)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, runs: tuple[Path, object]) -> Path:
    """Of these runs, all judged: whoever reports them need not judge them again."""
    path = tmp_path_factory.mktemp("store") / "s.sqlite"
    words = [sys.executable, "-m", "logdoctor", "batch", "--store", str(path), str(runs[0])]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1
    return path


def test_every_layout_is_found_and_judged_as_scan_does(
    run_cli: RunCli, automaton: Automaton, runs: tuple[Path, dict[str, str | None]]
) -> None:
    """Ray sessions, attempts, Slurm jobs, wandb, output folders, nested archives, lone files: sorted by name."""
    root, expected = runs
    found = batch(run_cli, root)["runs"]
    verdicts = [
        (
            run["run"],
            run["verdict"]
            and run["verdict"].get("signature_id", run["verdict"].get("fingerprint")),
        )
        for run in found
    ]
    assert verdicts == [(name, alone(automaton, expected[name])) for name in sorted(expected)]


def test_the_document_does_not_depend_on_the_number_of_processes(
    run_cli: RunCli, runs: tuple[Path, dict[str, str | None]], tmp_path: Path
) -> None:
    """Nor on the store, nor on the call."""
    root, _ = runs
    first = run_cli("batch", "--format", "json", "--jobs", "1", root)
    for extra in (
        ("--jobs", "3"),
        ("--store", tmp_path / "s.sqlite"),
        ("--store", tmp_path / "s.sqlite"),
    ):
        assert run_cli("batch", "--format", "json", *extra, root).stdout == first.stdout
    assert (first.returncode, first.stderr) == (1, b"")


def test_a_root_within_another_is_judged_once(run_cli: RunCli, tmp_path: Path) -> None:
    """However the two are named."""
    for name in ("a/x", "a/y", "ab/z"):
        write(tmp_path / name / "train.log", HEALTHY)
    named = [
        run["run"]
        for run in batch(
            run_cli, tmp_path / "a", tmp_path / "a" / "x", tmp_path / "a" / ".", tmp_path / "ab"
        )["runs"]
    ]
    assert len(named) == 3  # x, y and z


def test_causes_are_counted_by_runs(
    run_cli: RunCli, runs: tuple[Path, dict[str, str | None]], store: Path
) -> None:
    """The most frequent first, with their sums."""
    causes = batch(run_cli, "--store", store, runs[0])["causes"]
    assert [
        (each["signature_id"], each["runs"])
        for each in causes
        if each["signature_id"].startswith("trinity")
    ] == [("trinity-cuda-out-of-memory", 4)]
    assert [each["runs"] for each in causes] == sorted(
        (each["runs"] for each in causes), reverse=True
    )


def test_a_run_is_dated_by_the_last_of_its_files(run_cli: RunCli, tmp_path: Path) -> None:
    """In an archive by that of the archive; the log's own time stands before it."""
    write(tmp_path / "r1" / "a.log", b"ValueError: something else altogether\n")
    write(tmp_path / "r1" / "b.log", b"all is well\n")
    with tarfile.open(tmp_path / "r2.tar", "w") as archive:
        archive.add(tmp_path / "r1" / "a.log", "r2/a.log")
    for name, seconds in (("r1/a.log", 1e9), ("r1/b.log", 1.1e9), ("r2.tar", 1.2e9)):
        os.utime(tmp_path / name, (seconds, seconds))
    document = batch(run_cli, tmp_path)
    assert [each["written"] for each in document["runs"]] == [
        "2004-11-09T11:33:20Z",
        "2008-01-10T21:20:00Z",
    ]
    assert [(each["name"], each["by_file_time"]) for each in document["weeks"]] == [
        ("2004-W46", 1),
        ("2008-W02", 1),
    ]


def test_unknown_errors_are_grouped_by_fingerprint(run_cli: RunCli, tmp_path: Path) -> None:
    """The same error of two runs with other numbers is one."""
    for number in range(2):
        text = f'Traceback (most recent call last):\n  File "a.py", line 3, in step\nfoo.WeirdError: lost shard {number} of 7\n'
        write(tmp_path / f"r{number}" / "t.log", text.encode())
    write(tmp_path / "r2" / "t.log", b"ValueError: something else altogether\n")
    (first, *_) = batch(run_cli, tmp_path)["unknown_errors"]
    assert (first["title"], first["runs"], first["occurrences"], first["example"]) == (
        "foo.WeirdError: lost shard … of 7",
        2,
        2,
        "r0",
    )


def test_run_glob_says_what_a_run_is(run_cli: RunCli, tmp_path: Path) -> None:
    """Nothing else is read."""
    for path in ("x/a/1.log", "x/b/1.log", "y/1.log"):
        write(tmp_path / path, HEALTHY)
    assert [run["run"] for run in batch(run_cli, "--run-glob", "x", tmp_path)["runs"]] == ["x"]
    assert [run["run"] for run in batch(run_cli, "--run-glob", "**/1.log", tmp_path)["runs"]] == [
        "x/a/1.log",
        "x/b/1.log",
        "y/1.log",
    ]


def test_json_lines_csv_and_parquet_have_a_row_for_each_run(
    run_cli: RunCli, runs: tuple[Path, dict[str, str | None]], store: Path
) -> None:
    """With the same verdicts."""
    root, expected = runs

    def told(form: str) -> bytes:
        words = ("--jobs", "1", "--store", store, "--format", form)
        return run_cli("batch", *words, root).stdout

    lines = [json.loads(line) for line in told("jsonl").splitlines()]
    rows = list(csv.DictReader(io.StringIO(told("csv").decode())))
    verdicts = [(line["verdict"] or {}).get("signature_id") for line in lines[:-1]]
    assert [row["signature_id"] or None for row in rows] == verdicts
    assert ([row["run"] for row in rows], list(lines[-1])) == (sorted(expected), ["summary"])
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs logdoctor[parquet]")
    table = parquet.read_table(io.BytesIO(told("parquet")))
    assert table.column("signature_id").to_pylist() == verdicts


def test_text_and_markdown_name_each_failed_run(
    run_cli: RunCli, runs: tuple[Path, dict[str, str | None]], store: Path
) -> None:
    """In both languages, with the sum at the end."""
    root, expected = runs
    failed = [name for name, what in expected.items() if what]
    words = ("batch", "--jobs", "1", "--store", store, root)
    for form in ("text", "markdown"):
        text = run_cli(*words, "--format", form).stdout.decode()
        assert [
            name
            for name in failed
            if name.replace("_", "\\_" if form == "markdown" else "_") not in text
        ] == []
        assert (
            text.splitlines()[-1]
            == f"{len(expected)} runs · {len(failed)} failed · 0 without a problem"
            f" · {len(expected) - len(failed)} without an error or an end"
        )
    assert f"共 {len(expected)} 个运行" in run_cli(*words, "--lang", "zh").stdout.decode()


def test_lines_that_only_bad_runs_have(run_cli: RunCli, tmp_path: Path) -> None:
    """Numbers do not make a line another one; a line of one good run is not told."""
    for number in range(3):
        write(
            tmp_path / "good" / f"r{number}" / "t.log",
            f"step {number} loss 0.{number}\nwarming up cache {number}\n".encode(),
        )
        write(
            tmp_path / "bad" / f"r{number}" / "t.log",
            f"step {number + 5} loss nan\nlink {number} flapped\nwarming up cache 7\n".encode(),
        )
    write(tmp_path / "bad" / "r0" / "u.log", b"link 9 flapped\n")
    lines = batch(run_cli, "--compare", tmp_path / "good", tmp_path / "bad", tmp_path)[
        "comparison"
    ]["lines"]
    assert [
        (each["text"], each["runs"], each["occurrences"], each["source"], each["line"])
        for each in lines
    ] == [
        ("step 5 loss nan", 3, 3, "r0/t.log", 1),
        ("link 0 flapped", 3, 4, "r0/t.log", 2),
    ]


def test_a_missing_root_is_named_and_the_others_are_judged(run_cli: RunCli, tmp_path: Path) -> None:
    """Exit code 2; `-` is no archive."""
    write(tmp_path / "a.log", HEALTHY)
    done = run_cli("batch", "--format", "json", tmp_path, tmp_path / "nowhere", "-")
    failed = [each["problem"] for each in json.loads(done.stdout)["failed_to_read"]]
    assert (done.returncode, failed) == (
        2,
        [
            "no such file or directory",
            "batch reads folders, files, archives and URLs; logdoctor scan reads a pipe",
        ],
    )


def test_the_exit_code_is_that_of_fail_on(run_cli: RunCli, tmp_path: Path) -> None:
    """0 where nothing is found or asked for."""
    write(tmp_path / "a.log", HEALTHY)
    assert run_cli("batch", "--jobs", "1", tmp_path).returncode == 0
    write(tmp_path / "b.log", b"AssertionError: batch_size 32 < chunks 64\n")
    assert [
        run_cli("batch", "--jobs", "1", "--fail-on", level, tmp_path).returncode
        for level in ("error", "never")
    ] == [1, 0]


def test_what_cannot_be_compared_is_said_before_anything_is_judged(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Exit code 2, and no store is begun."""
    write(tmp_path / "a.log", HEALTHY)
    done = run_cli(
        "batch",
        "--store",
        tmp_path / "s.sqlite",
        "--compare",
        tmp_path,
        tmp_path / "gone",
        tmp_path,
    )
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"logdoctor: {tmp_path / 'gone'}: no such file or directory\n",
    )
    assert not (tmp_path / "s.sqlite").exists()


def test_new_causes_are_told_by_the_next_call(run_cli: RunCli, tmp_path: Path) -> None:
    """Not by the first, to which everything is new."""
    store = ("--store", tmp_path / "s.sqlite")
    write(tmp_path / "runs" / "a" / "t.log", sample("roll-batch-smaller-than-chunks"))
    first = run_cli("batch", "--jobs", "1", *store, tmp_path / "runs").stdout.decode()
    write(tmp_path / "runs" / "b" / "t.log", sample("flash-attn-module-missing"))
    second = run_cli("batch", "--jobs", "1", *store, tmp_path / "runs").stdout.decode()
    new = second.partition("New since the last call\n")[2].partition("\n\n")[0]
    assert ("New since" in first, "flash-attn-module-missing" in new, "dataproto-batch" in new) == (
        False,
        True,
        False,
    )


def test_a_page_of_all_runs_is_written_beside_the_report(
    run_cli: RunCli, runs: tuple[Path, dict[str, str | None]], tmp_path: Path
) -> None:
    """With every run in it; a place that cannot be written is said."""
    root, expected = runs
    done = run_cli("batch", "--jobs", "1", "--html", tmp_path / "p.html", root)
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert (done.returncode, done.stderr, [name for name in expected if name not in page]) == (
        1,
        b"",
        [],
    )
    limit = len(page.encode()) - 1000  # as of a disk that is full before the page is written
    full = subprocess.run(
        [sys.executable, "-m", "logdoctor", "batch", "--html", str(tmp_path / "p.html"), str(root)],
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        check=False,
    )
    assert (full.returncode, b"p.html: file too large" in full.stderr) == (2, True)
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page
    assert [each.name for each in tmp_path.glob("p.html*")] == ["p.html"]
    refused = run_cli("batch", "--html", tmp_path / "no" / "p.html", root)
    assert (refused.returncode, refused.stderr.decode().splitlines()) == (
        2,
        [f"logdoctor: {tmp_path / 'no' / 'p.html'}: no such file or directory"],
    )


def test_a_page_that_cannot_be_written_is_said_before_anything_is_judged(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Not after hours of reading."""
    write(tmp_path / "r1" / "t.log", b"ValueError: something else altogether\n")
    done = run_cli("batch", "--html", tmp_path / "gone" / "x.html", tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().endswith("x.html: no such file or directory\n")


def test_a_page_stays_the_file_that_it_was(run_cli: RunCli, tmp_path: Path) -> None:
    """A link leads to it still, and its mode is kept; where a call fails later, nothing is left."""
    root, real, link = tmp_path / "runs", tmp_path / "real" / "p.html", tmp_path / "p.html"
    write(root / "t.log", b"ValueError: something else altogether\n")
    write(real, b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    run_cli("batch", "--jobs", "1", "--html", link, root)
    assert (link.readlink(), real.stat().st_mode & 0o777) == (real, 0o640)
    assert b"something else altogether" in real.read_bytes()
    (tmp_path / "broken.toml").write_text("[")
    run_cli("batch", "--html", tmp_path / "new.html", "--config", tmp_path / "broken.toml", root)
    names = {each.name for each in (*tmp_path.iterdir(), *real.parent.iterdir())}
    assert names == {"runs", "real", "p.html", "broken.toml"}


def test_a_pipe_for_the_page_is_opened_once(tmp_path: Path) -> None:
    """Its reader gets the page, not the end of a trial."""
    write(tmp_path / "runs" / "t.log", b"ValueError: something else altogether\n")
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE)
    command = [sys.executable, "-m", "logdoctor", "batch", "--html"]
    try:
        subprocess.run(
            [*command, str(tmp_path / "pipe"), str(tmp_path / "runs")],
            capture_output=True, timeout=30, check=False,
        )  # fmt: skip
        assert b"something else altogether" in reader.communicate(timeout=10)[0]
    finally:
        reader.kill()
        reader.wait()


def test_a_run_with_warnings_only_has_not_failed(run_cli: RunCli, tmp_path: Path) -> None:
    """In text, CSV and exit code alike; what the runs die of stands first, the runs last."""
    write(
        tmp_path / "warned" / "t.log",
        b"Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot "
        b"open shared object file: No such file or directory\n" + HEALTHY,
    )
    text = run_cli("batch", "--jobs", "1", tmp_path)
    assert text.returncode == 0
    lines = text.stdout.decode().splitlines()
    assert lines[0] == "Warnings of runs that did not fail"
    assert lines[-1] == "1 runs · 0 failed · 0 without a problem · 1 with warnings only"
    (row,) = csv.DictReader(
        io.StringIO(run_cli("batch", "--format", "csv", "--jobs", "1", tmp_path).stdout.decode())
    )
    assert (row["failed"], row["severity"]) == ("False", "warning")
    write(tmp_path / "failed" / "t.log", b"AssertionError: batch_size 32 < chunks 64\n")
    lines = run_cli("batch", "--jobs", "1", tmp_path).stdout.decode().splitlines()
    headings = ("What the runs die of", "Warnings of runs that did not fail", "Runs that failed")
    assert sorted(headings, key=lines.index) == list(headings)
