"""Makes an archive of runs and measures `logdoctor batch` on it.

    python -m benchmarks.speed.batch --runs 1000 --bytes 2e9

Prints Markdown: processor time (which a busy machine does not change), wall time, memory, and
whether the verdicts are those of `scan` for each run by itself. With `--make-only FOLDER` it only
makes the archive.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.texts.archived_runs import make_archive


class Cost(NamedTuple):
    """Seconds on the clock, seconds of processors, and the largest process's memory in MB."""

    wall: float
    processors: float
    memory: float


def cost(command: Sequence[str], output: Path) -> Cost:
    """What a command and all its processes take."""
    started = time.monotonic()
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file)
        _, _, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


SCAN_EACH = """
import json, os, sys
from logdoctor.search.opening import open_automaton
from logdoctor.pipeline.scan import Scan
from logdoctor.sources.finding import find_sources
automaton = open_automaton((), os.path.expanduser("~/.cache/logdoctor"))
found = {}
for line in sys.stdin:
    name, path = json.loads(line)
    run = Scan(automaton)
    for source in find_sources([path], None):
        run.read(source.name, source.chunks())
    root = run.result().root
    found[name] = None if root is None else getattr(root, "fingerprint", None) or root.signature.id
json.dump(found, sys.stdout)
"""
"""`scan` for each run, in one process so that its start counts once, as batch's does."""


def main() -> None:
    """Makes, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--bytes", type=float, default=2e9)
    parser.add_argument("--make-only", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.make_only:
        made = make_archive(Path(arguments.make_only), arguments.runs, int(arguments.bytes))
        print(f"{len(made)} runs, {sum(made.values())} failed")
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), arguments.runs, int(arguments.bytes))


def measure(folder: Path, runs: int, size: int) -> None:
    """All of it in the folder."""
    root = folder / "runs"
    make_archive(root, runs, size)
    make_archive(folder / "few", max(runs // 10, 1), size // 10)
    print(
        f"{runs} runs, {size / 1e6:.0f} MB of log, "
        f"{sum(file.stat().st_size for file in root.rglob('*') if file.is_file()) / 1e6:.0f} "
        f"MB on disk\n"
    )
    batch = [sys.executable, "-m", "logdoctor", "batch", "--format", "json"]
    costs = {
        "scan, run by run": scan_each(root, folder / "scan.json"),
        "batch --jobs 1": cost([*batch, "--jobs", "1", str(root)], folder / "one.json"),
        "batch --jobs 2": cost([*batch, "--jobs", "2", str(root)], folder / "two.json"),
        "batch --jobs 1, a tenth of the runs": cost(
            [*batch, "--jobs", "1", str(folder / "few")], folder / "few.json"
        ),
        "batch --store, first call": cost(
            [*batch, "--store", str(folder / "s.sqlite"), str(root)], folder / "store.json"
        ),
        "batch --store, second call": cost(
            [*batch, "--store", str(folder / "s.sqlite"), str(root)], folder / "again.json"
        ),
        "scan, run by run, again": scan_each(root, folder / "scan.json"),
    }
    print(
        "| | wall s | processor s | MB of log per processor second | MB memory (largest "
        "process) |\n| --- | --- | --- | --- | --- |"
    )
    for name, each in costs.items():
        size_of = size / 10 if "tenth" in name else size
        print(
            f"| {name} | {each.wall:.1f} | {each.processors:.1f} | "
            f"{size_of / 1e6 / each.processors:.0f} | {each.memory:.0f} |"
        )
    around = [costs[name].processors for name in ("scan, run by run", "scan, run by run, again")]
    ratio = sum(around) / 2 / costs["batch --jobs 1"].processors
    print(
        f"\nspeed of batch --jobs 1 per processor second, of that of scan (before and after "
        f"it): {ratio:.2f}"
    )
    scanned: dict[str, str | None] = json.loads((folder / "scan.json").read_text())
    document: dict[str, Any] = json.loads((folder / "one.json").read_text())
    judged = {
        run["run"]: run["verdict"]
        and run["verdict"].get("signature_id", run["verdict"].get("fingerprint"))
        for run in document["runs"]
    }
    same = sum(judged.get(name) == verdict for name, verdict in scanned.items())
    print(f"\nsame verdict as scan: {same} of {len(scanned)} runs; {len(judged)} runs found")
    texts = {
        name: (folder / f"{name}.json").read_bytes() for name in ("one", "two", "store", "again")
    }
    print(f"all documents equal: {len(set(texts.values())) == 1}")


def scan_each(root: Path, output: Path) -> Cost:
    """The runs are told to the process by the names that batch must find."""
    lines = []
    for path in sorted(root.rglob("*")):
        if path.is_file():
            relative = path.relative_to(root)
            top, name = relative.parts[0], relative.parts[1]
            run = {
                "torchrun": f"{top}/{name}/attempt_0",
                "packed": f"{top}/{name}" + ("" if name.endswith("gz") else "/only"),
            }.get(top, f"{top}/{name}")
            folder = root / (run if top != "packed" else relative)
            lines.append(json.dumps([run, str(folder)]))
    requests = output.with_suffix(".jsonl")
    requests.write_text("\n".join(dict.fromkeys(lines)))
    with requests.open("rb") as stdin:
        sys.stdin.flush()
        os.dup2(stdin.fileno(), 0)
        return cost([sys.executable, "-c", SCAN_EACH], output)


if __name__ == "__main__":
    main()
