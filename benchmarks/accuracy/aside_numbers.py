"""Made runs kept aside, in the forms of programs and files that `made_numbers` does not have: RUNS.

They were written before any of them was scanned. Their first score has led to new laws since, so
that they are a test of these (`tests/test_numbers_aside.py`) and no blind score any more.
"""
# ruff: noqa: PLR2004, S311, PLR0917  # the numbers are what is made up

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchmarks.accuracy.made_numbers import At, Metrics, Wander, learnt
from logdoctor.sources.trackers.tensorboard import masked_crc32c

NAN = math.nan

Change = Callable[[At], Metrics]
Steps = list[tuple[int, Metrics]]


class Form(NamedTuple):
    """How numbers are kept: the program's names for them, the name of the file and its bytes."""

    names: Mapping[str, str]
    file: str
    content: Callable[[Steps], bytes]


def _each(line: Callable[[int, Metrics], str]) -> Callable[[Steps], bytes]:
    return lambda steps: "".join(line(step, values) + "\n" for step, values in steps).encode()


def _py(values: Metrics) -> str:
    return "{" + ", ".join(f"'{name}': {value:.6g}" for name, value in values.items()) + "}"


def _texts(step: int, values: Metrics) -> str:
    told = {name: f"{value:.4g}" for name, value in values.items()}
    return str({**told, "epoch": f"{step / 100:.2f}"})


def _areal(step: int, values: Metrics) -> str:
    rows = [f"│ {name:<48} │ {value:11.4e} │" for name, value in values.items()]
    head = f"(AReaL) 20260301-10:{step // 60 % 60:02d}:{step % 60:02d}.123 StatsLogger INFO: "
    total = f"{head}Epoch 1/10 Step {step}/332 Train step {step}/3320 done."
    return "\n".join([total, f"{head}Stats (1/1):", *rows])


def _prime(step: int, values: Metrics) -> str:
    v = values
    return (
        f"10:{step // 60 % 60:02d}:{step % 60:02d} SUCCESS Step {step} |   12.3s | "
        f"Reward {v['Reward']:.4f} | Trainable 128/128 (100.0%) | Turns 1.0 | Branches 1.0 | "
        f"Max Off-Policy {round(v['Max Off-Policy'])} | Error 0.0% | Cancelled 0.0% | "
        f"Truncation {v['Truncation']:.1%}\n"
        f"10:{step // 60 % 60:02d}:{step % 60:02d} SUCCESS Step {step} |   12.9s | "
        f"Loss {v['Loss']:.4f} | Entropy {v['Entropy']:.4f} | "
        f"Mismatch KL {v['Mismatch KL']:.4f} | Grad. Norm {v['Grad. Norm']:.4f} | "
        f"LR {v['LR']:.2e} | Throughput 51234 tokens/s | MFU 31.2% | Peak Mem. 61.3 GiB"
    )


def _slime(step: int, values: Metrics) -> str:
    def part(prefix: str) -> str:
        return _py({name: value for name, value in values.items() if name.startswith(prefix)})

    parts = [f"rollout {step}: {part('rollout/')}", f"step {step}: {part('train/')}"]
    return "\n".join([*parts, f"perf {step}: {part('perf/')}"])


def _nemo(step: int, values: Metrics) -> str:
    rows = [
        f"  • {name}: {value:.4f}"
        if name != "Avg Trajectory Age"
        else f"  • {name}: {value:.2f} steps"
        for name, value in values.items()
    ]
    return "\n".join([f"\n{'=' * 25} Step {step}/1000 {'=' * 25}", "\n📊 Training Results:", *rows])


def _megatron(step: int, values: Metrics) -> str:
    return (
        f" [2026-03-01 10:{step // 60 % 60:02d}:{step % 60:02d}] iteration {step:>8}/   10000 | "
        f"consumed samples: {step * 256:>12} | elapsed time per iteration (ms): "
        f"{values['elapsed time per iteration'] * 1000:.1f} | "
        f"learning rate: {values['learning rate']:.6E} | global batch size:   256 | "
        f"lm loss: {values['lm loss']:.6E} | loss scale: 1.0 | grad norm: "
        f"{values['grad norm']:.3f} | number of skipped iterations:   0 | "
        f"number of nan iterations:   0 |"
    )


def _csv(steps: Steps) -> bytes:
    names = list(dict.fromkeys(name for _, values in steps for name in values))
    rows = [
        ",".join(
            [
                str(step // 100),
                str(step),
                *(f"{values[n]:.7g}" if n in values else "" for n in names),
            ]
        )
        for step, values in steps
    ]
    return "\n".join([",".join(["epoch", "step", *names]), *rows, ""]).encode()


def _state(steps: Steps) -> bytes:
    history = [{**values, "epoch": step / 100, "step": step} for step, values in steps]
    return json.dumps(
        {"best_metric": None, "global_step": steps[-1][0], "log_history": history}
    ).encode()


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    sums = [struct.pack("<I", masked_crc32c(each)) for each in (size, data)]
    return size + sums[0] + data + sums[1]


def _events(steps: Steps) -> bytes:
    records = [_record(b"\x09" + struct.pack("<d", 1.7e9) + _field(3, b"brain.Event:2"))]
    for step, values in steps:
        for name, value in values.items():
            scalar = _field(1, name.encode()) + b"\x15" + struct.pack("<f", value)
            records.append(_record(b"\x10" + _varint(step) + _field(5, _field(1, scalar))))
    return b"".join(records)


FORMS = {
    "ROLL": Form(
        {
            "reward": "critic/score/mean",
            "entropy": "critic/entropy/mean",
            "ppo_kl": "actor/approxkl",
            "kl": "critic/kl",
            "clip": "actor/ppo_ratio_clipfrac",
            "length": "tokens/response_length/mean",
            "norm": "actor_train/grad_norm",
            "loss": "actor/total_loss",
            "lr": "actor/lr",
            "adv_max": "critic/advantages/max",
            "adv_min": "critic/advantages/min",
            "time": "time/step_total",
        },
        "train.log",
        _each(
            lambda s, v: (
                f"[2026-03-01 10:00:00] [tracking.py (161)] [INFO] [DRIVER 0 / 1][PID 4321] "
                f'metrics_tag: {{"step": {s}, "metrics": {json.dumps(v)}}}'
            )
        ),
    ),
    "ChatLearn": Form(
        {
            "entropy": "policy_trainer/entropy_loss",
            "kl": "policy_trainer/kl_loss",
            "norm": "policy_trainer/grad_norm",
            "loss": "policy_trainer/pg_loss",
            "cut": "response_clip_ratio",
        },
        "train.log",
        _each(lambda s, v: f"[2026-03-01 10:00:00] step {s} prefix train: logging metric {_py(v)}"),
    ),
    "AReaL": Form(
        {
            "reward": "ppo_actor/task_reward/avg",
            "entropy": "ppo_actor/update/entropy/avg",
            "clip": "ppo_actor/update/clip_ratio/avg",
            "weight": "ppo_actor/update/importance_weight/avg",
            "norm": "ppo_actor/update/grad_norm",
            "loss": "ppo_actor/update/actor_loss/avg",
            "lr": "ppo_actor/update/lr",
            "length": "ppo_actor/seq_len/avg",
            "cut": "ppo_actor/no_eos_ratios/avg",
            "stale": "ppo_actor/update/version_stats/sample_staleness_theta_avg",
            "time": "timeperf/e2e",
            "held": "eval-rollout/task_reward/avg",
        },
        "trainer.log",
        _each(_areal),
    ),
    "SkyRL": Form(
        {
            "reward": "reward/avg_raw_reward",
            "entropy": "policy/policy_entropy",
            "clip": "policy/ppo_clip_ratio",
            "norm": "policy/raw_grad_norm",
            "loss": "policy/policy_loss",
            "lr": "policy/policy_lr",
            "length": "generate/avg_num_tokens",
            "adv_abs": "loss/avg_raw_advantages_abs",
            "mismatch": "policy/rollout_train_logprobs_abs_diff_mean",
            "stale": "async/staleness_mean",
            "time": "timing/step",
            "held": "eval/all/avg_score",
        },
        "run.log",
        _each(lambda s, v: f"step:{s} - " + " - ".join(f"{k}:{n:.6g}" for k, n in v.items())),
    ),
    "prime-rl": Form(
        {
            "reward": "Reward",
            "stale": "Max Off-Policy",
            "cut": "Truncation",
            "loss": "Loss",
            "entropy": "Entropy",
            "mismatch_kl": "Mismatch KL",
            "norm": "Grad. Norm",
            "lr": "LR",
        },
        "rl.log",
        _each(_prime),
    ),
    "OpenRLHF": Form(
        {
            "loss": "policy_loss",
            "lr": "actor_lr",
            "norm": "actor_grad_norm",
            "entropy": "entropy_loss",
            "ppo_kl": "ppo_kl",
            "clip": "ppo_clip_ratio",
            "kl": "kl",
            "reward": "reward",
            "length": "response_length",
            "cut": "truncated",
            "time": "timing/step_total",
        },
        "train.log",
        _each(lambda s, v: f"2026-03-01 10:00:00.123 INFO     Global step {s}: {_py(v)}"),
    ),
    "slime": Form(
        {
            "reward": "rollout/raw_reward",
            "length": "rollout/response_len/mean",
            "cut": "rollout/truncated_ratio",
            "loss": "train/loss",
            "entropy": "train/entropy_loss",
            "clip": "train/pg_clipfrac",
            "ppo_kl": "train/ppo_kl",
            "norm": "train/grad_norm",
            "lr": "train/lr-pg_0",
            "time": "perf/step_time",
        },
        "job.log",
        _each(_slime),
    ),
    "swift": Form(
        {
            "loss": "loss",
            "norm": "grad_norm",
            "lr": "learning_rate",
            "length": "completions/mean_length",
            "cut": "completions/clipped_ratio",
            "reward": "reward",
            "spread": "reward_std",
            "zero": "frac_reward_zero_std",
            "kl": "kl",
            "entropy": "entropy/mean",
            "clip": "clip_ratio/region_mean",
        },
        "swift.log",
        _each(lambda s, v: _texts(s, v)[:-1] + f", 'global_step/max_steps': '{s}/1000'}}"),
    ),
    "Trainer 5": Form(
        {"loss": "loss", "norm": "grad_norm", "lr": "learning_rate", "held": "eval_loss"},
        "train.log",
        _each(_texts),
    ),
    "DPO": Form(
        {
            "loss": "loss",
            "norm": "grad_norm",
            "lr": "learning_rate",
            "reward": "rewards/chosen",
        },
        "dpo.log",
        _each(_texts),
    ),
    "Megatron": Form(
        {
            "loss": "lm loss",
            "norm": "grad norm",
            "lr": "learning rate",
            "time": "elapsed time per iteration",
        },
        "rank7.log",
        _each(_megatron),
    ),
    "NeMo-RL": Form(
        {
            "loss": "Loss",
            "mismatch_kl": "Generation KL Error",
            "reward": "Avg Reward",
            "stale": "Avg Trajectory Age",
            "length": "Mean Generation Length",
        },
        "ray-driver.log",
        _each(_nemo),
    ),
    "torchtune": Form(
        {"loss": "loss", "lr": "lr", "tps": "tokens_per_second_per_gpu", "norm": "grad_norm"},
        "log_1700000000.txt",
        _each(
            lambda s, v: f"Step {s} | " + " ".join(f"{name}:{value}" for name, value in v.items())
        ),
    ),
    "script": Form(
        {"loss": "loss", "lr": "lr"},
        "out.txt",
        _each(lambda s, v: f"Epoch 1 | step {s} | loss {v['loss']:.4f} | lr {v['lr']:.4f}"),
    ),
    "Lightning CSV": Form(
        {"norm": "grad_norm", "lr": "lr-AdamW", "loss": "train_loss", "held": "val_loss"},
        "metrics.csv",
        _csv,
    ),
    "TRL state": Form(
        {
            "loss": "loss",
            "norm": "grad_norm",
            "lr": "learning_rate",
            "reward": "reward",
            "zero": "frac_reward_zero_std",
            "entropy": "entropy",
            "length": "completions/mean_length",
            "cut": "completions/clipped_ratio",
        },
        "trainer_state.json",
        _state,
    ),
    "TRL events": Form(
        {
            "loss": "train/loss",
            "norm": "train/grad_norm",
            "lr": "train/learning_rate",
            "reward": "train/reward",
            "zero": "train/frac_reward_zero_std",
            "entropy": "train/entropy",
            "kl": "train/kl",
            "clip": "train/clip_ratio/region_mean",
            "own": "train/奖励/格式",
        },
        "events.out.tfevents.1700000000.host.1.0",
        _events,
    ),
}


def usually(part: float, step: int, noise: Mapping[str, Wander], rng: random.Random) -> Metrics:
    """What a run prints that learns; other levels than those of `made_numbers`."""
    return {
        "reward": learnt(part, 0.28, 0.71) + 0.025 * noise["reward"](),
        "entropy": max(0.03, learnt(part, 0.8, 0.35) + 0.02 * noise["entropy"]()),
        "ppo_kl": abs(0.001 * noise["ppo_kl"]()) + 1e-4,
        "kl": 0.004 + 0.09 * part + abs(0.002 * noise["kl"]()),
        "clip": abs(0.004 * noise["clip"]()) + 1e-3,
        "length": 1400 + 500 * part + 60 * noise["length"](),
        "cut": min(1.0, 0.01 + abs(0.008 * noise["cut"]())),
        "norm": 0.6 * math.exp(0.3 * noise["norm"]()) + (2.0 if step < 5 else 0),
        "loss": learnt(part, 1.9, 1.05) + 0.04 * noise["loss"](),
        "adv_max": 2.2 + 0.3 * noise["adv"](),
        "adv_min": -2.0 + 0.3 * noise["adv"](),
        "adv_abs": 0.62 + 0.03 * noise["adv"](),
        "mismatch": 0.012 + abs(0.002 * noise["mismatch"]()),
        "mismatch_kl": 4e-4 + abs(1e-4 * noise["mismatch"]()),
        "weight": 1.0 + 0.004 * noise["mismatch"](),
        "stale": min(4.0, max(0.0, 1.2 + 0.4 * noise["stale"]())),
        "lr": 2e-6 * min(1.0, step / 10),
        "time": 41 + 2 * noise["time"](),
        "tps": 5200 + 90 * noise["time"](),
        "zero": min(1.0, abs(0.2 + 0.06 * rng.gauss(0, 1))),
        "spread": 0.33 + 0.03 * rng.gauss(0, 1),
        "own": rng.random(),
    }


class AsideRun(NamedTuple):
    """A run, and what is true of it.

    Attributes:
        fault: what goes wrong, in words; None for a healthy run.
        began: the step where it sets in.
        change: what is other than in the usual run.
        arranged: what its steps become before they are kept: a restart, several ranks.
    """

    name: str
    form: str
    steps: int
    fault: str | None
    began: int
    change: Change
    arranged: Callable[[Steps], Steps] = lambda steps: steps

    def content(self) -> bytes:
        """The file."""
        form, rng = FORMS[self.form], random.Random("aside " + self.name)
        names = (
            "reward entropy ppo_kl kl clip length cut norm loss adv mismatch stale time"
        ).split()
        noise = {name: Wander(rng, 1.0) for name in names}
        made: Steps = []
        for step in range(1, self.steps + 1):
            usual = usually(step / self.steps, step, noise, rng)
            values = usual | self.change(At(step, self.steps, step - self.began, usual, rng))
            printed = {p: values[name] for name, p in form.names.items() if name in values}
            made.append((step, printed))
        return form.content(self.arranged(made))


def sick(name: str, form: str, steps: int, fault: str, began: int, change: Change) -> AsideRun:
    """A run that is other than the usual one from that step on."""
    return AsideRun(name, form, steps, fault, began, lambda at: change(at) if at.ago >= 0 else {})


def well(
    name: str,
    form: str,
    steps: int,
    change: Change = lambda _: {},
    arranged: Callable[[Steps], Steps] = lambda steps: steps,
) -> AsideRun:
    """A run in which all is well."""
    return AsideRun(name, form, steps, None, 0, change, arranged)


def _cosine(at: At, peak: float = 2e-5, warm: float = 0.1) -> float:
    if at.part < warm:
        return peak * (at.step - 1) / (warm * at.steps)
    return peak * 0.5 * (1 + math.cos(math.pi * (at.part - warm) / (1 - warm)))


def _still(at: At, level: float) -> Metrics:
    return {"loss": level + at.rng.gauss(0, 0.004), "norm": 0.011 + abs(at.rng.gauss(0, 0.002))}


def _dying(at: At, over: float, least: float, reward: float) -> Metrics:
    return {
        "entropy": 0.6 * math.exp(-at.ago / over) + least,
        "reward": reward + at.rng.gauss(0, 0.02),
    }


UNHEALTHY_ASIDE = (
    sick("nan", "ROLL", 200, "loss and norm are NaN", 90, lambda _: {"loss": NAN, "norm": NAN}),
    sick("nan-prime", "prime-rl", 260, "the loss is NaN", 141, lambda _: {"loss": NAN}),
    sick("nan-csv", "Lightning CSV", 500, "the loss is NaN", 333, lambda _: {"loss": NAN}),
    sick("nan-swift", "swift", 300, "the loss is NaN", 120, lambda _: {"loss": NAN, "norm": NAN}),
    sick(
        "entropy-areal",
        "AReaL",
        300,
        "entropy dies, the reward stays",
        100,
        lambda at: _dying(at, over=15, least=1e-3, reward=0.36),
    ),
    sick(
        "entropy-roll",
        "ROLL",
        320,
        "entropy dies, the reward falls",
        120,
        lambda at: {
            "entropy": max(0.004, 0.55 - at.ago * 0.03),
            "reward": 0.4 - 0.2 * min(1, at.ago / 60),
        },
    ),
    sick(
        "entropy-prime",
        "prime-rl",
        280,
        "entropy dies, the reward falls",
        110,
        lambda at: _dying(at, over=10, least=5e-4, reward=0.3),
    ),
    sick(
        "kl-openrlhf",
        "OpenRLHF",
        300,
        "KL runs away",
        130,
        lambda at: {"kl": 0.05 * math.exp(at.ago / 20)},
    ),
    sick(
        "approxkl-roll",
        "ROLL",
        260,
        "each update goes too far",
        100,
        lambda at: {"ppo_kl": min(2.0, 0.01 * math.exp(at.ago / 9)) * at.rng.uniform(0.8, 1.2)},
    ),
    sick(
        "clip-areal",
        "AReaL",
        240,
        "most of each update is clipped",
        90,
        lambda at: {"clip": min(0.65, 0.02 * math.exp(at.ago / 8)) * at.rng.uniform(0.92, 1.08)},
    ),
    sick(
        "clip-roll",
        "ROLL",
        240,
        "most of each update is clipped",
        90,
        lambda at: {"clip": min(0.65, 0.02 * math.exp(at.ago / 8)) * at.rng.uniform(0.92, 1.08)},
    ),
    sick(
        "truncated-openrlhf",
        "OpenRLHF",
        300,
        "answers grow into the limit",
        110,
        lambda at: {
            "length": min(8192.0, at.usual["length"] * math.exp(at.ago / 30)),
            "cut": min(0.98, at.ago / 55),
        },
    ),
    sick(
        "truncated-slime",
        "slime",
        260,
        "answers grow into the limit",
        100,
        lambda at: {
            "length": min(8192.0, at.usual["length"] * math.exp(at.ago / 25)),
            "cut": min(0.99, at.ago / 45),
        },
    ),
    sick(
        "truncated-prime",
        "prime-rl",
        260,
        "nearly all answers are cut",
        90,
        lambda at: {"cut": min(0.98, at.ago / 40)},
    ),
    sick(
        "short-skyrl",
        "SkyRL",
        240,
        "answers become a few tokens",
        100,
        lambda at: {"length": 9 + at.usual["length"] * math.exp(-at.ago / 6)},
    ),
    sick(
        "zero-swift",
        "swift",
        220,
        "all groups have equal rewards",
        80,
        lambda _: {"zero": 1.0, "spread": 0.0, "reward": 0.5},
    ),
    sick(
        "advantages-skyrl",
        "SkyRL",
        240,
        "all advantages are 0",
        70,
        lambda _: {"adv_abs": 0.0, "reward": 1.0, "loss": 0.0, "norm": 0.0},
    ),
    sick(
        "advantages-roll",
        "ROLL",
        240,
        "all advantages are 0, the KL term still has a gradient",
        70,
        lambda at: {
            "adv_max": 0.0,
            "adv_min": 0.0,
            "reward": 0.0,
            "norm": 0.02 + abs(at.rng.gauss(0, 0.004)),
        },
    ),
    sick("norm-zero", "ChatLearn", 200, "the gradient is 0", 60, lambda _: {"norm": 0.0}),
    sick(
        "reward-openrlhf",
        "OpenRLHF",
        340,
        "the reward falls back to nothing",
        170,
        lambda at: {
            "reward": max(0.015, at.usual["reward"] * math.exp(-at.ago / 12))
            + abs(at.rng.gauss(0, 0.005))
        },
    ),
    sick(
        "reward-roll-negative",
        "ROLL",
        320,
        "the reward falls to -1",
        150,
        lambda at: {
            "reward": max(-1.0, at.usual["reward"] - at.ago * 0.06) + at.rng.gauss(0, 0.01)
        },
    ),
    sick(
        "mismatch-skyrl",
        "SkyRL",
        260,
        "rollout and training disagree",
        100,
        lambda at: {"mismatch": 0.012 * math.exp(min(at.ago, 90) / 22)},
    ),
    sick(
        "mismatch-nemo",
        "NeMo-RL",
        260,
        "rollout and training disagree",
        100,
        lambda at: {"mismatch_kl": 4e-4 * math.exp(min(at.ago, 80) / 16)},
    ),
    sick(
        "mismatch-prime",
        "prime-rl",
        260,
        "rollout and training disagree",
        100,
        lambda at: {"mismatch_kl": 4e-4 * math.exp(min(at.ago, 110) / 16)},
    ),
    sick(
        "weight-areal",
        "AReaL",
        260,
        "importance weights leave 1",
        120,
        lambda at: {"weight": 1 + min(1.6, at.ago * 0.04)},
    ),
    sick(
        "norm-explodes",
        "Trainer 5",
        400,
        "the gradient norm explodes",
        210,
        lambda at: {"norm": 0.6 * math.exp(min(at.ago, 70) / 7), "loss": 1.4 + 0.05 * at.ago},
    ),
    sick(
        "norm-clipped",
        "OpenRLHF",
        260,
        "the norm is clipped in each step",
        1,
        lambda _: {"norm": 1.0, "reward": 0.3},
    ),
    sick(
        "lr-megatron",
        "Megatron",
        300,
        "the learning rate is 0 from the start",
        1,
        lambda at: {"lr": 0.0, "loss": 10.4 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "lr-skyrl",
        "SkyRL",
        240,
        "the learning rate becomes 0 in the middle",
        90,
        lambda at: {"lr": 0.0, "reward": 0.45 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "lr-trainer",
        "Trainer 5",
        300,
        "the schedule was over before the run",
        1,
        lambda at: {"lr": 0.0, "loss": 1.6 + at.rng.gauss(0, 0.03)},
    ),
    sick(
        "lr-events",
        "TRL events",
        300,
        "the learning rate is 0",
        101,
        lambda at: {"lr": 0.0, "reward": 0.4 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "still-csv",
        "Lightning CSV",
        500,
        "the loss stands still from the start",
        1,
        lambda at: _still(at, 2.3026),
    ),
    sick(
        "still-tune",
        "torchtune",
        400,
        "the loss stands still from the start",
        1,
        lambda at: _still(at, 9.21),
    ),
    sick(
        "slow-slime",
        "slime",
        340,
        "steps take longer and longer",
        150,
        lambda at: {"time": at.usual["time"] * (1 + at.ago / 22)},
    ),
    sick(
        "slow-tune",
        "torchtune",
        400,
        "throughput dies",
        180,
        lambda at: {"tps": at.usual["tps"] / (1 + at.ago / 25)},
    ),
    sick(
        "held-areal",
        "AReaL",
        360,
        "the held-out score falls while the reward rises",
        110,
        lambda at: (
            {"held": 0.5 - 0.5 * max(0.0, at.part - 0.3) + at.rng.uniform(-0.01, 0.01)}
            if at.step % 8 == 0
            else {}
        ),
    ),
    sick(
        "stale-skyrl",
        "SkyRL",
        260,
        "the samples get older and older",
        100,
        lambda at: {"stale": 1.2 + at.ago * 0.2, "reward": 0.45 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "stale-areal",
        "AReaL",
        260,
        "the samples get older and older",
        100,
        lambda at: {"stale": 1.2 + at.ago * 0.2, "reward": 0.45 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "stale-prime",
        "prime-rl",
        260,
        "no weights come any more",
        100,
        lambda at: {"stale": 2.0 + at.ago, "reward": 0.45 + at.rng.gauss(0, 0.02)},
    ),
    sick(
        "stale-nemo",
        "NeMo-RL",
        260,
        "no weights come any more",
        100,
        lambda at: {"stale": 1.0 + at.ago, "reward": 0.45 + at.rng.gauss(0, 0.02)},
    ),
)


def _restarted(steps: Steps) -> Steps:
    return steps[:200] + steps[150:]


def _eight_ranks(steps: Steps) -> Steps:
    return [each for each in steps for _ in range(8)]


def _inf_now_and_then(at: At) -> Metrics:
    return {"norm": math.inf} if at.step <= 2 or at.step % 61 == 0 else {}


HEALTHY_ASIDE = (
    *(
        well(f"plain-{form}", form, 280)
        for form in ("ROLL", "AReaL", "SkyRL", "prime-rl", "NeMo-RL")
    ),
    well("warmup-cosine", "Trainer 5", 400, lambda at: {"lr": _cosine(at)}),
    well(
        "warmup-long",
        "Megatron",
        200,
        lambda at: {"lr": max(0.0, at.step - 1) * 1e-9, "loss": 10.5 - 4 * at.part},
    ),
    well("decay-to-0", "swift", 300, lambda at: {"lr": 1e-6 * (1 - at.part)}),
    well(
        "lr-kept-at-0-at-the-end",
        "SkyRL",
        300,
        lambda at: {"lr": max(0.0, 1e-6 * (1 - at.part / 0.97))},
    ),
    well("one-step", "Megatron", 1, lambda _: {"lr": 0.0, "loss": 11.2}),
    well(
        "lr-printed-short",
        "script",
        500,
        lambda at: {"lr": 2e-5, "loss": 2.4 - at.part + at.rng.gauss(0, 0.03)},
    ),
    well(
        "converged",
        "Lightning CSV",
        600,
        lambda at: {
            "loss": 0.02 + 2 * math.exp(-12 * at.part) + abs(at.rng.gauss(0, 0.001)),
            "lr": 1e-3,
        },
    ),
    well(
        "small-gain",
        "Trainer 5",
        400,
        lambda at: {"loss": 1.21 - 0.06 * at.part + at.rng.gauss(0, 0.08), "lr": _cosine(at)},
    ),
    well(
        "dpo",
        "DPO",
        300,
        lambda at: {
            "loss": 0.6931 if at.step < 28 else 0.6931 - 0.3 * at.part,
            "reward": 0.0 if at.step < 28 else 0.5 * at.part,
            "norm": 3.0 + abs(at.rng.gauss(0, 0.5)),
        },
    ),
    well("entropy-falls", "SkyRL", 300, lambda at: {"entropy": 0.8 * math.exp(-4.5 * at.part)}),
    well("stale-but-steady", "AReaL", 300, lambda at: {"stale": 7.0 + at.rng.gauss(0, 0.4)}),
    well("stale-wanders", "SkyRL", 300, lambda at: {"stale": at.rng.uniform(0, 4)}),
    well(
        "zero-at-first",
        "ROLL",
        300,
        lambda at: {
            "reward": 0.0 if at.step < 26 else max(0.0, 0.6 * at.part + at.rng.gauss(0, 0.02))
        },
    ),
    well(
        "spikes",
        "OpenRLHF",
        400,
        lambda at: (
            {"norm": 90.0, "ppo_kl": 1.2, "kl": 2.0, "clip": 0.6} if at.step % 83 < 2 else {}
        ),
    ),
    well(
        "near-one",
        "swift",
        300,
        lambda at: {
            "reward": min(1.0, 0.95 + 0.04 * at.part + at.rng.gauss(0, 0.008)),
            "zero": min(0.97, 0.7 + 0.25 * at.part),
            "spread": 0.05,
        },
    ),
    well("restart", "slime", 400, arranged=_restarted),
    well(
        "eight-ranks",
        "Megatron",
        300,
        lambda at: {"lr": _cosine(at), "loss": 10.5 - 6 * at.part},
        _eight_ranks,
    ),
    well(
        "negative", "ROLL", 300, lambda at: {"reward": -3.0 + 2.4 * at.part + at.rng.gauss(0, 0.1)}
    ),
    well("centred", "OpenRLHF", 300, lambda at: {"reward": at.rng.gauss(0, 0.2) + 0.3 * at.part}),
    well(
        "long-answers",
        "OpenRLHF",
        320,
        lambda at: {
            "length": 1200 + 3000 * at.part,
            "cut": 0.3 * at.part + abs(at.rng.gauss(0, 0.01)),
        },
    ),
    well(
        "clipped-and-learning",
        "Trainer 5",
        400,
        lambda at: {"norm": 4.0 + abs(at.rng.gauss(0, 1.0)), "lr": 2e-5},
    ),
    well(
        "harder-data",
        "TRL state",
        400,
        lambda at: {
            "reward": (0.8 if at.part < 0.5 else 0.35 + 0.4 * (at.part - 0.5))
            + at.rng.gauss(0, 0.02)
        },
    ),
    well("events", "TRL events", 300),
    well("fp16", "Megatron", 400, _inf_now_and_then),
    well(
        "slow-validation",
        "SkyRL",
        300,
        lambda at: {
            "time": at.usual["time"] * (5 if at.step % 20 == 0 else 1),
            "held": 0.4 + 0.2 * at.part + at.rng.gauss(0, 0.03),
        },
    ),
)
