"""Runs that hang on purpose, and what their ranks leave: dumps of the flight recorder, and stacks.

`python hang_ranks.py OUT [--cases 70] [--seed 1] [--kind NAME] [--py-spy-every 3]` needs torch (2.8
or later; CPU is enough) and, for stacks by py-spy, that program. Each case is a real run of 4 to 16
ranks with gloo over groups of tensor and data parallelism; it writes OUT/NUMBER-KIND/ with
`comm_lib_trace_rank_R` (pickle), `stacks_rank_R.txt` (faulthandler), sometimes `pyspy_rank_R.txt`,
and `case.json`: kind, guilty ranks, ranks without a dump.
"""

import argparse
import ctypes
import faulthandler
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("TORCH_FR_BUFFER_SIZE", "2000")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch._inductor  # the first dump of a process would import it
import torch.distributed as dist
from torch._C import _distributed_c10d as c10d

STEPS, LIMIT_S, SECOND_MOMENT_S = 12, 2.0, 3.0
STEP = (
    ("tensor", "all_reduce", 64),
    ("tensor", "all_gather", 32),
    ("data", "all_reduce", 128),
    ("world", "broadcast", 16),
    ("tensor", "all_to_all", 48),
    ("world", "all_reduce", 8),
)
KINDS = (
    "sleep", "lock", "file", "polling", "skipped-to-the-end", "other-operation", "other-shape",
    "other-dtype", "other-order", "left-early", "frozen", "two-guilty", "chain", "dump-missing",
    "holds-gil", "nobody-missing", "slow", "well",
)  # fmt: skip


class Case(NamedTuple):
    """What is done wrong, by whom, where: operation `op` of step `step`."""

    kind: str
    world: int
    tensor: int
    guilty: tuple[int, ...]
    step: int
    op: int
    seed: int


def made_case(kind: str, seed: int) -> Case:
    draw = random.Random(f"{kind} {seed}")
    world = draw.choice((4, 4, 6, 8, 8, 12, 16))
    tensor = draw.choice([size for size in (2, 3, 4) if world % size == 0])
    if kind == "nobody-missing":
        world, tensor = 4, 2
    count = 2 if kind == "two-guilty" else 1
    guilty = tuple(sorted(draw.sample(range(world), count)))
    step, op = draw.randrange(2, STEPS - 1), draw.randrange(len(STEP))
    if tensor == world and STEP[op][0] == "data":
        op = 1  # a group of one rank: nobody would notice
    if kind == "chain":
        op = draw.choice([at for at, each in enumerate(STEP) if each[0] != "world"])
    if kind == "other-order":
        op = 4  # where ranks of the one group meet in the other
    if kind == "two-guilty":
        op = draw.choice((3, 5))
    return Case(kind, world, tensor, guilty, step, op, seed)


def load_shard(path: str) -> bytes:
    """Blocks: nobody writes into the pipe."""
    with open(path, "rb") as stream:
        return stream.read()


def fetch_reward(lock: threading.Lock) -> None:
    """Blocks: the lock is held."""
    with lock:
        pass


def poll_queue() -> None:
    """Goes on for ever after what was swallowed."""
    while True:
        time.sleep(0.05)


def finish() -> None:
    """Waits for the end of the others, with less done than they."""
    threading.Event().wait()


def collective(name: str, size: int, group: Any, members: list[int], dtype: Any = None) -> None:
    tensor = torch.ones(size, dtype=dtype or torch.float32)
    if name == "all_reduce":
        dist.all_reduce(tensor, group=group)
    elif name == "broadcast":
        dist.broadcast(tensor, members[0], group=group)
    elif name == "all_gather":
        dist.all_gather([torch.empty_like(tensor) for _ in members], tensor, group=group)
    else:
        size = size // len(members) * len(members)
        tensor = torch.ones(size, dtype=tensor.dtype)
        dist.all_to_all_single(torch.empty_like(tensor), tensor, group=group)


class Rank:
    """One rank of a case."""

    def __init__(self, case: Case, rank: int, folder: Path, start: float) -> None:
        self.case, self.rank, self.folder, self.start = case, rank, folder, start
        self.is_guilty = rank in case.guilty
        self.groups: dict[str, tuple[Any, list[int]]] = {}
        self.amid_the_largest = threading.Event()

    def connect(self) -> None:
        world, size = self.case.world, self.case.tensor
        dist.init_process_group(
            "gloo", init_method=f"file://{self.folder}/store", rank=self.rank, world_size=world
        )
        self.groups["world"] = (None, list(range(world)))
        for first in range(0, world, size):
            self._add("tensor", list(range(first, first + size)))
        for first in range(size):
            self._add("data", list(range(first, world, size)))

    def _add(self, name: str, members: list[int]) -> None:
        group = dist.new_group(members, group_desc=f"{name}_parallel")
        if self.rank in members:
            self.groups[name] = (group, members)

    def train(self) -> None:
        for step in range(STEPS if self.case.kind not in ("slow", "well") else 10_000):
            operations = list(range(len(STEP)))
            is_here = self.is_guilty and step == self.case.step
            if is_here and self.case.kind == "other-order":
                at = self.case.op
                operations[at], operations[at + 1] = operations[at + 1], operations[at]
            for at in operations:
                if is_here and at == self.case.op and self.misbehave(at):
                    continue
                self.run(at)
            time.sleep(0.01)
            if self.is_guilty and self.case.kind == "slow":
                time.sleep(0.6)
        if self.case.kind == "nobody-missing":
            tensor = torch.ones(400_000_000)
            dist.barrier()
            self.amid_the_largest.set()
            dist.all_reduce(tensor)

    def run(self, at: int, **changes: Any) -> None:
        which, name, size = STEP[at]
        group, members = self.groups[which]
        collective(changes.get("name", name), changes.get("size", size), group, members,
                   changes.get("dtype"))  # fmt: skip

    def misbehave(self, at: int) -> bool:
        """Whether the operation is left out."""
        kind, name = self.case.kind, STEP[at][1]
        if kind in ("sleep", "two-guilty", "chain", "dump-missing"):
            time.sleep(1000)
        elif kind == "lock":
            lock = threading.Lock()
            lock.acquire()
            fetch_reward(lock)
        elif kind == "file":
            os.mkfifo(self.folder / "shard")
            load_shard(str(self.folder / "shard"))
        elif kind == "polling":
            try:
                raise ValueError("bad sample")
            except ValueError:
                poll_queue()
        elif kind == "left-early":
            finish()
        elif kind == "frozen":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif kind == "holds-gil":
            ctypes.PyDLL(None).sleep(1000)
        elif kind == "other-operation":
            self.run(at, name="broadcast" if name != "broadcast" else "all_gather")
        elif kind == "other-shape":
            self.run(at, size=STEP[at][2] * 3)
        elif kind == "other-dtype":
            self.run(at, dtype=torch.float64)
        return kind in ("other-operation", "other-shape", "other-dtype", "skipped-to-the-end")

    def dump(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        (folder / f"comm_lib_trace_rank_{self.rank}").write_bytes(c10d._dump_fr_trace())
        if self.case.seed % 5 == 0:
            (folder / f"json_rank_{self.rank}.json").write_bytes(c10d._dump_fr_trace_json())

    def leave_dumps(self) -> None:
        time.sleep(max(0.0, self.start + LIMIT_S - time.time()))
        if self.case.kind == "nobody-missing":
            self.amid_the_largest.wait()
            time.sleep(0.1)
        if self.case.kind in ("slow", "well"):
            self.dump(self.folder / "first")
            time.sleep(SECOND_MOMENT_S)
            self.dump(self.folder / "second")
        elif not (self.case.kind == "dump-missing" and self.rank == self.silent):
            self.dump(self.folder)

    @property
    def silent(self) -> int:
        """A rank, not the guilty one, whose dump is lost."""
        return (self.case.guilty[0] + 1) % self.case.world


def live(case: Case, rank: int, folder: Path, start: float) -> None:
    os.setsid()
    log = open(folder / f"rank_{rank}.err", "w")
    os.dup2(log.fileno(), 2)
    stacks = open(folder / f"stacks_rank_{rank}.txt", "w")
    faulthandler.dump_traceback_later(start + LIMIT_S - 0.2 - time.time(), file=stacks)
    one = Rank(case, rank, folder, start)
    threading.Thread(target=one.leave_dumps, name="dumper", daemon=True).start()
    try:
        one.connect()
        one.train()
    except RuntimeError as error:
        print(error, file=sys.stderr, flush=True)
    time.sleep(1000)  # as a process that waits for the others' end


def run_case(case: Case, folder: Path, with_py_spy: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    start, children = time.time() + 0.1 * case.world, {}
    for rank in range(case.world):
        child = os.fork()
        if child == 0:
            live(case, rank, folder, start)
        children[rank] = child
    time.sleep(max(0.0, start + LIMIT_S - time.time()) + 0.5)
    if case.kind in ("slow", "well"):
        time.sleep(SECOND_MOMENT_S)
    wait_for_dumps(case, folder)
    for rank, child in children.items() if with_py_spy else ():
        spied = subprocess.run(
            [Path(sys.executable).with_name("py-spy"), "dump", "--pid", str(child)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if spied.stdout:
            (folder / f"pyspy_rank_{rank}.txt").write_text(spied.stdout)
    for child in children.values():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    for name in ("store", "shard"):
        (folder / name).unlink(missing_ok=True)
    label(case, folder)


def wait_for_dumps(case: Case, folder: Path) -> None:
    last = folder / "second" if case.kind in ("slow", "well") else folder
    expected = case.world - (case.kind in ("frozen", "holds-gil", "dump-missing"))
    for _ in range(600):
        if len(list(last.glob("comm_lib_trace_rank_*"))) >= expected:
            break
        time.sleep(0.1)
    time.sleep(0.2)


def label(case: Case, folder: Path) -> None:
    last = folder / "second" if case.kind in ("slow", "well") else folder
    written = {int(each.name.rsplit("_", 1)[1]) for each in last.glob("comm_lib_trace_rank_*")}
    told = {
        "kind": case.kind,
        "world": case.world,
        "tensor": case.tensor,
        "guilty": [] if case.kind in ("well", "nobody-missing") else list(case.guilty),
        "missing": sorted(set(range(case.world)) - written),
        "at": [case.step, *STEP[case.op]],
        "torch": torch.__version__,
        "seed": case.seed,
    }
    (folder / "case.json").write_text(json.dumps(told) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", type=int, default=70)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--py-spy-every", type=int, default=3)
    arguments = parser.parse_args()
    kinds = (arguments.kind,) if arguments.kind else KINDS
    for number in range(arguments.cases):
        kind = kinds[number % len(kinds)]
        case = made_case(kind, arguments.seed * 1000 + number)
        every = arguments.py_spy_every
        run_case(case, (arguments.out / f"{number:03}-{kind}").absolute(),
                 every > 0 and number % every == 0)  # fmt: skip
        print(case, flush=True)


if __name__ == "__main__":
    main()
