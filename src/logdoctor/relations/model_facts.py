"""A model's own config.json to what relations ask of it: model_facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from logdoctor.settings.configuration import Configuration
from logdoctor.settings.values import Value, is_count

_PATHS = (
    "actor_rollout_ref.model.path", "pretrain", "model_name_or_path", "actor.model_name_or_path",
    "model.model_path", "policy.model_name", "hf_checkpoint", "trainer.policy.model.path",
    "actor.path", "models.policy.load",
)  # fmt: skip
"""Settings of frameworks that say where the model is."""

_FACTS = {
    "attention_heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "layers": "num_hidden_layers",
    "experts": "num_experts",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
}
"""Facts by their names in config.json (transformers)."""

LARGEST = 10_000_000
"""Bytes of a config.json."""


def model_facts(configuration: Configuration) -> Mapping[str, Value]:
    """What is known of the run's model, by name; empty where its folder is not on this machine."""
    for key in _PATHS:
        given = configuration.settings.get(key)
        if given and isinstance(given.value, str):
            file = Path(given.value).expanduser() / "config.json"
            if file.is_file() and file.stat().st_size <= LARGEST:
                return _facts(file)
    return {}


def _facts(file: Path) -> Mapping[str, Value]:
    try:
        told: Any = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        return {}
    told = {**told.get("text_config", {}), **told} if isinstance(told, dict) else {}
    found: dict[str, Value] = {
        name: told[key] for name, key in _FACTS.items() if key in told and is_count(told[key])
    }
    kept = _kept_of_a_token(told)
    return {**found, "kv_bytes_per_token": kept} if kept else found


def _kept_of_a_token(told: Mapping[str, Any]) -> int | None:
    """Bytes of keys and values of a token, two for each number; None where a model keeps others."""
    heads, hidden = told.get("num_attention_heads"), told.get("hidden_size")
    if "kv_lora_rank" in told or not (is_count(heads) and is_count(hidden) and heads):
        return None
    width = told.get("head_dim") or hidden // heads
    layers, kept = told.get("num_hidden_layers"), told.get("num_key_value_heads", heads)
    if not (is_count(layers) and is_count(kept) and is_count(width)):
        return None
    return 2 * int(layers) * int(kept) * int(width) * 2
