"""Frameworks themselves refuse what relations call broken, and take what they call fitting.

Each test needs the framework's own package; where it is not installed, it is skipped.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import re
import sys
import traceback
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.accuracy.score_check import checks_only
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


TRL = {
    "trl": "GRPOConfig", "trl_rloo": "RLOOConfig", "trl_dpo": "DPOConfig", "trl_kto": "KTOConfig",
    "trl_sft": "SFTConfig",
}  # fmt: skip
"""The class that configures each of TRL's trainers."""


@pytest.mark.parametrize(
    "relation",
    [
        each
        for framework in TRL
        for each in relations_of(framework)
        if each.values[0].origin.file.endswith("_config.py")
    ],
)
def test_trl_refuses_what_is_broken(
    relation: Relation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration is made; only the number of processes is said to be another."""
    trl = pytest.importorskip("trl")
    configuration = getattr(trl, TRL[relation.framework])

    def drive(example: Example) -> None:
        settings: dict[str, Any] = dict(example.settings)
        if relation.origin.file.endswith("model_config.py"):
            trl.ModelConfig(**settings)
            return
        processes = settings.pop("@processes", 1)
        monkeypatch.setattr(configuration, "world_size", property(lambda _: processes))
        configuration(output_dir=str(tmp_path), bf16=False, use_cpu=True, **settings)

    judged(relation, drive)


@pytest.mark.parametrize("relation", relations_of("transformers"))
def test_transformers_refuses_what_is_broken(relation: Relation, tmp_path: Path) -> None:
    """TrainingArguments is made, on the processor, where bf16 goes too."""
    transformers = pytest.importorskip("transformers")

    def drive(example: Example) -> None:
        settings: dict[str, Any] = dict(example.settings)
        settings.setdefault("bf16", False)
        transformers.TrainingArguments(output_dir=str(tmp_path), use_cpu=True, **settings)

    judged(relation, drive)


OPENRLHF = {
    "openrlhf": "train_ppo_ray", "openrlhf_sft": "train_sft", "openrlhf_dpo": "train_dpo",
    "openrlhf_rm": "train_rm",
}  # fmt: skip
"""OpenRLHF's programs."""

OPENRLHF_BESIDE: Mapping[str, Mapping[str, Any]] = {
    "openrlhf-batches-below-actors": {"algo.advantage.estimator": "gae"},
    "openrlhf-colocate-engines-sizes": {"ref.num_gpus_per_node": 8},
    "openrlhf-dynamic-filtering-needs-rewards": {"rollout.n_samples_per_prompt": 8},
    "openrlhf-dynamic-filtering-one-sample": {"train.agent_func_path": "agent.py"},
    "openrlhf-images-with-packing": {"algo.advantage.estimator": "reinforce"},
}
"""What examples need beside them, so that no other check comes first."""


def own_file(package: str, file: str) -> Any:
    """A module of a package by its file, without the package around it."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"no {package}")
    name = f"{package}_{Path(file).stem}"
    path = Path(found.submodule_search_locations[0]) / file
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def openrlhf_program(name: str) -> Callable[[list[str]], None]:
    """The main block of a program with its own parser, and the assertions of what it calls."""
    config = own_file("openrlhf", "utils/config.py")
    file = Path(str(config.__file__)).parents[1] / "cli" / f"{name}.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    main = next(each for each in tree.body if isinstance(each, ast.If))
    train = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "train"
    )
    body = [each for each in main.body if not isinstance(each, ast.ImportFrom)]
    program = compile(ast.Module(body, []), str(file), "exec")
    checks = compile(ast.Module(checks_only(train.body), []), str(file), "exec")
    space = {
        "argparse": argparse,
        "datetime": datetime,
        "hierarchize": config.hierarchize,
        "print": lambda *_: None,
        "train": lambda args: exec(checks, {"args": args}),
    }
    return lambda words: exec(program, {**space, "words": words})


@pytest.mark.parametrize(
    "relation",
    [
        each
        for framework in OPENRLHF
        for each in relations_of(framework)
        if not each.values[0].id.endswith("-exceeds-memory")
    ],
)
def test_openrlhf_refuses_what_is_broken(
    relation: Relation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own parser reads a command line, and the main block judges it."""
    program = openrlhf_program(OPENRLHF[relation.framework])

    def drive(example: Example) -> None:
        words = ["x"]
        models = {"actor.model_name_or_path": "m", "reward.model_name_or_path": "r"}
        if relation.framework != "openrlhf":
            models = {"model.model_name_or_path": "m"}
        given = {**models, **OPENRLHF_BESIDE.get(relation.id, {}), **example.settings}
        for key, value in given.items():
            if value is not None and value is not False:
                words += [f"--{key}", *([] if value is True else str(value).split())]
        monkeypatch.setattr(sys, "argv", words)
        program(words)

    judged(relation, drive)


TEACHER = {
    "distillation.teacher_models.teacher_model.model_path": "m", "distillation.nnodes": 1,
}  # fmt: skip

VERL_BESIDE: Mapping[str, Mapping[str, Any]] = {
    "verl-megatron-optimizer-dtype-unknown": {"actor_rollout_ref.actor.strategy": "megatron"},
    "verl-teacher-context-too-short": TEACHER,
    "verl-teacher-tells-too-few-logprobs": TEACHER,
}
"""What examples need beside them, so that no other check comes first."""


def verl_configuration(settings: Mapping[str, Any], folder: Path) -> Any:
    from omegaconf import OmegaConf  # noqa: PLC0415

    engines = [settings.get(f"{each}.strategy") for each in ("actor_rollout_ref.actor", "critic")]
    known = ("megatron", "veomni", "torchtitan")
    named = {part for key in settings for part in key.split(".")}
    engine = next((f"{each}_" for each in known if each in engines or each in named), "")
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
        given = {**VERL_BESIDE.get(relation.id, {}), **example.settings}
        configuration = verl_configuration(given, Path(verl.__file__).parent)
        use_critic = "critic." in " ".join(example.settings)
        validate_config(configuration, use_reference_policy=True, use_critic=use_critic)
        omega_conf_to_dataclass(configuration.actor_rollout_ref.rollout)
        if any(key.startswith("actor_rollout_ref.ref.torchtitan") for key in given):
            omega_conf_to_dataclass(configuration.actor_rollout_ref.ref.torchtitan)
        if configuration.get("distillation"):
            omega_conf_to_dataclass(configuration.distillation)

    judged(relation, drive)


TRINITY = {
    "trinity-concurrent-mode-unknown": "ExplorerConfigValidator",
    "trinity-mode-unknown": "GlobalConfigValidator",
    "trinity-over-rollout-share": "ExplorerConfigValidator",
    "trinity-over-rollout-with-fixed-steps": "ExplorerConfigValidator",
    "trinity-sync-interval-out-of-range": "SynchronizerConfigValidator",
}
"""The validators of settings that are not about GPUs or lengths."""


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
        if relation.id in TRINITY:
            getattr(config_validator, TRINITY[relation.id])().validate(made)
        elif "model.max_model_len" in given:
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


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by dotted name as the mappings in each other that they are."""
    made: dict[str, Any] = {}
    for key, value in settings.items():
        *path, last = key.split(".")
        within = made
        for each in path:
            within = within.setdefault(each, {})
        within[last] = value
    return made


@pytest.mark.parametrize(
    "relation",
    [
        each
        for each in relations_of("areal")
        if each.values[0].origin.version == "cbff54d64"
        and each.values[0].origin.file == "areal/api/cli_args.py"
    ],
)
def test_areal_refuses_settings(relation: Relation) -> None:
    """Its configuration of PPO is made; what must be given and decides nothing is."""
    pytest.importorskip("areal")
    from areal.api.cli_args import PPOConfig  # noqa: PLC0415
    from omegaconf import OmegaConf  # noqa: PLC0415

    def drive(example: Example) -> None:
        beside = {"actor.backend": "fsdp:d1", "rollout.backend": "sglang:d1"}
        given = OmegaConf.create(nested({**beside, **example.settings}))
        made: Any = OmegaConf.merge(OmegaConf.structured(PPOConfig), given)
        for key in OmegaConf.missing_keys(made):
            OmegaConf.update(made, key, "x")
        OmegaConf.to_object(made)

    judged(relation, drive)


PROFILED = {"trainer.policy.torch_profiler_config.save_path": "/traces"}
SMALL = {
    "trainer.policy_mini_batch_size": 1, "trainer.micro_train_batch_size_per_gpu": 1,
    "trainer.placement.policy_num_gpus_per_node": 1,
}  # fmt: skip
APART = {"trainer.placement.colocate_all": False}
ADAPTED = {"trainer.policy.model.lora.rank": 8}
MP = {"generator.inference_engine.distributed_executor_backend": "mp"}

SKYRL_BESIDE: Mapping[str, Mapping[str, Any]] = {
    "batch-per-gpu-not-multiple-of-critic-mini-batch": {"trainer.policy_mini_batch_size": 20},
    "critic-mini-batch-per-gpu-not-multiple-of-micro": {"trainer.train_batch_size": 1280},
    "enable-pd-needs-num-engines-at-least-2": {"generator.inference_engine.num_prefill": 1},
    "enable-return-routed-experts-needs-moe-enable-routing-replay": {
        **MP, "trainer.strategy": "megatron"},
    "fake-int4-qat-enabled-needs-strategy-megatron": ADAPTED,
    "fake-int4-qat-enabled-with-merge-lora": {**ADAPTED, "trainer.strategy": "megatron"},
    "fewer-samples-than-data-parallel-ranks": {
        "trainer.policy_mini_batch_size": 8, "trainer.micro_train_batch_size_per_gpu": 1,
        "trainer.placement.colocate_policy_ref": False, **APART},
    "model-path-needs-train-batch-size-at-least-critic-mini-batch": SMALL,
    "model-path-needs-train-batch-size-divisible-by-critic-mini": SMALL,
    "offload-kv-for-weight-sync-needs-lora-rank-0": APART,
    "offload-kv-for-weight-sync-with-weight-sync-backend-delta": APART,
    "routed-experts-need-megatron": MP,
    "routing-replay-with-fused-router": {
        **MP, "generator.inference_engine.enable_return_routed_experts": True,
        "trainer.policy.megatron_config.moe_enable_routing_replay": True},
    "step-wise-trajectories-with-advantage-estimator": {"trainer.critic.model.path": "m"},
    **dict.fromkeys(
        ("profiler-export-unknown", "profiler-never-active", "profiler-schedule-negative",
         "profiler-stacks-without-stack", "profiler-with-swapped-weights"), PROFILED),
}  # fmt: skip
"""What examples need beside them, so that no other check comes first."""


SKYRL_OUT_OF_REACH = {
    "skyrl-enable-pd-needs-num-engines-at-least-2": "the number of prefill engines is asked first",
    "skyrl-language-model-only-differs-in-reference": "what fits it is refused for the policy",
}


@pytest.mark.parametrize(
    "relation",
    [
        each
        for framework in ("skyrl", "skyrl_sft")
        for each in relations_of(framework)
        if each.values[0].origin.version == "a9564572e" and each.id not in SKYRL_OUT_OF_REACH
    ],
)
def test_skyrl_refuses_what_is_broken(relation: Relation) -> None:
    """Its configurations are made of overrides, and validated as its programs do."""
    pytest.importorskip("skyrl")
    from skyrl.train.config import SkyRLTrainConfig, sft_config  # noqa: PLC0415
    from skyrl.train.utils import utils  # noqa: PLC0415

    def drive(example: Example) -> None:
        given = {key: value for key, value in example.settings.items() if key[0] != "@"}
        if relation.framework == "skyrl_sft":
            gpus = example.settings.get("@gpus", 4)
            given = {"placement.num_gpus_per_node": gpus, **given}
            sft_config.validate_sft_cfg(sft_config.SFTConfig.from_cli_overrides(given))
            return
        beside = {"trainer.policy.model.path": "m", "trainer.logger": "console"}
        beside |= SKYRL_BESIDE.get(relation.id.removeprefix("skyrl-"), {})
        made = SkyRLTrainConfig.from_cli_overrides({**beside, **given})
        utils._apply_mtp_config(made)
        utils.validate_cfg(made)

    judged(relation, drive)


MULTI_NODE = {
    "slurm.job_name": "j", "deployment.num_train_nodes": 1,
    "inference.vllm.tensor_parallel_size": 1,
}  # fmt: skip
CACHE = {"inference.kv_cache_offload.cpu.num_bytes": 1}

PRIME_BESIDE: Mapping[str, Mapping[str, Any]] = {
    "cache-offload-needs-prefix-caching": CACHE,
    "expert-inference-splits-node": MULTI_NODE,
    "inference-nodes-differ": MULTI_NODE,
    "nodes-not-whole-fsdp-groups": MULTI_NODE,
    "quantized-transfer-needs-custom-model": {"inference.vllm.tensor_parallel_size": 1},
    "router-replay-with-cache-offload": CACHE,
}
"""What examples need beside them, so that no other check comes first."""

PRIME_OUT_OF_REACH = {
    "prime-rl-cp-above-1-needs-attn": "what it refuses is refused by the type before",
    "prime-rl-sft-evaluation-again-needs-files": "an evaluation needs an environment's package",
    "prime-rl-sft-inference-gpus-not-multiple-of-tensor-parallel": "the same",
    "prime-rl-sft-nixl-broadcast": "the same",
    "prime-rl-sft-no-nodes-for-evaluation": "the same",
}


def beside_model(given: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """What a model of prime-rl must have for its other settings to be judged."""
    made: dict[str, Any] = {}
    if any(key.startswith(f"{prefix}vlm.") for key in given):
        made |= {"vlm.vision_encoder_attr": "a", "vlm.language_model_attr": "b", "impl": "custom"}
        made |= {"optimization_dtype": "bfloat16", "reduce_dtype": "bfloat16"}
    if given.get(f"{prefix}impl") == "hf" and "attn" not in str(given):
        made["attn"] = "flash_attention_2"
    if any(f"{prefix}{each}" in given for each in ("full_offload", "fsdp_cpu_offload")):
        made["optim_cpu_offload"] = False
    return {f"{prefix}{key}": value for key, value in made.items()}


@pytest.mark.parametrize(
    "relation",
    [
        each
        for framework in ("prime_rl", "prime_rl_sft")
        for each in relations_of(framework)
        if each.id not in PRIME_OUT_OF_REACH
    ],
)
def test_prime_rl_refuses_what_is_broken(relation: Relation) -> None:
    """Its configuration classes validate what a TOML file would say."""
    rl = pytest.importorskip("prime_rl.configs.rl")
    sft = pytest.importorskip("prime_rl.configs.sft")
    from pydantic import ValidationError  # noqa: PLC0415

    is_sft = relation.framework == "prime_rl_sft"
    beside: dict[str, Any] = {} if is_sft else {"orchestrator.seq_len": 2048}
    beside |= PRIME_BESIDE.get(relation.id.removeprefix("prime-rl-"), {})

    def drive(example: Example) -> None:
        model = beside_model(example.settings, "model." if is_sft else "trainer.model.")
        trainer = {} if is_sft else {"trainer.optim.lr": 1e-5}
        given = nested({**trainer, **beside, **model, **example.settings})
        try:
            (sft.SFTConfig if is_sft else rl.RLConfig).model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            raise first.get("ctx", {}).get("error") or ValueError(first["msg"]) from None

    judged(relation, drive)


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
    "torch-fsdp2-with-other-optimizer": {
        "untie_embeddings_and_output_weights": True, "$CUDA_DEVICE_MAX_CONNECTIONS": 8},
    "distribute-saved-activations-needs-recompute-granularity-full": {
        "tensor_model_parallel_size": 2},
    "distribute-saved-activations-needs-recompute-method": {
        "tensor_model_parallel_size": 2, "recompute_granularity": "full"},
    **{
        f"overlap-moe-expert-parallel-comm-{rest}": {
            "num_experts": 8, "expert_model_parallel_size": 2, "bf16": True,
            "moe_token_dispatcher_type": "alltoall", "disable_bias_linear": True,
            **more}
        for rest, more in (
            ("needs-no-mtp-num-layers", {
                "position_embedding_type": "rope", "no_rope_fusion": True}),
            ("with-moe-shared-expert", {}),
            ("with-recompute-granularity", {
                "recompute_method": "uniform", "recompute_num_layers": 1}),
            ("with-recompute-method", {}),
            ("with-recompute-num-layers", {}))},
    "overlap-moe-expert-parallel-comm-needs-moe-token-dispatcher": {
        "num_experts": 8, "expert_model_parallel_size": 2, "bf16": True,
        "disable_bias_linear": True},
    "overlap-moe-expert-parallel-comm-needs-bf16-or-fp16": {
        "num_experts": 8, "expert_model_parallel_size": 2,
        "moe_token_dispatcher_type": "alltoall", "disable_bias_linear": True},
    "distribute-saved-activations-with-sequence-parallel": {
        "tensor_model_parallel_size": 2, "recompute_granularity": "full",
        "recompute_method": "uniform", "recompute_num_layers": 1},
    "enable-mhc-connections-with-fp32-residual-connection": {"bf16": True},
    "enable-mhc-connections-with-mtp-num-layers": {"position_embedding_type": "rope"},
    "enable-mhc-connections-with-recompute-granularity-full": {
        "recompute_method": "uniform", "recompute_num_layers": 1},
    "moe-layer-recompute-with-recompute-granularity-full": {
        "recompute_method": "uniform", "recompute_num_layers": 1},
    "moe-enable-deepep-with-moe-flex-dispatcher-backend-hybridep": {
        "moe_token_dispatcher_type": "flex"},
    "moe-router-padding-for-quantization-with-moe-token-dispatcher": {"fp8_format": "hybrid"},
    "recompute-granularity-needs-recompute-num-layers": {"recompute_method": "uniform"},
    "batch-invariant-mode-needs-context-parallel-size-1": {
        "bf16": True, "attention_backend": "flash", "flash_attention_version": 3,
        "seq_length": 64, "@processes": 2},
    "ckpt-convert-format-needs-load": {"ckpt_convert_save": "x"},
    "hybrid-context-parallel-with-use-megatron-fsdp": {
        "$CUDA_DEVICE_MAX_CONNECTIONS": 8, "ckpt_format": "fsdp_dtensor"},
    "save-params-interval-with-overlap-param-gather": {
        "use_distributed_optimizer": True, "overlap_grad_reduce": True, "save_interval": 10},
    "weight-decay-incr-style-constant-needs-end-weight-decay": {"start_weight_decay": 0.1},
    "init-model-with-meta-device-with-data-parallel-sharding": {
        "$CUDA_DEVICE_MAX_CONNECTIONS": 8, "ckpt_format": "fsdp_dtensor"},
    "lr-warmup-fraction-needs-lr-warmup-samples-0": {"train_iters": None},
    "replication-needs-non-persistent-ckpt-type-local": {"replication_jump": 2},
    "save-retain-interval-needs-save-retain-interval-above-0": {"save_interval": 10},
    "train-samples-needs-lr-warmup-iters-0": {"train_iters": None},
    "use-megatron-fsdp-needs-ckpt-format-fsdp-dtensor": {"$CUDA_DEVICE_MAX_CONNECTIONS": 8},
    "use-torch-fsdp2-needs-ckpt-format": {
        "$CUDA_DEVICE_MAX_CONNECTIONS": 8},
}  # fmt: skip
"""What examples need beside them, so that no other check comes first."""

OUT_OF_REACH = {
    "checkpoint-arguments-with-local-checkpoints": "asserted before validate_args",
    "moe-single-grouped-bias-needs-moe-use-grouped-tensor": "needs Transformer Engine",
    "moe-single-grouped-weight-needs-moe-use-grouped-tensor": "needs Transformer Engine",
}


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
        connections = given.pop("$CUDA_DEVICE_MAX_CONNECTIONS", 1)
        monkeypatch.setenv("CUDA_DEVICE_MAX_CONNECTIONS", str(connections))
        words = ["pretrain_gpt.py"]
        for key, value in given.items():
            if value is not None and value is not False:
                words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
        monkeypatch.setattr(sys, "argv", words)
        read = arguments.parse_args()
        arguments.validate_args(read)
        arguments.core_transformer_config_from_args(read)

    judged(relation, drive)
