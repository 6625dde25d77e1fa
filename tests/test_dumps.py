"""Dumps of hung ranks: what is read of them, what is refused, and who is blamed."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import pickletools
import random
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.document.document import document
from logdoctor.dumps.dump_set import TOO_LARGE, DumpSet
from logdoctor.dumps.flight_recorder import NO_DUMP, NO_RANK, flight_recorded, rank_of_name
from logdoctor.dumps.ras import NO_REPORT
from logdoctor.dumps.stacks import BROKEN as BROKEN_STACKS
from logdoctor.dumps.stacks import NO_STACKS, read_stacks
from logdoctor.dumps.unpickling import BROKEN, DUMP_LIMIT, REFUSED, unpickled
from logdoctor.dumps.waits import HangKind, found_hang
from logdoctor.errors import SourceError
from logdoctor.model import Language, ScanResult, SourceSummary
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from logdoctor.sources.dump_files import begins_as_dump, is_dump_name
from logdoctor.sources.finding import find_sources
from logdoctor.texts.phrases.verdict import problem_words
from logdoctor.texts.ranks import ranks_text
from tests.thoroughness import drawn

SAMPLES = Path(__file__).parents[1] / "sample_logs"
STACKS = Path(__file__).parent / "stacks"


def entry(record: int, group: str, number: int, name: str = "all_reduce", **more: Any) -> Any:
    """A record as torch writes it."""
    return {
        "record_id": record, "pg_id": 0, "process_group": (group, f"purpose {group}"),
        "collective_seq_id": number, "p2p_seq_id": 0, "profiling_name": f"nccl:{name}",
        "time_created_ns": 1795388533234694780 + record, "input_sizes": [[8]],
        "input_dtypes": ["Float"], "output_sizes": [[8]], "output_dtypes": ["Float"],
        "state": "completed", "retired": True, "timeout_ms": 600000, "is_p2p": False,
        "frames": [{"name": "step", "filename": "/app/train.py", "line": 7}], **more,
    }  # fmt: skip


PENDING: dict[str, Any] = {"state": "scheduled", "retired": False}


def plain(*entries: Any, **groups: list[int]) -> dict[str, Any]:
    """A dump of one rank."""
    config = {name: {"name": name, "desc": f"purpose {name}", "ranks": str(ranks)}
              for name, ranks in groups.items()}  # fmt: skip
    return {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": list(entries)}


def hang_of(*ranks: dict[str, Any]) -> Any:
    dumps = [flight_recorded(pickle.dumps(each, 2), rank, str(rank))
             for rank, each in enumerate(ranks)]  # fmt: skip
    return found_hang(dumps)


class Evil:
    """A pickle that would make a folder when it is loaded."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_pickle_that_names_code_is_refused_and_not_run(tmp_path: Path, protocol: int) -> None:
    """Also where the rest is a dump."""
    trap = tmp_path / "made by the pickle"
    data = pickle.dumps({"version": "2.10", "entries": [Evil(str(trap))]}, protocol)
    with pytest.raises(ValueError, match=r"names code|broken"):
        unpickled(data)
    pickle.loads(data)  # it does what it was made for where anybody loads it
    assert trap.is_dir()


def test_a_refused_pickle_says_why_in_the_report(automaton: Automaton, tmp_path: Path) -> None:
    """And nothing of it was run."""
    trap = tmp_path / "trap"
    (tmp_path / "nccl_trace_rank_0").write_bytes(
        pickle.dumps({"version": "2.10", "entries": [Evil(str(trap))]})
    )
    result = scanned(automaton, tmp_path)
    assert [each.problem for each in result.sources] == [REFUSED]
    assert not trap.exists()


@pytest.mark.parametrize("opcode", sorted(each.code for each in pickletools.opcodes))
def test_only_operations_of_plain_data_are_let_through(opcode: str) -> None:
    """Whatever the unpickler would make of them."""
    builds = {"GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "STACK_GLOBAL",
              "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER",
              "BYTEARRAY8"}  # fmt: skip
    name = next(each.name for each in pickletools.opcodes if each.code == opcode)
    if name in builds:
        with pytest.raises(ValueError, match="names code"):
            unpickled(b"\x80\x04}" + opcode.encode("latin-1") + b"\0\0\0\0.")


def test_an_index_of_the_memo_that_would_fill_the_memory_is_refused() -> None:
    """The unpickler makes room for all below it."""
    with pytest.raises(ValueError, match="names code"):
        unpickled(b"\x80\x02}r\xff\xff\xff\x7f.")


@pytest.mark.parametrize(
    "data", [b"\x80\x02}", b"\x80\x02}X\xff\xff\xff\x7fab.", b"\x80\x02.", b"\x80\x02}(K\x01u."]
)
def test_a_broken_pickle_is_said_to_be_broken(data: bytes) -> None:
    """A process may be killed while it writes."""
    with pytest.raises(ValueError, match=BROKEN):
        unpickled(data)


def test_an_odd_record_that_is_the_last_of_its_group_is_broken_however_old_it_is() -> None:
    """What is read of it at the very end is no less checked than the rest."""
    odd = entry(0, "b", 1, time_created_ns={"at": 1})
    dump = plain(odd, *(entry(each, "a", each) for each in range(1, 60)), a=[0, 1], b=[0, 1])
    with pytest.raises(ValueError, match=BROKEN):
        flight_recorded(json.dumps(dump).encode(), 0, "")


def test_deep_nesting_is_no_crash() -> None:
    """Of either form."""
    deep = b"\x80\x02" + b"]" * 200_000 + b"a" * 199_999 + b"."
    with pytest.raises(ValueError, match="no dump"):
        flight_recorded(deep, 0, "0")
    with pytest.raises(ValueError, match="broken"):
        flight_recorded(b'{"entries":' + b"[" * 200_000, 0, "0")


def test_a_dump_that_is_too_large_is_not_read() -> None:
    """Torch's own are of a few megabytes."""
    with pytest.raises(ValueError, match="64 MiB"):
        DumpSet().add("trace_rank_0", b"\x80\x02" + bytes(DUMP_LIMIT))


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("/tmp/nccl_trace_rank_12", 12), ("comm_lib_trace_rank_0", 0), ("_dump_7", 7),
        ("nccl_trace_rank_container-node02_5", 5), ("json_rank_3.json", 3), ("a.tar/rank4.pkl", 4),
        ("comm_lib_trace_rank_8.gz", 8), ("rank-2_20260101", 2), ("dump", None),
        ("nccl_trace_20261123", None), ("trace_262143", 262143), ("rank_262144", None),
        ("dump_1763740000000000005", None), ("trace_20261123000000007", None), ("rank_" + "0" * 12 + "7", 7),
    ],
)  # fmt: skip
def test_the_name_says_the_rank(name: str, rank: int | None) -> None:
    """Old and new prefixes, and those of users."""
    assert rank_of_name(name) == rank


def test_a_dump_of_an_unknown_rank_is_refused() -> None:
    """It could be anybody's."""
    with pytest.raises(ValueError, match=NO_RANK):
        DumpSet().add("dump", pickle.dumps(plain(), 2))


def test_pickle_and_json_are_read_alike() -> None:
    """But for frames, which the JSON form of torch lacks, and its numbers that are texts."""
    told = plain(entry(0, "0", 1), entry(1, "0", 2, **PENDING), g=[0, 1])
    as_json = json.dumps(told).encode()
    assert begins_as_dump(as_json)
    assert flight_recorded(as_json, 3, "x") == flight_recorded(pickle.dumps(told, 2), 3, "x")


def test_ordinary_files_are_no_dumps() -> None:
    """A log of JSON lines, a model, a text."""
    assert not begins_as_dump(b'{"version": 1, "message": "started"}\n')
    assert not begins_as_dump(b'{"entries of the log": 1}\n')
    assert not begins_as_dump(b"PK\x03\x04 a checkpoint")
    assert not begins_as_dump(b"Process 1: started\n")
    assert [is_dump_name(each) for each in ("trace_rank_1", "notes.md", "x.json")] == [
        True, False, False,
    ]  # fmt: skip


def test_who_never_launched_holds_up_all_also_over_groups() -> None:
    """Rank 3 is idle; 2 waits for it in their group, 0 and 1 for 2 in that of all."""
    both, all_ranks = [2, 3], [0, 1, 2, 3]
    waits = plain(entry(0, "a", 1), entry(1, "a", 2, **PENDING), a=all_ranks)
    stuck = plain(entry(0, "a", 1), entry(1, "b", 1, **PENDING), a=all_ranks, b=both)
    idle = plain(entry(0, "a", 1), a=all_ranks, b=both)
    hang = hang_of(waits, waits, stuck, idle)
    assert (hang.kind, hang.guilty, hang.waiting) == (HangKind.NEVER_CAME, (3,), (0, 1, 2))


def test_an_operation_of_another_kind_is_told_from_one_that_is_missing() -> None:
    """All are there, one in another operation."""
    usual = plain(entry(0, "a", 1), entry(1, "a", 2, **PENDING), a=[0, 1, 2])
    other = plain(entry(0, "a", 1), entry(1, "a", 2, "broadcast", **PENDING), a=[0, 1, 2])
    hang = hang_of(usual, other, usual)
    assert (hang.kind, hang.guilty) == (HangKind.OTHER_OPERATION, (1,))


def test_sizes_may_differ_where_they_need_not_be_equal() -> None:
    """Ranks exchange unequal parts; only the type must be the same."""
    some = plain(entry(0, "a", 1, "all_to_all", **PENDING), a=[0, 1, 2])
    more = plain(entry(0, "a", 1, "all_to_all", input_sizes=[[24]], **PENDING), a=[0, 1, 2])
    assert hang_of(some, more, some).kind is HangKind.NOBODY_MISSING
    more["entries"][0]["profiling_name"] = "nccl:all_reduce"
    some["entries"][0]["profiling_name"] = "nccl:all_reduce"
    hang = hang_of(some, more, some)
    assert (hang.kind, hang.guilty) == (HangKind.OTHER_SHAPE, (1,))


def test_of_two_ranks_that_differ_neither_is_blamed_without_more() -> None:
    """Either may be wrong."""
    one = plain(entry(0, "a", 1, **PENDING), a=[0, 1])
    other = plain(entry(0, "a", 1, "broadcast", **PENDING), a=[0, 1])
    hang = hang_of(one, other)
    assert (hang.kind, hang.guilty, hang.suspects) == (HangKind.OTHER_OPERATION, (), (0, 1))


def test_a_missing_dump_alone_makes_nobody_guilty() -> None:
    """Rank 3 is idle, and of another group than rank 2, whose dump is lost."""
    waits = plain(entry(0, "a", 1, **PENDING), a=[0, 1, 2, 3])
    idle = plain(a=[0, 1, 2, 3])
    dumps = [flight_recorded(pickle.dumps(each, 2), rank, "")
             for rank, each in ((0, waits), (1, waits), (3, idle))]  # fmt: skip
    hang = found_hang(dumps)
    assert hang
    assert (hang.guilty, hang.missing) == ((3,), (2,))


def test_runs_that_go_on_do_not_hang() -> None:
    """Two dumps of each rank, and each launched more in between."""

    def moment(first: int) -> dict[str, Any]:
        records = (entry(first + each, "a", first + each + 1) for each in range(20))
        return plain(*records, entry(first + 20, "a", first + 21, **PENDING), a=[0, 1])

    dumps = [flight_recorded(pickle.dumps(moment(first), 2), rank, "")
             for rank in (0, 1) for first in (0, 30 + rank)]  # fmt: skip
    assert found_hang(dumps) is None


def test_an_unusual_size_tells_beside_a_missing_dump_only_of_the_last_operation() -> None:
    """Rank 1 left no dump; what rank 0 brought last was sent to it, what it brought before was
    taken.
    """

    def rank(group: str, size: int, *last: Any) -> Any:
        of = {"process_group": (group, "tensor_parallel")}
        usual = [entry(each, group, each + 1, "all_to_all", **of) for each in range(6)]
        return plain(*usual, entry(6, group, 7, "all_to_all", input_sizes=[[size]], **of), *last)

    def found(*last: Any) -> Any:
        waits = rank("2", 8, entry(7, "0", 1, **PENDING))
        dumps = {0: rank("1", 24, *last), 2: waits, 3: waits}
        return found_hang([flight_recorded(pickle.dumps(each, 2), rank, "")
                           for rank, each in dumps.items()])  # fmt: skip

    assert (found().kind, found().guilty) == (HangKind.OTHER_SHAPE, (0,))
    assert found(entry(7, "0", 1, **PENDING)).guilty == (1,)


def test_a_mismatch_that_ended_the_ranks_is_told_although_nobody_waits() -> None:
    """Gloo ends processes that are sent too much, and the operations of the others fail; where all
    are there, nothing is said.
    """
    usual = plain(entry(0, "a", 1), entry(1, "a", 2, "broadcast"), a=[0, 1, 2, 3])
    odd = plain(entry(0, "a", 1), entry(1, "a", 2, "broadcast", input_sizes=[[24]]), a=[0, 1, 2, 3])
    hang = hang_of(usual, odd, usual)
    assert (hang.kind, hang.guilty, hang.missing) == (HangKind.OTHER_SHAPE, (1,), (3,))
    assert (hang.waiting, hang.launchers) == ((), ())
    assert hang_of(usual, odd, usual, usual) is None
    assert hang_of(usual, usual) is None


def test_a_transfer_and_a_collective_of_one_number_are_told_apart() -> None:
    """As many ranks wait in the one as in the other, and nobody for those of whom nothing is known:
    both have the number 1 in their group.
    """
    send = entry(0, "a", 1, "send 0->3", is_p2p=True, p2p_seq_id=1, **PENDING)
    waits = entry(0, "a", 1, **PENDING)
    hang = hang_of(plain(send, a=[0, 1, 2, 3]), plain(waits, a=[0, 1, 2, 3]))
    assert hang is not None
    assert (hang.key.number, hang.key.pair) == (1, None)


ODD: list[Any] = [
    None, [], {}, "x", -1, 10**400, float("inf"), float("nan"), [1], {"a": 1}, True, "9" * 5000,
    1.5, [None], 10**12, "[0, 999999999]",
]  # fmt: skip
"""What may stand anywhere in a dump that is damaged, or made to do harm."""


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all that stands below a node."""
    below_it = dict(enumerate(node)) if isinstance(node, list) else node
    for step, below in below_it.items() if isinstance(below_it, dict) else ():
        yield (*path, step)
        yield from places(below, (*path, step))


def damaged(node: Any, rng: random.Random) -> Any:
    """The same with odd things in up to three places."""
    made = copy.deepcopy(node)
    for *above, last in rng.sample(list(places(made)), 3):
        with suppress(LookupError, TypeError):  # one that stood below another
            reduce(lambda at, step: at[step], above, made)[last] = rng.choice(ODD)
    return made


@settings(deadline=None, max_examples=drawn(150))
@given(st.randoms(use_true_random=False))
def test_whatever_stands_in_dumps_they_are_broken_or_judged(rng: random.Random) -> None:
    """Records of ranks, reports and stacks alike."""
    frames = [{"name": "f", "filename": "/a/b.py", "line": 3}]
    done = [entry(each, "a", each + 1, frames=frames) for each in range(60)]
    send = entry(0, "p", 1, "send 0->1", is_p2p=True, p2p_seq_id=1, **PENDING)
    idle = {**plain(*done, a=[0, 1, 2, 3]), "pg_status": {"4": {"last_enqueued_collective": 29}}}
    kinds = {
        "trace_rank_0": plain(*done, entry(60, "a", 61, **PENDING), a=[0, 1, 2, 3]),
        "trace_rank_1": idle,
        "trace_rank_2": plain(send, p=[0, 1, 2, 3]),
        "stacks_rank_0.txt": json.loads(SPIED_JSON),
        "ras.txt": json.loads(ras_json({0: 12, 1: 12, 2: 3, 3: 12})),
    }
    dump_set = DumpSet()
    for name, node in kinds.items():
        with suppress(ValueError):
            dump_set.add(name, json.dumps(damaged(node, rng)).encode())
    told = dump_set.told()
    assert told is None or told.lines


def test_a_send_waits_for_who_does_not_receive() -> None:
    """Stage 1 is in a collective of its own group, where rank 2 is missing."""
    send = entry(0, "p", 1, "send 0->1", is_p2p=True, p2p_seq_id=1, **PENDING)
    first = plain(send, p=[0, 1])
    second = plain(entry(0, "t", 1, **PENDING), p=[0, 1], t=[1, 2])
    hang = hang_of(first, second, plain(t=[1, 2]))
    assert (hang.guilty, hang.waiting) == ((2,), (0, 1))


def test_ranks_are_told_as_ranges() -> None:
    """Two in a row one by one."""
    assert ranks_text([14, 9, 0, 1, 2, 10]) == "0-2, 9, 10, 14"
    assert ranks_text([]) == "none"
    assert ranks_text([0, 1, 2, 4, 6, 7, 9], 2) == "0-2, 4, +3"
    assert ranks_text([0, 1, 2, 4], 2) == "0-2, 4"


def scanned(automaton: Automaton, *places: Path) -> ScanResult:
    run = Scan(automaton)
    for source in find_sources([str(each) for each in places], None):
        if isinstance(source, SourceError):
            run.note_unreadable(source)
        else:
            run.read(source.name, source.chunks(), source.open_again)
    return run.result()


WATCHDOG = (
    "[rank{rank}]:[E1003 18:37:01.832146912 ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught "
    "collective operation timeout: WorkNCCL(SeqNum=6463, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=1800000) ran for 1800017 milliseconds before timing out.\n"
)


def test_dumps_and_the_watchdog_s_lines_are_one_answer(
    automaton: Automaton, tmp_path: Path
) -> None:
    """The dumps say who; the lines of the log follow from it."""
    (tmp_path / "train.log").write_text("".join(WATCHDOG.format(rank=each) for each in (0, 1)))
    for file in (SAMPLES / "hang-lock").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    told = document(scanned(automaton, tmp_path), Language.EN, "0")
    assert [(each["signature_id"], each["verdict"]) for each in told["diagnoses"]] == [
        ("collective-never-launched", "root_cause"),
        ("nccl-watchdog-timeout", "consequence"),
    ]
    assert told["diagnoses"][0]["ranks"] == {"guilty": [0], "waiting": [1, 2, 3], "missing": []}
    assert "ranks" not in told["diagnoses"][1]


def test_an_archive_of_dumps_is_read_as_its_folder(automaton: Automaton, tmp_path: Path) -> None:
    """Members whose names may be those of dumps and that are none are left out."""
    with tarfile.open(tmp_path / "dumps.tar.gz", "w:gz") as archive:
        for file in sorted((SAMPLES / "hang-lock").iterdir()):
            archive.add(file, f"dumps/{file.name}")
        other = tarfile.TarInfo("dumps/weights_1")
        archive.addfile(other, io.BytesIO())
    result = scanned(automaton, tmp_path / "dumps.tar.gz")
    assert result.root
    assert result.root.name == "collective-never-launched"
    assert len(result.sources) == 4


SPIED = """\
Process 19822: /usr/bin/python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 19822 (idle): "MainThread"
    load_shard (data.py:55)
    train (train.py:148)
Thread 19830 (active+gil): "worker"
    other (other.py:1)
"""
WAITING = SPIED.replace(
    "load_shard (data.py:55)", "all_reduce (torch/distributed/distributed_c10d.py:3151)"
)
FAULTHANDLER = """\
Timeout (0:00:02.376059)!
Thread 0x00007fe8d76136c0 (most recent call first):
  File "/app/loader.py", line 193 in fetch

Thread 0x00007fe8fa43bb80 [python] (most recent call first):
  File "/app/data.py", line 55 in load_shard
  File "/app/train.py", line 148 in train
"""
GDB = """\
Attaching to process 4711
Thread 2 (Thread 0x7f01 (LWP 12)):
#0  0x00007f in poll () from /lib/libc.so.6
Thread 1 (Thread 0x7f02 (LWP 11)):
#0  0x00007f12 in read () from /lib/x86_64-linux-gnu/libc.so.6
#1  load_shard (path=0x7f) at data.c:55
"""
SPIED_JSON = json.dumps([
    {"pid": 7, "thread_id": 2, "thread_name": "worker", "os_thread_id": 9,
     "frames": [{"name": "other", "filename": "o.py", "line": 1}]},
    {"pid": 7, "thread_id": 1, "thread_name": None, "os_thread_id": 7,
     "frames": [{"name": "load_shard", "filename": "/app/data.py", "line": 55}]},
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        (SPIED, "load_shard (data.py:55)"), (FAULTHANDLER, "load_shard (data.py:55)"),
        (GDB, "read (libc.so.6)"), (SPIED_JSON, "load_shard (data.py:55)"),
        ("Stack dump for ray  19822  0.0 pts/0 Sl 0:15 ray::Worker\n" + SPIED, "load_shard (data.py:55)"),
    ],
    ids=["py-spy", "faulthandler", "gdb", "py-spy --json", "ray stack"],
)  # fmt: skip
def test_stacks_of_every_form_are_read(text: str, frame: str) -> None:
    """Of all threads the main one; its innermost frame first."""
    assert begins_as_dump(text.encode())
    (stack,) = read_stacks(text.encode(), 3, "stacks_rank_3.txt")
    assert (stack.rank, stack.frames[0].text) == (3, frame)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("native", "guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in load_shard (train.py:24)"),
        ("json", "guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in load_shard (train.py:24)"),
        ("gdb", "guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in __libc_open64 (open64.c:41)"),
        ("faulthandler", "guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in load_shard (train.py:24)"),
        ("debug-server", "guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in load_shard (train.py:24)"),
        ("ray", "process 23130 stands outside of any collective, 3 others wait in one; guilty: none; waiting: none; without a dump: none; stands: process 23130 in load_shard (train.py:24)"),
    ],
)  # fmt: skip
def test_captured_stacks_say_who_stands_elsewhere(
    automaton: Automaton, form: str, said: str
) -> None:
    """As each tool printed them of the same hang; Ray's own agents are nobody's rank."""
    result = scanned(automaton, STACKS / form)
    assert result.root
    assert result.root.name == "rank-stands-outside-collectives"
    assert said in result.root.evidence[0].text
    assert [each.problem for each in result.sources if each.problem] == []


@pytest.mark.parametrize(
    ("stuck", "guilty"),
    [([0, 2, 2], "2"), ([0, 2], None), ([2], "2"), ([2, 2, None], None)],
    ids=str,
)
def test_of_stacks_of_several_moments_the_last_two_count(
    stuck: list[int | None], guilty: str | None
) -> None:
    """As of the debug server, which begins when all is well: who stood elsewhere the time before
    goes on.
    """
    dump_set = DumpSet()
    for moment, outside in enumerate(stuck):
        files = [("/app/data.py" if rank == outside else "/x/torch/distributed/c.py")
                 for rank in range(4)]  # fmt: skip
        text = "".join(
            f"=== Rank {rank}: x ===\nThread 0x01 (most recent call first):\n"
            f'  File "{file}", line 5 in f\n\n'
            for rank, file in enumerate(files)
        )
        dump_set.add(f"stacks_20260101_00000{moment}.txt", text.encode())
    told = dump_set.told()
    line = told.lines[0] if told else ""
    assert (f"; guilty: {guilty}; waiting: 0, 1, 3;" in line) if guilty else not told


def test_launchers_and_loaders_of_data_are_nobody_s_rank() -> None:
    """`pgrep -f train.py` finds them too."""
    spied = 'Process {pid}: {command}\nPython v3.11.7 (python)\n\nThread {pid} (idle): "MainThread"\n    {frame}\n\n'
    ranks = [("python -u train.py --x 1", "all_reduce (torch/distributed/c.py:9)")] * 3
    others = [
        ("python /venv/bin/torchrun train.py", "run (torch/distributed/elastic/agent/api.py:5)"),
        ("python -u train.py --x 1", "_worker_loop (torch/utils/data/_utils/worker.py:3)"),
    ]
    stuck = [("python -u train.py --x 1", "load (data.py:5)")]

    def told(processes: list[tuple[str, str]]) -> Any:
        dump_set = DumpSet()
        texts = [spied.format(pid=40 + i, command=command, frame=frame)
                 for i, (command, frame) in enumerate(processes)]  # fmt: skip
        dump_set.add("stacks.txt", "".join(texts).encode())
        return dump_set.told()

    assert told(ranks + others) is None
    line = told(ranks + others + stuck).lines[0]
    assert line.startswith("stacks: process 45 stands outside of any collective, 3 others wait")


def test_workers_of_a_data_loader_are_not_taken_for_their_rank() -> None:
    """`py-spy dump --subprocesses` puts them below it: in a file of one rank, and below the
    headings of several.
    """
    spied = (STACKS / "subprocesses" / "stacks_rank_2.txt").read_text(encoding="utf-8")
    (stack,) = read_stacks(spied.encode(), 2, "stacks_rank_2.txt")
    assert (stack.rank, stack.place.text) == (2, "<module> (par.py:6)")
    workers = spied.partition("-" * 80)[2]
    parts = [f"=== Rank {rank}: x ===\n{WAITING}\n{workers}" for rank in range(3)]
    parts.append(f"=== Rank 3: x ===\n{SPIED}\n{workers}")
    found = read_stacks("\n".join(parts).encode(), None, "stacks.txt")
    assert [(each.rank, each.is_in_collective) for each in found] == [
        (0, True), (1, True), (2, True), (3, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "threads",
    [
        '{"frames": 5}', '{"frames": [3]}', '{"frames": [{"line": "x"}]}', '{"frames": {"a": 1}}',
        '{"pid": [1], "frames": []}', '{"pid": Infinity, "frames": []}', "7", '{"frames": [{"name',
    ],
)  # fmt: skip
def test_odd_stacks_in_json_are_said_to_be_broken(threads: str) -> None:
    """Whatever stands where a number or a list should."""
    text = f'[{{"pid": 1, "thread_id": 2, "frames": []}}, {threads}]'
    with pytest.raises(ValueError, match=BROKEN_STACKS):
        read_stacks(text.encode(), 1, "")


@pytest.mark.parametrize(
    "head",
    [
        "[Thread debugging using libthread_db enabled]\n",
        "[New LWP 712]\n[New LWP 713]\n",
        "Attaching to process 711\n",
        "Timeout (0:05:00)!\nThread 0x00007efd (most recent call first):\n",
        "Job summary\n===========\nJob id: 311\n",
    ],
)
@pytest.mark.parametrize("rest", ["", "step 1 loss 2.0\n" * 200_000], ids=["short", "long"])
def test_a_log_that_begins_as_dumps_do_is_read(
    automaton: Automaton, head: str, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run under gdb, or one whose watch printed first, without any frame; of a job whose
    prologue has a heading as that of NCCL's RAS; also where it is larger than any dump.
    """
    monkeypatch.setattr("logdoctor.dumps.unpickling.DUMP_LIMIT", 1 << 20)
    data = f"{head}{rest}AssertionError: batch_size 32 < chunks 64\n".encode()
    run = Scan(automaton)
    run.read("train.log", [data[at : at + 65_536] for at in range(0, len(data), 65_536)])
    result = run.result()
    assert result.root
    assert result.root.name == "dataproto-batch-smaller-than-chunks"
    assert result.sources == (SourceSummary("train.log", data.count(b"\n"), len(data), None),)


def test_what_keeps_a_dump_from_being_judged_has_words_in_both_languages() -> None:
    """Each of them, as the report of a source has it."""
    for said in (
        BROKEN, BROKEN_STACKS, NO_DUMP, NO_RANK, NO_REPORT, NO_STACKS, REFUSED, TOO_LARGE
    ):  # fmt: skip
        words = problem_words(said)
        assert words.en == said
        assert words.zh != said


def test_that_dumps_show_nobody_is_said(automaton: Automaton) -> None:
    """An all-clear they are not."""
    run = Scan(automaton)
    for rank in range(4):
        well = plain(entry(0, "a", 1), entry(1, "a", 2), a=[0, 1, 2, 3])
        run.read(f"trace_rank_{rank}", [pickle.dumps(well, 2)])
    result = run.result()
    assert result.root is None
    assert [each.en for each in result.not_seen] == [
        "dumps that were read: 4; they show no rank that holds up the others"
    ]
    assert "✔" not in render_text(result, TextStyle())


def test_a_rank_computing_within_a_wrapped_model_is_in_no_collective() -> None:
    """FSDP stands around the forward pass of the model; a lock of Python may stand within."""
    spied = 'Process {rank}: train\nPython v3.11.7 (python)\n\nThread {rank} (idle): "MainThread"\n{frames}\n'
    fsdp = "    forward (torch/distributed/fsdp/fully_sharded_data_parallel.py:849)\n    train (train.py:9)\n"
    frames = {
        0: "    all_gather (torch/distributed/distributed_c10d.py:9)\n" + fsdp,
        1: "    wait (threading.py:5)\n    wait (torch/distributed/distributed_c10d.py:9)\n" + fsdp,
        2: "    load (data.py:5)\n" + fsdp,
    }
    stacks = [each for rank, text in frames.items()
              for each in read_stacks(spied.format(rank=rank, frames=text).encode(), rank, "")]  # fmt: skip
    assert [each.is_in_collective for each in stacks] == [True, True, False]


def test_the_debug_server_s_file_has_all_ranks() -> None:
    """Each under its heading; the one that stands elsewhere is told."""
    parts = [SPIED if rank == 2 else WAITING for rank in range(4)]
    text = "".join(f"=== Rank {n}: http://h:1 ===\n{part}" for n, part in enumerate(parts))
    dumps = DumpSet()
    dumps.add("stacks_20261122_230355.txt", text.encode())
    told = dumps.told()
    assert told
    assert told.lines == (
        "stacks: rank 2 stands outside of any collective, 3 others wait in one; guilty: 2; waiting: 0, 1, 3; without a dump: none; stands: rank 2 in load_shard (data.py:55)",
        "    most of the others: train (train.py:148)",
    )


@pytest.mark.parametrize(
    ("stacks", "guilty"),
    [
        ({0: "load (data.py:5)", 1: "all_reduce (torch/distributed/distributed_c10d.py:9)"}, "0"),
        ({0: "all_reduce (torch/distributed/distributed_c10d.py:9)", 1: "load (data.py:5)"}, "1"),
        ({0: "load (data.py:5)", 1: "load (data.py:5)"}, "none"),
        ({0: "load (data.py:5)"}, "none"),
    ],
    ids=["one-outside", "the-other", "both-outside", "one-unknown"],
)
def test_stacks_tell_which_of_several_suspects_it_is(stacks: dict[int, str], guilty: str) -> None:
    """Rank 1 left no dump, and what rank 0 did last, with it, may have failed."""
    everyone, waits = [0, 1, 2, 3], entry(1, "a", 1, **PENDING)
    dumps = {
        0: plain(entry(0, "t", 1), a=everyone, t=[0, 1]),
        2: plain(waits, a=everyone, t=[0, 1]),
        3: plain(waits, a=everyone, t=[0, 1]),
    }
    dump_set = DumpSet()
    for rank, each in dumps.items():
        dump_set.add(f"trace_rank_{rank}", pickle.dumps(each, 2))
    before = dump_set.told()
    assert before
    assert "from one of ranks 0, 1; guilty: none" in before.lines[0]
    for rank, frame in stacks.items():
        text = f'Process {rank}: train\nPython v3.11.7 (python)\n\nThread {rank} (idle): "MainThread"\n    {frame}\n'
        dump_set.add(f"stacks_rank_{rank}.txt", text.encode())
    told = dump_set.told()
    assert told
    assert f"; guilty: {guilty};" in told.lines[0]


def test_stacks_that_are_all_alike_blame_nobody() -> None:
    """All in a collective, or all outside: nothing stands out."""
    for text in (SPIED, WAITING):
        dumps = DumpSet()
        for rank in range(4):
            dumps.add(f"stacks_rank_{rank}.txt", text.encode())
        assert dumps.told() is None


RAS_HEAD = """NCCL version 2.26.2 compiled with CUDA 12.8
CUDA runtime version 12080, driver version 12080

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

"""
"""As src/ras/client_support.cc of NCCL prints it."""

RAS_BEHIND = f"""{RAS_HEAD}#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  30 ranks have launched up to operation 6650
  2 ranks have launched up to operation {{count}}
  Rank 9 -- GPU 1 managed by process 483073 on node 172.16.64.211
  Rank 14 -- GPU 6 managed by process 483079 on node 172.16.64.211

"""


def told_by_ras(*reports: str) -> str | None:
    dumps = DumpSet()
    dumps.add("ras_1", "".join(reports).encode())
    told = dumps.told()
    return told.lines[0] if told else None


@pytest.mark.parametrize(
    ("counts", "how_often"),
    [((6649,), "one report"), ((6649, 6649), "two reports alike"), ((6640, 6649), "one report")],
)
def test_only_reports_that_say_the_same_prove_that_a_rank_stands_still(
    counts: tuple[int, ...], how_often: str
) -> None:
    """A run that is well is a few operations apart at any moment."""
    assert told_by_ras(*(RAS_BEHIND.format(count=each) for each in counts)) == (
        "NCCL RAS: of the 32 ranks of communicator 27a079b828ff1a75 9, 14 launched AllReduce only "
        f"up to operation 6649, 30 others up to 6650, in {how_often}; guilty: 9, 14"
    )


def test_a_report_without_outliers_blames_nobody() -> None:
    """Nor one in which nobody is named."""
    assert told_by_ras(RAS_HEAD) is None
    named = RAS_BEHIND.format(count=3).index("  Rank 9")
    assert told_by_ras(RAS_BEHIND.format(count=3)[:named] + "\n") is None


def test_the_rank_that_ras_cannot_reach_is_told() -> None:
    """In the words of NCCL before and since 2.27."""
    for line in (
        "  The missing rank: 21",
        "  Rank 21 -- GPU 5 managed by process 3487984 on node 172.16.64.213",
    ):
        text = (
            f"{RAS_HEAD}#0-0 (cf264af53edbe986) INCOMPLETE\n"
            f"  Missing communicator data from 1 rank\n{line}\n\n"
        )
        assert told_by_ras(text) == (
            "NCCL RAS: of the 32 ranks of communicator cf264af53edbe986 21 cannot be reached; "
            "guilty: 21"
        )


def ras_json(counts: dict[int, int], missing: tuple[int, ...] = ()) -> str:
    """A report as `ncclras -f json` prints it."""
    ranks = [
        {"rank": rank, "host": "10.0.0.1", "pid": 100 + rank, "cuda_dev": rank, "nvml_dev": rank,
         "status": {"init_state": 0}, "collective_counts": {"AllGather": count, "AllReduce": 7}}
        for rank, count in counts.items()
    ]  # fmt: skip
    gone = [
        {"rank": rank, "host": "10.0.0.1", "pid": 100 + rank, "cuda_dev": rank, "nvml_dev": rank,
         "status": {"unresponsive": True, "considered_dead": False}}
        for rank in missing
    ]  # fmt: skip
    told = {"hash": "0xae94423cfbb2ef4a", "size": len(counts) + len(missing), "ranks": ranks,
            "missing_ranks": gone}  # fmt: skip
    report = {"nccl_version": "2.29.1", "cuda_runtime_version": 13000, "communicators": [told]}
    return json.dumps(report, indent=2)


def test_ras_in_json_says_the_same() -> None:
    """Several reports may follow each other in one file."""
    late = ras_json({0: 12, 1: 12, 2: 11, 3: 12})
    assert begins_as_dump(late.encode())
    assert told_by_ras(late, late) == (
        "NCCL RAS: of the 4 ranks of communicator ae94423cfbb2ef4a 2 launched AllGather only up to "
        "operation 11, 3 others up to 12, in two reports alike; guilty: 2"
    )
    assert told_by_ras(ras_json({0: 12, 1: 12, 3: 12}, missing=(2,))) == (
        "NCCL RAS: of the 4 ranks of communicator ae94423cfbb2ef4a 2 cannot be reached; guilty: 2"
    )
    assert told_by_ras(ras_json({0: 12, 1: 12})) is None


def test_a_broken_report_of_ras_is_said_to_be_none() -> None:
    """Its writer may have been cut off."""
    with pytest.raises(ValueError, match="no report of NCCL's RAS"):
        DumpSet().add("ras_1", b'{"nccl_version": "1",\n "cuda_runtime_version": 1')


def test_a_scan_knows_what_ras_tells(automaton: Automaton, tmp_path: Path) -> None:
    """By signatures, beside a log that only reports the timeout."""
    file = tmp_path / "ras_1.txt"
    file.write_text(RAS_BEHIND.format(count=6649) * 2)
    result = scanned(automaton, tmp_path)
    assert [each.signature.id for each in result.diagnoses] == ["nccl-ras-rank-behind"]
    assert result.diagnoses[0].captures["process"] == (
        "process 483073 on node 172.16.64.211, GPU 1"
    )
