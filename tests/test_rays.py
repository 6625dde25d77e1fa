"""The same work on a real Ray cluster of several nodes on this machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.texts.archived_runs import make_runs, sample, write
from logdoctor.archive.batch import Progress, Root, judge_roots
from logdoctor.archive.roots import open_tree
from logdoctor.archive.store import Store
from logdoctor.archive.workers import Engine, LocalEngine, Rules
from logdoctor.cli.terminal import cache_folder
from logdoctor.errors import LogdoctorError
from logdoctor.model import ScanOptions

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own
ray = pytest.importorskip("ray", reason="needs logdoctor[ray]")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="needs logdoctor[ray]")
rays = pytest.importorskip("logdoctor.archive.rays")

NODES = 3


@pytest.fixture
def cluster() -> Iterator[Any]:
    made = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    for _ in range(NODES - 1):
        made.add_node(num_cpus=1)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def rules() -> Rules:
    return Rules((), cache_folder(), ScanOptions(config={}, config_places={}), "test")


def rows(
    root: Path, file: Path, engine: Engine, on_progress: Callable[[Progress], None] = lambda _: None
) -> list[tuple[Any, ...]]:
    store = Store(str(file))
    judge_roots(
        [Root(str(root), open_tree(str(root)))],
        store,
        engine,
        rules="r",
        run_glob=None,
        on_progress=on_progress,
    )
    store.close()
    with closing(sqlite3.connect(file)) as connection:
        return [
            row
            for table in ("plans", "runs", "seen", "calls")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        ]


def test_the_rows_are_those_of_the_local_engine_although_nodes_are_killed(
    cluster: Any, rules: Rules, tmp_path: Path
) -> None:
    """Two of three nodes die in the middle; their tasks are done again, nothing is lost, nothing is there twice."""
    root = tmp_path / "runs"
    make_runs(root)
    for number in range(30):
        write(root / "more" / f"r{number:02}" / "t.log", sample("torchrun-failing-rank") * 20)
    expected = rows(root, tmp_path / "local.sqlite", LocalEngine(rules, 1))
    engine = rays.RayEngine(rules, cluster.address)
    left = []

    def kill_nodes(progress: Progress) -> None:
        if progress.plans in {8, 20}:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            left.append(len(cluster.worker_nodes))

    found = rows(root, tmp_path / "ray.sqlite", engine, kill_nodes)
    assert (left, found == expected, len(found) > 90) == ([1, 0], True, True)


def test_a_cluster_that_cannot_be_reached_is_one_line(rules: Rules) -> None:
    """With the address."""
    with pytest.raises(LogdoctorError, match=r"^Ray at 127\.0\.0\.1:9 cannot be reached: "):
        rays.RayEngine(rules, "127.0.0.1:9")


def test_a_large_log_is_split_among_nodes(cluster: Any, rules: Rules, tmp_path: Path) -> None:
    """Its sections are read by tasks of their own, and the row is that of the local engine."""
    log = tmp_path / "runs" / "one" / "train.log"
    quiet = b"something that says nothing at all, and is printed often\n" * 100_000
    write(
        log,
        b"".join(
            quiet + sample(name)
            for name in ("torchrun-failing-rank", "areal-cuda-oom-actor-train") * 6
        ),
    )
    expected = rows(log.parents[1], tmp_path / "local.sqlite", LocalEngine(rules, 1))
    engine = rays.RayEngine(rules, cluster.address)
    found = rows(log.parents[1], tmp_path / "ray.sqlite", engine)
    tasks: list[dict[str, Any]] = []
    deadline = time.monotonic() + 20  # what the nodes did is gathered behind their work
    while (
        sum(each.get("cat") == "task::_read_section" for each in tasks) < 3
        and time.monotonic() < deadline
    ):
        time.sleep(0.5)
        tasks = ray.timeline()
    assert (found == expected, len(found) > 2) == (True, True)
    assert sum(each.get("cat") == "task::_read_section" for each in tasks) >= 3
