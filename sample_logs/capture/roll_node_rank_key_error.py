"""ROLL's ResourceManager and Cluster on two Ray nodes whose NODE_RANK variables are 0 and 2.

Needs ROLL on PYTHONPATH. Both nodes are raylets on this machine that claim 8 GPUs each; NODE_RANK is what a
platform gives a replacement node after one has been restarted. There is no GPU, so torch is told there is one
before ROLL chooses its platform; nothing here computes on it. All else is ROLL's own code and Ray's.
"""

import os
import sys

import torch
from ray.cluster_utils import Cluster as RayCluster

torch.cuda.is_available = lambda: True
torch.cuda.get_device_name = lambda *_: "NVIDIA H20"


def main():
    ray_cluster = RayCluster()
    for node_rank in (0, 2):
        ray_cluster.add_node(
            num_cpus=16,
            num_gpus=8,
            include_dashboard=False,
            object_store_memory=200 * 2**20,
            env_vars={"NODE_RANK": str(node_rank)},
        )
    ray_cluster.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = ray_cluster.address
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]

    from roll.configs.worker_config import StrategyArguments, WorkerConfig
    from roll.distributed.executor.cluster import Cluster
    from roll.distributed.scheduler.initialize import init
    from roll.distributed.scheduler.resource_manager import ResourceManager

    init()
    resource_manager = ResourceManager(num_gpus_per_node=8, num_nodes=2)
    actor_train = WorkerConfig(
        name="actor_train",
        world_size=16,
        device_mapping="list(range(0,16))",
        strategy_args=StrategyArguments(strategy_name="megatron_train", strategy_config={}),
    )
    Cluster(
        name="actor_train",
        worker_cls="roll.pipeline.base_worker.ActorWorker",
        resource_manager=resource_manager,
        worker_config=actor_train,
    )


if __name__ == "__main__":
    main()
