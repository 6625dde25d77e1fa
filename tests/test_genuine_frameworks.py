"""Frameworks themselves refuse what relations call broken, and take what they call fitting.

Each test needs the framework's own package; where it is not installed, it is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
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


@pytest.mark.parametrize("relation", relations_of("trl"))
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

    is_megatron = settings.get("actor_rollout_ref.actor.strategy") == "megatron"
    name = f"_generated_ppo_{'megatron_' if is_megatron else ''}trainer.yaml"
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
