"""`logdoctor tail` and the live scan below it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from logdoctor.cli.watching import SETTLE_EVERY_S
from logdoctor.live.follow import HOT_EVERY_S, IDLE_EVERY_S
from logdoctor.live.state import read_state
from logdoctor.model import UnknownError, Verdict
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from tests.readers import QUICK
from tests.thoroughness import in_turn

SAMPLES = sorted((Path(__file__).parents[1] / "sample_logs").rglob("*.log"))
OOM = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB\n"
SLURM_ENDS = b"slurmstepd-vm: error: *** JOB 6 ON vm CANCELLED AT 2026-11-21T21:47:17 ***\n"
RELAYED = b"ray.exceptions.RayTaskError(OutOfMemoryError): ray::WorkerDict.actor_rollout_generate() (pid=1, ip=10.0.0.1)\n"


@pytest.mark.parametrize(
    ("log", "size"),
    [
        pytest.param(
            log,
            size,
            marks=pytest.mark.slow
            if log.stat().st_size > QUICK * size / 300
            else in_turn(f"{log.stem}-{size}"),
            id=f"{log.stem}-{size}",
        )
        for log in SAMPLES
        for size in (300, 5000)
    ],
)
def test_the_last_verdict_is_that_of_a_scan(automaton: Automaton, log: Path, size: int) -> None:
    """However the log came, and whatever was told meanwhile."""
    data = log.read_bytes()
    scan, live = Scan(automaton), Scan(automaton)
    scan.read("x", [data])
    position = 0
    while position < len(data):
        end = data.find(b"\n", position + size) + 1 or len(data)
        live.feed("x", data[position:end])
        live.settle()
        position = end
    live.end()
    whole, last = scan.result(), live.result()
    assert [(each.signature.id, each.verdict, each.occurrences) for each in last.diagnoses] == [
        (each.signature.id, each.verdict, each.occurrences) for each in whole.diagnoses
    ]
    assert ({each.fingerprint for each in last.unknown_errors}, last.context) == (
        {each.fingerprint for each in whole.unknown_errors},
        whole.context,
    )


def test_a_diagnosis_is_told_at_the_second_settling_and_only_once(automaton: Automaton) -> None:
    """The first waits for the lines below."""
    live = Scan(automaton)
    live.feed("x", OOM)
    told = [[each.signature.id for each in live.settle().diagnoses] for _ in range(3)]
    live.feed("x", OOM)
    told += [[each.signature.id for each in live.settle().diagnoses] for _ in range(2)]
    live.end()
    assert (told, live.result().diagnoses[0].occurrences) == (
        [[], ["cuda-out-of-memory"], [], [], []],
        2,
    )


def test_a_traceback_that_has_not_come_to_its_end_is_waited_for(automaton: Automaton) -> None:
    """Its exception line says what it is."""
    live = Scan(automaton)
    live.feed(
        "x",
        b'Traceback (most recent call last):\n  File "train.py", line 1, in <module>\n    main()\n',
    )
    assert [bool(live.settle()) for _ in range(5)] == [False] * 5
    live.feed("x", b"ValueError: bad shape\n")
    assert [[each.title for each in live.settle().unknown_errors] for _ in range(2)] == [
        [],
        ["ValueError: bad shape"],
    ]


def test_a_table_that_is_not_closed_is_waited_for(automaton: Automaton) -> None:
    """torchrun's, of which the last row tells why."""
    log = (Path(__file__).parents[1] / "sample_logs/slurm-oom-kill.log").read_bytes()
    edge, live = log.index(b"slurm_training.py FAILED"), Scan(automaton)
    for data in (log[:edge], log[edge:]):
        live.feed("x", data)
        for _ in range(3):
            live.settle()
    live.end()
    assert [
        each.occurrences
        for each in live.result().diagnoses
        if each.signature.id == "torch-elastic-worker-killed"
    ] == [2]


def test_the_verdict_is_upgraded_when_the_cause_comes_after_its_symptoms(
    automaton: Automaton,
) -> None:
    """And says what was held for the root cause before."""
    live = Scan(automaton)
    live.feed("driver", RELAYED)
    first = [live.settle(), live.settle()][-1]
    live.feed("worker", OOM)
    then = [live.settle(), live.settle()][-1]
    assert first.root is None
    assert then.root is not None
    assert then.instead_of is not None
    assert not isinstance(then.root, UnknownError)
    assert not isinstance(then.instead_of, UnknownError)
    assert (then.root.signature.id, then.instead_of.signature.id) == (
        "cuda-out-of-memory",
        first.diagnoses[0].signature.id,
    )


def test_what_the_run_survived_is_taken_back(automaton: Automaton) -> None:
    """When two more steps have come."""
    live = Scan(automaton)
    live.feed("x", b"step 1 loss 0.5\n" + OOM)
    told = [live.settle(), live.settle()][-1]
    assert [each.signature.id for each in told.diagnoses] == ["cuda-out-of-memory"]
    live.feed("x", b"".join(b"step %d loss 0.5\n" % i for i in range(2, 40)))
    recovered = [each for _ in range(2) for each in live.settle().recovered]
    assert [each.verdict for each in recovered] == [Verdict.RECOVERED]
    assert not live.settle()


def test_an_end_holds_until_the_next_step_and_a_cancellation_for_good(automaton: Automaton) -> None:
    """A run that goes on has not ended; one that was cancelled may train on to its next checkpoint."""
    live = Scan(automaton)
    lines = (
        b"step 1 loss 0.5\n",
        b"Training completes! Total time elapsed 12.3.\n",
        SLURM_ENDS,
        b"step 2 loss 0.5\n",
    )
    told = []
    for line in lines:
        live.feed("x", line)
        for _ in range(2):
            live.settle()
        told.append((live.has_ended, live.is_being_ended))
    assert told == [(False, False), (True, False), (True, True), (False, True)]


def test_sources_that_take_turns_do_not_mix(automaton: Automaton) -> None:
    """Each traceback stays whole, though their lines come in turn."""
    live = Scan(automaton)
    rows = (
        b"Traceback (most recent call last):\n",
        b'  File "train.py", line 1, in <module>\n',
        b"    main()\n",
    )
    for row in rows:
        live.feed("a", row)
        live.feed("b", row)
        live.settle()
    live.feed("a", b"ValueError: of a\n")
    live.feed("b", b"OddError: of b\n")
    live.end()
    assert {
        (each.title, each.evidence[0].source, each.evidence[0].line)
        for each in live.result().unknown_errors
    } == {
        ("ValueError: of a", "a", 4),
        ("OddError: of b", "b", 4),
    }


def test_lines_are_counted_on_after_a_restart(automaton: Automaton) -> None:
    """What was told is not told again."""
    live = Scan(automaton, told=("cuda-out-of-memory",), lines={"x": 41})
    live.feed("x", OOM)
    assert [bool(live.settle()) for _ in range(3)] == [False] * 3
    assert (live.result().diagnoses[0].evidence[0].line, live.lines_of("x")) == (42, 42)


class Tail:
    """The program itself."""

    def __init__(self, *arguments: str | Path, before: Callable[[], None] | None = None) -> None:
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [
            sys.executable,
            "-m",
            "logdoctor",
            "tail",
            "--format",
            "jsonl",
            *map(str, arguments),
        ]
        self.process = subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=before,  # noqa: PLW1509
        )

    def row(self) -> dict[str, object]:
        assert self.process.stdout
        found = json.loads(self.process.stdout.readline())
        assert isinstance(found, dict)
        return found

    def end(self, number: int | None = None) -> tuple[int, list[dict[str, object]], str]:
        if number:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return (
            self.process.returncode,
            [json.loads(line) for line in out.splitlines()],
            err.decode(),
        )


def test_a_diagnosis_comes_within_a_second_and_the_verdict_on_ctrl_c(tmp_path: Path) -> None:
    """The first call compiles; the second is timed."""
    log = tmp_path / "train.log"
    log.write_text("step 1 loss 0.5\n")
    tail = Tail(log, "--until-idle", "0.5")
    tail.end()
    tail = Tail(log)
    time.sleep(2)
    with log.open("ab") as file:
        file.write(OOM)
    start = time.monotonic()
    row = tail.row()
    seconds = time.monotonic() - start
    code, rest, _ = tail.end(signal.SIGINT)
    assert (row["signature_id"], code, list(rest[-1])) == ("cuda-out-of-memory", 130, ["summary"])
    assert seconds < 5  # 1 s, and what a busy machine adds


def test_looking_and_settling_take_less_than_a_second() -> None:
    """The longest way of a line: an idle file, then a settling that has just passed, and the next."""
    assert IDLE_EVERY_S + 2 * SETTLE_EVERY_S + HOT_EVERY_S < 1


def test_the_state_goes_on_where_it_was(tmp_path: Path) -> None:
    """SIGTERM saves it; the next call tells what came meanwhile, and nothing again."""
    log, state = tmp_path / "train.log", tmp_path / "state.json"
    log.write_bytes(OOM + b"half a li")
    first = Tail(log, "--state", state, "--until-idle", "0.6").end()
    with log.open("ab") as file:
        file.write(
            b"ne\nslurmstepd: error: *** JOB 123 ON n1 CANCELLED AT 2024-05-01T00:00:00 DUE TO TIME LIMIT ***\n"
        )
    second = Tail(log, "--state", state, "--until-idle", "0.6").end()
    assert [row.get("signature_id") for row in first[1]] == ["cuda-out-of-memory", None]
    assert [row.get("signature_id") for row in second[1]] == ["slurm-time-limit", None]


def test_after_a_rotation_the_file_that_holds_the_line_is_named(tmp_path: Path) -> None:
    """In every form; the line keeps its number through all rotations."""
    log = tmp_path / "train.log"
    log.write_bytes(b"step 1 loss 0.5\n" + OOM)
    tail = Tail(log, "--until-idle", "2")
    first: Any = tail.row()
    assert "stands_at" not in first["evidence"][0]
    log.rename(tmp_path / "train.log.1")
    log.write_bytes(b"step 2 loss 0.5\n" + SLURM_ENDS)
    last: Any = tail.end()[1][-1]
    found = {
        each["signature_id"]: (each["evidence"][0]["line"], each["evidence"][0]["stands_at"])
        for each in last["summary"]["diagnoses"]
    }
    assert found == {
        "cuda-out-of-memory": (2, {"file": f"{log}.1", "line": 2}),
        "slurm-cancelled": (4, {"file": str(log), "line": 2}),
    }


def test_a_state_that_cannot_be_saved_and_one_that_is_none(tmp_path: Path) -> None:
    """A full disk is told once, and following goes on; a foreign file is not overwritten."""
    log = tmp_path / "train.log"
    log.write_bytes(OOM)
    code, rows, notes = Tail(log, "--state", "/no/such/folder/state", "--until-idle", "2.5").end()
    assert (code, rows[0]["signature_id"], notes.count("following goes on")) == (
        1,
        "cuda-out-of-memory",
        1,
    )
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    code, rows, notes = Tail(log, "--state", foreign, "--until-idle", "0.5").end()
    assert (code, rows, "not a state" in notes, foreign.read_text()) == (2, [], True, "mine")


def test_a_disk_that_fills_under_the_state(tmp_path: Path) -> None:
    """It is said once, following goes on, and nothing half written is left; a limit on files is a disk of that size."""
    log, state = tmp_path / "train.log", tmp_path / "state"
    log.write_bytes(OOM)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100, 100))
    code, rows, notes = Tail(log, "--state", state, "--until-idle", "2.5", before=limit).end()
    assert (code, rows[0]["signature_id"], notes.count("following goes on")) == (
        1,
        "cuda-out-of-memory",
        1,
    )
    assert [each.name for each in tmp_path.iterdir()] == ["train.log"]


def test_a_state_that_can_be_saved_again(tmp_path: Path) -> None:
    """When there is room, or here a folder, once more."""
    log, folder = tmp_path / "train.log", tmp_path / "folder"
    log.write_bytes(OOM)
    tail = Tail(log, "--state", folder / "state")
    tail.row()
    folder.mkdir()
    log.write_bytes(OOM + b"step 1 loss 0.5\n")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (folder / "state").exists():
        time.sleep(0.05)
    tail.end(signal.SIGTERM)
    assert read_state(str(folder / "state")).told == ("cuda-out-of-memory",)


def test_a_reader_that_leaves_costs_no_state(tmp_path: Path) -> None:
    """`| head -1` ends the tail quietly, and what was read is not read again."""
    log, state = tmp_path / "train.log", tmp_path / "state"
    log.write_bytes(OOM)
    tail = Tail(log, "--state", state)
    assert tail.process.stdout
    tail.process.stdout.close()
    assert tail.process.wait(60) == 0
    assert tail.process.stderr
    assert tail.process.stderr.read() == b""
    tail.process.stderr.close()
    assert read_state(str(state)).marks[str(log)].offset == len(OOM)


def test_it_ends_with_the_process(tmp_path: Path) -> None:
    """And with stdin, where that is all there is."""
    log = tmp_path / "train.log"
    command = f"import time; time.sleep(1.5); open({str(log)!r}, 'ab').write({OOM!r})"
    writer = subprocess.Popen([sys.executable, "-c", command])
    tail = Tail(log, "--pid", str(writer.pid))
    writer.wait()
    code, rows, _ = tail.end()
    assert (code, rows[0]["signature_id"]) == (1, "cuda-out-of-memory")
    piped = subprocess.run(
        [sys.executable, "-m", "logdoctor", "tail", "-"],
        input=OOM,
        env=tail.environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (piped.returncode, b"GPU memory" in piped.stdout) == (1, True)


def test_a_silence_is_told(tmp_path: Path) -> None:
    """Here after a time that the user gave."""
    log = tmp_path / "train.log"
    log.write_text("step 1 loss 0.5\n")
    tail = Tail(log, "--stall", "0.3", "--until-idle", "1.5")
    _, rows, _ = tail.end()
    assert "silence" in rows[0]


def test_a_command_for_each_diagnosis(tmp_path: Path) -> None:
    """It gets the same JSON as stdout."""
    log, got = tmp_path / "train.log", tmp_path / "got"
    log.write_bytes(OOM)
    _, rows, _ = Tail(log, "--exec", f"cat > {got}", "--until-idle", "0.8").end()
    assert json.loads(got.read_text()) == rows[0]


SPIED = """Process {pid}: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    {frame}
    main (train.py:9)
"""
WAITS = "all_reduce (torch/distributed/distributed_c10d.py:2501)"


def test_the_stacks_of_a_silent_run_are_taken_once_and_judged(tmp_path: Path) -> None:
    """By the command that the user gave; it gets the silence as JSON."""
    log, stacks, got = (tmp_path / each for each in ("train.log", "stacks", "got"))
    log.write_text("step 1 loss 0.5\n")
    frames = [WAITS, WAITS, "load_shard (data.py:55)", WAITS]
    stacks.write_text(
        "".join(SPIED.format(pid=pid, frame=frame) for pid, frame in enumerate(frames, 70))
    )
    command = f"cat >> {got}; cat {stacks}"
    tail = Tail(log, "--stall", "0.3", "--until-idle", "3", "--on-stall", command)
    _, rows, _ = tail.end()
    told = [str(row["title"]) for row in rows if "title" in row]
    assert told == ["Outside any collective, while the others wait in one: process 72"], rows
    assert len(got.read_text().splitlines()) == 1
    assert "silence" in json.loads(got.read_text())


def test_what_is_no_stack_of_a_silent_run_is_said_and_not_judged(tmp_path: Path) -> None:
    """And so is the failure of the command."""
    log = tmp_path / "train.log"
    log.write_text("step 1 loss 0.5\n")
    command = "echo 'RuntimeError: no py-spy here'; echo gone >&2; exit 3"
    tail = Tail(log, "--stall", "0.3", "--until-idle", "2", "--on-stall", command)
    code, rows, complaints = tail.end()
    assert (code, [row for row in rows if "title" in row]) == (0, [])
    assert "printed no stacks; its last line: RuntimeError: no py-spy here" in complaints
    assert "--on-stall: exit code 3: gone" in complaints


def test_dumps_that_appear_in_a_followed_folder_are_judged(tmp_path: Path) -> None:
    """Once, when they are whole."""
    (tmp_path / "train.log").write_text("step 1 loss 0.5\n")
    tail = Tail(tmp_path, "--until-idle", "3")
    time.sleep(1.0)
    for rank, frame in enumerate([WAITS, WAITS, "load_shard (data.py:55)", WAITS]):
        (tmp_path / f"stack_rank_{rank}").write_text(SPIED.format(pid=70, frame=frame))
    _, rows, _ = tail.end()
    titles = [str(row["title"]) for row in rows if "title" in row]
    assert len([each for each in titles if each.endswith(": rank 2")]) == 1, rows
