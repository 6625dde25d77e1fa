"""A tail that is killed again and again says everything, with the right line numbers, and hardly anything twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.live.rotation import Mark
from logdoctor.live.state import LiveState, SafeMarks, read_state

KILL_EVERY, ROTATE_EVERY = 4, 6
NAMES = [
    f"{first}{second}Error"
    for first in ("Alpha", "Beta", "Gamma")
    for second in ("Fox", "Hare", "Lynx", "Otter", "Seal", "Toad", "Wolf", "Yak")
]


class Writer:
    """Prints steps, and tracebacks whose lines come one by one, into a log that is renamed now and then; counts lines."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.lines = 0
        self.numbers: dict[str, int] = {}
        self.interruptions: dict[int, Callable[[], None]] = {}  # by how many lines are written

    def write(self, *rows: str) -> None:
        for row in rows:
            with self.log.open("a") as file:
                file.write(row[:3])
                file.flush()
                time.sleep(0.002)
                file.write(row[3:] + "\n")
            self.lines += 1
            time.sleep(0.01)
            if self.lines in self.interruptions:
                self.interruptions.pop(self.lines)()

    def fail(self, name: str) -> None:
        self.write(*(f"request {i} waits for a worker" for i in range(10)))
        self.write(
            "Traceback (most recent call last):",
            '  File "train.py", line 1, in <module>',
            "    main()",
            f"{name}: no such shape",
        )
        self.numbers[name] = self.lines
        self.write("waiting for the next batch")


def start(log: Path, state: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with out.open("ab") as file:
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "logdoctor",
                "tail",
                "--format",
                "jsonl",
                "--state",
                state,
                *options,
                log,
            ],
            env=environment,
            stdout=file,
        )


@pytest.mark.slow  # is killed and called again, many times
def test_a_killed_tail_loses_nothing(tmp_path: Path) -> None:
    """SIGKILL at any time, also within a traceback, while the log rotates; only a kill between telling and saving may tell twice."""
    log, state, out, chance = (
        tmp_path / "train.log",
        tmp_path / "state",
        tmp_path / "rows",
        random.Random(6),
    )
    log.touch()
    start(log, state, out, "--until-idle", "0").wait(120)  # compiles the database
    writer = Writer(log)
    tails = [start(log, state, out)]

    def kill() -> None:
        time.sleep(chance.random())
        tails[-1].send_signal(signal.SIGKILL)
        tails[-1].wait()
        tails.append(start(log, state, out))

    for number, name in enumerate(NAMES):
        if number % KILL_EVERY == KILL_EVERY - 1:
            writer.interruptions[writer.lines + chance.randint(11, 15)] = kill
        writer.fail(name)
        if number % ROTATE_EVERY == ROTATE_EVERY - 1:
            log.rename(tmp_path / f"train.log.{1_700_000_000 + number}")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and len(told(out)) < len(NAMES):
        time.sleep(0.1)
    tails[-1].send_signal(signal.SIGTERM)
    tails[-1].wait(30)
    found = told(out)
    assert {name: lines[0] for name, lines in found.items()} == writer.numbers
    assert sum(len(set(lines)) for lines in found.values()) == len(NAMES)
    assert Counter(len(lines) for lines in found.values())[1] >= len(NAMES) - 1


def told(out: Path) -> dict[str, list[int]]:
    """Line numbers by error, as told."""
    found: dict[str, list[int]] = {}
    for row in map(json.loads, out.read_text().splitlines()):
        if "unknown_error" in row:
            error = row["unknown_error"]
            found.setdefault(error["title"].partition(":")[0], []).append(
                error["evidence"][0]["line"]
            )
    return found


def mark(offset: int) -> Mark:
    return Mark(1, 2, offset, b"", b"", 0)


def test_a_mark_waits_until_what_stands_before_it_has_been_told() -> None:
    """And one within an event is none."""
    safe = SafeMarks(LiveState({"a": mark(1)}, {"a": 1}))
    told = [1, 2]
    for lines in (2, 4, 6):
        safe.pass_by("a", "a", lines, mark(10 * lines))
        safe.settle(lambda _: (told[0], told[1]))
    assert safe.state({"a": mark(60), "b": mark(5)}) == LiveState(
        {"a": mark(1), "b": mark(5)}, {"a": 1}
    )
    told[:] = [5, 0]
    safe.settle(lambda _: (told[0], told[1]))
    assert safe.state({"a": mark(60)}) == LiveState({"a": mark(20), "b": mark(5)}, {"a": 2})
    told[:] = [6, 6]
    safe.settle(lambda _: (told[0], told[1]))
    assert safe.state({"a": mark(60)}) == LiveState({"a": mark(60), "b": mark(5)}, {"a": 6})


def test_a_source_of_which_nothing_was_told_is_read_from_its_beginning() -> None:
    """Also where the file has another name by then; at the end everything is told."""
    safe = SafeMarks(LiveState())
    safe.pass_by("a", "a", 4, mark(40))
    assert safe.state({"a": mark(40)}) == LiveState({"a": mark(0)})
    assert safe.last_state({"a": mark(40)}) == LiveState({"a": mark(40)}, {"a": 4})


def test_half_a_line_is_not_counted_twice(tmp_path: Path) -> None:
    """It is part of the verdict of the call that ends, and of the next one, under the same number."""
    log, state, out = tmp_path / "train.log", tmp_path / "state", tmp_path / "rows"
    log.write_text("step 1 loss 0.5\nhalf a li")
    for text, lines in (("ne\nAlphaFoxError: no such shape\n", 1), ("", 3)):
        start(log, state, out, "--until-idle", "0.8").wait(60)
        assert read_state(str(state)).lines == {str(log): lines}
        with log.open("a") as file:
            file.write(text)
    (row,) = [
        json.loads(row)["unknown_error"]
        for row in out.read_text().splitlines()
        if row.startswith('{"unknown')
    ]
    assert row["evidence"][0]["line"] == 3


def test_a_streak_goes_on_after_a_kill(tmp_path: Path) -> None:
    """Thirty steps without a reward are told at the thirtieth, though a tail was killed within them, and another one ended within a line."""
    log, state, out = tmp_path / "train.log", tmp_path / "state", tmp_path / "rows"
    steps = [
        f"step:{i} - critic/rewards/mean:0.0 - actor/grad_norm:0.4{i % 7}\n" for i in range(30)
    ]
    log.write_text("".join(steps[:10]))
    killed = start(log, state, out)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (
        state.exists() and read_state(str(state)).lines.get(str(log)) == 10
    ):
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    with log.open("a") as file:
        file.write("".join(steps[10:20]) + steps[20][:32])
    start(log, state, out, "--until-idle", "0.8").wait(60)
    assert [
        each.held
        for each in read_state(str(state)).streaks
        if each.signature_id == "reward-always-zero"
    ] == [20]
    with log.open("a") as file:
        file.write(steps[20][32:] + "".join(steps[21:29]))
    start(log, state, out, "--until-idle", "0.8").wait(60)
    assert "signature_id" not in out.read_text()
    with log.open("a") as file:
        file.write(steps[29])
    start(log, state, out, "--until-idle", "0.8").wait(60)
    (row,) = [
        json.loads(row) for row in out.read_text().splitlines() if row.startswith('{"signature_id')
    ]
    assert (row["signature_id"], row["evidence"][0]["line"], row["captures"]["steps"]) == (
        "reward-always-zero",
        1,
        "30",
    )
