"""Processes that die take nothing else down."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest

from benchmarks.texts.archived_runs import FAILED, sample, write
from logdoctor.api import CACHE_FOLDER
from logdoctor.archive.judging import PlanDone, Task
from logdoctor.archive.layouts import Plan, PlanKind
from logdoctor.archive.records import RunRecord
from logdoctor.archive.workers import LocalEngine, Rules
from logdoctor.model import ScanOptions


def kill_workers(times: int, dead: list[int | None]) -> None:
    """Kills each process as soon as it has begun."""
    killed: set[int | None] = set()
    while len(killed) < times:
        for process in multiprocessing.active_children():
            if process.pid not in killed:
                time.sleep(0.1)
                process.kill()
                killed.add(process.pid)
        time.sleep(0.005)
    dead += killed


@pytest.mark.parametrize(("times", "first"), [(1, ["a"]), (2, [])])
def test_a_task_whose_process_dies_is_tried_once_more(
    tmp_path: Path, times: int, first: list[str]
) -> None:
    """Then it is given up, with words; the next task is done."""
    for name in ("a", "b"):
        write(tmp_path / name / "t.log", sample(FAILED[0]))
    rules = Rules(
        (), str(Path(CACHE_FOLDER).expanduser()), ScanOptions(config={}, config_places={}), "test"
    )
    tasks = [Task(str(tmp_path), Plan(name, PlanKind.FOLDER)) for name in ("a", "b")]
    dead: list[int | None] = []
    killer = threading.Thread(target=kill_workers, args=(times, dead))
    killer.start()
    events = [event for _, event in LocalEngine(rules, 1).judge(iter(tasks))]
    killer.join()
    runs = [event.run for event in events if isinstance(event, RunRecord)]
    problems = [
        problem for event in events if isinstance(event, PlanDone) for problem in event.problems
    ]
    given_up = [("a", "the process that read it ended by signal 9, 2 times; not enough memory?")]
    assert (len(dead), sorted(runs), problems) == (times, [*first, "b"], given_up[: times - 1])


def test_ending_early_ends_the_processes(tmp_path: Path) -> None:
    """None is left behind."""
    for number in range(20):
        write(tmp_path / f"r{number}" / "t.log", sample(FAILED[0]))
    rules = Rules(
        (), str(Path(CACHE_FOLDER).expanduser()), ScanOptions(config={}, config_places={}), "test"
    )
    tasks = [Task(str(tmp_path), Plan(f"r{number}", PlanKind.FOLDER)) for number in range(20)]
    events = LocalEngine(rules, 2).judge(iter(tasks))
    next(events)
    during = len(multiprocessing.active_children())
    events.close()
    assert (during, multiprocessing.active_children()) == (2, [])


def test_a_large_log_alone_is_read_by_all_processes(tmp_path: Path) -> None:
    """As one process reads it (the processes are counted where there is a /proc)."""
    quiet = b"something that says nothing at all, and is printed often\n" * 100_000
    write(tmp_path / "t.log", b"".join(quiet + sample(FAILED[number % 2]) for number in range(10)))
    rules = Rules(
        (), str(Path(CACHE_FOLDER).expanduser()), ScanOptions(config={}, config_places={}), "test"
    )
    task = Task(str(tmp_path), Plan("t.log", PlanKind.FILES, ("t.log",)))
    alone = [event for _, event in LocalEngine(rules, 1).judge(iter([task]))]
    ended, counts = threading.Event(), [0]

    def count() -> None:
        while not ended.wait(0.05):
            counts.append(len(_descendants(os.getpid())))

    counter = threading.Thread(target=count)
    counter.start()
    together = [event for _, event in LocalEngine(rules, 3).judge(iter([task]))]
    ended.set()
    counter.join()
    assert (together == alone, Path("/proc/self").exists() <= (max(counts) >= 1 + 3)) == (
        True,
        True,
    )


def _descendants(process: int) -> list[int]:
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]
