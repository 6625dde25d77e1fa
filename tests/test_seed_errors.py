"""Every error of the frameworks' own FAQs, in their wording, is the first diagnosis with the right remedy.

Alone, in 2,000 lines of healthy log, with other numbers, with prefixes of Ray, ranks and vLLM, and with a twentieth of
its characters damaged.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from logdoctor.model import Applies, Diagnosis, Language
from logdoctor.pipeline.scan import ScanOptions, scan_text
from logdoctor.search.automaton import Automaton
from tests.thoroughness import in_turn

HEALTHY = Path(__file__).parents[1] / "sample_logs" / "healthy"


@dataclass(frozen=True)
class Seed:
    """A FAQ's error: its text, the signature, words that a remedy that fits (or may fit) must say, and the framework."""

    name: str
    text: str
    signature_id: str
    words: tuple[str, ...]
    framework: str | None = None
    deciding: str = "\0"  # the word that alone tells it from another error; it is not damaged


NODE2PG = """\
Traceback (most recent call last):
  File "/app/ROLL/roll/distributed/scheduler/resource_manager.py", line 89, in nodes_placement_group
    return self.node2pg[node_rank]
KeyError: 1"""
LR_DECAY = """\
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/megatron/core/optimizer_param_scheduler.py", line 159, in __init__
    assert self.lr_decay_steps > 0
AssertionError"""
FLASH = """\
  File ".../flash_attn/flash_attn_interface.py", line 15, in ‹module>
    import flash_attn_2_cuda as flash_attn_gpu
ImportError: {}"""
CHANNEL = (
    "ray.exceptions.RayChannelTimeoutError: System error: If the execution is expected to take a long time, increase "
    "RAY_CGRAPH_get_timeout which is currently 10 seconds. Otherwise, this may indicate that the execution is hanging."
)
LOOK_UP = (
    "ValueError: Failed to look up actor with name 'explorer'. This could because 1. You are trying to look up a named actor you didn't create. "
    "2. The named actor died. 3. You did not use a namespace matching the namespace of the actor."
)
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free. "
    "Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the allocated memory 70.12 GiB is allocated by PyTorch, and "
    "5.61 GiB is reserved by PyTorch but unallocated."
)
RAY_OOM = (
    "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\n"
    "Memory on the node (IP: 10.0.0.2, ID: 8af2) where the task (actor ID: 77, name=PolicyTrainer.__init__, pid=548, memory used=112.18GB) was running "
    "was 950.91GB / 1000.00GB (0.950910), which exceeds the memory usage threshold of 0.95."
)
SEEDS = (
    Seed(
        "node2pg in one line",
        "self.node2pg[node_rank] KeyError: 1",
        "roll-node-rank-without-placement-group",
        ("device_mapping",),
    ),
    Seed(
        "node2pg traceback", NODE2PG, "roll-node-rank-without-placement-group", ("device_mapping",)
    ),
    Seed(
        "lr_decay line",
        "assert self.lr_decay_steps > 0",
        "lr-decay-steps-not-positive",
        ("rollout_batch_size", "gradient_accumulation_steps"),
    ),
    Seed(
        "lr_decay traceback",
        LR_DECAY,
        "lr-decay-steps-not-positive",
        ("rollout_batch_size", "gradient_accumulation_steps"),
    ),
    Seed(
        "lr_decay traceback in ROLL",
        LR_DECAY,
        "lr-decay-steps-not-positive",
        ("rollout_batch_size", "gradient_accumulation_steps"),
        "roll",
    ),
    Seed(
        "chunks",
        "AssertionError: batch_size 32 < chunks 64",
        "dataproto-batch-smaller-than-chunks",
        ("rollout_batch_size", "64"),
    ),
    Seed(
        "BackendCompilerFailed",
        "TypeError: BackendCompilerFailed.__init__() missing 1 required positional argument",
        "torch-compile-exception-not-unpicklable",
        ("NVTE_TORCH_COMPILE",),
    ),
    Seed("channel timeout", CHANNEL, "ray-channel-timeout", ("enforce_eager", "10")),
    Seed(
        "channel timeout in ChatLearn",
        CHANNEL,
        "chatlearn-ray-channel-timeout",
        ("models.policy.enforce_eager",),
        "chatlearn",
    ),
    Seed(
        "Ray OOM in ChatLearn",
        RAY_OOM,
        "chatlearn-ray-out-of-memory-at-init",
        ("models.policy_trainer.meta_init",),
        "chatlearn",
    ),
    Seed(
        "CUDA OOM in ChatLearn",
        OOM,
        "chatlearn-cuda-out-of-memory",
        (
            "models.policy_trainer.max_token_in_packing",
            "runtime_args.train_micro_batch_size",
            "ulysses_sequence_parallel_size",
        ),
        "chatlearn",
    ),
    Seed(
        "OOM, old AReaL wording",
        "torch.cuda.CudaOutOfMemoryError",
        "cuda-out-of-memory",
        ("memory",),
    ),
    Seed(
        "OOM, torch.cuda",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB",
        "cuda-out-of-memory",
        ("memory",),
    ),
    Seed(
        "OOM in AReaL",
        OOM,
        "areal-cuda-out-of-memory",
        ("max_tokens_per_mb", "allocation_mode"),
        "areal",
    ),
    Seed(
        "CUDA error OOM", "CUDA error: out of memory", "cuda-error-out-of-memory", ("swap_space",)
    ),
    Seed(
        "CUDA error OOM in AReaL",
        "RuntimeError: CUDA error: out of memory",
        "areal-cuda-error-out-of-memory",
        ("actor.vllm.swap_space",),
        "areal",
    ),
    Seed(
        "swap space",
        "RuntimeError: Aborted due to the lack of CPU swap space.",
        "vllm-cpu-swap-space-exhausted",
        ("swap_space", "max_num_seqs"),
    ),
    Seed(
        "swap space in AReaL",
        "RuntimeError: Aborted due to the lack of CPU swap space. Please increase the swap space to avoid this error.",
        "areal-cpu-swap-space-exhausted",
        ("actor.vllm.swap_space", "actor.vllm.max_num_seqs"),
        "areal",
    ),
    Seed(
        "illegal access",
        "CUDA error: an illegal memory access was encountered",
        "cuda-illegal-memory-access",
        ("batch",),
    ),
    Seed(
        "illegal access in AReaL",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "areal-cuda-illegal-memory-access",
        ("group_size", "xformers"),
        "areal",
    ),
    Seed(
        "flash_attn",
        FLASH.format("..."),
        "flash-attn-extension-import-failed",
        ("pip install", "flash-attn"),
    ),
    Seed(
        "flash_attn undefined symbol",
        FLASH.format(
            "/x/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"
        ),
        "flash-attn-undefined-symbol",
        ("pip install", "flash-attn"),
        deciding="undefined symbol",
    ),
    Seed(
        "flash_attn missing",
        "ModuleNotFoundError: No module named 'flash_attn'",
        "flash-attn-module-missing",
        ("pip install", "flash-attn"),
        deciding="'flash_attn'",
    ),
    Seed(
        "flash_attn libcudart",
        FLASH.format(
            "libcudart.so.11.0: cannot open shared object file: No such file or directory"
        ),
        "flash-attn-libcudart-missing",
        ("cuda",),
        deciding="libcudart.so.11.0",
    ),
    Seed(
        "wandb",
        "UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key]) ...",
        "wandb-api-key-not-configured",
        ("WANDB_API_KEY",),
    ),
    Seed(
        "wandb new",
        "wandb.errors.errors.UsageError: No API key configured. Use `wandb login` to log in.",
        "wandb-api-key-not-configured",
        ("WANDB_API_KEY",),
    ),
    Seed(
        "wandb in Trinity",
        "wandb.errors.UsageError: api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
        "wandb-api-key-not-configured",
        ("WANDB_API_KEY", "monitor_type"),
        "trinity",
    ),
    Seed(
        "explorer",
        "ValueError: Failed to look up actor with name 'explorer' ...",
        "ray-named-actor-not-found",
        ("ray start",),
    ),
    Seed(
        "explorer in Trinity", LOOK_UP, "trinity-named-actor-not-found", ("ray start",), "trinity"
    ),
    Seed(
        "OOM in Trinity",
        OOM,
        "trinity-cuda-out-of-memory",
        ("trainer.", "explorer.rollout_model.tensor_parallel_size"),
        "trinity",
    ),
    Seed(
        "recovery in AReaL",
        "20250222-11:52:02.760 master worker INFO: Recover info not found at: /storage/recover_info.pkl",
        "areal-recover-not-resumed",
        ("experiment_name", "trial_name", "n_nodes", "ckpt_freq"),
        "areal",
    ),
)


def first(automaton: Automaton, text: str, seed: Seed) -> Diagnosis | None:
    frameworks = (seed.framework,) if seed.framework else ()
    diagnoses = scan_text(automaton, text, ScanOptions(frameworks=frameworks)).diagnoses
    return diagnoses[0] if diagnoses else None


def says(diagnosis: Diagnosis, words: tuple[str, ...], language: Language) -> set[str]:
    fitting = [each for each in diagnosis.remedies if each.applies is not Applies.NO]
    texts = [
        f"{each.action.in_language(language)} {dict(each.settings)} {each.check.in_language(language)}"
        for each in fitting
    ]
    return {word for word in words if word.lower() in " ".join(texts).lower()}


def with_other_numbers(text: str) -> str:
    return re.sub(r"(?<![\w.])\d+(?![\w.])", lambda match: str(int(match[0]) * 3 + 5), text)


def ray_prefixed(text: str) -> str:
    return "\n".join(
        f"\x1b[36m(WorkerDict pid=4711, ip=10.1.2.3)\x1b[0m {line} [repeated 7x across cluster]"
        for line in text.split("\n")
    )


def rank_prefixed(text: str) -> str:
    return "\n".join(f"[rank5]: {line}" for line in text.split("\n"))


def vllm_prefixed(text: str) -> str:
    return "\n".join(
        f"(EngineCore_DP0 pid=123) ERROR 08-28 17:50:00 [core.py:700] {line}"
        for line in text.split("\n")
    )


def stamped(text: str) -> str:
    return f"2025-08-28 17:50:00,123 - trainer - ERROR - {text}"


VARIANTS: tuple[Callable[[str], str], ...] = (
    str,
    with_other_numbers,
    ray_prefixed,
    rank_prefixed,
    vllm_prefixed,
    stamped,
)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_seed_error_is_the_first_diagnosis(
    automaton: Automaton, seed: Seed, variant: Callable[[str], str]
) -> None:
    """It is found, and a remedy that fits or may fit says what the FAQ says, in both languages."""
    if seed.signature_id == "dataproto-batch-smaller-than-chunks" and variant is with_other_numbers:
        seed = Seed(seed.name, seed.text, seed.signature_id, ("197",))
    diagnosis = first(automaton, variant(seed.text), seed)
    assert diagnosis is not None
    words = (
        seed.words
        if variant is not with_other_numbers
        else tuple(word for word in seed.words if not word.isdigit() or word == "197")
    )
    found = [says(diagnosis, words, language) for language in Language]
    assert (diagnosis.signature.id, *found) == (seed.signature_id, set(words), set(words))


@pytest.fixture(scope="module")
def healthy_lines() -> list[str]:
    """Two thousand lines of runs that went well, without the lines that say that a run ended."""
    logs = (
        "ddp-gloo",
        "trl-grpo",
        "verl-console",
        "transformers-trainer",
        "config-dump",
        "lightning",
    )
    texts = (
        (HEALTHY / f"{name}.log").read_text(encoding="utf-8", errors="replace") for name in logs
    )
    lines = [
        line
        for text in texts
        for line in text.split("\n")
        if not re.search(r"train_runtime|finished|complete|code 0", line)
    ]
    return (lines * 3)[:2000]


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_seed_error_is_found_in_two_thousand_healthy_lines(
    automaton: Automaton, seed: Seed, healthy_lines: list[str]
) -> None:
    """At the end of a long log it is still the answer."""
    text = "\n".join(
        [*healthy_lines, seed.text, "srun: error: node01: task 0: Exited with exit code 1"]
    )
    diagnosis = first(automaton, text, seed)
    assert diagnosis is not None
    assert diagnosis.signature.id == seed.signature_id


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_seed_error_in_the_middle_is_first_of_all(
    automaton: Automaton, seed: Seed, healthy_lines: list[str]
) -> None:
    """Where healthy lines follow, it still stands first, whatever the verdict."""
    diagnosis = first(
        automaton, "\n".join([*healthy_lines[:1000], seed.text, *healthy_lines[1000:]]), seed
    )
    assert diagnosis is not None
    assert diagnosis.signature.id == seed.signature_id


def damaged(text: str, share: float, seed: int, deciding: str) -> str:
    """The text with a share of its characters replaced, deleted or followed by another; line ends and one word stay."""
    random_source = random.Random(seed)
    characters = list(text)
    kept = (
        range(text.find(deciding), text.find(deciding) + len(deciding))
        if deciding in text
        else range(0)
    )
    for position in random_source.sample(range(len(text)), max(1, int(len(text) * share))):
        if characters[position] != "\n" and position not in kept:
            letter = random_source.choice("abcdefghijklmnopqrstuvwxyz")
            characters[position] = random_source.choice((letter, "", characters[position] + letter))
    return "".join(characters)


def mutants(seed: Seed) -> Iterator[str]:
    for number in range(30):
        yield damaged(seed.text, 0.05, zlib.crc32(seed.name.encode()) + number, seed.deciding)


MISSES_ALLOWED = 5
"""Of thirty mutants of one error: damage may fall together on the few characters that tell one error from another."""


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=in_turn(seed.name), id=seed.name) for seed in SEEDS]
)
def test_seed_error_survives_damage(automaton: Automaton, seed: Seed) -> None:
    """With a twentieth of its characters damaged it is recognised, up to unlucky ones."""
    found = [
        diagnosis.signature.id if (diagnosis := first(automaton, text, seed)) else None
        for text in mutants(seed)
    ]
    assert sum(each != seed.signature_id for each in found) <= MISSES_ALLOWED, found
