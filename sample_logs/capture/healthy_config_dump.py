"""Healthy log: a program that prints its whole configuration in four ways, then trains and ends.

The keys have alarming names on purpose; omegaconf and hydra print them as they print any other.

Packages (python 3.11): torch==2.13.0 (CPU build), hydra-core==1.3.8, omegaconf==2.3.1, numpy==2.4.6
Run:
    HYDRA_FULL_ERROR=1 python healthy_config_dump.py trainer.total_steps=60 +trainer.fail_fast=false \
        hydra.run.dir=/tmp/config-dump-out hydra.verbose=true > config-dump.log 2>&1
"""

import argparse
import json
import logging
import pprint
from dataclasses import asdict, dataclass, field
from typing import Optional

import hydra
import torch
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

log = logging.getLogger(__name__)


@dataclass
class FaultTolerance:
    error_threshold: float = 0.05
    ignore_errors: bool = True
    on_failure: str = "retry"
    max_oom_retries: int = 3
    restart_on: list = field(default_factory=lambda: ["RuntimeError", "torch.OutOfMemoryError", "ray.exceptions.RayActorError"])
    oom_message: str = "CUDA out of memory"
    abort_patterns: list = field(
        default_factory=lambda: ["Segmentation fault", "NCCL error", "Traceback (most recent call last)", "AssertionError: "]
    )
    error_file: str = "/tmp/torchelastic_error.json"
    last_exception: Optional[str] = None
    exit_code_map: dict = field(default_factory=lambda: {"killed": 137, "segfault": 139, "terminated": 143})


@dataclass
class Comm:
    backend: str = "gloo"
    nccl_timeout: int = 600
    nccl_async_error_handling: bool = True
    raise_on_timeout: bool = False
    connection_refused_retries: int = 5


@dataclass
class Trainer:
    total_steps: int = 100
    lr: float = 0.01
    lr_decay_steps: int = 0
    nan_policy: str = "raise"
    skip_nan_loss: bool = True
    detect_anomaly: bool = False
    fp16_overflow_check: bool = True
    log_level: str = "ERROR"


@dataclass
class Cfg:
    trainer: Trainer = field(default_factory=Trainer)
    fault_tolerance: FaultTolerance = field(default_factory=FaultTolerance)
    comm: Comm = field(default_factory=Comm)
    alerts: dict = field(default_factory=lambda: {"fatal": 0, "error": 0, "warning": 12, "panic_webhook": None, "failed_jobs": []})
    reward: dict = field(
        default_factory=lambda: {"timeout_penalty": -1.0, "invalid_format": -0.5, "compile_error": -1, "runtime_error": -1, "assertion_error": -0.2}
    )


OmegaConf.register_new_resolver("oom_margin", lambda gib: gib * 0.9)
ConfigStore.instance().store(name="config", node=Cfg)


@hydra.main(version_base=None, config_name="config")
def main(cfg):
    log.info("resolved configuration:\n%s", OmegaConf.to_yaml(cfg, resolve=True))
    plain = OmegaConf.to_container(cfg, resolve=True)
    print("config (dict):", plain)
    pprint.pprint(plain)
    print(json.dumps(plain["alerts"], indent=2))
    print(OmegaConf.to_object(cfg))
    p = argparse.ArgumentParser()
    for name, value in asdict(FaultTolerance()).items():
        p.add_argument("--" + name.replace("_", "-"), default=value)
    p.add_argument("--no-fail-on-error", action="store_true")
    args = p.parse_args([])
    print(args)
    print("------------------------ arguments ------------------------")
    for k, v in sorted(vars(args).items()):  # as Megatron-LM prints its arguments
        print(f"  {k} {'.' * (44 - len(k))} {v}")
    print("-------------------- end of arguments ---------------------", flush=True)
    if cfg.trainer.lr_decay_steps == 0:
        log.warning("lr_decay_steps is 0, which would be an error with decay; using a constant learning rate")
    m = torch.nn.Linear(8, 1)
    opt = torch.optim.Adam(m.parameters(), cfg.trainer.lr)
    x = torch.randn(256, 8)
    y = x.sum(1, keepdim=True)
    for step in range(1, cfg.trainer.total_steps + 1):
        loss = ((m(x) - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.info("step %d: {'loss': %.5f, 'errors': 0, 'fatal': 0, 'oom_retries': 0, 'nan_grads': 0, 'timeout/count': 0}", step, loss.item())
    log.error("(this logger's level is tested at the end of every run) errors: none")
    log.info("finished, exit status 0")


if __name__ == "__main__":
    main()
