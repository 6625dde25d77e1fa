"""Ray tasks and actors that fail and are tried again: `ray_retries.py MODE`.

task-good, actor-good: the retries help, the run ends well. task-bad: every retry fails. actor-init: the actor's
constructor fails. infeasible: a resource that no node has, and a driver that waits for 20 seconds. many: 300 tasks,
some of which are caught by the driver, and the run ends well. get-timeout: a rollout that takes too long.
"""

import collections
import logging
import os
import sys
import time

import ray

MODE, FOLDER = sys.argv[1], os.environ.get("WORK_FOLDER", ".")
logging.basicConfig(level=logging.INFO, format="%(asctime)s - driver - %(levelname)s - %(message)s")
log = logging.getLogger("driver")


def count(name):
    """How often this name has been counted, over all processes."""
    path = os.path.join(FOLDER, f"count-{name}")
    with open(path, "a") as file:
        file.write("x")
    return os.path.getsize(path)


@ray.remote(max_retries=2, retry_exceptions=True)
def score(step):
    if step == 17 and (MODE == "task-bad" or count(f"score-{step}") == 1):
        raise TimeoutError(f"reward model did not answer for step {step} within 30 s")
    return 1 / (step + 1)


@ray.remote(max_retries=0)
def check(sample):
    if sample % 29 == 3:
        raise ValueError(f"sample {sample}: expected 4 choices, got {sample % 4}")
    return sample % 2


@ray.remote(max_restarts=2, max_task_retries=2)
class Rollout:
    def __init__(self, path):
        self.done = collections.Counter()
        if MODE == "actor-init":
            with open(path) as file:
                self.prompts = file.readlines()
        print(f"rollout worker is ready (pid {os.getpid()})")

    def generate(self, step):
        if MODE == "actor-good" and step == 12 and count("generate") == 1:
            os._exit(137)
        if MODE == "get-timeout" and step == 9:
            time.sleep(600)
        self.done[step] += 1
        return step


@ray.remote(resources={"TPU_POD": 1})
def place():
    return 1


def main():
    for name in os.listdir(FOLDER):
        if name.startswith("count-"):
            os.remove(os.path.join(FOLDER, name))
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80_000_000)
    log.info("ray %s, resources %s", ray.__version__, ray.cluster_resources())
    if MODE == "infeasible":
        log.info("placing the workers")
        print(ray.get(place.remote(), timeout=20))
    worker = Rollout.remote("/data/prompts/train.txt")
    steps = 60 if MODE != "many" else 300
    failed = 0
    for step in range(1, steps + 1):
        ray.get(worker.generate.remote(step), timeout=25)
        value = ray.get(score.remote(step))
        if MODE == "many":
            try:
                ray.get(check.remote(step))
            except ValueError:
                failed += 1
                log.exception("sample %d is left out", step)
        log.info("step %d/%d reward %.4f", step, steps, value)
        time.sleep(0.05)
    log.info("finished %d steps, %d samples left out", steps, failed)
    ray.shutdown()


main()
