"""Trinity-RFT 0.1's vLLM worker extension looks up the actor named 'explorer', and there is none.

Needs the unpacked trinity-rft 0.1.0 wheel in TRINITY_PACKAGE. Genuine: trinity/common/models/vllm_worker.py,
trinity/utils/log.py, Ray. Ours: the class that the
extension is mixed into (vLLM needs a GPU) and this driver, which starts rollout models in a Ray where the
explorer was never started.
"""

import importlib
import os
import sys
import types

import ray
import torch


def trinity(name):
    """A module of Trinity's, without the packages' own __init__, which import vLLM."""
    root = os.path.join(os.environ["TRINITY_PACKAGE"], "trinity")
    for package in ("trinity", "trinity.common", "trinity.common.models", "trinity.utils"):
        if package not in sys.modules:
            module = types.ModuleType(package)
            module.__path__ = [os.path.join(root, *package.split(".")[1:])]
            sys.modules[package] = module
    return importlib.import_module(f"trinity.{name}")


@ray.remote(num_cpus=0)
class vLLMRolloutModel:
    def __init__(self):
        base = trinity("common.models.vllm_worker").WorkerExtension
        self.worker = type("Worker", (base,), {"device": torch.device("cpu")})()
        self.worker._weight_update_rank = 0
        self.worker._explorer_actor = None

    def chat(self, prompts):
        return [f"answer {index}" for index, _ in enumerate(prompts)]

    def update_weight(self, name, dtype, shape):
        return self.worker.update_weight(name, dtype, shape)


def main():
    log = trinity("utils.log").get_logger("trinity.explorer")
    ray.init(num_cpus=2, include_dashboard=False, namespace="Trinity-RFT-countdown")
    model = vLLMRolloutModel.remote()
    for step in range(1, 3):
        responses = ray.get(model.chat.remote(["1 2 3 4 -> 24"] * 8))
        log.info(f"Step {step}: {len(responses)} responses")
    log.info("Trainer synchronizing weights at step 2 starting..")
    ray.get(model.update_weight.remote("model.embed_tokens.weight", torch.float32, (1024, 64)))


main()
