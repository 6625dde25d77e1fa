"""Measures the live part: `python scripts/measure_live.py run|idle|memory` (what `docs/live.md` quotes).

run: wall time of a program that prints about 50 MB/s, alone into a pipe and under `logdoctor run`, best of each.
idle: share of a core that a tail of 1,000 idle files takes.
memory: resident memory of a tail while a log grows by 10 GB and rotates.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

LOGDOCTOR = (sys.executable, "-m", "logdoctor")
PRINTER = """
import sys, time
line = "[2026-11-21 21:25:34] [worker.py (41)] [INFO] [actor-0 0 / 1][PID 1] request {} done in 0.123 s, cache 41 % full\\n"
out, size, i = sys.stdout, 0, 0
while size < int(sys.argv[1]):
    text = line.format(i)
    for _ in range(int(sys.argv[2])): pass
    out.write(text)
    size += len(text); i += 1
"""


def run(megabytes: int = 250) -> None:
    """Wall times, alternating so that a busy machine disturbs both alike."""
    times: dict[str, list[float]] = {"alone": [], "run": []}
    printer = (sys.executable, "-c", PRINTER, str(megabytes * 1_000_000), "40")
    for _ in range(6):
        for name, command in (("alone", printer), ("run", (*LOGDOCTOR, "run", "--", *printer))):
            start = time.perf_counter()
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout  # asked for
                while os.read(process.stdout.fileno(), 1 << 20):
                    pass
            times[name].append(time.perf_counter() - start)
    best = {name: min(values) for name, values in times.items()}
    print(
        f"alone: {best['alone']:.2f} s, {megabytes / best['alone']:.0f} MB/s; under run: {best['run']:.2f} s; {100 * (best['run'] / best['alone'] - 1):+.1f} %"
    )
    print({name: [round(value, 2) for value in values] for name, values in times.items()})


def idle(files: int = 1000, seconds: float = 20.0) -> None:
    """CPU time of the tail between two looks at its clock."""
    with tempfile.TemporaryDirectory() as folder:
        for i in range(files):
            (Path(folder) / f"rank{i}.log").write_text("step 1 loss 0.5\n")
        with subprocess.Popen((*LOGDOCTOR, "tail", folder), stdout=subprocess.DEVNULL) as process:
            time.sleep(25)  # start, first reading, and the time for which files count as hot
            before = _cpu(process.pid)
            time.sleep(seconds)
            print(f"{files} idle files: {100 * (_cpu(process.pid) - before) / seconds:.2f} % of a core")
            process.terminate()


def memory(gigabytes: float = 10.0) -> None:
    """Resident memory every gigabyte; the log is renamed every 200 MB, and older ones are deleted."""
    line = PRINTER.split('"')[1].replace("\\n", "\n")
    block = "".join(line.format(i) for i in range(10000)).encode()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.log"
        log.touch()
        with subprocess.Popen((*LOGDOCTOR, "tail", str(log)), stdout=subprocess.DEVNULL) as process:
            time.sleep(3)
            written, told = 0, 0
            while written < gigabytes * 1e9:
                with log.open("ab", buffering=0) as stream:
                    for _ in range(180):
                        written += stream.write(block)
                time.sleep(0.3)
                Path(f"{log}.3").unlink(missing_ok=True)
                for count in (2, 1):
                    if Path(f"{log}.{count}").exists():
                        Path(f"{log}.{count}").rename(f"{log}.{count + 1}")
                log.rename(f"{log}.1")
                if written // 1_000_000_000 > told:
                    told = written // 1_000_000_000
                    print(f"{told} GB: {_resident(process.pid)} MB", flush=True)
            process.terminate()


MEASURES: Mapping[str, Callable[[], None]] = {"run": run, "idle": idle, "memory": memory}


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() // 1_000_000


if __name__ == "__main__":
    MEASURES[sys.argv[1]]()
