"""Made curves of runs that die without an error, and of healthy ones that look like it.

Numbers are drawn with a fixed seed around what healthy runs of verl print; `break_at` is the step
where a fault sets in.
"""

import random
from collections.abc import Callable

STEPS = 200
Metrics = dict[str, float]
Curve = Callable[[int, random.Random], Metrics]


def healthy(step: int, rng: random.Random) -> Metrics:
    """A run that learns by and by."""
    return {
        "actor/entropy": 0.42 - step * 0.0006 + rng.uniform(-0.01, 0.01),
        "actor/ppo_kl": rng.uniform(0.0005, 0.002),
        "actor/kl_loss": 0.01 + step * 0.0002,
        "actor/pg_clipfrac": rng.uniform(0.001, 0.004),
        "actor/pg_loss": rng.uniform(-0.05, 0.05),
        "actor/grad_norm": rng.uniform(0.1, 0.4),
        "critic/rewards/mean": 0.2 + step * 0.002 + rng.uniform(-0.03, 0.03),
        "critic/advantages/max": rng.uniform(1.5, 2.5),
        "response_length/mean": 800 + rng.uniform(-60, 60),
        "response_length/clip_ratio": rng.uniform(0.0, 0.03),
        "training/rollout_probs_diff_mean": rng.uniform(0.002, 0.004),
    }


def changed(break_at: int, fault: Curve) -> Curve:
    """The healthy run, with a fault from a step on."""
    return lambda step, rng: {
        **healthy(step, rng),
        **(fault(step, rng) if step >= break_at else {}),
    }


def verl(curve: Curve, seed: int = 1) -> str:
    """As verl's console has it."""
    rng = random.Random(seed)
    return "".join(
        f"step:{step} - "
        + " - ".join(f"{name}:{value:.6g}" for name, value in curve(step, rng).items())
        + "\n"
        for step in range(1, STEPS + 1)
    )


def held_out(step: int, value: float) -> Metrics:
    """What is printed where a run is evaluated, every fifth step."""
    return {} if step % 5 else {"val-core/openai/gsm8k/acc/mean@1": value}


FLAT = {"critic/rewards/mean": 0.21}
"""A reward that does not rise."""

UNHEALTHY: dict[str, tuple[int, Curve]] = {
    "entropy-collapsed": (
        90,
        changed(1, lambda s, _: {**FLAT, "actor/entropy": 0.42 if s < 90 else 1e-5}),
    ),
    "policy-far-from-reference": (
        120,
        changed(120, lambda _s, r: {"actor/ppo_kl": r.uniform(0.6, 0.9)}),
    ),
    "clip-fraction-saturated": (80, changed(80, lambda _s, _r: {"actor/pg_clipfrac": 0.6})),
    "answers-collapsed": (80, changed(80, lambda _s, _r: {"response_length/mean": 8.0})),
    "answers-hit-the-length-limit": (
        150,
        changed(
            150,
            lambda _s, _r: {"response_length/mean": 4096.0, "response_length/clip_ratio": 0.95},
        ),
    ),
    "rewards-all-equal": (
        60,
        changed(
            60,
            lambda _s, _r: {
                "critic/rewards/mean": 1.0,
                "critic/advantages/max": 0.0,
                "actor/grad_norm": 0.0,
            },
        ),
    ),
    "reward-collapsed": (100, changed(100, lambda _s, _r: {"critic/rewards/mean": 0.02})),
    "held-out-falls-while-reward-rises": (
        120,
        changed(1, lambda s, r: held_out(s, (0.5 if s < 120 else 0.3) + r.uniform(-0.02, 0.02))),
    ),
    "loss-not-finite": (51, changed(51, lambda _s, _r: {"actor/pg_loss": float("nan")})),
    "verl-rollout-probabilities-differ": (
        100,
        changed(100, lambda _s, _r: {"training/rollout_probs_diff_mean": 0.2}),
    ),
}
"""The signature that says it, and the step where it begins."""

NASTY: dict[str, Curve] = {
    "learns": healthy,
    "entropy falls while the reward rises": changed(
        40, lambda _s, _: {"actor/entropy": 0.01, "critic/rewards/mean": 0.6}
    ),
    "no reward at first": changed(
        1, lambda s, r: {"critic/rewards/mean": 0.0 if s < 25 else r.uniform(0.1, 0.4)}
    ),
    "a spike that recovers": changed(
        100,
        lambda s, _r: (
            {"actor/grad_norm": 900.0, "actor/ppo_kl": 3.0, "critic/rewards/mean": 0.0}
            if s < 103
            else {}
        ),
    ),
    "near its best": changed(
        50,
        lambda _s, r: {
            "critic/rewards/mean": 0.97 + r.uniform(0, 0.02),
            "critic/advantages/max": r.uniform(0.1, 2.0),
        },
    ),
    "answers grow shorter by and by": changed(
        1, lambda s, r: {"response_length/mean": 800 - s * 3 + r.uniform(-9, 9)}
    ),
    "held-out scores go up and down": changed(
        1, lambda s, r: held_out(s, 0.45 + r.uniform(-0.15, 0.15))
    ),
    "held-out scores fall once": changed(
        1, lambda s, _: held_out(s, 0.1 if 100 < s < 116 else 0.5)
    ),
    "held-out scores are below zero": changed(1, lambda s, r: held_out(s, r.uniform(-2, -1))),
    "held-out scores fall with the reward": changed(
        1, lambda s, _: {**FLAT, **held_out(s, 0.5 if s < 120 else 0.3)}
    ),
    "the loss is nan once": changed(
        60, lambda s, _r: {"actor/pg_loss": float("nan")} if s == 60 else {}
    ),
}
