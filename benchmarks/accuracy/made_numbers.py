"""Made runs whose numbers are healthy or go wrong, in the forms of ten programs: RUNS.

They were written before logdoctor read any of them. Values wander as those of real runs do (noise
that remembers, learning that levels off, warm-up, spikes, checkpoints), and a fault sets in by and
by more often than at once. `python -m benchmarks.accuracy.score_numbers` prints what is said.
"""
# ruff: noqa: PLR2004, S311, D102  # the numbers are what is made up

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

Metrics = dict[str, float]
Printer = Callable[[int, int, Metrics], str]

_VERL = {
    "reward": "critic/rewards/mean",
    "entropy": "actor/entropy",
    "ppo_kl": "actor/ppo_kl",
    "kl": "actor/kl_loss",
    "clip": "actor/pg_clipfrac",
    "length": "response_length/mean",
    "cut": "response_length/clip_ratio",
    "norm": "actor/grad_norm",
    "loss": "actor/pg_loss",
    "advantage": "critic/advantages/max",
    "mismatch": "training/rollout_probs_diff_mean",
    "lr": "actor/lr",
    "time": "timing_s/step",
    "held": "val-core/gsm8k/acc/mean@1",
}
_TRL = {  # in the order in which it prints
    "loss": "loss",
    "norm": "grad_norm",
    "lr": "learning_rate",
    "length": "completions/mean_length",
    "cut": "completions/clipped_ratio",
    "reward": "reward",
    "spread": "reward_std",
    "zero": "frac_reward_zero_std",
    "kl": "kl",
    "entropy": "entropy",
    "clip": "clip_ratio/region_mean",
    "mismatch": "sampling/sampling_logp_difference/mean",
    "time": "step_time",
}
_OPENRLHF = {
    "reward": "reward",
    "entropy": "entropy_loss",
    "ppo_kl": "ppo_kl",
    "kl": "kl",
    "clip": "ppo_clip_ratio",
    "length": "response_length",
    "norm": "grad_norm",
    "loss": "policy_loss",
}
_SLIME = {
    "reward": "rollout/raw_reward",
    "entropy": "train/entropy_loss",
    "ppo_kl": "train/ppo_kl",
    "kl": "train/kl_loss",
    "clip": "train/pg_clipfrac",
    "length": "rollout/response_len/mean",
    "norm": "train/grad_norm",
    "loss": "train/loss",
    "mismatch": "train/train_rollout_logprob_abs_diff",
}
_SFT = {"loss": "loss", "norm": "grad_norm", "lr": "learning_rate", "held": "eval_loss"}


def _values(metrics: Metrics) -> str:
    return "{" + ", ".join(f"'{name}': {value:.6g}" for name, value in metrics.items()) + "}"


def _dict(step: int, steps: int, metrics: Metrics) -> str:
    return _values({**metrics, "epoch": step / steps * 3})


def _megatron(step: int, steps: int, metrics: Metrics) -> str:
    return (
        f" [2026-03-01 10:{step // 60 % 60:02d}:{step % 60:02d}] "
        f"iteration {step:>8}/{steps:>8} | consumed samples: {step * 256:>12} | "
        f"elapsed time per iteration (ms): {metrics['time'] * 1000:.1f} | "
        f"learning rate: {metrics['lr']:.6E} | lm loss: {metrics['loss']:.6E} | "
        f"loss scale: 1.0 | grad norm: {metrics['norm']:.3f} | "
        f"number of skipped iterations:   0 | number of nan iterations:   0 |"
    )


class Program(NamedTuple):
    """How a program prints: its names for metrics, and a line of a step."""

    names: Mapping[str, str]
    line: Printer


PROGRAMS = {
    "verl": Program(
        _VERL, lambda s, _, m: f"step:{s} - " + " - ".join(f"{k}:{v:.6g}" for k, v in m.items())
    ),
    "TRL": Program(_TRL, _dict),
    "OpenRLHF": Program(_OPENRLHF, lambda s, _, m: f"✨ Global step {s}: {_values(m)}"),
    "slime": Program(_SLIME, lambda s, _, m: f"step {s}: {_values(m)}"),
    "Trainer": Program(_SFT, _dict),
    "Megatron": Program({"loss": "loss", "norm": "norm", "lr": "lr", "time": "time"}, _megatron),
    "nanoGPT": Program(
        {"loss": "loss"},
        lambda s, _, m: f"iter {s}: loss {m['loss']:.4f}, time 123.45ms, mfu 30.12%",
    ),
    "torchtitan": Program(
        {"loss": "loss", "norm": "grad_norm"},
        lambda s, _, m: (
            f"[rank0]:[titan] 2026-03-01 10:00:00,123 - root - INFO - step: {s:>2}  "
            f"loss: {m['loss']:.4f}  grad_norm: {m['grad_norm']:.4f}  "
            f"memory: 20.13GiB(25.4%)  tps: 5,123"
        ),
    ),
    "NeMo-RL": Program(
        {
            "loss": "Loss",
            "reward": "Avg Reward",
            "length": "Mean Generation Length",
            "mismatch": "Token Mult Prob Error",
        },
        lambda s, n, m: (
            f"\n{'=' * 25} Step {s}/{n} {'=' * 25}\n📊 Training Results:\n"
            + "\n".join(f"  • {k}: {v:.4f}" for k, v in m.items())
        ),
    ),
    "JSONL": Program(_VERL, lambda s, _, m: json.dumps({"step": s, "data": m})),
}


class Wander:
    """Noise that remembers half of what it was."""

    def __init__(self, rng: random.Random, size: float) -> None:
        self._rng, self._size, self._at = rng, size, 0.0

    def __call__(self) -> float:
        self._at = 0.6 * self._at + self._rng.gauss(0, self._size)
        return self._at


def learnt(part: float, low: float, high: float) -> float:
    """Learning that levels off."""
    return low + (high - low) * (1 - math.exp(-3.5 * part))


class At(NamedTuple):
    """Where a run is: the step of all steps, how many steps ago its fault began, what a run that
    learns would print, and chance.
    """

    step: int
    steps: int
    ago: int
    usual: Metrics
    rng: random.Random

    @property
    def part(self) -> float:
        """How much of the run is over."""
        return self.step / self.steps


Change = Callable[[At], Metrics]


class Run(NamedTuple):
    """A run, and what is true of it.

    Attributes:
        fault: what goes wrong, in words; None for a healthy run.
        began: the step where it sets in.
        change: what is other than in the usual run.
    """

    name: str
    program: str
    steps: int
    fault: str | None
    began: int
    change: Change

    def text(self) -> str:
        """Its console."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        program, rng = PROGRAMS[self.program], random.Random(self.name)
        noise = {name: Wander(rng, 1.0) for name in _VERL}
        for step in range(1, self.steps + 1):
            usual = usually(step / self.steps, step, noise, rng)
            values = usual | self.change(At(step, self.steps, step - self.began, usual, rng))
            yield program.line(
                step,
                self.steps,
                {
                    printed: values[name]
                    for name, printed in program.names.items()
                    if name in values
                },
            )


def usually(part: float, step: int, noise: Mapping[str, Wander], rng: random.Random) -> Metrics:
    """What a run prints that learns."""
    return {
        "reward": learnt(part, 0.15, 0.62) + 0.02 * noise["reward"](),
        "entropy": max(0.02, learnt(part, 0.55, 0.24) + 0.012 * noise["entropy"]()),
        "ppo_kl": abs(0.0008 * noise["ppo_kl"]()) + 2e-4,
        "kl": 0.002 + 0.06 * part + abs(0.001 * noise["kl"]()),
        "clip": abs(0.002 * noise["clip"]()) + 5e-4,
        "length": 620 + 260 * part + 22 * noise["length"](),
        "cut": min(1.0, abs(0.012 * noise["cut"]())),
        "norm": 0.3 * math.exp(0.35 * noise["norm"]()) + (1.5 if step < 4 else 0),
        "loss": learnt(part, 2.6, 1.25) + 0.03 * noise["loss"](),
        "advantage": 1.9 + 0.2 * noise["advantage"](),
        "mismatch": 0.003 + abs(0.0006 * noise["mismatch"]()),
        "lr": 1e-6 * min(1.0, step / 20),
        "time": 62 + 3 * noise["time"]() + (40 if step % 50 == 0 else 0),
        "zero": min(1.0, abs(0.12 + 0.05 * rng.gauss(0, 1))),
        "spread": 0.3 + 0.03 * rng.gauss(0, 1),
    }


def failing(  # noqa: PLR0917  # a row of a table
    name: str, program: str, steps: int, fault: str, began: int, change: Change
) -> Run:
    """A run that is other than the usual one from that step on."""
    return Run(name, program, steps, fault, began, lambda at: change(at) if at.ago >= 0 else {})


def healthy(name: str, program: str, steps: int, change: Change = lambda _: {}) -> Run:
    """A run in which all is well, however it differs from the usual one."""
    return Run(name, program, steps, None, 0, change)


def _held_out(at: At) -> Metrics:
    falls = 0.4 * max(0.0, at.part - 0.3)
    return {"held": 0.55 - falls + at.rng.uniform(-0.01, 0.01)} if at.step % 10 == 0 else {}


NAN = math.nan
_NAN_BOTH = {"loss": NAN, "norm": NAN}

UNHEALTHY = (
    failing("nan-verl", "verl", 240, "loss and gradient norm are NaN", 131, lambda _: _NAN_BOTH),
    failing("nan-nanogpt", "nanoGPT", 900, "the loss is NaN", 402, lambda _: {"loss": NAN}),
    failing(
        "nan-megatron", "Megatron", 600, "loss and gradient norm are NaN", 217, lambda _: _NAN_BOTH
    ),
    failing("nan-nemo", "NeMo-RL", 150, "the loss is NaN", 77, lambda _: {"loss": NAN}),
    failing(
        "entropy-slow",
        "verl",
        400,
        "entropy dies by and by, the reward stays",
        120,
        lambda at: {
            "entropy": 0.4 * math.exp(-at.ago / 25) + 1e-4,
            "reward": 0.22 + at.rng.gauss(0, 0.015),
        },
    ),
    failing(
        "entropy-openrlhf",
        "OpenRLHF",
        300,
        "entropy dies, the reward falls",
        90,
        lambda at: {
            "entropy": max(0.001, 0.4 - at.ago * 0.02),
            "reward": 0.25 - 0.1 * min(1, at.ago / 100) + at.rng.gauss(0, 0.01),
        },
    ),
    failing(
        "kl-exponential",
        "TRL",
        350,
        "KL runs away",
        150,
        lambda at: {"kl": at.usual["kl"] * math.exp(at.ago / 18)},
    ),
    failing(
        "ppo-kl",
        "slime",
        260,
        "the policy leaves the one that it is compared with",
        100,
        lambda at: {
            "ppo_kl": min(1.5, 0.01 * math.exp(at.ago / 12)) * at.rng.uniform(0.8, 1.2),
            "clip": min(0.6, 0.01 + at.ago * 0.01),
        },
    ),
    failing(
        "clip-saturates",
        "verl",
        320,
        "most of each update is clipped",
        140,
        lambda at: {"clip": min(0.72, 0.01 * math.exp(at.ago / 10)) * at.rng.uniform(0.9, 1.1)},
    ),
    failing(
        "length-limit",
        "verl",
        360,
        "answers grow into the limit",
        160,
        lambda at: {
            "length": min(4096.0, at.usual["length"] * math.exp(at.ago / 40)),
            "cut": min(0.985, max(0.0, (at.ago - 30) / 45)) * at.rng.uniform(0.99, 1.0),
        },
    ),
    failing(
        "length-collapse",
        "OpenRLHF",
        280,
        "answers become a few tokens",
        110,
        lambda at: {"length": 6 + at.usual["length"] * math.exp(-at.ago / 8)},
    ),
    failing(
        "all-equal-one",
        "verl",
        300,
        "all rewards are 1",
        130,
        lambda _: {"reward": 1.0, "advantage": 0.0, "norm": 0.0, "loss": 0.0},
    ),
    failing(
        "zero-variance",
        "TRL",
        250,
        "all groups have equal rewards",
        100,
        lambda _: {"zero": 1.0, "spread": 0.0, "reward": 0.5},
    ),
    failing(
        "always-zero",
        "TRL",
        220,
        "the reward is 0 for all from the start",
        1,
        lambda _: {"reward": 0.0, "spread": 0.0, "zero": 1.0},
    ),
    failing(
        "reward-collapse",
        "slime",
        400,
        "the reward falls back to nothing",
        210,
        lambda at: {
            "reward": max(0.01, at.usual["reward"] * math.exp(-at.ago / 15))
            + abs(at.rng.gauss(0, 0.004))
        },
    ),
    failing(
        "norm-explodes",
        "JSONL",
        300,
        "the gradient norm explodes",
        170,
        lambda at: {"norm": 0.3 * math.exp(min(at.ago, 60) / 5)},
    ),
    failing(
        "mismatch",
        "verl",
        340,
        "rollout and training disagree more and more",
        120,
        lambda at: {"mismatch": 0.003 * math.exp(min(at.ago, 130) / 30)},
    ),
    failing(
        "loss-diverges",
        "torchtitan",
        700,
        "the loss climbs to many times what it was",
        300,
        lambda at: {
            "loss": min(11.0, at.usual["loss"] + at.ago * 0.08) + at.rng.gauss(0, 0.1),
            "norm": min(80.0, at.usual["norm"] * math.exp(at.ago / 20)),
        },
    ),
    failing(
        "slow-death",
        "verl",
        420,
        "steps take longer and longer",
        180,
        lambda at: {"time": at.usual["time"] * (1 + at.ago / 25)},
    ),
    Run(
        "held-out-falls",
        "verl",
        400,
        "the held-out score falls while the reward rises",
        120,
        _held_out,
    ),
)


def _once(first: int, size: int, values: Metrics) -> Change:
    return lambda at: values if first <= at.step < first + size else {}


HEALTHY = (
    healthy("plain", "verl", 300),
    healthy("plain-trl", "TRL", 260),
    healthy("plain-slime", "slime", 500),
    healthy("long", "verl", 2600),
    healthy(
        "entropy-falls", "verl", 300, lambda at: {"entropy": 0.6 * math.exp(-4 * at.part) + 0.004}
    ),
    healthy(
        "late-reward",
        "verl",
        320,
        lambda at: {
            "reward": 0.0
            if at.step < 22
            else max(0.0, (at.step - 22) / at.steps * 0.7 + at.rng.gauss(0, 0.02))
        },
    ),
    healthy(
        "spikes",
        "JSONL",
        400,
        lambda at: {"norm": 60.0, "ppo_kl": 0.9, "clip": 0.5} if at.step % 97 == 0 else {},
    ),
    healthy(
        "near-one",
        "TRL",
        300,
        lambda at: {
            "reward": min(1.0, 0.93 + 0.05 * at.part + at.rng.gauss(0, 0.01)),
            "zero": min(0.95, 0.5 + 0.4 * at.part + at.rng.gauss(0, 0.03)),
            "spread": 0.06 + abs(at.rng.gauss(0, 0.01)),
        },
    ),
    healthy(
        "shorter", "OpenRLHF", 300, lambda at: {"length": 900 - 520 * at.part + at.rng.gauss(0, 15)}
    ),
    healthy(
        "longer",
        "verl",
        400,
        lambda at: {
            "length": 700 + 2100 * at.part + at.rng.gauss(0, 40),
            "cut": min(0.3, 0.25 * at.part) + abs(at.rng.gauss(0, 0.01)),
        },
    ),
    healthy(
        "negative-rewards",
        "OpenRLHF",
        350,
        lambda at: {"reward": -2.2 + 2.9 * at.part + at.rng.gauss(0, 0.1)},
    ),
    healthy(
        "low-entropy",
        "verl",
        300,
        lambda at: {
            "entropy": 0.05 + abs(at.rng.gauss(0, 0.006)),
            "reward": 0.5 + 0.05 * at.part + at.rng.gauss(0, 0.015),
        },
    ),
    healthy(
        "plateau",
        "Trainer",
        600,
        lambda at: {
            "loss": max(0.02, 2.4 * math.exp(-9 * at.part)) + abs(at.rng.gauss(0, 0.004)),
            "lr": 2e-5 * (1 - at.part),
        },
    ),
    healthy("nan-once", "nanoGPT", 500, _once(240, 1, {"loss": NAN})),
    healthy("inf-at-first", "Megatron", 400, _once(1, 2, {"norm": math.inf})),
    healthy(
        "checkpoints",
        "verl",
        260,
        lambda at: {
            "time": at.usual["time"] * (6 if at.step % 40 == 0 else 1),
            "held": 0.4 + 0.2 * at.part + at.rng.gauss(0, 0.02),
        },
    ),
    healthy("kl-grows", "TRL", 400, lambda at: {"kl": 0.25 * at.part + abs(at.rng.gauss(0, 0.01))}),
    healthy(
        "norm-falls",
        "slime",
        400,
        lambda at: {"norm": 0.8 * math.exp(-3 * at.part) * math.exp(at.rng.gauss(0, 0.2))},
    ),
    healthy(
        "binary",
        "verl",
        240,
        lambda at: {"reward": sum(at.rng.random() < 0.2 + 0.3 * at.part for _ in range(16)) / 16},
    ),
    healthy(
        "dip",
        "verl",
        360,
        lambda at: {"reward": at.usual["reward"] * (0.35 if 150 <= at.step < 170 else 1)},
    ),
)
