"""Healthy log: DeepSpeed on two CPU ranks with fp16 and a dynamic loss scale: the scale overflows at first, then it trains and ends.

Packages (python 3.11): torch==2.13.0 (CPU build), deepspeed==0.19.8 (pip install --no-build-isolation), ninja, setuptools, numpy==2.4.6
Run:
    DS_ACCELERATOR=cpu deepspeed --num_accelerators 2 --master_port 29633 healthy_deepspeed.py > deepspeed.log 2>&1
"""

import argparse
import tempfile

import deepspeed
import torch
from deepspeed.accelerator import get_accelerator
from deepspeed.utils.logging import set_log_level_from_string
from torch import nn


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--local_rank", type=int, default=-1)
    p.parse_args()
    set_log_level_from_string("info")  # the default of older versions
    torch.set_num_threads(1)
    torch.manual_seed(0)
    get_accelerator().is_fp16_supported = lambda: True  # torch computes fp16 on any CPU, DeepSpeed asks for instructions for it
    deepspeed.init_distributed("gloo")
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    config = {
        "train_micro_batch_size_per_gpu": 16,
        "gradient_accumulation_steps": 1,
        "steps_per_print": 10,
        "wall_clock_breakdown": False,
        "gradient_clipping": 1.0,
        "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}},
        "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 20}},
        "fp16": {"enabled": True, "initial_scale_power": 32, "loss_scale_window": 50, "hysteresis": 1},
        "zero_optimization": {"stage": 1},
    }
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    for step in range(1, 201):
        x = torch.randn(16, 32)
        y = x.sum(1, keepdim=True) / 6
        loss = ((engine(x.half()).float() - y) ** 2).mean()
        engine.backward(loss)
        engine.step()
        if engine.global_rank == 0 and step % 5 == 0:
            print(f"step {step} loss {loss.item():.4f} scale {engine.optimizer.cur_scale} skipped {engine.skipped_steps}", flush=True)
    engine.save_checkpoint(tempfile.gettempdir() + "/healthy-deepspeed-ckpt")
    if engine.global_rank == 0:
        print(f"training complete, {engine.skipped_steps} of 200 steps were skipped because of overflow", flush=True)


if __name__ == "__main__":
    main()
