"""A Ray compiled graph, as vLLM's tensor-parallel workers use it, of which one actor is too slow.

Needs a ChatLearn checkout in CHATLEARN_CHECKOUT. Genuine: Ray and its compiled graph, the error and all of its
traceback below our own frames; ChatLearn's logger and timer, and the texts of its
messages. Ours: the actors (vLLM needs a GPU), this loop in the order of chatlearn/runtime/engine.py, and the
slowness: rank 2 sleeps at the second episode.
"""

import importlib
import os
import sys
import time
import types

import ray
import torch
from ray.dag import InputNode, MultiOutputNode


def chatlearn(name):
    """A module of ChatLearn's. Its package's own __init__ imports CUDA libraries; the modules used here do not."""
    if "chatlearn" not in sys.modules:
        package = types.ModuleType("chatlearn")
        package.__path__ = [os.path.join(os.environ["CHATLEARN_CHECKOUT"], "chatlearn")]
        sys.modules["chatlearn"] = package
    return importlib.import_module(f"chatlearn.{name}")


LOG_START = "chatlearn_log"  # chatlearn/utils/constant.py


@ray.remote(num_cpus=0)
class RayWorkerWrapper:
    def __init__(self, rank):
        torch.set_num_threads(1)
        torch.manual_seed(rank)
        self.rank = rank
        self.shard = torch.randn(128, 256)

    def execute_model(self, step):
        if self.rank == 2 and step == 6:
            time.sleep(25)
        return float((torch.randn(8, 128) @ self.shard).abs().mean())


@ray.remote(num_cpus=0)
class VLLMModule:
    """Drives the graph of its workers, one execute per decoding step."""

    def __init__(self, tensor_model_parallel_size, ip_addr):
        self.logger = chatlearn("utils.logger").setup_logger(model_name="policy", ip_addr=ip_addr)
        self.logger.info(f"{LOG_START} basemodule policy init start")
        self.workers = [RayWorkerWrapper.remote(rank) for rank in range(tensor_model_parallel_size)]
        with InputNode() as step:
            outputs = [worker.execute_model.bind(step) for worker in self.workers]
            graph = MultiOutputNode(outputs)
        self.forward_dag = graph.experimental_compile()
        self.step = 0
        self.logger.info(f"{LOG_START} basemodule policy init done")

    def generate_vllm(self, iteration):
        self.logger.info(f"generate_vllm iteration {iteration}, {len(self.workers)} tensor parallel ranks")
        for _ in range(4):
            outputs = ray.get(self.forward_dag.execute(self.step))
            self.step += 1
        return sum(outputs)


def main():
    logger = chatlearn("utils.logger").logger
    timers = chatlearn("utils.timer").Timers()
    overrides = dict(item.split("=", 1) for item in sys.argv[1:])
    for key, value in overrides.items():
        logger.info(f"{key}: {value}")
    ray.init(num_cpus=2, include_dashboard=False, namespace="CHATLEARN")
    num_episode = int(overrides["runtime_args.num_episode"])
    policy = VLLMModule.remote(int(overrides["models.policy.tensor_model_parallel_size"]), ray.util.get_node_ip_address())
    for episode in range(num_episode):
        timers("episode").start()
        logger.info(f"{LOG_START} start train episode_id: {episode + 1}/{num_episode}")
        logger.info(f"{LOG_START} start to make experience: {episode + 1}/{num_episode}")
        ray.get(policy.generate_vllm.remote(episode))
        logger.info(f"{LOG_START} complete to make experience: {episode + 1}/{num_episode}")
        timers("episode").stop()
        logger.info(f"{LOG_START} train episode_id: {episode + 1}/{num_episode} done")
        logger.info(f"{LOG_START} alignment episode summary, episode {episode + 1} {timers.log(names=['episode'])}")


main()
