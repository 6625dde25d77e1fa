"""A run that hangs on purpose, and its stacks as every tool takes them.

`python hang_stacks.py OUT` needs torch (2.11 or later, CPU is enough), aiohttp, tabulate, ray,
py-spy, gdb and sudo (which `ray stack` calls). Three ranks wait in an all_reduce of gloo, the other
one for a file that nobody writes. OUT gets a folder for each form: `pyspy-text`, `pyspy-json`,
`pyspy-native`, `gdb`, `faulthandler`, `debug-server` (torch.distributed.debug), `ray-stack`.
"""

import faulthandler
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

WORLD, GUILTY, STEPS = 4, 2, 5
WAIT_S = 20


def load_shard(path: str) -> bytes:
    """Blocks: nobody writes into the pipe."""
    with open(path, "rb") as stream:
        return stream.read()


def train(rank: int, shard: str) -> None:
    import torch
    import torch.distributed as dist

    for step in range(STEPS):
        if rank == GUILTY and step == STEPS - 2:
            load_shard(shard)
        dist.all_reduce(torch.ones(8))


def live(out: Path) -> None:
    """One rank of torchrun."""
    import torch.distributed as dist
    from torch.distributed.debug import start_debug_server

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    (out / f"pid_{rank}").write_text(str(os.getpid()))
    stacks = open(out / "faulthandler" / f"stacks_rank_{rank}.txt", "w")
    faulthandler.dump_traceback_later(WAIT_S / 2, file=stacks)
    # one dump, of the moment when all hang
    start_debug_server(dump_dir=None if rank else str(out / "debug-server"), dump_interval=5.0)
    train(rank, str(out / "shard"))


def taken(*command: Any) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def under_torchrun(out: Path) -> None:
    tool = Path(sys.executable).parent
    run = subprocess.Popen([tool / "torchrun", "--standalone", f"--nproc_per_node={WORLD}",
                            __file__, "--rank", out])  # fmt: skip
    time.sleep(WAIT_S)
    for rank in range(WORLD):
        pid = (out / f"pid_{rank}").read_text()
        for form, name, command in (
            ("pyspy-text", "txt", (tool / "py-spy", "dump", "--pid", pid)),
            ("pyspy-json", "json", (tool / "py-spy", "dump", "--json", "--pid", pid)),
            ("pyspy-native", "txt", (tool / "py-spy", "dump", "--native", "--pid", pid)),
            ("gdb", "txt", ("gdb", "-p", pid, "-batch", "-ex", "thread apply all bt")),
        ):
            (out / form / f"stacks_rank_{rank}.{name}").write_text(taken(*command))
    run.terminate()
    run.wait()


def under_ray(out: Path) -> None:
    import ray

    ray.init(num_cpus=WORLD, include_dashboard=False, object_store_memory=80_000_000)

    class Worker:
        def fit(self, rank: int, shard: str) -> None:
            import torch.distributed as dist

            store = f"file://{shard}.store"
            dist.init_process_group("gloo", init_method=store, rank=rank, world_size=WORLD)
            train(rank, shard)

    actor = ray.remote(Worker)
    workers = [actor.options(num_cpus=1).remote() for _ in range(WORLD)]
    waiting = [each.fit.remote(rank, str(out / "shard")) for rank, each in enumerate(workers)]
    ray.wait(waiting, num_returns=1, timeout=WAIT_S)
    (out / "ray-stack" / "node-0.txt").write_text(taken(Path(sys.executable).with_name("ray"), "stack"))
    ray.shutdown()


def main() -> None:
    if sys.argv[1] == "--rank":
        live(Path(sys.argv[2]))
        return
    out = Path(sys.argv[1]).absolute()
    shutil.rmtree(out, ignore_errors=True)
    for form in ("pyspy-text", "pyspy-json", "pyspy-native", "gdb", "faulthandler", "ray-stack"):
        (out / form).mkdir(parents=True)
    os.mkfifo(out / "shard")
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    os.environ["OMP_NUM_THREADS"] = "1"
    under_torchrun(out)
    under_ray(out)


if __name__ == "__main__":
    main()
