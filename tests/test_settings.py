"""The run's configuration as the log prints it, in every form; and what only looks like it."""

from __future__ import annotations

import json

import pytest

from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free."
ADVICE = " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
NESTED = {
    "rollout": {
        "tensor_model_parallel_size": 4,
        "enforce_eager": False,
        "gpu_memory_utilization": 0.9,
    }
}
FORMS = {
    "YAML": "rollout:\n  tensor_model_parallel_size: 4\n  enforce_eager: false\n  gpu_memory_utilization: 0.9",
    "dict": str(NESTED),
    "pprint": "{'rollout': {'enforce_eager': False,\n             'gpu_memory_utilization': 0.9,\n             'tensor_model_parallel_size': 4}}",
    "JSON": json.dumps(NESTED),
    "JSON over lines": json.dumps(NESTED, indent=4),
    "dataclass": "RolloutConfig(tensor_model_parallel_size=4, enforce_eager=False, gpu_memory_utilization=0.9)",
    "hydra": "['rollout.tensor_model_parallel_size=4', '+rollout.enforce_eager=False', 'rollout.gpu_memory_utilization=0.9']",
    "command line": "+ python3 -m main --tensor-model-parallel-size 4 --enforce-eager=False --gpu_memory_utilization 0.9",
    "Megatron": "  tensor_model_parallel_size ...................... 4\n  enforce_eager ................................... False\n"
    "  gpu_memory_utilization .......................... 0.9",
    "rich": "│ tensor_model_parallel_size │ 4     │\n│ enforce_eager              │ False │\n│ gpu_memory_utilization     │ 0.9   │",
    "Megatron, with types": "tensor_model_parallel_size (int) = 4\nenforce_eager (bool) = False\ngpu_memory_utilization (float) = 0.9",
}


def config_of(automaton: Automaton, text: str) -> dict[str, tuple[str, ...]]:
    return dict(scan_text(automaton, text).context.config)


@pytest.mark.parametrize(
    "prefix", ["", "(TaskRunner pid=5) ", "2026-11-21 10:00:00,123 - main - INFO - "]
)
@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read(automaton: Automaton, form: str, prefix: str) -> None:
    """Keys by the last part of their path, whatever stands before the line."""
    config = config_of(
        automaton, "".join(f"{prefix}{line}\n" for line in FORMS[form].splitlines()) + OOM
    )
    found = {
        key.rsplit(".", 1)[-1]: tuple(value.lower() for value in values)
        for key, values in config.items()
    }
    assert found == {
        "tensor_model_parallel_size": ("4",),
        "enforce_eager": ("false",),
        "gpu_memory_utilization": ("0.9",),
    }


def test_a_flag_alone_is_switched_on(automaton: Automaton) -> None:
    """On a command line; a message about one flag, or the usage, says nothing about the run."""
    assert config_of(automaton, f"torchrun train.py --enforce-eager --lr 1e-6\n{OOM}")[
        "enforce_eager"
    ] == ("True",)
    assert (
        config_of(automaton, f"main.py: error: unrecognized arguments: --enforce-eager\n{OOM}")
        == {}
    )
    assert (
        config_of(
            automaton,
            f"usage: main.py [-h] [--enforce-eager] [--gpu-memory-utilization SHARE]\n{OOM}",
        )
        == {}
    )


@pytest.mark.parametrize(
    "advice",
    [
        OOM + ADVICE,
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
        "Try setting `enforce_eager=True` or lowering the share.",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='10.0.0.9', port=8000): Max retries exceeded with url: /search",
    ],
)
def test_advice_and_errors_are_no_configuration(automaton: Automaton, advice: str) -> None:
    """What a message recommends is not how the run was started."""
    assert config_of(automaton, f"{advice}\n{OOM}") == {}
