"""How long dumps of a hung run take.

`python -m benchmarks.speed.dumps [--ranks 16] [--entries 2000]`: the dumps are made, as torch 2.13
writes them: a pickle per rank with as many records, each with its stack, of groups of tensor and
data parallelism; one rank never came. They are read from files, judged, and the processor time and
the most memory are printed.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from logdoctor.dumps.dump_set import DumpSet

TENSOR = 8

STACK = [(f"function_{depth}", f"/app/layer_{depth}.py") for depth in range(10)]
"""Texts that a dump holds once, as those of torch do."""


def entry(record: int, group: int, purpose: str, number: int, *, is_pending: bool) -> Any:
    """A record of a rank."""
    frames = [{"name": name, "filename": file, "line": 10} for name, file in STACK]
    return {
        "frames": frames, "record_id": record, "pg_id": group,
        "process_group": (str(group), purpose),
        "thread_name": "python", "thread_id": "139957691882368", "collective_seq_id": number,
        "p2p_seq_id": 0, "op_id": number, "profiling_name": "nccl:all_reduce",
        "time_created_ns": 1795388533234694780 + 1_000_000 * record, "input_sizes": [[2048, 5120]],
        "input_dtypes": ["BFloat16"], "output_sizes": [[2048, 5120]], "output_dtypes": ["BFloat16"],
        "state": "scheduled" if is_pending else "completed", "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None, "retired": not is_pending, "timeout_ms": 600000,
        "is_p2p": False,
    }  # fmt: skip


def dump_of(rank: int, ranks: int, entries: int) -> bytes:
    """What one rank records; the last rank never came to the last operation of its group."""
    data, tensor = rank % TENSOR, rank // TENSOR
    mine = {
        1 + tensor: ("tensor", range(tensor * TENSOR, (tensor + 1) * TENSOR)),
        100_000 + data: ("data", range(data, ranks, TENSOR)),
        0: ("default_pg", range(ranks)),
    }
    counts = dict.fromkeys(mine, 0)
    rows = []
    for record in range(entries):
        group = list(mine)[record % len(mine)]
        counts[group] += 1
        rows.append(entry(record, group, mine[group][0], counts[group], is_pending=False))
    if rank != ranks - 1:
        is_beside = rank // TENSOR == (ranks - 1) // TENSOR
        group = 1 + tensor if is_beside else 0
        rows.append(entry(entries, group, mine[group][0], counts[group] + 1, is_pending=True))
    config = {str(name): {"name": str(name), "desc": purpose, "ranks": str(list(members))}
              for name, (purpose, members) in mine.items()}  # fmt: skip
    told = {"version": "2.10", "pg_config": config, "comm_lib_version": "", "pg_status": {},
            "entries": rows}  # fmt: skip
    return pickle.dumps(told, 2)


def main() -> None:
    """Makes the dumps, reads them, and prints figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--entries", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(arguments.ranks):
            path = Path(folder, f"comm_lib_trace_rank_{rank}")
            path.write_bytes(dump_of(rank, arguments.ranks, arguments.entries))
        files = sorted(Path(folder).iterdir())
        size = sum(file.stat().st_size for file in files)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        dumps = DumpSet()
        for file in files:
            dumps.add(str(file), file.read_bytes())
        read = time.process_time()
        told = dumps.told()
        end = time.process_time()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{arguments.ranks} dumps of {arguments.entries} records, {size / 1e6:,.0f} MB")
    print(f"read {read - start:.2f} s, judged {end - read:.2f} s, memory {most / 1024:,.0f} MB "
          f"({before / 1024:,.0f} MB before)")  # fmt: skip
    print(told.lines[0][:150] if told else "nobody holds up others")


if __name__ == "__main__":
    main()
