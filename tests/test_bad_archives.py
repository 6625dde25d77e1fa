"""What archives can have done to them: nothing is written, nothing outside is read, what can be read is judged."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import tarfile
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from benchmarks.texts.archived_runs import FAILED, HEALTHY, sample, tar_bytes, write, zip_bytes
from logdoctor.archive import judging, workers
from logdoctor.archive.judging import JudgedRun, PlanDone, Task, judge_plan
from logdoctor.archive.layouts import Plan, PlanKind
from logdoctor.archive.trees import LocalTree
from logdoctor.errors import SourceError
from logdoctor.model import ScanOptions
from logdoctor.search.automaton import Automaton
from logdoctor.sources import unpack_limit
from logdoctor.sources.finding import NESTING_LIMIT, Source, find_sources

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]


def batch(
    run_cli: RunCli, root: Path, *arguments: str
) -> tuple[list[tuple[str, str | None]], list[tuple[str, str]]]:
    """Runs with their verdicts, and what could not be read."""
    done = run_cli("batch", "--format", "json", "--jobs", "1", *arguments, root)
    assert b"Traceback" not in done.stderr
    document: Any = json.loads(done.stdout)
    runs = [
        (run["run"], run["verdict"] and run["verdict"].get("signature_id", "unknown"))
        for run in document["runs"]
    ]
    return runs, [(each["source"], each["problem"]) for each in document["failed_to_read"]]


def events(automaton: Automaton, root: Path, plan: Plan) -> tuple[list[JudgedRun], PlanDone]:
    *runs, done = judge_plan(automaton, ScanOptions(), Task(str(root), plan))
    assert isinstance(done, PlanDone)
    return [run for run in runs if isinstance(run, JudgedRun)], done


FIRST = "dataproto-batch-smaller-than-chunks"


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_of_a_tar_that_is_cut_off_what_can_be_read_is_judged(
    run_cli: RunCli, tmp_path: Path, mode: str
) -> None:
    """The rest is named."""
    whole = tar_bytes(
        {
            "a/t.log": sample(FAILED[0]),
            "b/t.log": sample(FAILED[1]) + os.urandom(30_000).hex().encode(),
            "c/t.log": HEALTHY,
        },
        mode,
    )
    write(tmp_path / "x.tar.gz", whole[: len(whole) * 4 // 5])
    runs, failed = batch(run_cli, tmp_path)
    assert (runs[0], [run for run, _ in runs if run.endswith("/c")]) == (("x.tar.gz/a", FIRST), [])
    assert sorted((name, "broken or cut off" in what) for name, what in failed) == [
        ("x.tar.gz", True),
        ("x.tar.gz/b/t.log", True),
    ]


def test_archives_full_of_noise_are_named(run_cli: RunCli, tmp_path: Path) -> None:
    """And the run beside them is judged."""
    for name in ("x.tar", "x.tar.gz", "x.zip", "x.tar.zst"):
        write(tmp_path / name, b"\x1f\x8b\x08\0" + os.urandom(5000))
    write(tmp_path / "half.zip", zip_bytes({"a/t.log": sample(FAILED[0])})[:-30])
    write(tmp_path / "run" / "t.log", sample(FAILED[0]))
    runs, failed = batch(run_cli, tmp_path)
    assert runs == [("run", FIRST)]
    assert sorted({name for name, _ in failed}) == [
        "half.zip",
        "x.tar",
        "x.tar.gz",
        "x.tar.zst",
        "x.zip",
    ]


def test_a_bomb_is_stopped(
    monkeypatch: pytest.MonkeyPatch, automaton: Automaton, tmp_path: Path
) -> None:
    """Alone, in a tar, in a zip: what came before it is judged."""
    monkeypatch.setattr(unpack_limit, "EXPANSION_FREE", 1 << 20)
    bomb = gzip.compress(b"0" * (30 << 20))
    for name, data in (
        ("b.log.gz", bomb),
        (
            "b.tar.gz",
            tar_bytes({"a/t.log": sample(FAILED[0]), "z/bomb.log": b"0" * (30 << 20)}, "w:gz"),
        ),
        ("b.zip", zip_bytes({"a/t.log": sample(FAILED[0]), "z/bomb.log": b"0" * (30 << 20)})),
        ("c.tar", tar_bytes({"a/t.log": sample(FAILED[0]), "z/bomb.log.gz": bomb})),
    ):
        write(tmp_path / name, data)
        kind = PlanKind.FILES if name == "b.log.gz" else PlanKind.ARCHIVE
        runs, done = events(automaton, tmp_path, Plan(name, kind, (name,)))
        problems = [problem.what for run in runs for problem in run.problems] + [
            problem.what for problem in done.problems
        ]
        assert [what for what in problems if "unpacks to more than" in what] != [], name
        assert name == "b.log.gz" or (
            runs[0].run,
            getattr(runs[0].result.root, "signature", None) is not None,
        ) == (f"{name}/a", True)


def test_the_limit_of_what_is_unpacked_is_that_of_the_user(run_cli: RunCli, tmp_path: Path) -> None:
    """In scan and in batch, for files and pipes, and the message says how to raise it, in both languages."""
    data = gzip.compress(b"quiet\n" * 1_000_000 + sample(FAILED[0]))
    file = write(tmp_path / "b.log.gz", data)
    english = (
        "unpacks to more than 1,000,000 bytes; the rest was left out (--unpack-limit allows more)"
    )
    done = run_cli("scan", "--unpack-limit", "1M", file)
    assert (
        done.returncode,
        english in done.stderr.decode(),
        english in " ".join(done.stdout.decode().split()),
    ) == (2, True, True)
    done = run_cli("scan", "--unpack-limit", "1M", "--lang", "zh", "--format", "json", stdin=data)
    (not_seen,) = [each for each in json.loads(done.stdout)["not_seen"] if "1,000,000" in each]
    assert (done.returncode, "解压后超过 1,000,000 字节" in not_seen) == (2, True)
    done = run_cli("batch", "--unpack-limit", "1M", "--format", "json", file)
    assert [each["problem"] for each in json.loads(done.stdout)["failed_to_read"]] == [english]
    for command in (
        ["scan", "--unpack-limit", "7M", file],
        ["batch", "--unpack-limit", "0.01G", file],
        ["scan", file],
    ):
        done = run_cli(*command)
        assert (done.returncode, done.stderr) == (1, b"")
    done = run_cli("scan", "--unpack-limit", "lots", file)
    assert (done.returncode, "expected a number of bytes, as 500M" in done.stderr.decode()) == (
        2,
        True,
    )


def test_what_a_pipe_may_unpack_to_grows_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb is stopped, a long log is not."""
    monkeypatch.setattr(unpack_limit, "EXPANSION_FREE", 1 << 20)
    noise = b"".join(b"%x\n" % random.Random(i).getrandbits(64) for i in range(200_000))
    (long, bomb) = (
        next(
            find_sources(
                [],
                cast(
                    BinaryIO, io.BufferedReader(cast(io.RawIOBase, io.BytesIO(gzip.compress(data))))
                ),
            )
        )
        for data in (noise, b"0" * (30 << 20))
    )
    assert (isinstance(long, Source), isinstance(bomb, Source)) == (True, True)
    assert b"".join(cast(Source, long).chunks()) == noise
    with pytest.raises(SourceError, match="unpacks to more than"):
        b"".join(cast(Source, bomb).chunks())


def test_archives_in_archives_are_read_to_a_limit(run_cli: RunCli, tmp_path: Path) -> None:
    """Tar in zip in tar … as deep as the limit; deeper ones are named."""
    for depth, name in ((NESTING_LIMIT, "ok.tar"), (NESTING_LIMIT + 1, "deep.tar")):
        data = sample(FAILED[0])
        inner = "t.log"
        for level in range(depth):
            data = (tar_bytes if level % 2 else zip_bytes)({inner: data})
            inner = f"{level}.{'tar' if level % 2 else 'zip'}"
        write(tmp_path / name, data)
    runs, failed = batch(run_cli, tmp_path)
    assert (
        [(run.partition("/")[0], what) for run, what in runs],
        [what for _, what in failed],
    ) == (
        [("deep.tar", None), ("ok.tar", FIRST)],
        [f"archives nested more than {NESTING_LIMIT} deep"],
    )


def test_traversal_and_links_in_tars_reach_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    """No member is written; links, devices and pipes are not opened; names are names."""
    secret = write(tmp_path / "secret" / "t.log", sample(FAILED[1]))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind, target in (
            ("a/sym.log", tarfile.SYMTYPE, str(secret)),
            ("a/hard.log", tarfile.LNKTYPE, str(secret)),
            ("a/pipe.log", tarfile.FIFOTYPE, ""),
            ("a/null.log", tarfile.CHRTYPE, ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        for name in ("../../escaped/t.log", "/etc/absolute.log"):
            info = tarfile.TarInfo(name)
            info.size = len(HEALTHY)
            archive.addfile(info, io.BytesIO(HEALTHY))
    write(tmp_path / "in" / "x.tar", buffer.getvalue())
    before = sorted(path for path in tmp_path.rglob("*"))
    runs, failed = batch(run_cli, tmp_path / "in")
    assert (runs, failed, sorted(tmp_path.rglob("*"))) == (
        [("x.tar/escaped", None), ("x.tar/etc", None)],
        [],
        before,
    )


def test_link_loops_end(run_cli: RunCli, tmp_path: Path) -> None:
    """Links to folders are not followed, links to a log below the root do not make it two runs."""
    write(tmp_path / "runs" / "a" / "t.log", HEALTHY)
    (tmp_path / "runs" / "a" / "loop").symlink_to(tmp_path / "runs")
    (tmp_path / "runs" / "latest").symlink_to(tmp_path / "runs" / "a")
    (tmp_path / "runs" / "self.log").symlink_to(tmp_path / "runs" / "self.log")
    assert [run for run, _ in batch(run_cli, tmp_path / "runs")[0]] == ["a"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_folders_and_logs_are_named(run_cli: RunCli, tmp_path: Path) -> None:
    """The others are judged."""
    write(tmp_path / "a" / "t.log", HEALTHY)
    write(tmp_path / "b" / "t.log", HEALTHY).chmod(0)
    write(tmp_path / "c" / "t.log", HEALTHY).parent.chmod(0)
    runs, failed = batch(run_cli, tmp_path)
    (tmp_path / "c").chmod(0o700)
    assert ([run for run, _ in runs], sorted(failed)) == (
        ["a", "b"],
        [("b/t.log", "permission denied"), ("c", "permission denied")],
    )


def test_a_folder_that_goes_between_listing_and_reading_is_named(tmp_path: Path) -> None:
    """The others are listed."""
    tree = LocalTree(str(tmp_path))
    assert (tree.list_folder("gone"), [(each.source, each.what) for each in tree.failures]) == (
        ([], []),
        [("gone", "no such file or directory")],
    )


def test_a_run_of_which_nothing_could_be_read_is_not_called_healthy(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """The last line counts it apart."""
    write(tmp_path / "a" / "t.log", b"\x7fELF" + bytes(range(256)))
    done = run_cli("batch", tmp_path)
    assert (done.returncode, done.stdout) == (
        2,
        b"1 runs \xc2\xb7 0 failed \xc2\xb7 0 without a problem \xc2\xb7 1 could not be read\n",
    )


def test_a_log_that_goes_between_listing_and_reading_is_named(
    automaton: Automaton, tmp_path: Path
) -> None:
    """The run is judged again at the next call."""
    write(tmp_path / "a.log", HEALTHY)
    runs, done = events(automaton, tmp_path, Plan("a.log", PlanKind.FILES, ("a.log", "gone.log")))
    assert ([problem for run in runs for problem in run.problems], done.known) == (
        [("gone.log", "no such file or directory")],
        None,
    )


def test_a_log_that_grows_while_it_is_read_is_judged_again(
    automaton: Automaton, tmp_path: Path
) -> None:
    """And the run says so."""
    file = write(tmp_path / "a.log", b"nothing of note\n" * 4_000_000)
    stop = threading.Event()

    def grow() -> None:
        with file.open("ab") as stream:
            while not stop.is_set():
                stream.write(b"more\n")
                stream.flush()
                time.sleep(0.001)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        (run,), done = events(automaton, tmp_path, Plan("a.log", PlanKind.FILES, ("a.log",)))
    finally:
        stop.set()
        writer.join()
    assert (run.problems, done.known) == ((("a.log", judging.CHANGED),), None)


def test_names_that_are_not_utf8_are_shown_and_read(run_cli: RunCli, tmp_path: Path) -> None:
    """In folders, files and archives; kept in the store."""
    write(tmp_path / "runs" / os.fsdecode(b"b\xff") / os.fsdecode(b"t\xfe.log"), sample(FAILED[0]))
    write(tmp_path / "runs" / "x.tar", tar_bytes({"a\udcff/t.log": HEALTHY}))
    store = ("--store", str(tmp_path / "s.sqlite"))
    for _ in range(2):
        assert batch(run_cli, tmp_path / "runs", *store) == (
            [("b\\xff", FIRST), ("x.tar/a\\xff", None)],
            [],
        )


def test_many_small_files_are_one_run(run_cli: RunCli, tmp_path: Path) -> None:
    """A folder with 3,000 logs, read in some seconds."""
    for number in range(3000):
        (tmp_path / f"rank-{number}.log").write_bytes(b"step 1\n")
    done = run_cli("batch", "--format", "json", tmp_path)
    assert [run["sources"] for run in json.loads(done.stdout)["runs"]] == [3000]


def test_a_program_error_ends_its_run_only(
    monkeypatch: pytest.MonkeyPatch, automaton: Automaton, tmp_path: Path
) -> None:
    """It is named, to be reported."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("made up")

    monkeypatch.setattr(workers, "judge_plan", fail)
    (done,) = workers.task_events(
        automaton,
        workers.Rules((), "", ScanOptions(), "test"),
        Task(str(tmp_path), Plan("a", PlanKind.FOLDER)),
    )
    assert isinstance(done, PlanDone)
    assert [(each.source, "ZeroDivisionError" in each.what) for each in done.problems] == [
        ("a", True)
    ]


def test_checksums_of_zips_are_minded(run_cli: RunCli, tmp_path: Path) -> None:
    """A member that is not what it was is named; its text is judged as far as it was read."""
    data = bytearray(zip_bytes({"a/t.log": HEALTHY, "b/t.log": sample(FAILED[0])}))
    crc = zlib.crc32(HEALTHY).to_bytes(4, "little")
    data = bytearray(bytes(data).replace(crc, b"\1\2\3\4"))
    write(tmp_path / "x.zip", bytes(data))
    runs, failed = batch(run_cli, tmp_path)
    assert (runs, [name for name, _ in failed]) == (
        [("x.zip/a", None), ("x.zip/b", FIRST)],
        ["x.zip/a/t.log"],
    )
