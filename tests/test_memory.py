"""Memory: models by their names, estimates against published and measured figures, warnings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from logdoctor.relations.formula import Absent, evaluate
from logdoctor.relations.model_facts import KNOWN_MODELS, model_facts, read_models
from logdoctor.relations.reading import load_frameworks, relations_path
from logdoctor.settings.configuration import Configuration, Setting
from logdoctor.settings.values import Value
from tests.conftest import RunCli

GIB = 1 << 30
KNOWN = read_models(relations_path() / KNOWN_MODELS)


def facts_of(name: str) -> dict[str, int]:
    settings = {"model": Setting("model", name)}
    return dict(model_facts(Configuration("x", settings), lambda: KNOWN))  # type: ignore[arg-type]


@pytest.mark.parametrize("model", KNOWN, ids=[each["name"] for each in KNOWN])
def test_a_models_weights_are_as_many_as_the_hub_shows(model: dict[str, object]) -> None:
    """The hub shows two or three digits."""
    name = re.sub(r"\(\?:[^)]*\)\??|\\", "", str(model["name"])).split("|")[0]
    decimals = len(str(model["parameters"]).partition(".")[2])
    told = facts_of(f"some/where/{name}-Instruct")["parameters"] / 1e9
    assert told == pytest.approx(model["parameters"], abs=0.6 * 10**-decimals)


@pytest.mark.parametrize(
    "name",
    ["Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-7B-Instruct-AWQ", "my-7B", "Qwen2.5-7B-GRPO", ""],
)
def test_what_only_looks_like_a_known_model_is_none(name: str) -> None:
    """Others of that name have other dimensions."""
    assert facts_of(name) == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"head_dim": "64"},
        {"num_experts_per_tok": None, "num_experts": 8},
        {"num_key_value_heads": "8"},
        {"hidden_size": True},
        {"text_config": [1]},
        {"vocab_size": {}},
    ],
)
def test_an_odd_configuration_of_a_model_is_no_crash(
    tmp_path: Path, odd: dict[str, object]
) -> None:
    """What is a number is known; nothing is said of the rest."""
    whole: dict[str, object] = {
        "model_type": "llama",
        "num_attention_heads": 32,
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "intermediate_size": 11008,
        "vocab_size": 32000,
    }
    (tmp_path / "config.json").write_text(json.dumps({**whole, **odd}), encoding="utf-8")
    found = facts_of(str(tmp_path))
    assert found["layers"] == 32
    assert {type(each) for each in found.values()} == {int}


MEASURED = [
    ("Qwen3-14B", 27.5185, 42.44, 278_144),
    ("Qwen2.5-1.5B-Instruct", 2.8833, 14.58, 545_856),
    ("Qwen2.5-3B", 5.7916, 6.07, 176_912),
]
"""What vLLM printed: model, GiB that loading took, GiB for the KV cache and tokens in it."""


@pytest.mark.parametrize(("name", "weights", "cache", "tokens"), MEASURED)
def test_weights_and_cache_are_as_vllm_measured_them(
    name: str, weights: float, cache: float, tokens: int
) -> None:
    """Within 1 %: buffers are not counted."""
    facts = facts_of(name)
    assert 2 * facts["parameters"] / GIB == pytest.approx(weights, rel=0.01)
    assert facts["kv_bytes_per_token"] * tokens / GIB == pytest.approx(cache, rel=0.002)


def fact(name: str, facts: Mapping[str, Value], framework: str = "openrlhf") -> float:
    """A fact of a framework's own formulas, of these settings and facts."""
    machine = load_frameworks(relations_path())[framework].machine

    def lookup(each: str) -> Value:
        if each in facts:
            return facts[each]
        if each in machine:
            return evaluate(machine[each], lookup)
        raise Absent(frozenset({each}))

    value = lookup(name)
    assert isinstance(value, int | float)
    return value


def adapted(**settings: Value) -> dict[str, Value]:
    """Settings of OpenRLHF where nothing is said otherwise."""
    given = {"ds.zero_stage": 2, "ds.adam_offload": False, "ds.lora.rank": 0,
             "ds.load_in_4bit": False, "@gpus": 1}  # fmt: skip
    return {**given, **{key.replace("__", "."): each for key, each in settings.items()}}


ZERO = {1: (120, 120, 120), 4: (52.5, 41.3, 30), 16: (35.6, 21.6, 7.5), 64: (31.4, 16.6, 1.88),
        256: (30.4, 15.4, 0.47), 1024: (30.1, 15.1, 0.12)}  # fmt: skip
"""Rajbhandari et al. 2020, table 1: GB of a GPU for the states of 7.5 billion parameters, by the
number of GPUs, for the stages 1, 2 and 3.
"""


@pytest.mark.parametrize("gpus", ZERO)
def test_states_are_as_the_zero_paper_has_them(gpus: int) -> None:
    """Within half of its last digit, for each stage."""
    for stage, published in enumerate(ZERO[gpus], 1):
        facts = {**adapted(ds__zero_stage=stage), "@gpus": gpus, "@parameters": 7.5e9}
        told = fact("@memory_states", facts) * GIB / 1e9
        last = 0.01 if published < 2 else 0.1  # what its last digit counts
        assert told == pytest.approx(published, abs=0.5001 * last, rel=0)


DEEPSPEED = [(2, True, 5.31, 0.0), (2, False, 15.93, -0.375), (3, True, 0.79, -0.16),
             (3, False, 6.10, -0.13)]  # fmt: skip
"""Stage, offload, the GiB of a GPU that DeepSpeed's page on memory has for 2,851 million parameters
over 8 GPUs (docs/code-docs/source/memory.rst), and how far off we are: it counts gradients in 32
bits beside those in 16, weights of stage 2 twice, and with stage 3 a gathered layer, which is among
the activations here.
"""


@pytest.mark.parametrize(("stage", "is_offloaded", "published", "off"), DEEPSPEED)
def test_states_are_not_above_what_deepspeed_estimates(
    stage: int, is_offloaded: bool, published: float, off: float
) -> None:
    """Its estimate is to be safe; a warning is to be true."""
    facts = adapted(ds__zero_stage=stage, ds__adam_offload=is_offloaded)
    told = fact("@memory_states", {**facts, "@gpus": 8, "@parameters": 2851e6})
    assert told / published - 1 == pytest.approx(off, abs=0.01)


QLORA = [(4096, 32, 11008, 5, -0.17), (5120, 40, 13824, 10, -0.23),
         (6656, 60, 17920, 21, -0.12), (8192, 80, 22016, 41, -0.12)]  # fmt: skip
"""LLaMA 7B, 13B, 33B, 65B: hidden size, layers, intermediate size; GB that QLoRA's paper (Dettmers
et al. 2023, table 6) has for Guanaco in 4 bits, in whole GB; how far off we are.
"""


@pytest.mark.parametrize("row", QLORA, ids=["7B", "13B", "33B", "65B"])
def test_weights_in_four_bits_are_near_what_qlora_published(
    row: tuple[int, int, int, int, float], tmp_path: Path
) -> None:
    """With adapters of rank 64 in 16 bits; too little, never too much."""
    hidden, layers, wide, published, off = row
    told = {"model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers,
            "num_attention_heads": hidden // 128, "intermediate_size": wide,
            "vocab_size": 32000}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(told), encoding="utf-8")
    facts = {f"@{key}": each for key, each in facts_of(str(tmp_path)).items()}
    given = adapted(ds__lora__rank=64, ds__load_in_4bit=True)
    size = fact("@memory_weights", {**given, **facts}) / 1e9
    assert size / published - 1 == pytest.approx(off, abs=0.01)


OPENRLHF = """\
python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path {model} \\
  --actor.num_nodes 1 --actor.num_gpus_per_node 8 --ref.num_nodes 1 --ref.num_gpus_per_node 8 \\
  --vllm.num_engines 8 --train.colocate_all --vllm.gpu_memory_utilization 0.5 \\
  --rollout.n_samples_per_prompt 8 --reward.remote_url http://h:1 --data.max_len 8192 \\
  --actor.gradient_checkpointing_enable {more}
"""
OPENRLHF_CASES = [
    ("Qwen2.5-7B-Instruct", "--ds.zero_stage 3", "memory_states", []),
    ("Qwen2.5-7B-Instruct", "--ds.zero_stage 3 --ds.adam_offload", "memory_logits", []),
    ("Qwen2.5-7B-Instruct", "--train.micro_batch_size 16 --ds.zero_stage 3", "memory_logits",
     ["openrlhf-update-exceeds-memory"]),
    ("Qwen2.5-32B", "--ds.zero_stage 3 --ds.enable_sleep --data.max_len 4096", "memory_states", []),
    ("Qwen2.5-32B", "--ds.zero_stage 2 --ds.enable_sleep", "memory_states",
     ["openrlhf-update-exceeds-memory"]),
    ("Qwen2.5-32B", "--ds.zero_stage 3 --data.max_len 4096", "memory_states",
     ["openrlhf-generation-exceeds-memory"]),
    ("Qwen2.5-32B", "--ds.lora.rank 64 --ds.load_in_4bit", "memory_states", []),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", OPENRLHF_CASES, ids=[" ".join(each[:2]) for each in OPENRLHF_CASES]
)
def test_stages_offload_and_adapters_count_for_openrlhf(
    run_cli: RunCli, tmp_path: Path, case: tuple[str, str, str, list[str]]
) -> None:
    """A warning comes only beyond the error, and what dominates is named."""
    model, more, dominant, broken = case
    pytest.importorskip("tree_sitter_bash")
    file = tmp_path / "run.sh"
    file.write_text(OPENRLHF.format(model=model, more=more), encoding="utf-8")
    done = run_cli("check", str(file), "--gpu-memory", "80", "--format", "json")
    found = json.loads(done.stdout)
    told = [each["relation_id"] for each in found["violations"]]
    assert [each for each in told if each.endswith("-memory")] == broken
    assert found["memory"][0]["dominant"] == dominant


SCRIPT = """\
python3 -m verl.trainer.main_ppo data.train_batch_size=512 \\
  actor_rollout_ref.model.path={model} actor_rollout_ref.actor.use_dynamic_bsz=True \\
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu={tokens} \\
  actor_rollout_ref.actor.entropy_coeff=0.001 \\
  actor_rollout_ref.model.enable_gradient_checkpointing=True \\
  actor_rollout_ref.rollout.gpu_memory_utilization={share} actor_rollout_ref.rollout.name=vllm \\
  actor_rollout_ref.rollout.tensor_model_parallel_size=1 \\
  trainer.n_gpus_per_node={gpus} trainer.nnodes=1
"""


def checked(run_cli: RunCli, at: Path, text: str, *words: str) -> dict[str, Any]:
    pytest.importorskip("tree_sitter_bash")
    file = at / "run.sh"
    file.write_text(text, encoding="utf-8")
    done = run_cli("check", str(file), "--format", "json", "--framework", "verl==0.9.1", *words)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_update_is_as_torchtitan_measured_it(run_cli: RunCli, tmp_path: Path) -> None:
    """Its benchmark of 2024-12, table 2: Llama 3.1 8B, FSDP over 8 GPUs, 32,768 tokens, full
    activation checkpointing: 83.9 GiB. The same loss in fp32, so that it is comparable.
    """
    text = SCRIPT.format(model="Meta-Llama-3.1-8B", tokens=32768, share=0.5, gpus=8)
    (update, _) = checked(run_cli, tmp_path, text, "--gpu-memory", "95")["memory"]
    assert sum(update["gib"].values()) == pytest.approx(83.9, rel=0.1)
    assert update["least"] < 83.9 < update["most"]
    assert update["dominant"] == "memory_logits"
    assert update["settings"]["actor_rollout_ref.actor.ppo_max_token_len_per_gpu"] == "32768"


CASES = [
        ("Qwen2.5-7B-Instruct", 16384, 0.6, 8, []),
        ("Qwen2.5-7B-Instruct", 32768, 0.6, 4, ["verl-update-exceeds-memory"]),
        ("Qwen2.5-7B-Instruct", 8192, 0.8, 4, ["verl-generation-exceeds-memory"]),
        ("Qwen2.5-32B", 8192, 0.4, 16, []),
        (
            "Qwen2.5-32B", 16384, 0.7, 8,
            ["verl-generation-exceeds-memory", "verl-update-exceeds-memory"],
        ),
        ("nobody/knows-7B", 99999, 0.9, 1, []),
]  # fmt: skip
"""Model, tokens of a micro batch, share of the engine, GPUs, and what does not fit into 80 GiB."""


@pytest.mark.parametrize("case", CASES, ids=[f"{each[0]} {each[1]}" for each in CASES])
def test_a_warning_comes_only_beyond_the_error(
    run_cli: RunCli, tmp_path: Path, case: tuple[str, int, float, int, list[str]]
) -> None:
    """What is not known warns of nothing."""
    model, tokens, share, gpus, broken = case
    text = SCRIPT.format(model=model, tokens=tokens, share=share, gpus=gpus)
    found = checked(run_cli, tmp_path, text, "--gpu-memory", "80")
    told = [each["relation_id"] for each in found["violations"]]
    assert [each for each in told if each.endswith("-memory")] == broken
    assert "memory" not in checked(run_cli, tmp_path, text)


def test_the_longest_sequence_must_fit_into_the_cache(run_cli: RunCli, tmp_path: Path) -> None:
    """As vLLM would refuse it, before the weights are loaded."""
    pytest.importorskip("tree_sitter_bash")
    file = tmp_path / "serve.sh"
    for length, is_broken in ((262_144, True), (32_768, False)):
        file.write_text(f"vllm serve Qwen/Qwen3-14B --max-model-len {length}\n", encoding="utf-8")
        done = run_cli("check", str(file), "--gpu-memory", "60", "--format", "json")
        told = [each["relation_id"] for each in json.loads(done.stdout)["violations"]]
        assert ("vllm-kv-cache-below-one-sequence" in told) is is_broken
