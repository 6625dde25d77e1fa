"""Memory: models by their names, estimates against published and measured figures, warnings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from logdoctor.relations.model_facts import KNOWN_MODELS, model_facts
from logdoctor.relations.reading import relations_path
from logdoctor.settings.configuration import Configuration, Setting
from tests.conftest import RunCli

GIB = 1 << 30
KNOWN = relations_path() / KNOWN_MODELS
MODELS = yaml.safe_load(KNOWN.read_text(encoding="utf-8"))


def facts_of(name: str) -> dict[str, int]:
    settings = {"model": Setting("model", name)}
    return dict(model_facts(Configuration("x", settings), KNOWN))  # type: ignore[arg-type]


@pytest.mark.parametrize("model", MODELS, ids=[each["name"] for each in MODELS])
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


@pytest.mark.parametrize(("ranks", "published"), [(1, 120), (64, 1.88), (16, 7.5)])
def test_states_are_as_the_zero_paper_has_them(ranks: int, published: float) -> None:
    """Rajbhandari et al. 2020, table 1: 7.5 billion parameters, all states in shards, in GB."""
    assert 16 * 7.5 / ranks == pytest.approx(published, rel=0.003)


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
