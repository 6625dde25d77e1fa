"""Healthy log: Ray tasks and actors; some tasks raise and are retried, an actor dies and is restarted, the run ends well.

Packages (python 3.11): ray[default]==2.60.0, torch==2.13.0 (CPU build), numpy==2.4.6
Run:
    python healthy_ray_actors.py > ray-actors.log 2>&1
"""

import logging
import os
import random
import sys
import tempfile
import time

import ray

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s:%(lineno)d -- %(message)s", stream=sys.stdout)
log = logging.getLogger("driver")
STATE = tempfile.mkdtemp(prefix="ray-actors-")


def first_time(key):
    """True the first time that any process asks for KEY."""
    try:
        os.close(os.open(os.path.join(STATE, key), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


@ray.remote(max_retries=3, retry_exceptions=True, num_cpus=0.5)
def reward(step, i):
    if i == 3 and step in (2, 9) and first_time(f"reward-{step}-{i}"):
        print(f"reward task {step}/{i}: sandbox did not answer, raising so that Ray retries")
        raise TimeoutError(f"sandbox timed out after 0.5 s for sample {i} of step {step}")
    if i == 5 and step == 5 and first_time("reward-die"):
        print("reward worker: simulated preemption, exiting with code 1", flush=True)
        os._exit(1)
    return random.random()


@ray.remote(max_restarts=-1, max_task_retries=3, num_cpus=0.5)
class RolloutWorker:
    def __init__(self, rank):
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s -- %(message)s")
        self.log = logging.getLogger(f"rollout_worker_{rank}")
        self.rank = rank
        again = not first_time(f"worker-{rank}")
        if again:
            self.log.warning("rank %d restarted after failure; reloading weights", rank)
        else:
            self.log.info("rank %d ready", rank)

    def generate(self, step, n):
        if self.rank == 1 and step == 7 and first_time("actor-die"):
            print("simulated node preemption in generate()", flush=True)
            os._exit(137)
        for i in range(n):
            if i == 0:
                print(f"generating {n} responses for step {step}, error budget 0/16 used")
        if step == 4:
            try:
                raise ConnectionResetError(104, "Connection reset by peer")
            except ConnectionResetError:
                self.log.exception("weight sync connection lost once, reconnecting (attempt 1/5)")
        time.sleep(0.05)
        return [random.gauss(0, 1) for _ in range(n)]


@ray.remote(num_cpus=0.5)
class Trainer:
    def __init__(self):
        import torch

        torch.manual_seed(0)
        self.m = torch.nn.Linear(16, 1)
        self.opt = torch.optim.SGD(self.m.parameters(), 0.05)

    def update(self, step, samples, rewards):
        import torch

        x = torch.tensor(samples).reshape(-1, 16)
        loss = (self.m(x).mean() - sum(rewards) / len(rewards)) ** 2
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        print(f"update step {step}: loss={loss.item():.5f} nan_count=0 oom_retries=0")
        return loss.item()


def main():
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level=logging.INFO)
    workers = [RolloutWorker.remote(r) for r in range(2)]
    trainer = Trainer.remote()
    for step in range(1, 21):
        samples = sum(ray.get([w.generate.remote(step, 32) for w in workers]), [])
        rewards = ray.get([reward.remote(step, i) for i in range(8)])
        loss = ray.get(trainer.update.remote(step, samples, rewards))
        log.info("step %d/20 loss=%.5f reward_mean=%.4f dead_workers=0", step, loss, sum(rewards) / len(rewards))

    # a task that fails for good, which the driver expects and handles
    @ray.remote(max_retries=0, num_cpus=0.25)
    def probe():
        raise FileNotFoundError("/data/optional_eval_set.parquet")

    try:
        ray.get(probe.remote())
    except FileNotFoundError as e:
        log.warning("optional evaluation set not found, evaluation is left out: %s", e)
    for w in workers:
        ray.kill(w)
    log.info("run finished: 20 steps, all workers stopped")
    ray.shutdown()
    print("Done, exit code 0")


if __name__ == "__main__":
    main()
