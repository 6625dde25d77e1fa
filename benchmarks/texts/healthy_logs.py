"""Healthy logs: write_healthy, and the stream of lines behind it.

The log is a sequence of runs of about 6 MB each, one after the other as in an archive, drawn in turn from four kinds:

* verl on Ray with vLLM, and ROLL's way of logging (4 of 10): Ray-prefixed worker lines, one long line of metrics a step
  (text, dict or JSON), vLLM's throughput and access lines, reward accounts, printed prompts and answers, bars;
* AReaL and SGLang (2 of 10): scheduler lines, coloured logger lines, printed answers;
* Megatron and DeepSpeed (2 of 10): iteration lines, timers, memory, shards, checkpoints;
* Hugging Face and TRL (2 of 10): dicts of metrics, bars, printed answers.

Each begins with a dump of its configuration and NCCL's start. About one line in a hundred looks bad and is not. Numbers,
hosts, paths, ids and free text are drawn anew for each line, so that lines hardly ever repeat.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.texts import rl_lines, training_lines
from benchmarks.texts.rl_lines import Maker
from benchmarks.texts.vocabulary import Scene

RUN_BYTES = 6_000_000
"""About how long a run is."""

_VERL: tuple[tuple[Maker, int], ...] = (
    (rl_lines.step_metrics, 20), (rl_lines.vllm_throughput, 160), (rl_lines.vllm_request, 200), (rl_lines.worker_memory, 130), (rl_lines.reward_line, 170),
    (rl_lines.weight_names, 120), (rl_lines.validation_sample, 14), (rl_lines.generated_code, 3), (rl_lines.progress_bar, 8), (rl_lines.scary_line, 10),
    (training_lines.saved, 12), (training_lines.nccl_info, 20),
)  # fmt: skip
_SGLANG: tuple[tuple[Maker, int], ...] = (
    (rl_lines.sglang_batch, 420), (rl_lines.areal_line, 260), (rl_lines.validation_sample, 16), (rl_lines.generated_code, 3), (rl_lines.weight_names, 60),
    (rl_lines.scary_line, 12), (training_lines.saved, 20), (training_lines.nccl_info, 30), (rl_lines.progress_bar, 5),
)  # fmt: skip
_MEGATRON: tuple[tuple[Maker, int], ...] = (
    (training_lines.megatron_iteration, 260), (training_lines.megatron_timers, 12), (training_lines.deepspeed_line, 160), (training_lines.nccl_info, 160),
    (training_lines.parameter_table, 160), (training_lines.saved, 50), (rl_lines.scary_line, 9),
)  # fmt: skip
_TRAINER: tuple[tuple[Maker, int], ...] = (
    (training_lines.trainer_metrics, 300), (rl_lines.progress_bar, 30), (rl_lines.validation_sample, 12), (training_lines.deepspeed_line, 80),
    (training_lines.saved, 50), (rl_lines.generated_code, 3), (rl_lines.scary_line, 7), (rl_lines.vllm_throughput, 60),
)  # fmt: skip
KINDS = (_VERL, _SGLANG, _VERL, _MEGATRON, _TRAINER, _VERL, _SGLANG, _MEGATRON, _VERL, _TRAINER)
START_LINES = 400
"""Lines of NCCL and of parameters at the start of a run."""


def healthy_blocks(seed: int) -> Iterator[str]:
    """Endless blocks of whole lines, about 100 lines each."""
    number = 0
    while True:
        scene = Scene(seed * 100_003 + number)
        makers = [maker for maker, weight in KINDS[number % len(KINDS)] for _ in range(weight)]
        yield training_lines.configuration(scene)
        yield "".join(
            training_lines.nccl_info(scene) if i % 3 else training_lines.parameter_table(scene)
            for i in range(START_LINES)
        )
        written = 0
        while written < RUN_BYTES:
            scene.tick(3)
            block = "".join([maker(scene) for maker in scene.random.choices(makers, k=100)])
            written += len(block)
            yield block
        number += 1


def healthy_lines(seed: int) -> Iterator[str]:
    """The same, line by line, each with its line end."""
    for block in healthy_blocks(seed):
        yield from (line + "\n" for line in block.split("\n")[:-1])


def write_healthy(path: Path, size: int, seed: int) -> None:
    """Writes a healthy log of about so many bytes, ending with a whole line."""
    written = 0
    with path.open("wb") as file:
        for block in healthy_blocks(seed):
            data = block.encode()
            if written + len(data) > size:
                data = data[: data.find(b"\n", max(0, size - written - 1)) + 1]
                file.write(data)
                return
            written += file.write(data)
