"""The same work on a real Ray cluster of several nodes on this machine."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.archived_runs import make_runs, sample, write
from logdoctor.archive.batch import Root, judge_roots
from logdoctor.archive.store import Store
from logdoctor.archive.trees import open_tree
from logdoctor.archive.workers import Engine, LocalEngine, Rules
from logdoctor.model import ScanOptions

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
ray = pytest.importorskip("ray", reason="needs logdoctor[ray]")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="needs logdoctor[ray]")

NODES = 3


@pytest.fixture
def cluster() -> Iterator[Any]:
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(NODES - 1):
        made.add_node(num_cpus=1)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules((), str(tmp_path / "cache"), ScanOptions(config={}), "test")


def rows(root: Path, file: Path, engine: Engine) -> list[tuple[Any, ...]]:
    store = Store(str(file))
    judge_roots([Root(str(root), open_tree(str(root)))], store, engine, rules="r", run_glob=None, on_progress=lambda _: None)
    store.close()
    with sqlite3.connect(file) as connection:
        return [row for table in ("plans", "runs", "seen", "calls") for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]


def test_the_rows_are_those_of_the_local_engine_although_a_node_is_killed(cluster: Any, rules: Rules, tmp_path: Path) -> None:
    """Its tasks are done by others; nothing is lost, nothing is there twice."""
    from logdoctor.archive.rays import RayEngine

    root = tmp_path / "runs"
    make_runs(root)
    for number in range(60):
        write(root / "more" / f"r{number:02}" / "t.log", sample("torchrun-failing-rank") * 20)
    expected = rows(root, tmp_path / "local.sqlite", LocalEngine(rules, 1))
    engine = RayEngine(rules, cluster.address)
    alive = len([node for node in ray.nodes() if node["Alive"]])

    def kill() -> None:
        while not (tmp_path / "ray.sqlite").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    found = rows(root, tmp_path / "ray.sqlite", engine)
    killer.join()
    assert (alive, len([node for node in ray.nodes() if node["Alive"]])) == (NODES, NODES - 1)
    assert found == expected
