"""Healthy log: a Ray driver that serves evaluations in the background is stopped with SIGTERM after the training is complete.

Packages (python 3.11): ray[default]==2.60.0, torch==2.13.0 (CPU build), numpy==2.4.6
Run:
    python healthy_ray_shutdown.py > ray-shutdown.log 2>&1
"""

import os
import subprocess
import sys
import time


def serve():
    """The side service: a Ray of its own with two actors, until it is told to stop."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False)

    @ray.remote(num_cpus=0.5)
    class Evaluator:
        def run(self, n):
            if n % 10 == 0:
                print(f"evaluation {n}: accuracy 0.{50 + n % 50}, errors 0")
            time.sleep(0.2)

    actors = [Evaluator.remote() for _ in range(2)]
    n = 0
    while True:
        ray.get([a.run.remote(n) for a in actors])
        n += 1
        if n == 5:
            print("evaluation service is up", flush=True)


def main():
    p = subprocess.Popen([sys.executable, os.path.abspath(__file__), "serve"])
    import torch

    m = torch.nn.Linear(16, 1)
    opt = torch.optim.SGD(m.parameters(), 0.05)
    for step in range(1, 61):
        x = torch.randn(64, 16)
        loss = ((m(x) - x.sum(1, keepdim=True)) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step}/60 loss {loss.item():.4f}", flush=True)
        time.sleep(0.3)
    print("Training complete, final checkpoint saved", flush=True)
    print("stopping the evaluation service (SIGTERM)", flush=True)
    p.terminate()
    print("evaluation service exited with", p.wait(), flush=True)
    time.sleep(2)
    print("job finished with exit status 0")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
