"""Logs in which much is said that is the same, or nothing: write_flood."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from pathlib import Path

RANKS, ATTEMPTS, COPIES, UNKNOWN, ANSWERS = 512, 60, 5_000_000, 100_000, 5_000_000
"""Ranks that print one traceback; restarts; copies of one line; errors; bytes of answers."""

_TRACEBACK = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line {line}, in main',
    "    trainer.fit()",
    '  File "/workspace/trainer.py", line {line}, in fit',
    "    output = self.actor.generate(batch)",
    '  File "/workspace/actor.py", line {line}, in generate',
    "    return self.module(batch)",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {line}.00 MiB. GPU {gpu} has {free} MiB.",
)
_WORDS = (
    "the answer is that a batch of the model has no value so the error of each step must be less "
    "than it was before and we try to load what failed in the process of reading a file 因此 答案"
).split()


def write_flood(path: Path, kind: str, seed: int, scale: float = 1.0) -> None:
    """One of `FLOODS`; `scale` makes it smaller."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in FLOODS[kind](rng, scale))


def _traceback(rng: random.Random, rank: int) -> Iterator[str]:
    line, free = rng.randrange(400), rng.randrange(900)
    for text in _TRACEBACK:
        yield f"[rank{rank}]: {text.format(line=line, gpu=rank % 8, free=free)}"


def _ranks(rng: random.Random, scale: float) -> Iterator[str]:
    """All ranks print it at once, each its lines in their order."""
    writers = [_traceback(rng, rank) for rank in range(max(2, int(RANKS * scale)))]
    turns = [writer for writer in writers for _ in _TRACEBACK]
    rng.shuffle(turns)
    return map(next, turns)


def _restarts(rng: random.Random, scale: float) -> Iterator[str]:
    for attempt in range(max(2, int(ATTEMPTS * scale))):
        yield f"[attempt {attempt}] starting"
        yield from (
            f"step {step}: loss {3 - step / 1000:.3f} lr 1e-5 grad_norm {rng.random():.3f}"
            for step in range(200)
        )
        for rank in range(8):
            yield from _traceback(rng, rank)


def _equal(_: random.Random, scale: float) -> Iterator[str]:
    return repeat("RuntimeError: NCCL communicator was aborted on rank 3.", int(COPIES * scale))


def _unknown(rng: random.Random, scale: float) -> Iterator[str]:
    for _ in range(int(UNKNOWN * scale)):
        name, *words = (
            "".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randrange(3, 9))) for _ in range(5)
        )
        yield f"{name.title()}Error: {' '.join(words)}"


def _answers(rng: random.Random, scale: float) -> Iterator[str]:
    """Answers of a model, a line of 1 to 16 kB each, between steps."""
    size = step = 0
    while size < ANSWERS * scale:
        answer = " ".join(rng.choices(_WORDS, k=rng.randrange(200, 3000)))
        size, step = size + len(answer), step + 1
        yield f"(Rollout pid={4000 + step % 8}) response: {answer}"
        yield f"step:{step} - actor/loss:{rng.random():.3f} - critic/rewards/mean:0.5"


FLOODS: Mapping[str, Callable[[random.Random, float], Iterator[str]]] = {
    "ranks": _ranks,
    "restarts": _restarts,
    "equal": _equal,
    "unknown": _unknown,
    "answers": _answers,
}
"""Their names, and what makes their lines."""
