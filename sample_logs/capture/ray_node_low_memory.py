"""Ray's memory monitor kills a worker while it holds a model's weights in host memory.

RAY_memory_usage_threshold is set a little above what the machine uses now, so that a few GB,
not all of the machine, are enough.
"""

import logging
import os
import sys
import time

import psutil

GROWTH_GB = 3
memory = psutil.virtual_memory()
used = (memory.total - memory.available) / memory.total
os.environ["RAY_memory_usage_threshold"] = f"{used + GROWTH_GB * 2**30 / memory.total:.2f}"
os.environ["RAY_memory_monitor_refresh_ms"] = "100"

import ray  # noqa: E402
import torch  # noqa: E402

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


@ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)
class FSDPWorker:
    def __init__(self, rank, layers):
        self.rank = rank
        self.state_dict = {}
        print(f"[rank {rank}] building model from config, {layers} layers, meta_init=False", flush=True)
        for layer in range(layers):
            self.state_dict[f"model.layers.{layer}.mlp.weight"] = torch.ones(4096, 16384)
            print(f"[rank {rank}] loaded model.layers.{layer} ({(layer + 1) * 0.25:.2f} GiB)", flush=True)
            time.sleep(0.4)

    def ready(self):
        return self.rank


def main():
    log = logging.getLogger("driver")
    ray.init(num_cpus=2, include_dashboard=False)
    log.info("memory usage threshold %s", os.environ["RAY_memory_usage_threshold"])
    worker = FSDPWorker.remote(0, int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    log.info("waiting for FSDP init")
    ray.get(worker.ready.remote())
    log.info("FSDP init done")


main()
