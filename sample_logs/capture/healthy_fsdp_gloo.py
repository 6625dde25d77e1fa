"""Healthy log: FSDP over two gloo ranks on the CPU with gradient scaling by hand, a distributed checkpoint and reloading it.

Packages (python 3.11): torch==2.13.0 (CPU build), numpy==2.4.6
Run:
    torchrun --nproc-per-node=2 --master-port=29644 --redirects=0 --tee=3 healthy_fsdp_gloo.py > fsdp-gloo.log 2>&1
"""

import shutil
import tempfile
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType


def main():
    warnings.simplefilter("default")
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = FSDP(nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.GELU()) for _ in range(4)], nn.Linear(64, 1)), device_id=torch.device("cpu"))
    opt = torch.optim.AdamW(model.parameters(), 2e-3)
    scale, good, overflows = 2.0**132, 0, 0
    for step in range(1, 151):
        x = torch.randn(32, 64)
        loss = ((model(x) - x.mean(1, keepdim=True)) ** 2).mean()
        opt.zero_grad()
        (loss * scale).backward()
        norm = model.clip_grad_norm_(scale)
        if not torch.isfinite(norm):
            overflows += 1
            if rank == 0:
                print(
                    f"[WARNING] gradient overflow at step {step} (norm={norm.item()}): skipping step, reducing loss scale {scale:g} to {scale / 16:g}",
                    flush=True,
                )
            scale /= 16
            continue
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= scale
        opt.step()
        if rank == 0 and step % 3 == 0:
            print(f"step {step} loss {loss.item():.5f} grad_norm {norm.item() / scale:.4f} overflows {overflows}", flush=True)
    path = tempfile.gettempdir() + "/healthy-fsdp-ckpt"
    if rank == 0:
        shutil.rmtree(path, ignore_errors=True)
    dist.barrier()
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        state = {"model": model.state_dict()}
        dcp.save(state, checkpoint_id=path)
        try:
            dcp.load({"model": state["model"], "ema": {"missing": torch.zeros(1)}}, checkpoint_id=path)
        except (Exception, dcp.api.CheckpointException) as e:  # the latter is a BaseException
            print(f"rank {rank}: no EMA weights in the checkpoint, going on without them ({type(e).__name__}: {str(e).strip()[-160:]})", flush=True)
    if rank == 0:
        print(f"finished: 150 steps, {overflows} overflows, checkpoint saved in {path}", flush=True)
    # left out on purpose, as in many scripts: dist.destroy_process_group()


if __name__ == "__main__":
    main()
