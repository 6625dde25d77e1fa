"""Frameworks themselves refuse what relations call broken, and take what they call fitting.

Each test needs the framework's own package; where it is not installed, it is skipped.
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from logdoctor.relations.reading import load_frameworks, load_relations, relations_path
from logdoctor.relations.relation import Example, Relation

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]

VERL_FILES = ("verl/utils/config.py", "verl/workers/config/")


def relations_of(framework: str) -> list[Any]:
    known = load_frameworks(relations_path())
    return [
        pytest.param(each, id=each.id)
        for each in load_relations(relations_path(), [known[framework]])
    ]


def says(relation: Relation, error: Exception) -> bool:
    """Whether an exception is the one that the relation tells, up to numbers."""
    kind, _, asserted = (relation.error or "").partition(" (assert ")
    if asserted and ": " not in kind:  # without a text: it is known by its line
        line = traceback.extract_tb(error.__traceback__)[-1].line or ""
        return type(error).__name__ == kind and asserted.rpartition(" in ")[0] in line
    kind, _, text = (relation.error or "").partition(": ")
    pattern = re.sub(r"\d+(?:\.\d+)?", r"\\d+(?:\\.\\d+)?", re.escape(text.split(" (assert")[0]))
    pattern = pattern.replace(r"\\d", r"\d").replace(r"\\.", r"\.")
    chain: list[BaseException | None] = [error]
    while chain[-1] is not None:
        chain.append(chain[-1].__cause__ or chain[-1].__context__)
    return any(type(each).__name__ == kind and re.match(pattern, str(each)) for each in chain)


def raised(drive: Callable[[Example], object], example: Example) -> Exception | None:
    """What the framework raises; None where it takes the example."""
    try:
        drive(example)
    except Exception as error:  # noqa: BLE001  # what it is, is compared
        return error
    return None


def judged(relation: Relation, drive: Callable[[Example], object]) -> None:
    """Breaking examples raise what the relation says; fitting ones do not, though another check
    may refuse the rest of them.
    """
    for example in relation.breaks:
        error = raised(drive, example)
        assert error is not None
        assert says(relation, error), repr(error)
    for example in relation.fits:
        error = raised(drive, example)
        assert error is None or not says(relation, error)


@pytest.mark.parametrize(
    "relation",
    [each for each in relations_of("trl") if each.values[0].origin.file.endswith("_config.py")],
)
def test_trl_refuses_what_is_broken(
    relation: Relation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GRPOConfig is made; only the number of processes is said to be another."""
    trl = pytest.importorskip("trl")

    def drive(example: Example) -> None:
        settings: dict[str, Any] = dict(example.settings)
        processes = settings.pop("@processes", 1)
        monkeypatch.setattr(trl.GRPOConfig, "world_size", property(lambda _: processes))
        trl.GRPOConfig(output_dir=str(tmp_path), bf16=False, use_cpu=True, **settings)

    judged(relation, drive)


def verl_configuration(settings: Mapping[str, Any], folder: Path) -> Any:
    from omegaconf import OmegaConf  # noqa: PLC0415

    engines = [settings.get(f"{each}.strategy") for each in ("actor_rollout_ref.actor", "critic")]
    engine = next((f"{each}_" for each in ("megatron", "veomni") if each in engines), "")
    name = f"_generated_ppo_{engine}trainer.yaml"
    configuration = OmegaConf.load(folder / "trainer" / "config" / name)
    given = {
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 1,
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": 1,
        "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": 1,
        "actor_rollout_ref.rollout.name": "vllm",
        "critic.ppo_micro_batch_size_per_gpu": 1,
        "critic.strategy": "fsdp",
        "trainer.nnodes": 1,
        "trainer.n_gpus_per_node": settings.get("@gpus", 1),
        **{key: value for key, value in settings.items() if key[0] != "@"},
    }
    for prefix in ("actor_rollout_ref.actor", "critic"):
        if (
            f"{prefix}.ppo_micro_batch_size" in settings
            and f"{prefix}.ppo_micro_batch_size_per_gpu" not in settings
        ):
            given[f"{prefix}.ppo_micro_batch_size_per_gpu"] = None
    OmegaConf.set_struct(configuration, False)
    for key, value in given.items():
        OmegaConf.update(configuration, key, value)
    configuration.critic.pop("model", None)  # it would be loaded
    return configuration


@pytest.mark.parametrize(
    "relation",
    [
        each
        for each in relations_of("verl")
        if each.values[0].error and each.values[0].origin.file.startswith(VERL_FILES)
    ],
)
def test_verl_refuses_what_is_broken(relation: Relation) -> None:
    """The package's own configuration goes through validate_config and the configuration classes."""
    verl = pytest.importorskip("verl")
    from verl.utils.config import omega_conf_to_dataclass, validate_config  # noqa: PLC0415

    def drive(example: Example) -> None:
        configuration = verl_configuration(example.settings, Path(verl.__file__).parent)
        use_critic = "critic." in " ".join(example.settings)
        validate_config(configuration, use_reference_policy=True, use_critic=use_critic)
        omega_conf_to_dataclass(configuration.actor_rollout_ref.rollout)
        if configuration.get("distillation"):
            omega_conf_to_dataclass(configuration.distillation)

    judged(relation, drive)


@pytest.mark.parametrize("relation", relations_of("trinity"))
def test_trinity_refuses_what_is_broken(relation: Relation) -> None:
    """Its validators judge a configuration of its own class."""
    pytest.importorskip("trinity")
    from omegaconf import OmegaConf  # noqa: PLC0415
    from trinity.common import config_validator  # noqa: PLC0415
    from trinity.common.config import Config  # noqa: PLC0415

    def drive(example: Example) -> None:
        configuration = OmegaConf.structured(Config)
        given: dict[str, Any] = dict(example.settings)
        gpus = given.pop("@gpus", None)
        given.pop("explorer.auxiliary_models.0.model_path", None)
        if gpus:
            per_node = given.get("cluster.gpu_per_node", gpus)
            given |= {"cluster.gpu_per_node": per_node, "cluster.node_num": gpus // per_node}
        is_single = given.get("mode") == "colocate"
        given.setdefault("cluster.node_num", 1 if is_single else 2)
        given.setdefault("cluster.gpu_per_node", 1 if is_single else 8)
        given.setdefault("explorer.rollout_model.engine_num", 1)
        for key, value in given.items():
            OmegaConf.update(configuration, key, value)
        made: Any = OmegaConf.to_object(configuration)
        if "model.max_model_len" in given:
            config_validator.ModelConfigValidator()._check_model_len(made)
        else:
            config_validator.RayClusterConfigValidator()._set_gpu_allocation_info(made)

    judged(relation, drive)


@pytest.mark.parametrize(
    "relation",
    [
        each
        for each in relations_of("areal")
        if each.values[0].origin.file == "areal/api/alloc_mode.py"
        and "actor.backend" in each.values[0].breaks[0].settings
    ],
)
def test_areal_refuses_what_is_broken(relation: Relation) -> None:
    """Its own parser reads the allocation."""
    pytest.importorskip("areal")
    from areal.api.alloc_mode import ModelAllocation  # noqa: PLC0415

    judged(
        relation,
        lambda example: ModelAllocation.from_str(str(example.settings["actor.backend"])),
    )


MEGATRON = {
    "num_layers": 4, "hidden_size": 64, "num_attention_heads": 8, "seq_length": 64,
    "max_position_embeddings": 64, "micro_batch_size": 1, "lr": 1e-4, "train_iters": 10,
    "lr_decay_style": "constant", "tokenizer_type": "NullTokenizer", "vocab_size": 100,
    "transformer_impl": "local", "no_gradient_accumulation_fusion": True,
}  # fmt: skip
"""What Megatron-LM takes on a machine without GPUs, where an example says nothing else."""


BESIDE: Mapping[str, Mapping[str, Any]] = {
    "batch-invariant-experts-need-all-to-all": {
        "bf16": True, "attention_backend": "flash", "disable_bias_linear": True,
        "flash_attention_version": 3, "attention_dropout": 0.0, "hidden_dropout": 0.0},
    "batch-invariant-needs-flash-attention": {"bf16": True},
    "experts-with-tensor-parallel-need-sequence-parallel": {"@processes": 8},
    "fsdp2-with-fp16": {"untie_embeddings_and_output_weights": True},
    "gather-with-step-alone": {"use_distributed_optimizer": True},
    "heads-not-multiple-of-tensor-parallel": {"@processes": 6},
    "layers-not-multiple-of-stages": {"@processes": 3},
    "parameter-gather-overlap-alone": {"use_distributed_optimizer": True},
    "query-groups-and-tensor-parallel": {
        "@processes": 6, "num_attention_heads": 24, "hidden_size": 96},
    "samples-decay-in-iterations": {"train_iters": None},
    "torch-fsdp2-with-other-optimizer": {"untie_embeddings_and_output_weights": True},
}  # fmt: skip
"""What examples need beside them, so that no other check comes first."""

OUT_OF_REACH = {"checkpoint-arguments-with-local-checkpoints": "asserted before validate_args"}


@pytest.mark.parametrize(
    "relation",
    [
        each
        for each in relations_of("megatron")
        if each.values[0].origin.file.endswith(("/arguments.py", "/transformer_config.py"))
    ],
)
def test_megatron_refuses_what_is_broken(
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own parser and validate_args read a command line, and its configuration is made of it."""
    name = relation.id.removeprefix("megatron-")
    if relation.error is None or any("@memory" in each for each in relation.breaks[0].settings):
        pytest.skip("nothing is refused")
    if name in OUT_OF_REACH:
        pytest.skip(OUT_OF_REACH[name])
    monkeypatch.setattr(typing, "override", lambda each: each, raising=False)  # of Python 3.12
    arguments = pytest.importorskip("megatron.training.arguments", exc_type=ImportError)
    cuda = importlib.import_module("torch").cuda
    h100 = SimpleNamespace(major=9, minor=0)
    monkeypatch.setattr(cuda, "get_device_capability", lambda *_: (h100.major, h100.minor))
    monkeypatch.setattr(cuda, "get_device_properties", lambda *_: h100)

    def drive(example: Example) -> None:
        given = {**MEGATRON, **BESIDE.get(name, {}), **example.settings}
        monkeypatch.setenv("WORLD_SIZE", str(given.pop("@processes", 8)))
        monkeypatch.setenv("RANK", "0")
        monkeypatch.setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1")
        words = ["pretrain_gpt.py"]
        for key, value in given.items():
            if value is not None and value is not False:
                words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
        monkeypatch.setattr(sys, "argv", words)
        read = arguments.parse_args()
        arguments.validate_args(read)
        arguments.core_transformer_config_from_args(read)

    judged(relation, drive)
