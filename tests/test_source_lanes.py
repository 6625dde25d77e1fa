"""Names of files tell who wrote them; a folder is one run."""

from __future__ import annotations

import re

import pytest

from logdoctor.formats.file_names import FILE_NAMES, attempt_of_source, lane_of_source
from logdoctor.formats.rows import FileName
from logdoctor.model import Lane
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton

CRASH = b"""\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free.
"""


@pytest.mark.parametrize("row", FILE_NAMES, ids=lambda row: row.whose)
def test_every_row_fits_its_sample_and_tells_something(row: FileName) -> None:
    """And it is the first one that does."""
    first = next(each for each in FILE_NAMES if re.search(each.regex, row.sample))
    assert (first.whose, lane_of_source(row.sample) != Lane()) == (row.whose, True)


@pytest.mark.parametrize(
    ("name", "lane"),
    [
        ("logs/worker-6de018b1bd6d8aaf0039370b-01000000-3047501.err", Lane(pid=3047501)),
        ("none_ab12/attempt_0/3/stderr.log", Lane(rank=3)),
        ("logs/log_rank_actor_train-0_0_8.log", Lane(rank=0, actor="actor_train-0")),
        ("run/log/10.0.0.2/trainer.log", Lane(host="10.0.0.2", actor="trainer")),
        ("x/logs/me/exp/trial0/rollout.log", Lane(actor="rollout")),
        ("train.log", Lane()),
        ("frankreich12.log", Lane()),
    ],
)
def test_names_give_the_lane(name: str, lane: Lane) -> None:
    """As far as they tell."""
    assert lane_of_source(name) == lane


def test_the_diagnosis_names_the_ranks_of_the_files(automaton: Automaton) -> None:
    """One failure in the files of two ranks is one diagnosis."""
    scan = Scan(automaton)
    for rank in (2, 5):
        scan.read(f"none_ab12/attempt_0/{rank}/stderr.log", [CRASH])
    (diagnosis,) = scan.result().diagnoses
    assert (diagnosis.ranks, diagnosis.lanes, diagnosis.occurrences) == ((2, 5), 2, 2)


def test_a_later_attempt_tells_how_the_run_ended(automaton: Automaton) -> None:
    """torchrun restarted: what failed in attempt 0 was recovered from, unless it is the last one."""
    verdicts = []
    for last in (b"training went well\n", CRASH):
        scan = Scan(automaton)
        scan.read("none_ab12/attempt_0/3/stderr.log", [CRASH])
        scan.read("none_ab12/attempt_1/3/stderr.log", [last])
        (diagnosis,) = scan.result().diagnoses
        verdicts.append((diagnosis.verdict.value, diagnosis.evidence[0].source.split("/")[1]))
    assert verdicts == [("recovered", "attempt_0"), ("root_cause", "attempt_1")]


def test_attempts_of_other_launches_are_not_compared() -> None:
    """Two folders of torchrun side by side are two launches."""
    assert attempt_of_source("a/attempt_0/1/stderr.log") == ("a/", 0)
    assert attempt_of_source("train.log") is None
