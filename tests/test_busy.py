"""Ranks that waited for one that was at work are told so; nobody's network is blamed."""

from __future__ import annotations

import pytest

from logdoctor.formats.busy_words import BUSY_LINES, names_busy
from logdoctor.model import Applies, JudgedRemedy
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

WATCHDOG = (
    "[rank1]:[E1120 10:10:05.123456 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600041 milliseconds before timing out."
)
STORE = (
    "torch.distributed.DistStoreError: wait timeout after 600000ms, keys: /default_pg/0//cuda//0"
)
BAR = "Preprocessing data:  40%|████      | 400/1000 [10:00<15:00,  1.5s/it]"


def first_remedy(text: str, automaton: Automaton) -> JudgedRemedy:
    return scan_text(automaton, text).diagnoses[0].remedies[0]


@pytest.mark.parametrize("sample", [each for row in BUSY_LINES for each in row.samples])
def test_each_sample_names_work(sample: str) -> None:
    assert names_busy(sample)


@pytest.mark.parametrize("near_miss", [each for row in BUSY_LINES for each in row.near_misses])
def test_no_near_miss_does(near_miss: str) -> None:
    assert not names_busy(near_miss)


@pytest.mark.parametrize("said", ["done", "took 3 s", "finished", "in 4.1 s"])
def test_what_is_over_keeps_nobody_busy(said: str) -> None:
    assert names_busy("Loading the model weights of rank 3")
    assert not names_busy(f"Loading the model weights of rank 3 {said}")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"{BAR}\n{WATCHDOG}\n", "Preprocessing data 400/1000, line 1"),
        (f"{BAR}{WATCHDOG}\n", "Preprocessing data 400/1000, line 1"),
        (
            f"{WATCHDOG}\n{BAR.replace('400/', '420/')}\n",
            "Preprocessing data 420/1000, line 2",
        ),
        (f"{BAR}\n{STORE}\n", "Preprocessing data 400/1000, line 1"),
        (
            f"2026-01-02 03:04:05 INFO rank 0: tokenizing the dataset\n{WATCHDOG}\n",
            "rank 0: tokenizing the dataset, line 1",
        ),
    ],
)
def test_work_under_way_comes_first(text: str, what: str, automaton: Automaton) -> None:
    remedy = first_remedy(text, automaton)
    assert remedy.applies is Applies.YES
    assert what in remedy.action.en
    assert "time-out" in remedy.action.en


@pytest.mark.parametrize(
    "above",
    [
        "",
        BAR.replace(" 40%", "100%").replace("400/", "1000/"),
        "2026-01-02 03:04:05 INFO rank 0: tokenizing the dataset took 35 s",
        "Training:  40%|████      | 400/1000 [10:00<15:00,  1.5s/it]",
        f"{BAR}\nstep 30 loss 0.1234",
    ],
)
def test_without_it_the_first_collective_is_of_the_network(
    above: str, automaton: Automaton
) -> None:
    assert "network" in first_remedy(f"{above}\n{WATCHDOG}\n", automaton).action.en
