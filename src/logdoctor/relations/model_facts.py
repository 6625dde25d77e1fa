"""A model's own config.json, or its name, to what relations ask of it: model_facts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from logdoctor.settings.configuration import Configuration
from logdoctor.settings.values import Value, is_count

_PATHS = (
    "actor_rollout_ref.model.path", "pretrain", "model_name_or_path", "actor.model_name_or_path",
    "model.model_path", "policy.model_name", "hf_checkpoint", "trainer.policy.model.path",
    "actor.path", "models.policy.load", "model.name", "model", "model_path",
)  # fmt: skip
"""Settings of frameworks that say where the model is."""

_FACTS = {
    "attention_heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "layers": "num_hidden_layers",
    "experts": "num_experts",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
    "hidden": "hidden_size",
}
"""Facts by their names in config.json (transformers)."""

KNOWN_MODELS = "models.yaml"
_VARIANT = r"(?:-Base|-Instruct|-hf|-Chat|-chat-hf|-v0\.\d|-Thinking|-Instruct-v0\.\d|-\d{4})*"
"""What may follow a model's name where its dimensions stay the same."""

_PLAIN = ("llama", "qwen2", "qwen3", "qwen3_moe", "mistral")
"""Kinds of models (`model_type`) whose weights are those that are counted here."""

LARGEST = 10_000_000
"""Bytes of a config.json."""


Models = Sequence[Mapping[str, Any]]
"""Models by the form of their names, each with its config.json; the first that fits counts."""


def read_models(file: Path) -> Models:
    """The models of a file; none where there is no such file."""
    import yaml  # noqa: PLC0415  # an installed logdoctor does without

    if not file.is_file():
        return []
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    models: Models = yaml.load(file.read_text(encoding="utf-8"), loader)  # noqa: S506  # a safe one
    return models


def model_facts(configuration: Configuration, known: Callable[[], Models]) -> Mapping[str, Value]:
    """What is known of the run's model, by name: from its folder where that is on this machine,
    else where one of the `known` models has its name.
    """
    for key in _PATHS:
        given = configuration.settings.get(key)
        if given and isinstance(given.value, str):
            file = Path(given.value).expanduser() / "config.json"
            if file.is_file() and file.stat().st_size <= LARGEST:
                return _facts(_read(file))
            named = _named(given.value, known())
            if named:
                return _facts(named)
    return {}


def _read(file: Path) -> Mapping[str, Any]:
    try:
        told: Any = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        return {}
    if not isinstance(told, dict):
        return {}
    of_text = told.get("text_config")
    return {**of_text, **told} if isinstance(of_text, dict) else told


def _named(path: str, known: Models) -> Mapping[str, Any]:
    """What is known of the model that a path ends with."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return next(
        (each for each in known if re.fullmatch(rf"(?:{each['name']}){_VARIANT}", name)), {}
    )


def _facts(told: Mapping[str, Any]) -> Mapping[str, Value]:
    found: dict[str, Value] = {
        name: told[key] for name, key in _FACTS.items() if key in told and is_count(told[key])
    }
    return {**found, **_sizes(told)}


def _sizes(told: Mapping[str, Any]) -> dict[str, Value]:
    """What its weights, the KV cache and a layer's computation take; empty where that is not
    known: a model may keep and compute otherwise.

    `layer_numbers`: of a token, while a layer is computed anew for its gradients: inputs and
    outputs of both norms, queries, keys and values before and behind their rotation, what
    attention gives, gate, up, their product and the activation.

    `adapter_numbers`: weights that adapters of all linear layers have for each of their ranks.
    """
    heads, hidden, layers = (
        _count(told, each) for each in ("num_attention_heads", "hidden_size", "num_hidden_layers")
    )
    kept = _count(told, "num_key_value_heads") if "num_key_value_heads" in told else heads
    if "kv_lora_rank" in told or not (heads and hidden and layers and kept):
        return {}
    width = _count(told, "head_dim") or hidden // heads
    found: dict[str, Value] = {"kv_bytes_per_token": 2 * layers * kept * width * 2}
    experts = _count(told, "num_experts")
    of_token = _count(told, "num_experts_per_tok") or 1
    wide = _count(told, "moe_intermediate_size" if experts else "intermediate_size")
    vocabulary = _count(told, "vocab_size")
    if told.get("model_type") not in _PLAIN or not (wide and vocabulary):
        return found
    projected = (heads + 2 * kept) * width
    layer = hidden * projected + heads * width * hidden + 2 * hidden
    layer += (experts or 1) * 3 * hidden * wide + hidden * (experts or 0)
    embedded = vocabulary * hidden * (1 if told.get("tie_word_embeddings") else 2)
    used = wide * of_token if experts else wide
    adapted = 4 * hidden + projected + heads * width
    return {
        **found,
        "parameters": layers * layer + embedded + hidden,
        "layer_parameters": layer,
        "embedding_parameters": embedded,
        "adapter_numbers": layers * (adapted + (experts or 1) * 3 * (hidden + wide)),
        "layer_numbers": 4 * hidden + 2 * projected + heads * width + 4 * used,
    }


def _count(told: Mapping[str, Any], name: str) -> int | None:
    """A number of something; None where there is none, or what stands there is no number."""
    value = told.get(name)
    return value if is_count(value) else None
