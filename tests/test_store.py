"""The store: what it keeps, that nothing damages it, and that a call that was killed goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.texts.archived_runs import FAILED, HEALTHY, make_runs, sample, write, zip_bytes
from logdoctor.archive import store as stores
from logdoctor.archive.batch import Progress, Root, judge_roots
from logdoctor.archive.roots import open_tree
from logdoctor.archive.store import Store, StoreError
from logdoctor.archive.workers import InlineEngine, Rules
from logdoctor.model import ScanOptions
from logdoctor.search.automaton import Automaton

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]
RULES = Rules((), "", ScanOptions(config={}, config_places={}), "test")


def judge(automaton: Automaton, root: Path, store: Store, rules: str = "r") -> Progress:
    """The last progress of a call in this process."""
    seen = [Progress()]
    judge_roots(
        [Root(str(root), open_tree(str(root)))],
        store,
        InlineEngine(automaton, RULES),
        rules=rules,
        run_glob=None,
        on_progress=seen.append,
    )
    return seen[-1]


def rows(file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [
            row
            for table in ("plans", "runs", "seen", "calls")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        ]


def test_a_second_call_judges_only_what_is_new_or_changed(
    automaton: Automaton, tmp_path: Path
) -> None:
    """By size and time, then by content; a run whose files were only touched is not judged again."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    for name in ("a", "b", "c"):
        write(root / name / "t.log", HEALTHY)
    assert judge(automaton, root, Store(str(file))) == Progress(3, 3, 3, 3 * len(HEALTHY))
    assert judge(automaton, root, Store(str(file))) == Progress(3, 0, 0, 0)
    os.utime(root / "a" / "t.log", ns=(1, 1))
    assert judge(automaton, root, Store(str(file))).judged_plans == 0
    write(root / "b" / "t.log", HEALTHY.replace(b"0.5", b"0.6"))
    os.utime(root / "b" / "t.log", ns=(2, 2))
    write(root / "c" / "u.log", HEALTHY)
    write(root / "d" / "t.log", HEALTHY)
    assert judge(automaton, root, Store(str(file))).judged_plans == 3
    assert judge(automaton, root, Store(str(file)), rules="newer").judged_plans == 4


def test_a_run_that_is_gone_is_not_reported_and_stays_in_the_store(
    automaton: Automaton, tmp_path: Path
) -> None:
    """The store remembers; the report says what is there."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    for name in ("a", "b"):
        write(root / name / "t.log", HEALTHY)
    judge(automaton, root, Store(str(file)))
    (root / "a" / "t.log").unlink()
    (root / "a").rmdir()
    store = Store(str(file))
    judge(automaton, root, store)
    assert (
        [record.run for _, record in store.records()],
        len([row for row in rows(file) if row[1] == "a"]),
    ) == (["b"], 2)


def test_runs_that_left_an_archive_are_forgotten(automaton: Automaton, tmp_path: Path) -> None:
    """An archive that was written anew holds what it holds."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    for members in ({"a/t.log": HEALTHY, "b/t.log": HEALTHY}, {"b/t.log": HEALTHY}):
        write(root / "x.zip", zip_bytes(members))
        store = Store(str(file))
        judge(automaton, root, store)
    assert [record.run for _, record in store.records()] == ["x.zip/b"]


def test_new_errors_are_those_that_no_earlier_call_has_seen(
    automaton: Automaton, tmp_path: Path
) -> None:
    """Newer signatures make nothing new."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    write(root / "a" / "t.log", sample(FAILED[0]))
    store = Store(str(file))
    judge(automaton, root, store)
    write(root / "b" / "t.log", sample(FAILED[0]))
    write(root / "c" / "t.log", sample("flash-attn-module-missing"))
    judge(automaton, root, store, rules="newer")
    key = open_tree(str(root)).key
    assert (store.begin(key), store.new_errors(key, 2)) == (
        3,
        frozenset({"flash-attn-module-missing"}),
    )


def _has_tables(file: Path) -> bool:
    if not file.exists():
        return False
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        return bool(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.slow  # is killed and called again, many times
def test_a_call_killed_at_any_moment_goes_on_to_the_same_rows(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Killed eight times with its processes, whenever some rows more are there and a random while has passed; then left alone."""
    root, file = tmp_path / "runs", tmp_path / "killed.sqlite"
    make_runs(root)
    for number in range(60):
        write(root / "more" / f"r{number:02}" / "t.log", sample("torchrun-failing-rank") * 10)
    run_cli("batch", "--jobs", "2", "--store", tmp_path / "calm.sqlite", root)
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "batch",
        "--jobs",
        "2",
        "--store",
        str(file),
        str(root),
    ]
    chance = random.Random(7)
    kept = [0]
    for _ in range(8):
        call = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        target = kept[-1] + chance.randint(0, 12)
        while call.poll() is None and (not _has_tables(file) or len(rows(file)) < target):
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.05))
        os.killpg(call.pid, signal.SIGKILL)
        call.wait()
        kept.append(len(rows(file)) if _has_tables(file) else 0)
    run_cli("batch", "--jobs", "2", "--store", file, root)
    calm = rows(tmp_path / "calm.sqlite")
    assert (kept, kept[1] < len(calm), rows(file) == calm) == (sorted(kept), True, True)


def test_two_calls_at_once_write_what_one_writes(run_cli: RunCli, tmp_path: Path) -> None:
    """Neither fails, and both report the same."""
    root = tmp_path / "runs"
    make_runs(root)
    alone = run_cli(
        "batch", "--jobs", "1", "--format", "json", "--store", tmp_path / "one.sqlite", root
    )
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "batch",
        "--jobs",
        "1",
        "--format",
        "json",
        "--store",
        str(tmp_path / "two.sqlite"),
        str(root),
    ]
    calls = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    assert [call.communicate(timeout=100) for call in calls] == [(alone.stdout, b"")] * 2
    assert rows(tmp_path / "two.sqlite") == rows(tmp_path / "one.sqlite")


def test_ctrl_c_keeps_and_reports_what_is_done(tmp_path: Path) -> None:
    """Exit code 130; the next call goes on."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    for number in range(300):
        write(root / f"r{number:03}" / "t.log", sample("torchrun-failing-rank") * 10)
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "batch",
        "--jobs",
        "1",
        "--format",
        "json",
        "--store",
        str(file),
        str(root),
    ]
    call = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not _has_tables(file) or not rows(file):
        time.sleep(0.05)
    call.send_signal(signal.SIGINT)
    out, notes = call.communicate(timeout=60)
    done = len(json.loads(out)["runs"])
    assert (call.returncode, 0 < done < 300, notes) == (
        130,
        True,
        b"logdoctor: interrupted; what was judged until then is reported and kept\n",
    )


def test_a_full_disk_leaves_the_store_whole(automaton: Automaton, tmp_path: Path) -> None:
    """SQLite is told that there are no more pages; what was committed stays, and the next call goes on."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    for number in range(40):
        write(root / f"r{number:02}" / "t.log", sample(FAILED[number % 4]))
    store = Store(str(file))
    store._connection.execute("PRAGMA max_page_count = 25")
    with pytest.raises(
        StoreError, match=r"s\.sqlite: the disk is full; what was judged until now is kept"
    ):
        judge(automaton, root, store)
    kept = [record.run for _, record in store.records()]
    assert 0 < len(kept) < 40
    store.close()
    store = Store(str(file))
    assert judge(automaton, root, store).judged_plans >= 40 - len(kept)
    assert len(list(store.records())) == 40


def test_an_older_store_is_migrated_and_a_newer_one_refused(
    monkeypatch: pytest.MonkeyPatch, automaton: Automaton, tmp_path: Path
) -> None:
    """By the table of migrations; with words."""
    root, file = tmp_path / "runs", tmp_path / "s.sqlite"
    write(root / "a" / "t.log", HEALTHY)
    judge(automaton, root, Store(str(file)))
    monkeypatch.setattr(stores, "FORMAT", 5)
    migrations = {3: ["ALTER TABLE calls ADD COLUMN note TEXT"], 4: ["UPDATE calls SET note = 'x'"]}
    monkeypatch.setattr(stores, "MIGRATIONS", migrations)
    Store(str(file)).close()
    with closing(sqlite3.connect(file)) as connection:
        assert (
            connection.execute("SELECT call, note FROM calls").fetchall(),
            connection.execute("PRAGMA user_version").fetchone(),
        ) == (
            [(1, "x")],
            (5,),
        )
    monkeypatch.undo()
    with pytest.raises(
        StoreError,
        match=r"written by a newer logdoctor \(format 5, this one knows 3\); update logdoctor",
    ):
        Store(str(file))


def test_what_is_no_store_is_refused_with_words(run_cli: RunCli, tmp_path: Path) -> None:
    """Another program's database, a log, a folder that is not there; nothing is overwritten."""
    write(tmp_path / "t.log", HEALTHY)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE x (y)")
    for name, words in (
        ("other.sqlite", "a SQLite file of something else; give another name to --store"),
        ("t.log", "not a SQLite file; give another name to --store"),
        (
            "no/s.sqlite",
            "cannot be opened or made; expected a file in a folder that exists and can be written",
        ),
    ):
        done = run_cli("batch", "--store", tmp_path / name, tmp_path)
        assert (done.returncode, done.stderr.decode()) == (
            2,
            f"logdoctor: {tmp_path / name}: {words}\n",
        )
    assert (tmp_path / "t.log").read_bytes() == HEALTHY


def a_few_runs(folder: Path) -> None:
    """Five, two of which failed, and an archive."""
    for number, data in enumerate(
        (sample(FAILED[0]), HEALTHY, HEALTHY, sample(FAILED[1]), HEALTHY)
    ):
        write(folder / f"run{number}" / "train.log", data)
    write(folder / "old.zip", zip_bytes({"a/train.log": sample(FAILED[2]), "b/train.log": HEALTHY}))


def report(run_cli: RunCli, archive: Path, store: Path) -> tuple[str, str, int]:
    done = run_cli("batch", archive, "--store", store, "--format", "json", "--jobs", "1")
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def test_a_row_that_is_not_what_was_written_is_judged_anew(run_cli: RunCli, tmp_path: Path) -> None:
    """And said, each row whatever of it is damaged; the report is as from a new store, and the
    next call finds it whole.
    """
    archive, store = tmp_path / "runs", tmp_path / "s.sqlite"
    a_few_runs(archive)
    good, _, code = report(run_cli, archive, store)
    columns = ("documents", "errors", "hosts", "problems", "verdict", "plan")
    for value in ("x'fffe'", "'[[\"'"):
        with closing(sqlite3.connect(store)) as connection:
            names = [run for (run,) in connection.execute("SELECT run FROM runs ORDER BY run")]
            for column, name in zip(columns, names[-len(columns) :], strict=True):
                connection.execute(f"UPDATE runs SET {column} = {value} WHERE run = ?", (name,))
            connection.commit()
        again, said, code_again = report(run_cli, archive, store)
        assert (again, code_again) == (good, code)
        assert f"{len(columns)} of its results were damaged; their runs are judged anew" in said
        assert report(run_cli, archive, store) == (good, "", code)


@pytest.mark.slow
def test_whatever_is_damaged_in_a_store_is_healed_or_said(
    automaton: Automaton, tmp_path: Path
) -> None:
    """Two hundred copies, each with a region overwritten, flipped or cut off: the same runs as
    from a new store, or words; and the call after it finds nothing to heal.
    """
    archive, whole = tmp_path / "runs", tmp_path / "s.sqlite"
    a_few_runs(archive)
    store = Store(str(whole))
    judge(automaton, archive, store)
    expected = [record for _, record in store.records()]
    news = store.new_errors(str(archive), 1)
    store.close()
    rng, kinds = random.Random(3), {"same": 0, "healed": 0, "refused": 0}
    for number in range(200):
        copy = tmp_path / f"{number}.sqlite"
        copy.write_bytes(damaged(whole.read_bytes(), rng))
        try:
            store = Store(str(copy))
        except StoreError:
            kinds["refused"] += 1
            continue
        judge(automaton, archive, store)
        assert [record for _, record in store.records()] == expected
        assert store.new_errors(str(archive), 1) == news
        kinds["healed" if store.notes else "same"] += 1
        store.close()
        store = Store(str(copy))
        judge(automaton, archive, store)
        assert store.notes == ()
        store.close()
    assert kinds["healed"] > 100, kinds
    assert kinds["refused"] < 20, kinds


def test_what_people_noted_outlives_the_file(run_cli: RunCli, tmp_path: Path) -> None:
    """A store that is set aside, by whatever command, leaves its notes to the new one; the command says so."""
    archive, store = tmp_path / "runs", tmp_path / "s.sqlite"
    a_few_runs(archive)
    report(run_cli, archive, store)
    assert run_cli("note", "--store", store, "key-missing", "fixed by a column").returncode == 0
    for words in (("note",), ("scan", archive / "run0/train.log")):
        with closing(sqlite3.connect(store)) as connection:
            connection.execute("UPDATE seen SET call = 99")
            connection.execute("INSERT INTO seen VALUES ('/other', 'x', 7, '')")
            connection.commit()
        done = run_cli(*words, "--store", store)
        assert b"damaged; it is kept as" in done.stderr
        assert done.returncode == (2 if words == ("note",) else 1)
        assert b"fixed by a column" in run_cli("note", "--store", store).stdout


@pytest.mark.parametrize("column", ["documents", "errors", "problems"])
def test_damaged_rows_are_neither_told_nor_joined(
    run_cli: RunCli, tmp_path: Path, column: str
) -> None:
    """And that is said; what a colleague has of the same runs takes their place."""
    archive, store, other = tmp_path / "runs", tmp_path / "s.sqlite", tmp_path / "o.sqlite"
    a_few_runs(archive)
    report(run_cli, archive, store)
    whole = rows(store)
    other.write_bytes(store.read_bytes())
    for value in ("x'fffe'", "'[[\"'", "CAST(x'fffe' AS TEXT)"):
        with closing(sqlite3.connect(store)) as connection:
            connection.execute(f"UPDATE runs SET {column} = {value} WHERE run LIKE '%0'")
            connection.commit()
        done = run_cli("scan", archive / "run0/train.log", "--store", store)
        assert (done.returncode, done.stdout != b"") == (1, True)
        assert b"1 of its rows are damaged" in done.stderr
        third = tmp_path / "third.sqlite"
        assert b"left out" in run_cli("note", "--store", third, "--join", store).stderr
        third.unlink()
        assert b"left out" not in run_cli("note", "--store", store, "--join", other).stderr
        assert rows(store) == whole


def test_a_store_that_cannot_be_read_takes_no_verdict(run_cli: RunCli, tmp_path: Path) -> None:
    """It is missed before anything is read, or said beside the report."""
    log = tmp_path / "train.log"
    log.write_bytes(sample(FAILED[0]))
    assert run_cli("scan", log, "--store", tmp_path / "none.sqlite").returncode == 2
    (tmp_path / "text.sqlite").write_bytes(b"text" * 100)
    done = run_cli("scan", log, "--store", tmp_path / "text.sqlite")
    assert done.stdout == run_cli("scan", log).stdout
    assert b"not a SQLite file" in done.stderr


def damaged(data: bytes, rng: random.Random) -> bytes:
    start, size = rng.randrange(len(data)), rng.choice((1, 4, 60, 4000))
    kind = rng.randrange(3)
    if kind == 0:
        return data[:start]
    new = (
        rng.randbytes(len(data[start : start + size]))
        if kind == 1
        else bytes(each ^ 1 for each in data[start : start + size])
    )
    return data[:start] + new + data[start + size :]
