"""wandb.init without a terminal and without an API key (WANDB_API_KEY unset, no ~/.netrc entry)."""

import logging
import platform
import random

import wandb

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("grpo")


class Monitor:
    def __init__(self, project, name, config):
        self.run = wandb.init(project=project, name=name, config=config)

    def log(self, data, step):
        self.run.log(data, step=step)


def main():
    config = {"lr": 1e-6, "train_batch_size": 96, "repeat_times": 8, "total_epochs": 2, "monitor_type": "wandb"}
    log.info("python %s, wandb %s, host %s", platform.python_version(), wandb.__version__, platform.node())
    log.info("config: %s", config)
    random.seed(0)
    prompts = [random.randint(16, 512) for _ in range(7473)]
    log.info("loaded %d prompts, mean length %.1f", len(prompts), sum(prompts) / len(prompts))
    steps = len(prompts) // config["train_batch_size"] * config["total_epochs"]
    log.info("total training steps: %d", steps)
    monitor = Monitor("gsm8k-grpo", "qwen2.5-1.5b-gsm8k-grpo", config)
    for step in range(steps):
        monitor.log({"reward": 0.0}, step)


main()
