"""The table that torchrun ends with: one event, and the worker that failed first is the one that counts."""

from __future__ import annotations

import pytest

from logdoctor.formats.torchrun_tables import FailedRank, failed_ranks
from logdoctor.model import Diagnosis, ScanResult
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

RULE, LINE = "=" * 60, "-" * 60
HEAD = f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n{RULE}\ntrain.py FAILED\n{LINE}\nFailures:\n"
FIRST = f"{LINE}\nRoot Cause (first observed failure):\n"


def entry(number: int, rank: int, code: str, told: str, error_file: str = "<N/A>") -> str:
    return (
        f"[{number}]:\n  time      : 2026-11-21_10:00:0{5 - number}\n  host      : gpu-node-1\n  rank      : {rank} (local_rank: {rank})\n"
        f"  exitcode  : {code}\n  error_file: {error_file}\n  traceback : {told}\n"
    )


def kept(exception: str) -> str:
    """A traceback as the table indents it."""
    frames = '    File "/app/errors/__init__.py", line 355, in wrapper\n      return f(*args, **kwargs)\n    File "/app/train.py", line 12, in step\n      go()\n'
    return f"Traceback (most recent call last):\n{frames}  {exception}\n  "


def signalled(rank: int, number: int, signal: str = "9 (SIGKILL)") -> str:
    return entry(
        number,
        rank,
        f"-{signal.partition(' ')[0]} (pid: 401{rank})",
        f"Signal {signal} received by PID 401{rank}",
    )


def scanned(automaton: Automaton, text: str) -> tuple[ScanResult, str]:
    result = scan_text(automaton, text)
    assert result.root is not None
    return result, result.root.signature.id if isinstance(
        result.root, Diagnosis
    ) else result.root.title


def test_entries_are_read_whole() -> None:
    """Numbers, host, time and file; what the table does not know is None."""
    assert failed_ranks(
        (signalled(3, 1) + entry(0, 1, "1 (pid: 7)", "", "/tmp/x/error.json")).splitlines()
    ) == (
        FailedRank(1, 3, "gpu-node-1", "2026-11-21_10:00:04", -9, None),
        FailedRank(0, 1, "gpu-node-1", "2026-11-21_10:00:05", 1, "/tmp/x/error.json"),
    )
    assert failed_ranks(["step 3", "loss: 4"]) == ()


@pytest.mark.parametrize("prefix", ["", "(launcher pid=12) ", "gpu-node-1: "])
def test_a_table_is_one_event(automaton: Automaton, prefix: str) -> None:
    """From the exception to its last rule; counted once, and for the worker that failed first."""
    text = HEAD + signalled(3, 1) + signalled(2, 2, "15 (SIGTERM)") + FIRST + signalled(1, 0) + RULE
    result, root = scanned(automaton, "".join(f"{prefix}{line}\n" for line in text.splitlines()))
    diagnosis = result.diagnoses[0]
    assert (root, diagnosis.occurrences, diagnosis.ranks, diagnosis.captures["pid"]) == (
        "torch-elastic-worker-killed",
        1,
        (1,),
        "4011",
    )
    assert diagnosis.evidence[0].end_line == len(text.splitlines())


def test_who_failed_is_told_in_order(automaton: Automaton) -> None:
    """Rank and exit code of each, the first one first, in both languages."""
    result, _ = scanned(automaton, HEAD + signalled(3, 1) + FIRST + signalled(1, 0) + RULE)
    assert (
        "rank 1 (-9) on gpu-node-1 failed first, then rank 3 (-9)" in result.diagnoses[0].cause.en
    )
    assert (
        "rank 1 (-9) 最先失败（节点 gpu-node-1），其后为 rank 3 (-9)"
        in result.diagnoses[0].cause.zh
    )
    alone, _ = scanned(automaton, HEAD + "  <NO_OTHER_FAILURES>\n" + FIRST + signalled(1, 0) + RULE)
    assert "rank 1 (-9) on gpu-node-1 failed, no other" in alone.diagnoses[0].cause.en


@pytest.mark.parametrize(
    "first", ["ValueError: labels out of range", "AssertionError: batch_size 32 < chunks 64"]
)
def test_of_the_tracebacks_kept_the_first_failure_counts(automaton: Automaton, first: str) -> None:
    """Though the table has it last; the others follow from it, and each is told with its rank."""
    other = entry(
        1,
        0,
        "1 (pid: 4010)",
        kept("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."),
        "/tmp/0/error.json",
    )
    text = (
        HEAD + other + FIRST + entry(0, 1, "1 (pid: 4011)", kept(first), "/tmp/1/error.json") + RULE
    )
    result, _ = scanned(automaton, text)
    assert result.root is not None
    assert first in result.root.evidence[0].text
    assert (result.root.ranks, result.root.evidence[0].lane.host, result.root.evidence[0].time) == (
        (1,),
        "gpu-node-1",
        "2026-11-21T10:00:05",
    )


def test_without_its_traceback_the_remedy_is_to_keep_one(automaton: Automaton) -> None:
    """`error_file: <N/A>` is told of; a kept file is not."""
    lost, _ = scanned(automaton, HEAD + "  <NO_OTHER_FAILURES>\n" + FIRST + signalled(1, 0) + RULE)
    held, _ = scanned(
        automaton,
        HEAD
        + "  <NO_OTHER_FAILURES>\n"
        + FIRST
        + entry(0, 1, "1 (pid: 7)", kept("ValueError: x is y"), "/tmp/e.json")
        + RULE,
    )
    assert [
        "error_file: <N/A>" in " ".join(each.en for each in result.not_seen)
        for result in (lost, held)
    ] == [True, False]


def test_a_host_once_known_is_a_prefix_of_any_line(automaton: Automaton) -> None:
    """As pdsh prints it, also before texts that do not look like a message's first words."""
    lines = [
        "gpu-7: Traceback (most recent call last):",
        'gpu-7:   File "/app/a.py", line 3, in f',
        "gpu-7: LookupFailed: no such shard",
    ]
    result = scan_text(automaton, "\n".join(lines))
    assert result.root is not None
    assert (result.root.evidence[0].line, result.root.evidence[0].lane.host) == (3, "gpu-7")
