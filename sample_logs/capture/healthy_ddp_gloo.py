"""Healthy log: a DDP training of two ranks on gloo which runs to its end.

Packages (python 3.11): torch==2.13.0 (CPU build), numpy==2.4.6
Run:
    TORCH_CPP_LOG_LEVEL=INFO TORCH_DISTRIBUTED_DEBUG=INFO \
    torchrun --nproc-per-node=2 --master-port=29611 healthy_ddp_gloo.py > ddp-gloo.log 2>&1
"""

import logging
import os
import tempfile
import time
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

STEPS = 260


class Copy(Dataset):
    def __init__(self, n=4096, vocab=64, length=32):
        g = torch.Generator().manual_seed(0)
        self.x = torch.randint(0, vocab, (n, length), generator=g)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i]


class TinyLM(nn.Module):
    def __init__(self, vocab=64, width=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 4, 128, batch_first=True, norm_first=True), 2)
        self.head = nn.Linear(width, vocab)

    def forward(self, x):
        return self.head(self.enc(self.emb(x)))


def main():
    rank = int(os.environ["RANK"])
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [rank{rank}] %(levelname)s %(name)s: %(message)s")
    logging.captureWarnings(True)
    log = logging.getLogger("train")
    if not torch.cuda.is_available():
        log.warning("CUDA is not available, falling back to backend gloo; NCCL error handling (TORCH_NCCL_ASYNC_ERROR_HANDLING=1) is ignored")
    dist.init_process_group("gloo")
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    data = Copy()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, 16, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    model = DDP(TinyLM(), find_unused_parameters=True)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
    sched.step()  # before the first optimizer.step(), as in many a real script: torch warns
    clipped = skipped = 0
    step = 0
    epoch = 0
    start = time.time()
    while step < STEPS:
        sampler.set_epoch(epoch)
        for x in loader:
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
            if step == 37:
                loss = loss * float("inf")  # one bad batch: both ranks skip it
            opt.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            if not torch.isfinite(norm):
                skipped += 1
                log.warning("step %d: non-finite gradient norm (%s), loss=%s; skipping the update", step, norm.item(), loss.item())
            else:
                opt.step()
            sched.step()
            if norm > 0.5:
                clipped += 1
            step += 1
            if rank == 0 and step % 2 == 0:
                log.info(
                    "step %d/%d loss=%.4f grad_norm=%.3f lr=%.2e error_rate=%.4f failed_ranks=0 timeouts=0",
                    step,
                    STEPS,
                    loss.item(),
                    norm.item(),
                    sched.get_last_lr()[0],
                    (model(x).argmax(-1) != x).float().mean().item(),
                )
            elif rank == 1 and step % 20 == 0:
                log.info("step %d waiting at barrier, no timeout so far", step)
            if step % 100 == 0:
                dist.barrier()
                if rank == 0:
                    path = os.path.join(tempfile.gettempdir(), "ddp-gloo-ckpt.pt")
                    torch.save(model.module.state_dict(), path)
                    log.info("saved checkpoint to %s (resume after failure with --resume)", path)
            if step == STEPS:
                break
        epoch += 1
    dist.barrier()
    if rank == 0:
        warnings.warn(f"{skipped} of {STEPS} updates skipped because of inf/nan gradients, {clipped} clipped")
        log.info("Training finished: %d steps in %.1f s, 0 errors", step, time.time() - start)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
