"""A Ray actor that dies of SIGKILL in the middle of training, as by the kernel's OOM killer or an operator."""

import logging
import os
import signal

import ray
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


@ray.remote(num_cpus=0.5)
class ActorWorker:
    def __init__(self, rank):
        torch.manual_seed(rank)
        torch.set_num_threads(1)
        self.rank = rank
        self.model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        print(f"[rank {rank}] worker initialized, pid {os.getpid()}", flush=True)

    def train_step(self, step):
        inputs = torch.randn(64, 32)
        loss = (self.model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        print(f"[rank {self.rank}] step {step} loss {loss.item():.4f}", flush=True)
        if self.rank == 1 and step == 6:
            os.kill(os.getpid(), signal.SIGKILL)
        return loss.item()


def main():
    log = logging.getLogger("driver")
    ray.init(num_cpus=2, include_dashboard=False)
    workers = [ActorWorker.remote(rank) for rank in range(2)]
    for step in range(1, 11):
        losses = ray.get([worker.train_step.remote(step) for worker in workers])
        log.info("step %d mean loss %.4f", step, sum(losses) / len(losses))


main()
