"""Measures the live part: `python -m benchmarks.speed.live run|steps|idle|memory`.

It is what `docs/live.md` quotes.

run: wall time of a program that prints about 50 MB/s, alone and under `logdoctor run`, in turns,
    with what the ratio of each pair spreads over; into a file, a pipe and a terminal, where
    `script`, which does nothing but pass on, is the third; and the CPU time of all.
steps: the same on a terminal, for a program that prints as training does: about 1 MB/s, with
    computing in between.
idle: share of a core that a tail of 1,000 idle files takes.
memory: resident memory of a tail while a log grows by 10 GB and rotates.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LOGDOCTOR = (sys.executable, "-m", "logdoctor")
PRINTER = """
import sys, time
line = "[2026-11-21 21:25:34] [worker.py (41)] [INFO] [actor-0 0 / 1][PID 1] "
line += "request {} done in 0.123 s, cache 41 % full\\n"
out, size, i = sys.stdout, 0, 0
while size < int(sys.argv[1]):
    text = line.format(i)
    for _ in range(int(sys.argv[2])): pass
    out.write(text)
    size += len(text); i += 1
"""
STEPS = """
import sys
line = "[2026-11-21 21:25:34] [worker.py (41)] [INFO] [actor-0 0 / 1][PID 1] "
line += "request {} done in 0.123 s, cache 41 % full"
for step in range(int(sys.argv[1])):
    for _ in range(400_000): pass
    for i in range(200): print(line.format(i))
    print(f"step:{step} - actor/loss:0.1 - actor/grad_norm:0.4", flush=True)
"""


class Taken(NamedTuple):
    """What a call took: seconds on the wall, and of CPU time with all that it started."""

    wall: float
    cpu: float


def run(megabytes: int = 100, rounds: int = 7) -> None:
    """Into each kind of target."""
    printer = (sys.executable, "-c", PRINTER, str(megabytes * 1_000_000), "40")
    for name, take in (("file", _into_file), ("pipe", _into_pipe), ("terminal", _into_terminal)):
        _compare(name, printer, take, rounds)


def steps(count: int = 300, rounds: int = 7) -> None:
    """Steps on a terminal."""
    _compare(
        "steps on a terminal", (sys.executable, "-c", STEPS, str(count)), _into_terminal, rounds
    )


def _compare(
    name: str, command: Sequence[str], take: Callable[[Sequence[str]], Taken], rounds: int
) -> None:
    """Alone and under `run` (on a terminal also under `script`) in turns.

    Who is first changes each round, so that a busy machine disturbs all alike.
    """
    commands = {"alone": tuple(command), "run": (*LOGDOCTOR, "run", "--", *command)}
    if take is _into_terminal and shutil.which("script"):
        commands["script"] = ("script", "-qefc", shlex.join(command), "/dev/null")
    taken: dict[str, list[Taken]] = {each: [] for each in commands}
    for number in range(rounds):
        for each in list(commands)[:: 1 if number % 2 else -1]:
            taken[each].append(take(commands[each]))
    for each, values in taken.items():
        walls, cpu = (
            [value.wall for value in values],
            statistics.median(value.cpu for value in values),
        )
        ratios = sorted(
            value.wall / alone.wall for alone, value in zip(taken["alone"], values, strict=True)
        )
        of_bests = min(walls) / min(value.wall for value in taken["alone"])
        print(
            f"{name}, {each}: best {min(walls):.2f} s, median {statistics.median(walls):.2f} s, "
            f"CPU {cpu:.2f} s; to alone: of the bests {of_bests:.3f}, "
            f"of pairs {ratios[0]:.3f} to {ratios[-1]:.3f}, median {statistics.median(ratios):.3f}",
            flush=True,
        )


def _into_file(command: Sequence[str]) -> Taken:
    with tempfile.TemporaryFile() as file:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=file)
        return _taken(process, start)


def _into_pipe(command: Sequence[str]) -> Taken:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout  # asked for
    with process.stdout as stream:
        while os.read(stream.fileno(), 1 << 20):
            pass
    return _taken(process, start)


def _into_terminal(command: Sequence[str]) -> Taken:
    master, slave = pty.openpty()
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave)
    os.close(slave)
    with contextlib.suppress(OSError):  # so a terminal ends
        while os.read(master, 1 << 20):
            pass
    os.close(master)
    return _taken(process, start)


def _taken(process: subprocess.Popen[bytes], start: float) -> Taken:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Taken(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def idle(files: int = 1000, seconds: float = 20.0) -> None:
    """CPU time of the tail between two looks at its clock."""
    with tempfile.TemporaryDirectory() as folder:
        for i in range(files):
            (Path(folder) / f"rank{i}.log").write_text("step 1 loss 0.5\n")
        with subprocess.Popen((*LOGDOCTOR, "tail", folder), stdout=subprocess.DEVNULL) as process:
            time.sleep(25)  # start, first reading, and the time for which files count as hot
            before = _cpu(process.pid)
            time.sleep(seconds)
            print(
                f"{files} idle files: {100 * (_cpu(process.pid) - before) / seconds:.2f} % of "
                f"a core"
            )
            process.terminate()


def memory(gigabytes: float = 10.0) -> None:
    """Resident memory every gigabyte; the log is renamed every 200 MB, and older ones are deleted.

    The writer waits for the tail each time, and the tail's own count of bytes shows that it has
    read them all.
    """
    line = PRINTER.split('"')[1].replace("\\n", "\n")
    block = "".join(line.format(i) for i in range(10000)).encode()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.log"
        log.touch()
        with subprocess.Popen(
            (*LOGDOCTOR, "tail", "--format", "jsonl", str(log)), stdout=subprocess.PIPE
        ) as process:
            time.sleep(3)
            before, written, told = _read_by(process.pid), 0, 0
            while written < gigabytes * 1e9:
                with log.open("ab", buffering=0) as stream:
                    for _ in range(180):
                        written += stream.write(block)
                while _read_by(process.pid) - before < written:
                    time.sleep(0.01)
                Path(f"{log}.3").unlink(missing_ok=True)
                for count in (2, 1):
                    if Path(f"{log}.{count}").exists():
                        Path(f"{log}.{count}").rename(f"{log}.{count + 1}")
                log.rename(f"{log}.1")
                if written // 1_000_000_000 > told:
                    told = written // 1_000_000_000
                    print(f"{told} GB: {_resident(process.pid)} MB", flush=True)
            process.terminate()
            summary = json.loads(process.communicate()[0].splitlines()[-1])["summary"]
            print(f"bytes written: {written:,}, read: {summary['sources'][0]['bytes']:,}")


MEASURES: Mapping[str, Callable[[], None]] = {
    "run": run,
    "steps": steps,
    "idle": idle,
    "memory": memory,
}


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    return (
        int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        * resource.getpagesize()
        // 1_000_000
    )


def _read_by(pid: int) -> int:
    """Bytes that a process has read so far, of all files."""
    return int(Path(f"/proc/{pid}/io").read_text(encoding="ascii").split()[1])


if __name__ == "__main__":
    MEASURES[sys.argv[1]]()
