"""Logs with a given share of error lines: write_bursts (incidents on many ranks) and write_scattered (lone lines).

The error texts are the examples of the repository's own signatures with other numbers, hosts and ids, half of them under
tracebacks of 6 to 24 frames; every line of a traceback counts as an error line. The rest is a healthy log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.texts.healthy_logs import healthy_lines
from benchmarks.texts.vocabulary import VERBS, Scene

RANKS = (8, 16, 32, 64, 128, 256, 512)
_VARYING = re.compile(
    r"(?<=pid=)\d+|(?<=PID )\d+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b\d+\.\d+(?= [GMK]i?B)|\b0x[0-9a-f]{6,}|\b[0-9a-f]{24,}\b|(?<=rank[ :=])\d+|(?<=GPU )\d+"
)
_NUMBER = re.compile(r"(?<![\w.-])\d{2,}(?![\w.])")
_PACKAGES = (
    "verl/trainer/ppo",
    "verl/workers",
    "torch/nn/modules",
    "torch/distributed",
    "vllm/v1/engine",
    "vllm/worker",
    "ray/_private",
    "megatron/core",
    "transformers/models/qwen2",
    "deepspeed/runtime",
)


@dataclass(frozen=True, slots=True)
class Made:
    """What was written."""

    bytes: int
    lines: int
    error_lines: int


def write_bursts(path: Path, size: int, share: float, seed: int, examples: Sequence[str]) -> Made:
    """Incidents that 8 to 512 ranks print, rank after rank or interleaved, with healthy lines between them."""

    def bursts(scene: Scene) -> Iterator[list[str]]:
        most = max(
            200.0, size / 190 * share / 4
        )  # lines of one incident, so that the log holds at least four
        while True:
            incident = _incident(scene, examples)
            ranks = [count for count in RANKS if count * len(incident) <= most] or [RANKS[0]]
            yield _on_ranks(scene, incident, ranks[scene.below(len(ranks))])

    return _write(path, size, share, seed, bursts)


def write_scattered(
    path: Path, size: int, share: float, seed: int, examples: Sequence[str]
) -> Made:
    """Single error lines, each by itself among the healthy ones."""
    lines = [line for text in examples for line in _telling_lines(text)]

    def lone_lines(scene: Scene) -> Iterator[list[str]]:
        while True:
            line = _NUMBER.sub(
                lambda _: str(scene.below(90000) + 10), _varied(scene, scene.pick(lines))
            )
            yield [_prefix(scene, scene.below(4), scene.rank) + line + "\n"]

    return _write(path, size, share, seed, lone_lines)


def _write(
    path: Path, size: int, share: float, seed: int, errors: Callable[[Scene], Iterator[list[str]]]
) -> Made:
    healthy = healthy_lines(seed)
    written = lines = error_lines = 0
    with path.open("wb") as file:
        for failing in errors(Scene(seed + 7)):
            due = max(
                0, round((error_lines + len(failing)) * (1 - share) / share) - (lines - error_lines)
            )
            block = [*islice(healthy, due), *failing]
            data = "".join(block).encode()
            if written + len(data) > size and written > size * 0.97:
                break
            written += file.write(data)
            lines += len(block)
            error_lines += len(failing)
            if written >= size:
                break
    return Made(written, lines, error_lines)


def _telling_lines(text: str) -> list[str]:
    lines = [
        line.rstrip() for line in text.split("\n") if len(line.strip()) > 20
    ]  # shorter ones tell nothing
    return lines if len(lines) <= 2 else lines[-1:]  # of a traceback the exception line


def _incident(scene: Scene, examples: Sequence[str]) -> list[str]:
    """Lines of an example, half the time under a traceback."""
    text = examples[scene.below(len(examples))].rstrip("\n").split("\n")
    if scene.random.random() < 0.5 and not any("Traceback" in line for line in text):
        frames = [_frame(scene) for _ in range(scene.below(19) + 6)]
        text = [
            "Traceback (most recent call last):",
            *(line for frame in frames for line in frame),
            *text,
        ]
    return text


def _frame(scene: Scene) -> tuple[str, str]:
    name = f"{scene.pick(VERBS)}_{scene.pick(VERBS)}"
    where = f"/usr/local/lib/python3.11/site-packages/{_PACKAGES[scene.below(len(_PACKAGES))]}/{scene.pick(VERBS)}er.py"
    return (
        f'  File "{where}", line {scene.below(2000) + 1}, in {name}',
        f"    return self.{scene.pick(VERBS)}_{scene.pick(VERBS)}(*args, **kwargs)",
    )


def _on_ranks(scene: Scene, incident: Sequence[str], ranks: int) -> list[str]:
    """The incident as each rank prints it; half of them interleaved, each rank's lines in their order."""
    style = scene.below(4)
    writers = []
    for rank in range(ranks):
        prefix = _prefix(scene, style, rank)
        writers.append([f"{prefix}{_varied(scene, line)}\n" for line in incident])
    if scene.random.random() < 0.5:
        return [line for lines in writers for line in lines]
    turns = [rank for rank in range(ranks) for _ in incident]
    scene.random.shuffle(turns)
    unsaid = [iter(lines) for lines in writers]
    return [next(unsaid[rank]) for rank in turns]


def _prefix(scene: Scene, style: int, rank: int) -> str:
    if style == 0:
        return f"\x1b[36m(WorkerDict pid={40000 + rank * 7}, ip=10.64.{rank // 8}.{rank % 8 + 2})\x1b[0m "
    if style == 1:
        return f"[rank{rank}]: "
    return f"{rank:3d}: " if style == 2 else f"[2026-03-{scene.day:02d} {scene.clock}] "


def _varied(scene: Scene, line: str) -> str:
    """The line with what differs from rank to rank drawn anew."""

    def other(found: re.Match[str]) -> str:
        text = found[0]
        if text.count(".") == 3:  # an address
            return scene.address
        if text.startswith("0x"):
            return f"0x{scene.hexadecimal(len(text) - 2)}"
        if "." in text:
            return f"{scene.random.random() * 80:.2f}"
        return (
            str(scene.below(10 ** len(text))) if len(text) < 12 else scene.hexadecimal(len(text))
        )  # longer: an id

    return _VARYING.sub(other, line)
