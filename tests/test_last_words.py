"""What a source ends with, where nothing else tells of a failure."""

from __future__ import annotations

import pytest

from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton

LOADED = "2026-06-10 01:23:30,101 - INFO - loaded the checkpoint\n"
RECORD = "2026-06-10 01:23:38,101 - serve - ERROR - the worker pool ended unexpectedly, giving up\n"
LOGURU = "2026-01-29T05:51:50.616588+0000 | compare_with_baseline | ERROR - FAILED: Recovery thresholds not met\n"
SCRIPT = "Error: Inference path does not exist: /store/results/llama3-1b/inference\n"
END_TIME = "END TIME: Wed Jun 10 01:23:38 AM CEST 2026\n"
PROLOG = "slurmstepd: error: Prolog hung on node worker-3\n"
ABORTED = (
    "F0929 17:42:48.594200 1044529 client.h:77] Terminating process because another task died\n"
)
STEPS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 6))
DONE = "Training completes! Total time elapsed 12.3.\n"


def found(automaton: Automaton, log: str) -> list[tuple[str, str]]:
    result = scan_text(automaton, log)
    return [(each.title, each.verdict.value) for each in result.unknown_errors]


@pytest.mark.parametrize(
    ("log", "title"),
    [
        (LOADED + RECORD, "the worker pool ended unexpectedly, giving up"),
        (LOADED + RECORD + LOADED + END_TIME, "the worker pool ended unexpectedly, giving up"),
        (LOADED + LOGURU, "FAILED: Recovery thresholds not met"),
        (STEPS + SCRIPT + "\n" + END_TIME, SCRIPT.strip()),
        (LOADED + PROLOG, PROLOG.strip()),
        (LOADED + ABORTED, "Terminating process because another task died"),
        (
            LOADED + "错误：找不到模型目录，请先下载模型再启动训练程序\n",
            "错误：找不到模型目录，请先下载模型再启动训练程序",
        ),
    ],
    ids=[
        "a record",
        "with lines below it",
        "fields apart by bars",
        "a script's own line",
        "behind the program's name",
        "glog's fatal record",
        "in Chinese",
    ],
)
def test_a_complaint_at_the_very_end_is_told(automaton: Automaton, log: str, title: str) -> None:
    assert found(automaton, log) == [(title, "root_cause")]


@pytest.mark.parametrize(
    "log",
    [
        LOADED + RECORD + 4 * LOADED,
        RECORD + STEPS[:-1],
        RECORD + DONE,
        STEPS + DONE + SCRIPT,
        STEPS + "Error: 0.0231 at the last evaluation of the model\n",
        STEPS + "ERROR: no\n",
        RECORD + '2026-06-10 01:23:38,201 - INFO - 127.0.0.1 - "POST /home HTTP/1.1" 500 -\n',
        RECORD + "2026-06-10 01:23:38,201 - INFO - finished, exit status 0\n",
        LOADED
        + "2026-06-10 01:23:38,101 - WARNING - Error: the cache is cold, which is no problem at all\n".replace(
            "Error: ", ""
        ),
    ],
    ids=[
        "it writes on",
        "it makes steps",
        "it ends well",
        "after a good end",
        "a metric",
        "too short",
        "a server",
        "status 0",
        "a warning",
    ],
)
def test_other_ends_are_no_complaint(automaton: Automaton, log: str) -> None:
    assert found(automaton, log) == []


def test_it_only_speaks_where_nothing_else_does(automaton: Automaton) -> None:
    crash = 'Traceback (most recent call last):\n  File "/app/train.py", line 3, in <module>\n    f()\nValueError: a bad one\n'
    assert found(automaton, LOADED + crash + RECORD) == [("ValueError: a bad one", "root_cause")]


def test_a_line_that_was_looked_at_is_left_alone(automaton: Automaton) -> None:
    """vLLM asks the Hub about a local folder, complains, and goes on."""
    asked = "ERROR 03-08 20:37:11 [repo_utils.py:45] Error retrieving safetensors: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/data0/m'.\n"
    assert found(automaton, LOADED + asked) == []


TOLD = "nThread 1 nGpus 8 minBytes 8 maxBytes 134217728\n"
NCCL_TEST = "TEST failure foo.cu:874 'unhandled system error'\n"


@pytest.mark.parametrize(
    "line",
    [NCCL_TEST, "GPU detection failed! Possible reasons:\n", "启动推理服务失败\n"],
)
def test_the_last_line_may_say_that_something_failed(automaton: Automaton, line: str) -> None:
    """Without the word error, and without a level."""
    assert found(automaton, TOLD + line) == [(line.strip(), "root_cause")]
    assert found(automaton, STEPS + line + "\n\n") == [(line.strip(), "root_cause")]


@pytest.mark.parametrize(
    "log",
    [
        TOLD + NCCL_TEST + TOLD,
        NCCL_TEST + STEPS[:-1],
        STEPS + DONE + NCCL_TEST,
        TOLD + "2026-06-10 01:23:38,101 - INFO - the health check failed on node-3\n",
        TOLD + "2026-06-10 01:23:38,101 - WARNING - the health check failed on node-3\n",
        TOLD + "GPU detection failed, falling back to the CPU\n",
        TOLD + "12 passed, 0 failed\n",
        TOLD + "health check failed " + "x" * 400 + "\n",
    ],
    ids=[
        "it writes on",
        "it makes steps",
        "after a good end",
        "a record",
        "a warning",
        "something in its place",
        "a count",
        "data",
    ],
)
def test_other_words_of_failure_are_none(automaton: Automaton, log: str) -> None:
    assert found(automaton, log) == []


def test_what_failed_on_one_rank_the_others_may_outlive(automaton: Automaton) -> None:
    """Where one of them made steps; what says that it is an error is told all the same."""
    for line, told in ((NCCL_TEST, 0), (SCRIPT, 1)):
        scan = Scan(automaton)
        scan.read("rank0.log", [STEPS.encode()])
        scan.read("rank1.log", [(TOLD + line).encode()])
        assert len(scan.result().unknown_errors) == told
