"""Which rank stands apart when a collective times out, and what exit codes mean."""

from __future__ import annotations

import pytest

from logdoctor.formats.exit_codes import explained_exits
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.model import Applies, LogLine
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.collectives import CollectiveReader


def timeout(rank: int, number: int = 1580, kind: str = "ALLREDUCE", size: int = 466119168) -> str:
    return (
        f"[rank{rank}]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={number}, OpType={kind}, NumelIn={size}, NumelOut={size}, Timeout(ms)=600000) ran for 600060 milliseconds before timing out."
    )


def state(rank: int, enqueued: int, completed: int) -> str:
    return (
        f"[rank{rank}]:[E321 02:07:08.509 ProcessGroupNCCL.cpp:1784] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) "
        f"detected by watchdog at work: {completed + 1}, last enqueued NCCL work: {enqueued}, last completed NCCL work: {completed}."
    )


def found(*texts: str, world_size: int | None = None) -> str | None:
    reader = CollectiveReader()
    for number, text in enumerate(texts, 1):
        stripped = strip_prefixes(text)
        reader.feed(LogLine("x", number, text, stripped.text, stripped.lane))
    compared = reader.comparison(world_size)
    return compared.text.en if compared else None


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            [timeout(0), timeout(1), timeout(3, kind="BROADCAST")],
            "rank 3 runs #1580 BROADCAST (466,119,168) where the others run #1580 ALLREDUCE",
        ),
        ([timeout(0), timeout(1), timeout(2, number=1579)], "rank 2 still runs #1579 ALLREDUCE"),
        ([timeout(0), timeout(1), timeout(2, size=12)], "rank 2 runs #1580 ALLREDUCE (12)"),
        (
            [state(0, 811, 807), state(1, 811, 807), state(2, 811, 801)],
            "rank 2 is behind (last completed #801, others #807)",
        ),
        ([timeout(0), timeout(1)], "(rank 0, 1) all wait for #1580 ALLREDUCE"),
        ([timeout(rank) for rank in range(512)], "(rank 0-511) all wait for #1580 ALLREDUCE"),
        (
            [timeout(rank) for rank in range(0, 64, 2)],
            "(rank 0, 2, 4, 6, 8, 10, 12, 14, +24) all wait for #1580 ALLREDUCE",
        ),
    ],
    ids=[
        "another operation",
        "another number",
        "another size",
        "behind",
        "all the same",
        "many",
        "scattered",
    ],
)
def test_the_odd_rank_is_named(texts: list[str], said: str) -> None:
    """Sequence numbers, types, sizes and last completed work are compared over the ranks."""
    assert said in (found(*texts) or "")


def test_a_rank_that_never_launched_the_operation_is_the_suspect() -> None:
    """Its last enqueued work is its last completed one."""
    dump = "[rank5]:[E321 02:07:08.6 x.cpp:1] [PG 0 Rank 5] Received a dump signal due to a collective timeout from  rank 1 and we will try our best to dump the debug info. Last enqueued NCCL work: 23, last completed NCCL work: 23."
    waiting = [timeout(rank, 24).replace("[Rank", "[PG 0 Rank") for rank in (0, 1)]
    assert (
        "rank 5 never launched operation #24 that the others wait for (its last one was #23)"
        in (found(*waiting, dump) or "")
    )


def test_a_mismatch_names_both_sides() -> None:
    """TORCH_DISTRIBUTED_DEBUG=DETAIL prints the fingerprints of both ranks in one message."""
    text = (
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=1277, OpType=ALLREDUCE, "
        "TensorShape=[1]), but Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=1275, OpType=ALLGATHER, TensorShape=[2])."
    )
    assert "rank 1 runs #1275 ALLGATHER where the others run #1277 ALLREDUCE" in (found(text) or "")


def test_other_lines_are_no_reports() -> None:
    """Nothing is said of ranks that did not report."""
    assert found("[rank0]: RuntimeError: NCCL error", "step 3 loss 0.1") is None


def test_the_report_says_which_rank(automaton: Automaton) -> None:
    """The comparison is part of the cause, in both languages."""
    result = scan_text(automaton, "\n".join([timeout(0), timeout(1), timeout(3, kind="BROADCAST")]))
    cause = result.diagnoses[0].cause
    assert ("rank 3 runs" in cause.en, "rank 3 执行的是" in cause.zh) == (True, True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("exitcode  : -9 (pid: 2630)", ["SIGKILL"]),
        ("traceback : Signal 9 (SIGKILL) received by PID 2630", ["SIGKILL"]),
        ("exits with return code = -11", ["SIGSEGV"]),
        ("srun: error: node1: task 0: Exited with exit code 137", ["SIGKILL"]),
        ("exit code 143", ["SIGTERM"]),
        ("SignalException: Process 25972 got signal: 15", ["SIGTERM"]),
        ("exit status 124", ["timeout"]),
        ("exitcode: -6 and exit code: 139", ["SIGABRT", "SIGSEGV"]),
        ("exit code 1", []),
        ("exitcode: 0", []),
        ("the codes 137 and 143 without a word", []),
    ],
)
def test_exit_codes_and_signals_are_decoded(text: str, names: list[str]) -> None:
    """As shells, Python, Slurm and torch write them."""
    assert [each.en.partition("(")[2].partition(")")[0] for each in explained_exits(text)] == names


def test_what_the_cause_says_already_is_not_said_twice() -> None:
    """A signature of its own for a signal knows more."""
    assert [
        len(explained_exits("exit code -9 and exit code 139", told))
        for told in ("", "it got SIGKILL from outside")
    ] == [2, 1]


def test_the_root_tells_what_its_exit_code_leaves_open(automaton: Automaton) -> None:
    """A wrapper that only knows a code says what may have been."""
    table = (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        "============================================================\ntrain.py FAILED\n"
        "  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 3669031)\n  error_file: <N/A>\n"
    )
    log = table.replace("\n", "\n ")
    assert "SIGKILL" in scan_text(automaton, log).diagnoses[0].cause.en


def test_of_all_ranks_the_one_that_reports_nothing_is_the_suspect(automaton: Automaton) -> None:
    """Where the log tells how many there are; not where many are silent, whose logs may be elsewhere, nor in a group of some."""
    waiting = [timeout(rank) for rank in (0, 1, 3)]
    assert "rank 2 reports nothing" in (found(*waiting, world_size=4) or "")
    assert "all 4 wait for" in (found(*waiting, timeout(2), world_size=4) or "")
    assert "all wait for" in (found(*waiting) or "")
    assert "all wait for" in (found(*waiting, world_size=64) or "")
    assert "all wait for" in (
        found(*(each.replace("[Rank", "[PG 3 Rank") for each in waiting), world_size=4) or ""
    )
    result = scan_text(
        automaton, "using world size: 4, data-parallel size: 4\n" + "\n".join(waiting)
    )
    assert result.context.world_size == 4
    assert "共 4 个 rank" in result.diagnoses[0].cause.zh


WORLD = "using world size: 4, data-parallel size: 4\n"


@pytest.mark.parametrize(
    ("texts", "shows", "first"),
    [
        ([timeout(rank) for rank in (0, 1, 3)], "rank 2 reports nothing", "Rank 2 did not launch"),
        (
            [*map(timeout, range(3)), timeout(3, kind="BROADCAST")],
            "took different paths",
            "Rank 3 is in another collective than the others, which wait for #1580 ALLREDUCE",
        ),
        (
            [*map(timeout, range(3)), timeout(3, number=1579)],
            "rank 3 still runs #1579",
            "Rank 3 is behind the others, which are at #1580 ALLREDUCE",
        ),
        (
            [state(rank, 811, 801 if rank == 2 else 807) for rank in range(4)],
            "rank 2 is behind",
            "Rank 2 is behind the others, which are at #807",
        ),
        ([*map(timeout, range(4))], "all 4 wait for", "Nobody is missing, and the collectives"),
        ([timeout(rank, 1) for rank in range(4)], "all 4 wait for", "It hangs at the very first"),
        ([*map(timeout, range(3)), *map(timeout, range(64, 67))], "either another", "Look first"),
    ],
    ids=["silent", "other path", "earlier", "behind", "all wait", "all wait at once", "open"],
)
def test_what_the_ranks_show_decides_what_to_do_first(
    automaton: Automaton, texts: list[str], shows: str, first: str
) -> None:
    """The comparison stands before what is true of every time-out."""
    diagnosis = scan_text(automaton, WORLD + "\n".join(texts)).diagnoses[0]
    remedies = [each for each in diagnosis.remedies if each.applies is not Applies.NO]
    assert (
        shows in diagnosis.cause.en.split("This rank waited")[0],
        remedies[0].action.en[: len(first)],
    ) == (True, first)


def test_a_list_of_possible_signals_tells_nothing() -> None:
    """Ray prints the same one whatever happened."""
    possible = "potential root causes. (1) The process is killed by SIGKILL by OOM killer. (3) The worker is crashed due to SIGSEGV or other errors."
    assert explained_exits(possible) == ()
    assert len(explained_exits(f"exit code -9. {possible}")) == 1
