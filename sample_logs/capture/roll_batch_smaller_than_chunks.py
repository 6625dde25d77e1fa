"""ROLL's own Cluster hands a DataProto with fewer samples than workers to its workers.

Needs ROLL on PYTHONPATH. Genuine: ResourceManager, Cluster, Worker, the dispatch decorator, DataProto,
logger, Ray. Ours: the worker's arithmetic and this loop, whose "pipeline step N start..." lines are worded
as in roll/pipeline/rlvr/rlvr_pipeline.py.
"""

import json

import numpy as np
import ray
import torch

from roll.configs.worker_config import WorkerConfig
from roll.distributed.executor.cluster import Cluster
from roll.distributed.executor.worker import Worker
from roll.distributed.scheduler.decorator import Dispatch, register
from roll.distributed.scheduler.protocol import DataProto
from roll.distributed.scheduler.resource_manager import ResourceManager
from roll.utils.logging import get_logger

logger = get_logger()


class ActorWorker(Worker):
    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def initialize(self, pipeline_config=None):
        torch.manual_seed(self.rank)
        torch.set_num_threads(1)
        self.head = torch.nn.Linear(64, 128)
        self.logger.info(f"{self.worker_name} initialized")

    @register(dispatch_mode=Dispatch.DP_MP_DISPATCH_FIRST)
    def compute_log_probs(self, data: DataProto):
        with torch.no_grad():
            log_probs = torch.log_softmax(self.head(data.batch["hidden"]), -1)
            chosen = log_probs.gather(-1, data.batch["input_ids"].unsqueeze(-1)).squeeze(-1)
        return DataProto.from_dict(tensors={"log_probs": chosen})


def main():
    ray.init(num_cpus=4, include_dashboard=False, namespace="roll")
    logger.info(f"Current ray cluster resources: {ray.available_resources()}")
    resource_manager = ResourceManager(num_gpus_per_node=0, num_nodes=1)
    config = WorkerConfig(name="reference", world_size=4)
    reference = Cluster(name="reference", worker_cls=ActorWorker, resource_manager=resource_manager, worker_config=config)
    reference.initialize(None)
    generator = torch.Generator().manual_seed(0)
    max_steps = 5
    for step, rollout_batch_size in enumerate([8, 8, 8, 3, 8]):
        logger.info(f"pipeline step {step} start...")
        batch = DataProto.from_dict(
            tensors={
                "hidden": torch.randn(rollout_batch_size, 16, 64, generator=generator),
                "input_ids": torch.randint(0, 128, (rollout_batch_size, 16), generator=generator),
            },
            non_tensors={"domain": np.array(["math_rule"] * rollout_batch_size, dtype=object)},
            meta_info={"global_step": step},
        )
        ref_log_probs = reference.compute_log_probs(batch)
        metrics = {"system/step": step, "critic/ref_log_prob/mean": ref_log_probs.batch["log_probs"].mean().item()}
        logger.info(json.dumps(metrics, ensure_ascii=False))
        logger.info(f"pipeline step {step} finished")
    logger.info(f"pipeline complete! {max_steps} steps")


if __name__ == "__main__":
    main()
