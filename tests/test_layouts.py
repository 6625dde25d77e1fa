"""Which folders are runs, and what runs have in common; on names and documents alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from logdoctor.archive.layouts import NameTree, Plan, PlanKind, find_runs
from logdoctor.archive.overview import Overview, binomial_tail
from logdoctor.archive.records import RunRecord
from logdoctor.model import Language
from logdoctor.reports.archive.structured import Archive, ReadRun, render_csv, render_json
from logdoctor.reports.archive.text import render_markdown, render_text


def runs_of(*paths: str) -> list[str]:
    return [plan.path for plan in find_runs(NameTree(paths).list_folder)]


@pytest.mark.parametrize(
    ("paths", "runs"),
    [
        (
            ["session_2026-03-14_21-19-58_128000_45083/logs/raylet.out"],
            ["session_2026-03-14_21-19-58_128000_45083"],
        ),
        (
            ["x/none_a1/attempt_0/0/stderr.log", "x/none_a1/attempt_1/0/stderr.log"],
            ["x/none_a1/attempt_0", "x/none_a1/attempt_1"],
        ),
        (
            ["job.4711.out", "job.4711.err", "job.4712.out", "slurm-99_3.out"],
            ["job.4711", "job.4712.out", "slurm-99_3.out"],
        ),
        (
            [
                "wandb/run-20260301_101500-ab12/files/output.log",
                "wandb/run-20260301_101500-ab12/logs/debug.log",
            ],
            ["wandb/run-20260301_101500-ab12"],
        ),
        (["p/n/log/trainer.log", "p/n/log/10.0.0.1/explorer.log"], ["p/n"]),
        (["j/nccl_trace_rank_0", "j/nccl_trace_rank_1"], ["j"]),
        (["j/train.log", "j/dumps/rank_0", "j/stacks/rank_0"], ["j"]),
        (["dump_0", "a/train.log", "b/train.log"], ["a", "b"]),
        (
            [
                "logs/root/exp/t0/main.log",
                "logs/root/exp/t0/rollout.log",
                "logs/root/exp/t1/main.log",
            ],
            ["logs/root/exp/t0", "logs/root/exp/t1"],
        ),
        (["exp/log_rank_actor_train-0_0_8.log", "exp/log_rank_actor_train-1_1_8.log"], ["exp"]),
        (["outputs/2026-03-01/10-15-00/main_ppo.log"], ["outputs/2026-03-01/10-15-00"]),
        (
            [
                "run/train.log",
                "run/wandb/run-20260301_101500-ab/files/output.log",
                "run/attempt_0/0/stderr.log",
            ],
            ["run"],
        ),
        (["run/main.log", "run/actor/a.log", "run/rollout/b.log", "run/rank_0/c.log"], ["run"]),
        (["a.log", "b.log"], [""]),
        (["note.log", "x/1.log", "y/1.log"], ["note.log", "x", "y"]),
        (["requirements.txt", "x/1.log", "y/1.log"], ["x", "y"]),
        (
            ["worker-0a1b-01000000-3047501.out", "worker-0a1c-01000000-3047502.err", "raylet.out"],
            [""],
        ),
        (["x/1.tar.gz", "x/2.zip", "y/3.tar"], ["x/1.tar.gz", "x/2.zip", "y/3.tar"]),
        (["x/train.log", "x/older.tar.gz"], ["x"]),
        ([], []),
    ],
)
def test_layouts(paths: list[str], runs: list[str]) -> None:
    """Each file in at most one run, runs by name."""
    assert runs_of(*paths) == runs


def test_the_files_of_a_job_are_one_run() -> None:
    """By what their names share."""
    first, second = find_runs(
        NameTree(["s/job.4711.out", "s/job.4711.err", "s/job.4712.out"]).list_folder
    )
    assert first == Plan("s/job.4711", PlanKind.FILES, ("s/job.4711.err", "s/job.4711.out"))
    assert second == Plan("s/job.4712.out", PlanKind.FILES, ("s/job.4712.out",))


def run(
    name: str, host: str | None, hosts: tuple[str, ...], time: str | None = None, key: str = "x"
) -> tuple[RunRecord, dict[str, Any]]:
    evidence = {
        "source": name,
        "line": 1,
        "end_line": 1,
        "text": "=1+1 | <b>",
        "time": time,
        "host": host,
        "rank": None,
        "pid": None,
        "actor": None,
    }
    diagnosis = {
        "signature_id": key, "title": "=X | Y", "severity": "fatal", "verdict": "root_cause", "occurrences": 2, "phase": "train", "evidence": [evidence],
    }  # fmt: skip
    document = {
        "sources": [{"name": name, "lines": 1, "bytes": 9, "problem": None}], "context": {"frameworks": ["verl"], "last_progress": None},
        "ending": {"state": "problem", "source": None, "line": None, "text": None},
        "answer": {"in": "diagnoses", "index": 0}, "diagnoses": [diagnosis], "unknown_errors": [],
    }  # fmt: skip
    return RunRecord(name, name, key, (key,), hosts, (), b""), document


NODES = tuple(f"10.0.0.{number}" for number in range(8))


def test_a_node_that_fails_more_often_than_chance_is_named_with_the_figure() -> None:
    """9 of 12 failures on one of eight nodes; the others are not named."""
    overview = Overview()
    for number in range(12):
        overview.feed(*run(f"r{number}", NODES[3] if number < 9 else NODES[number % 8], NODES))
    (node,) = overview.failing_nodes()
    assert (node.name, node.failed, node.runs, node.expected) == (
        NODES[3],
        9 + (11 % 8 == 3),
        12,
        1.5,
    )
    assert node.chance == pytest.approx(8 * binomial_tail(node.failed, 12, 1 / 8))


def test_failures_spread_over_the_nodes_name_none() -> None:
    """Nor do runs on a single node, whose failures say nothing."""
    overview = Overview()
    for number in range(40):
        overview.feed(*run(f"r{number}", NODES[number % 8], NODES))
        overview.feed(*run(f"s{number}", NODES[0], NODES[:1]))
    assert overview.failing_nodes() == []


def test_the_binomial_tail_is_that_of_a_fair_coin() -> None:
    """Of ten throws at least eight: 56 of 1024; and large numbers stay finite."""
    assert binomial_tail(8, 10, 0.5) == pytest.approx(56 / 1024)
    assert binomial_tail(0, 5000, 0.01) == pytest.approx(1)
    assert (binomial_tail(3, 3, 1.0), 0 < binomial_tail(3000, 5000, 0.5) < 1e-40) == (1.0, True)


def test_weeks_and_days_come_from_the_log_or_from_the_name_of_the_run() -> None:
    """ISO weeks; what is no date is no date."""
    overview = Overview()
    overview.feed(*run("a", None, (), "2026-03-14T10:00:00"))
    overview.feed(*run("run-20260301_101500-x", None, ()))
    overview.feed(*run("c-20269999", None, (), "--03-14T10:00:00"))
    (cause,) = overview.causes()
    assert (cause.first_seen, cause.last_seen, cause.weeks, cause.runs, cause.occurrences) == (
        "2026-03-01",
        "2026-03-14T10:00:00",
        {"2026-W09": 1, "2026-W11": 1},
        3,
        6,
    )
    assert [(each.name, each.runs, each.failed) for each in overview.weeks()] == [
        ("2026-W09", 1, 1),
        ("2026-W11", 1, 1),
    ]


def test_a_run_without_a_time_takes_that_of_its_files_and_says_so() -> None:
    """In the list of causes, the weeks and the summary; a time of its own stands before it."""
    overview = Overview()
    written = "2026-03-14T10:00:00Z"
    overview.feed(*run("a", None, ()), written)
    overview.feed(*run("b", None, (), "2026-02-25T10:00:00"), written)
    overview.feed(*run("c", None, ()))
    (cause,) = overview.causes()
    assert (cause.runs, cause.by_file_time, overview.by_file_time) == (3, 1, 1)
    assert (cause.first_seen, cause.last_seen) == ("2026-02-25T10:00:00", written)
    assert [(each.name, each.by_file_time) for each in overview.weeks()] == [
        ("2026-W09", 0),
        ("2026-W11", 1),
    ]
    text = "".join(render_text([], Archive(overview, ()), Language.EN, 100))
    assert "  ~2026-02-25 – 2026-03-14  " in text
    assert "\n  ~2026-W11  1 " in text
    assert "\n~ runs that tell no time, by the time of their files: 1\n" in text


def test_texts_of_logs_are_no_markup_and_no_formulas() -> None:
    """In Markdown tables and spreadsheets; JSON has them as they are."""
    record, document = run("r", None, ())
    overview = Overview()
    overview.feed(record, document)
    archive = Archive(overview, ())
    read = [ReadRun(None, record, document)]
    assert (
        "| r | =X \\| Y | x | r:1 |"
        in "".join(render_markdown(read, archive, Language.EN)).splitlines()
    )
    assert "'=X | Y" in "".join(render_csv(read, archive))
    assert (
        json.loads("".join(render_json(read, archive)))["runs"][0]["verdict"]["title"] == "=X | Y"
    )
