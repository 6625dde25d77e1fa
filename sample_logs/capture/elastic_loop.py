"""Ranks under torchrun on gloo: `torchrun … elastic_loop.py MODE`.

restarts-good: rank 1 fails in the first attempt only. restarts-exhausted: a shard that is missing fails every attempt.
hang: rank 1 falls asleep, the others' collective times out. plain: nothing happens (signals come from outside).
ranks: rank 2 meets a label out of range while others wait. unequal: rank 1 runs out of batches before the others. With WITH_FILE_STORE
the ranks meet in a file of their attempt: with gloo in torch 2.13, restarted ranks do not meet otherwise.
"""

import datetime
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

MODE = sys.argv[1]
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 120
FOLDER = os.environ.get("WORK_FOLDER", ".")


def load_shard(rank, step):
    """The batches lie in shards of 40 steps; the last one was never copied."""
    path = os.path.join(FOLDER, f"shard_{step // 40:05d}.pt")
    if MODE == "restarts-exhausted" and rank == 1 and step >= 80:
        return torch.load(path)
    torch.manual_seed(1000 * rank + step)
    return torch.randn(16, 32)


def main():
    timeout = datetime.timedelta(seconds=15 if MODE == "hang" else 120)
    attempt = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
    method = f"file://{os.path.abspath(FOLDER)}/store-{attempt}" if "WITH_FILE_STORE" in os.environ else None
    ranks = {"rank": int(os.environ["RANK"]), "world_size": int(os.environ["WORLD_SIZE"])} if method else {}
    dist.init_process_group("gloo", init_method=method, timeout=timeout, **ranks)
    rank = dist.get_rank()
    logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][%(levelname)s][rank{rank}] %(message)s")
    log = logging.getLogger("ddp")
    log.info("world size %d, attempt %d", dist.get_world_size(), attempt)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    state, first = os.path.join(FOLDER, "latest.pt"), 1
    if attempt and os.path.exists(state):
        saved = torch.load(state)
        model.load_state_dict(saved["model"])
        first = saved["step"] + 1
        log.info("resumed from %s at step %d", state, first)
    for step in range(first, STEPS + 1):
        batch = load_shard(rank, step)
        labels = batch.abs().sum(1).long() % 10
        if MODE == "ranks" and rank == 2 and step == 70:
            labels[3] = 10  # a class that the head does not have
        if MODE == "restarts-good" and rank == 1 and step == 50 and attempt == 0:
            raise ConnectionResetError("storage backend closed the connection while reading shard 1")
        if MODE == "hang" and rank == 1 and step == 60:
            log.info("waiting for the lock of the shared cache")
            time.sleep(3600)
        if MODE == "unequal" and rank == 1 and step == 90:
            log.info("no batches left on this rank after step %d", step - 1)
            break
        loss = nn.functional.cross_entropy(model(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            log.info("step %d/%d loss %.4f", step, STEPS, loss.item())
            if step % 20 == 0:
                torch.save({"model": model.state_dict(), "step": step}, state)
                log.info("checkpoint saved at step %d", step)
        if MODE == "plain":
            time.sleep(0.1)
    dist.barrier()
    if rank == 0:
        log.info("training completed")
    dist.destroy_process_group()


main()
