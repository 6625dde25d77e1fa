"""Two ranks on gloo, a step every half second; rank 1 keeps 100 MB of host memory a step where the argument is `memory`."""

import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kept = []
    for step in range(1, 1001):
        loss = model(torch.randn(8, 64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step:{step} - loss:{loss.item():.4f}", flush=True)
        if rank == 1 and "memory" in sys.argv:
            kept.append(torch.ones(25 << 20))
        time.sleep(0.5)
    dist.destroy_process_group()


main()
