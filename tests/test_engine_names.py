"""Remedies for the inference engine speak of the keys of the framework that starts it."""

import pytest

from logdoctor.formats.engine_keys import ENGINE_KEYS
from logdoctor.formats.rows import EngineKey
from logdoctor.model import LocalText, RunContext
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.engine_names import keys_of, named_too

ALL_KEYS = [(name, row) for name, rows in ENGINE_KEYS.items() for row in rows.values()]
SHARE = LocalText("Lower gpu_memory_utilization by 0.1.", "把 gpu_memory_utilization 降低 0.1。")


def told(action: str, *frameworks: str, settings: tuple[str, ...] = ()) -> str:
    context = RunContext(frameworks=frameworks)
    return named_too(LocalText(action, action), context, settings).en.removeprefix(action)


@pytest.mark.parametrize(("framework", "row"), ALL_KEYS, ids=str)
def test_every_key_is_said_for_its_option(framework: str, row: EngineKey) -> None:
    assert row.key in told(f"Change {row.option}.", framework)


@pytest.mark.parametrize(
    "action",
    [
        "Lower gpu_memory_utilization.",
        "Lower --gpu-memory-utilization to 0.8.",
        "Lower `gpu_memory_utilization` (vLLM), or gpu_memory_utilization=0.5.",
    ],
)
def test_an_option_is_known_in_any_spelling(action: str) -> None:
    assert told(action, "verl", "vllm") == (
        " In verl: actor_rollout_ref.rollout.gpu_memory_utilization."
    )


@pytest.mark.parametrize(
    "action",
    [
        "Lower actor_rollout_ref.rollout.gpu_memory_utilization.",
        "Lower --vllm_gpu_memory_utilization.",
        "Read docs/gpu_memory_utilization.md.",
        "Use more memory.",
    ],
)
def test_what_is_no_option_by_itself_is_left_alone(action: str) -> None:
    assert told(action, "verl") == ""


def test_both_languages_say_it() -> None:
    said = named_too(SHARE, RunContext(frameworks=("verl",)), ())
    assert said.zh == SHARE.zh + "在 verl 中：actor_rollout_ref.rollout.gpu_memory_utilization。"


def test_two_options_of_one_key_are_said_once() -> None:
    action = "Lower gpu_memory_utilization (vLLM) or mem_fraction_static (SGLang)."
    assert told(action, "verl") == " In verl: actor_rollout_ref.rollout.gpu_memory_utilization."


def test_what_the_setting_below_says_is_not_said_again() -> None:
    key = "actor_rollout_ref.rollout.gpu_memory_utilization"
    assert told(SHARE.en, "verl", settings=(key,)) == ""


def test_the_outermost_framework_counts() -> None:
    assert keys_of(("vllm", "verl", "trinity")) is ENGINE_KEYS["trinity"]


def test_an_engine_by_itself_has_its_own_names() -> None:
    assert told(SHARE.en, "vllm", "ray") == ""


TOO_LONG = """\
{head}
(WorkerDict pid=311) Traceback (most recent call last):
(WorkerDict pid=311)   File "/usr/lib/python3/dist-packages/vllm/v1/engine/core.py", line 91, in x
(WorkerDict pid=311)     raise ValueError(
(WorkerDict pid=311) ValueError: To serve at least one request with the models's max seq len \
(32768), (1.75 GiB KV cache is needed, which is larger than the available KV cache memory \
(1.31 GiB). Based on the available memory, the estimated maximum model length is 24496. Try \
increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.
"""


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("python3 -m verl.trainer.main_ppo", "actor_rollout_ref.rollout.max_model_len"),
        ("INFO the engine starts", "max_model_len"),
    ],
)
def test_a_setting_to_change_has_the_framework_s_key(
    automaton: Automaton, head: str, key: str
) -> None:
    remedies = scan_text(automaton, TOO_LONG.format(head=head)).diagnoses[0].remedies
    keys = {change.key for remedy in remedies for change in remedy.changes}
    assert key in keys
