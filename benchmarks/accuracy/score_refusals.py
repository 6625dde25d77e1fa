"""How much of what frameworks refuse `logdoctor check` knows, on shipped configurations.

    python -m benchmarks.accuracy.score_refusals FOLDER --working 150

FOLDER has projects as `scripts/preflight_page.py` reads them. The validators were drawn by chance
from all `raise` and `assert` of the frameworks' configuration code (sixteen of each framework), not
from relations; `SITES` has those that judge settings alone, and the drawing is not repeated here.
Each is broken in a shipped configuration taken by chance. One that is told counts only where a
violation that the configuration had not before has the first of the changed keys among its
settings.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from logdoctor.relations.formula import names_of
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise
from logdoctor.relations.reading import relations_path
from logdoctor.relations.relation import Relation
from logdoctor.settings.configuration import Configuration
from logdoctor.settings.files import read_configurations
from scripts.preflight_page import PROJECTS

SEED = 20261123

Values = Mapping[str, Any]


class Site(NamedTuple):
    """A check of a framework, and the settings that it refuses; None takes a setting away. `within`
    is what a configuration has that the check is for.
    """

    framework: str
    place: str
    settings: Values
    within: str = ""


R = "actor_rollout_ref.rollout"
SITES = (
    Site("verl", "trainer/ppo/v1/trainer_base.py:827", {
        "reward.reward_model.nnodes": 0, "reward.reward_model.n_gpus_per_node": 8,
        "reward.reward_model.enable_resource_pool": True}),
    Site("verl", "trainer/main_ppo_v0.py:77", {
        "reward.reward_model.n_gpus_per_node": 0, "reward.reward_model.nnodes": 1,
        "reward.reward_model.enable_resource_pool": True}),
    Site("verl", "workers/config/rollout.py:282", {f"{R}.mode": "sync"}),
    Site("verl", "workers/config/critic.py:312", {
        "critic.ppo_micro_batch_size": 1, "critic.strategy": "veomni",
        "critic.use_dynamic_bsz": False, "critic.veomni.ulysses_parallel_size": 1,
        "trainer.n_gpus_per_node": 8, "trainer.nnodes": 1}),
    Site("verl", "workers/config/optimizer.py:118", {
        "actor_rollout_ref.actor.optim.warmup_style": "linear"}),
    Site("verl", "trainer/ppo/ray_trainer.py:795", {"actor_rollout_ref.hybrid_engine": False}),
    Site("verl", "workers/config/disaggregation.py:42", {
        f"{R}.disaggregation.transfer_backend": "gloo", f"{R}.disaggregation.enabled": True}),
    Site("verl", "trainer/ppo/v1/trainer_separate_async.py:68", {
        f"{R}.checkpoint_engine.backend": "naive", "trainer.v1.trainer_mode": "separate_async"}),
    Site("verl", "workers/config/rollout.py:321", {
        f"{R}.pipeline_model_parallel_size": 2, f"{R}.name": "vllm"}),
    Site("trl_kto", "trainer/kto_trainer.py:1011", {
        "sync_ref_model": True, "precompute_ref_log_probs": True, "": "KTOConfig"}),
    Site("trl_kto", "trainer/kto_trainer.py:838", {
        "train_sampling_strategy": "random", "loss_type": "kto", "": "KTOConfig"}),
    Site("trl_dpo", "trainer/dpo_config.py:361", {
        "loss_weights": [1.0], "loss_type": ["sigmoid", "bco_pair"], "": "DPOConfig"}),
    Site("trl", "trainer/grpo_config.py:1124", {
        "per_device_eval_batch_size": 3, "num_generations": 16, "eval_strategy": "steps",
        "per_device_train_batch_size": 8, "": "GRPOConfig"}),
    Site("trl_dpo", "trainer/dpo_trainer.py:820", {
        "use_weighting": True, "loss_type": ["aot"], "": "DPOConfig"}),
    Site("trl_sft", "trainer/sft_trainer.py:1445", {
        "truncation_mode": "keep_middle", "max_length": 512, "": "SFTConfig"}),
    Site("trl", "trainer/grpo_trainer.py:3138", {"loss_type": "gspo", "": "GRPOConfig"}),
    Site("openrlhf", "cli/train_ppo_ray.py:671", {
        "vllm.enable_sleep": True, "train.async_enable": True}),
    Site("openrlhf", "cli/train_ppo_ray.py:57", {
        "actor.num_gpus_per_node": 8, "actor.num_nodes": 1, "vllm.num_engines": 3,
        "vllm.tensor_parallel_size": 2, "train.colocate_all": True,
        "train.async_enable": None, "ref.num_gpus_per_node": 8, "ref.num_nodes": 1}),
    Site("openrlhf", "cli/train_ppo_ray.py:704", {
        "algo.dynamic_filtering_enable": True, "reward.remote_url": None,
        "train.agent_func_path": None, "rollout.n_samples_per_prompt": 8}),
    Site("openrlhf", "cli/train_ppo_ray.py:677", {
        "eval.dataset": "/data/eval", "reward.remote_url": None, "train.agent_func_path": None}),
    Site("openrlhf", "cli/train_ppo_ray.py:619", {
        "data.max_images_per_prompt": 2, "critic.model_name_or_path": "/models/critic",
        "algo.advantage.estimator": "gae", "ds.packing_samples": None}),
    Site("openrlhf", "cli/train_ppo_ray.py:613", {
        "rollout.n_samples_per_prompt": 1, "algo.advantage.estimator": "rloo"}),
    Site("openrlhf", "cli/train_ppo_ray.py:674", {
        "train.partial_rollout_enable": True, "train.async_enable": None}),
    Site("openrlhf", "cli/train_ppo_ray.py:711", {
        "rollout.micro_batch_size": 64, "rollout.n_samples_per_prompt": 1,
        "rollout.batch_size": 128, "actor.num_nodes": 1, "actor.num_gpus_per_node": 8,
        "algo.advantage.estimator": "gae"}),
    Site("openrlhf", "cli/train_ppo_ray.py:110", {
        "critic.num_gpus_per_node": 4, "reward.num_gpus_per_node": 8, "critic.num_nodes": 1,
        "reward.num_nodes": 1, "train.colocate_critic_reward": True,
        "critic.model_name_or_path": "/models/critic", "algo.advantage.estimator": "gae"}),
    Site("openrlhf", "cli/train_ppo_ray.py:623", {
        "ds.packing_samples": True, "data.max_images_per_prompt": 2,
        "algo.advantage.estimator": "rloo", "rollout.n_samples_per_prompt": 8}),
    Site("openrlhf", "cli/train_ppo_ray.py:701", {
        "algo.dynamic_filtering_range": "1 0", "algo.dynamic_filtering_enable": True,
        "train.agent_func_path": "agent.py", "rollout.n_samples_per_prompt": 8}),
    Site("openrlhf", "cli/train_ppo_ray.py:707", {
        "rollout.n_samples_per_prompt": 1, "algo.dynamic_filtering_enable": True,
        "train.agent_func_path": "agent.py", "algo.advantage.estimator": "gae"}),
    Site("openrlhf", "cli/train_ppo_ray.py:695", {
        "rollout.vllm_generate_batch_size": 512, "rollout.batch_size": 128,
        "train.async_enable": None}),
    Site("openrlhf", "cli/train_ppo_ray.py:43", {
        "ref.num_gpus_per_node": 4, "actor.num_gpus_per_node": 8, "actor.num_nodes": 1,
        "ref.num_nodes": 1, "train.colocate_actor_ref": True, "algo.kl.init_coef": 0.01}),
    Site("openrlhf_sft", "cli/train_sft.py:309", {
        "data.apply_chat_template": None, "data.multiturn": True}, "train_sft"),
    Site("openrlhf_dpo", "cli/train_dpo.py:356", {
        "ds.ring_attn_size": 2, "ds.packing_samples": None}, "train_dpo"),
    Site("roll", "configs/base_config.py:272", {
        "response_length": None, "sequence_length": None}),
    Site("roll", "configs/base_config.py:681", {"is_pure_opd": True, "use_opd": True}),
    Site("roll", "configs/base_config.py:716", {
        "is_pure_opd": True, "student_train": None, "student_infer": None, "use_opd": False}),
    Site("roll", "pipeline/agentic/agentic_config.py:360", {
        "val_env_manager.max_traj_per_env": 1, "val_batch_size": 1024,
        "val_env_manager.num_env_groups": 16, "val_env_manager.group_size": 1}, "val_env_manager:"),
    Site("roll", "configs/data_args.py:81", {
        "actor_train.data_args.messages": "messages", "actor_train.data_args.prompt": "prompt"}),
    Site("areal", "engine/fsdp_engine.py:388", {
        "actor.enable_tree_training": True, "actor.backend": "fsdp:d2t2"}),
    Site("areal", "engine/megatron_utils/checkpointer.py:156", {
        "actor.megatron.ddp.use_distributed_optimizer": False, "actor.backend": "megatron:d4t2"}),
    Site("areal", "api/cli_args.py:451", {"actor.fsdp.optim_step_prefetch_layers": -1}),
    Site("areal", "api/cli_args.py:2390", {"stats_logger.trackio.mode": "offline"}),
    Site("areal", "api/cli_args.py:684", {"actor.archon.pp_layers_per_stage": 0}),
    Site("slime", "utils/arguments.py:1873", {
        "balance_by_flops": True, "use_dynamic_batch_size": None}),
    Site("slime", "backends/sglang_utils/arguments.py:198", {
        "sglang_config": "sglang.yaml", "prefill_num_servers": 1}),
    Site("slime", "utils/arguments.py:2038", {
        "only_train_params_name_list": "lm_head", "freeze_params_name_list": "embed"}),
    Site("slime", "utils/arguments.py:2058", {
        "release_train": True, "update_weight_mode": "full", "update_weight_transport": "nccl",
        "save": "/ckpt"}),
    Site("slime", "utils/arguments.py:2042", {
        "update_weight_transport": "disk", "update_weight_disk_dir": None}),
    Site("slime", "utils/arguments.py:2054", {
        "release_train": True, "save": None, "update_weight_transport": "disk",
        "update_weight_disk_dir": "/shared/weights"}),
    Site("slime", "backends/sglang_utils/arguments.py:175", {
        "rollout_num_gpus_per_engine": 3, "sglang_pp_size": 2}),
    Site("slime", "utils/arguments.py:1997", {
        "num_epoch": 3, "disable_rollout_global_dataset": True, "num_rollout": None}),
    Site("slime", "backends/sglang_utils/arguments.py:190", {
        "prefill_num_servers": 1, "rollout_external_engine_addrs": "10.0.0.1:30000"}),
    Site("slime", "utils/arguments.py:2052", {
        "release_train": True, "keep_old_actor": True, "save": "/ckpt",
        "update_weight_transport": "disk", "update_weight_disk_dir": "/shared/weights"}),
    Site("slime", "utils/arguments.py:2066", {
        "update_weight_mode": "delta", "colocate": True, "update_weight_transport": "disk",
        "update_weight_disk_dir": "/shared/weights"}),
    Site("slime", "utils/arguments.py:1771", {"rollout_temperature": 0}),
    Site("slime", "utils/arguments.py:2050", {
        "release_train": True, "advantage_estimator": "ppo", "save": "/ckpt",
        "update_weight_transport": "disk", "update_weight_disk_dir": "/shared/weights"}),
    Site("slime", "utils/arguments.py:1895", {
        "save_debug_train_data": "/debug/x.pt", "save_debug_rollout_data": "/debug/x.pt"}),
    Site("nemo_rl", "algorithms/grpo.py:226", {
        "grpo.reward_penalties.penalize_unwanted_tokens": True}),
    Site("nemo_rl", "algorithms/grpo.py:682", {
        "policy.megatron_cfg.use_fused_linear_logprobs": True, "policy.megatron_cfg.enabled": True,
        "policy.generation.top_p": 0.9, "policy.generation.top_k": None,
        "policy.sequence_packing.enabled": False}),
    Site("nemo_rl", "models/policy/lm_policy.py:352", {
        "policy.sequence_packing.enabled": True, "policy.dynamic_batching.enabled": True}),
    Site("nemo_rl", "models/policy/lm_policy.py:175", {
        "policy.dtensor_cfg.lora_cfg.enabled": True, "policy.dtensor_cfg._v2": False,
        "policy.dtensor_cfg.enabled": True}),
    Site("nemo_rl", "models/megatron/setup.py:1358", {
        "policy.megatron_cfg.optimizer.bf16": True, "policy.precision": "float32",
        "policy.megatron_cfg.enabled": True}),
    Site("nemo_rl", "models/megatron/setup.py:379", {
        "policy.reward_model_cfg.enabled": True, "policy.megatron_cfg.enabled": True}),
    Site("nemo_rl", "models/generation/vllm/config.py:272", {
        "policy.generation.refit_transport": "rdma", "policy.generation.backend": "vllm"}),
    Site("nemo_rl", "algorithms/grpo.py:388", {
        "grpo.deduplicate_multimodal_data": True, "data_plane.enabled": True,
        "policy.generation.backend": "vllm"}),
    Site("nemo_rl", "algorithms/grpo.py:1335", {
        "policy.generation.vllm_cfg.kv_cache_dtype": "fp8",
        "policy.generation.vllm_cfg.async_engine": True,
        "policy.generation.vllm_cfg.precision": "fp8", "policy.dtensor_cfg.enabled": False,
        "policy.generation.backend": "vllm"}),
    Site("megatron", "core/transformer/transformer_config.py:3216", {
        "attention_backend": "fused", "batch_invariant_mode": True, "bf16": True}),
    Site("megatron", "training/arguments.py:1210", {
        "main_grads_dtype": "bf16", "accumulate_allreduce_grads_in_fp32": True, "bf16": True}),
    Site("megatron", "training/arguments.py:1028", {
        "overlap_param_gather": True, "overlap_grad_reduce": None,
        "use_distributed_optimizer": True}),
    Site("megatron", "training/arguments.py:1002", {
        "num_layers_per_virtual_pipeline_stage": 2, "pipeline_model_parallel_size": 1,
        "num_layers": 24}),
    Site("megatron", "training/arguments.py:1981", {"moe_latent_size": 0, "num_experts": 8}),
    Site("megatron", "training/arguments.py:1067", {
        "overlap_param_gather_with_optimizer_step": True, "use_distributed_optimizer": None}),
    Site("megatron", "core/transformer/transformer_config.py:2323", {
        "decoder_last_pipeline_num_layers": 0, "pipeline_model_parallel_size": 4}),
    Site("megatron", "core/transformer/transformer_config.py:2613", {
        "expert_tensor_parallel_size": 2, "num_experts": 8, "disable_bias_linear": None}),
    Site("megatron", "training/arguments.py:95", {
        "non_persistent_ckpt_type": "local", "use_checkpoint_args": True, "load": "/ckpt"}),
    Site("megatron", "training/arguments.py:1936", {
        "fine_grained_activation_offloading": True, "transformer_impl": "local"}),
    Site("megatron", "training/arguments.py:1740", {
        "optimizer": "muon", "use_megatron_fsdp": True}),
    Site("megatron", "core/transformer/transformer_config.py:3242", {
        "moe_token_dispatcher_type": "allgather", "batch_invariant_mode": True,
        "num_experts": 8, "attention_backend": "flash", "bf16": True}),
    Site("megatron", "training/arguments.py:594", {"warmup": 100}),
    Site("megatron", "training/arguments.py:705", {"global_batch_size": 0}),
    Site("skyrl", "train/config/config.py:334", {
        "trainer.policy.torch_profiler_config.save_path": "''",
        "trainer.policy.torch_profiler_config.enable": True}),
    Site("skyrl", "train/utils/utils.py:318", {
        "trainer.policy.language_model_only": True,
        "generator.inference_engine.language_model_only": False}),
    Site("skyrl", "train/utils/utils.py:566", {
        "generator.inference_engine.distributed_executor_backend": "ray",
        "generator.inference_engine.enable_return_routed_experts": True}),
    Site("skyrl", "train/utils/utils.py:358", {
        "generator.step_wise_trajectories": True,
        "trainer.algorithm.advantage_estimator": "reinforce++"}),
    Site("skyrl", "train/utils/utils.py:286", {"trainer.max_training_steps": 0}),
    Site("skyrl", "train/config/config.py:1549", {
        "trainer.algorithm.vocab_entropy_chunk_size": -1}),
    Site("skyrl", "train/utils/utils.py:201", {
        "generator.inference_engine.backend": "sglang", "trainer.strategy": "megatron"}),
    Site("skyrl", "train/utils/utils.py:569", {
        "generator.inference_engine.enable_return_routed_experts": True,
        "trainer.strategy": "fsdp",
        "generator.inference_engine.distributed_executor_backend": "mp"}),
    Site("skyrl", "train/utils/utils.py:563", {
        "generator.inference_engine.distributed_executor_backend": "uni"}),
    Site("skyrl", "train/config/config.py:1743", {
        "data.dataloader.persistent_workers": True, "data.dataloader.num_workers": 0}),
    Site("skyrl", "train/utils/utils.py:322", {
        "trainer.ref.language_model_only": False, "trainer.policy.language_model_only": True,
        "generator.inference_engine.language_model_only": True,
        "trainer.algorithm.use_kl_loss": True}),
)  # fmt: skip
"""Of the drawn ones those that settings alone decide, as of the commits and releases in
docs/preflight.md; left out: types of values, models, data, processes, names of registered classes.
"""

LARGEST = 500_000


class Shipped(NamedTuple):
    """A configuration of a project: its file, its text, and which of the file's it is."""

    file: Path
    text: str
    number: int


def shipped(folder: Path, framework: str, base: RelationBase) -> Iterator[Shipped]:
    """The configurations below a folder that are for the framework, one of each file."""
    for file in sorted(folder.rglob("*")):
        if file.suffix not in {".sh", ".yaml", ".yml", ".py"} or not file.is_file():
            continue
        if file.stat().st_size > LARGEST:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for number, each in enumerate(read_configurations(str(file), text, file)):
            if recognise(each, base.frameworks) == framework:
                yield Shipped(file, text, number)
                break


def changed(one: Shipped, framework: str, settings: Values) -> str | None:
    """The text with these settings; None where this form of file is not changed here."""
    given = {key: value for key, value in settings.items() if key}
    if one.file.suffix in {".yaml", ".yml"}:
        return _changed_yaml(one.text, given)
    if one.file.suffix == ".py":
        return _changed_python(one.text, str(settings.get("", "")), given)
    return _changed_script(one.text, framework, given)


def _changed_yaml(text: str, settings: Values) -> str | None:
    try:
        tree = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    for key, value in settings.items():
        node, (*path, last) = tree, key.split(".")
        for part in path:
            if not isinstance(node.get(part), dict):
                node[part] = {}
            node = node[part]
        node[last] = value
    return yaml.safe_dump(tree, sort_keys=False)


def _changed_python(text: str, name: str, settings: Values) -> str | None:
    """The call of a configuration's class with other keywords."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            node.keywords = [each for each in node.keywords if each.arg not in settings]
            node.keywords += [
                ast.keyword(key, ast.Constant(value)) for key, value in settings.items()
            ]
            return ast.unparse(tree)
    return None


_PROGRAM = re.compile(
    r"verl\.trainer\.main_ppo|openrlhf\.cli\.train_\w+|(?:^|[\s/])train(?:_async)?\.py|"
    r"pretrain_\w+\.py|train_rl\.py|skyrl\.train\S*|skyrl_train\S*"
)


def _changed_script(text: str, framework: str, settings: Values) -> str | None:
    """The command with more words at its end, and without those that are taken away."""
    is_hydra = framework in {"verl", "skyrl"}
    words = []
    for key, value in settings.items():
        if is_hydra:
            words.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
            continue
        option = key if framework.startswith("openrlhf") else key.replace("_", "-")
        if value is None or value is False:
            text = re.sub(
                rf"(?m)(^|\s)--{re.escape(option)}(?:[ =][^\s\\-]\S*)?(?=\s|$|\))", r"\1", text
            )
        else:
            words.append(f"--{option}" if value is True else f"--{option} {value}")
    rows = text.split("\n")
    starts = [n for n, row in enumerate(rows) if _PROGRAM.search(row) and row.strip()[:1] != "#"]
    if not starts:
        return None
    end = starts[-1]
    while end + 1 < len(rows) and rows[end].rstrip().endswith("\\"):
        end += 1
    while end > starts[-1] and not rows[end].strip().rstrip("\\").strip():
        end -= 1
    row = re.sub(r"\s*\\$", "", rows[end].rstrip())
    found = re.search(r"\s(?:2>&1|\||>|&\s*$)", row)
    at = found.start() if found else len(row)
    rows[end] = f"{row[:at]} {' '.join(words)}{row[at:]}"
    return "\n".join(rows)


def names(relation: Relation) -> frozenset[str]:
    """The settings of a relation, conditions included."""
    formulas = [each for each in (relation.when, relation.holds) if each]
    return frozenset(name for each in formulas for name in names_of(each))


def read(one: Shipped, text: str, framework: str, base: RelationBase) -> Iterator[Configuration]:
    """The configurations in a text that are for the framework."""
    for each in read_configurations(str(one.file), text, one.file):
        if recognise(each, base.frameworks) == framework:
            yield each


def broken_by(
    configurations: Iterable[Configuration],
    framework: str,
    version: str | None,
    base: RelationBase,
) -> dict[str, frozenset[str]]:
    """The settings of each relation that they break, by its id; errors and warnings."""
    asked = Asked(framework, version, gpus=8 if framework.startswith("trl") else None)
    return {
        violation.relation.id: names(violation.relation)
        for each in configurations
        for violation in judge(each, base, asked).violations
    }


def told(site: Site, one: Shipped, version: str | None, base: RelationBase) -> bool | None:
    """Whether the broken configuration is told with its key; None where it cannot be made of this
    one: it is no whole configuration, or does not take the settings.
    """
    text = changed(one, site.framework, site.settings) if site.within in one.text else None
    if text is None:
        return None
    made = list(read(one, text, site.framework, base))
    if not any(_has(each, site.settings) for each in made):
        return None
    was = read(one, one.text, site.framework, base)
    before = broken_by(was, site.framework, version, base)
    after = broken_by(made, site.framework, version, base)
    key = next(iter(site.settings))
    return any(key in keys for name, keys in after.items() if name not in before)


def _has(configuration: Configuration, settings: Values) -> bool:
    """Whether a configuration is known to its end, with these settings."""
    unknown = configuration.unresolved.keys() & settings.keys()
    return not configuration.openings and not unknown and all(
        (key in configuration.settings) is (value is not None) or value in (None, False)
        for key, value in settings.items()
        if key
    )  # fmt: skip


def main() -> int:
    """Prints how many broken ones were told, by framework, and the alarms on working ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--working", type=int, default=150)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    base, chance = RelationBase(relations_path()), random.Random(asked.seed)  # noqa: S311
    made, found = Counter[str](), Counter[str]()
    all_shipped: list[tuple[str, str | None, Shipped]] = []
    for framework, name, release in PROJECTS:
        latest = {"verl": "0.9.1", "openrlhf": "0.11.2", "trl": "1.16.0"}
        version = latest.get(framework.partition("_")[0], release)
        configurations = list(shipped(asked.folder / name, framework, base))
        all_shipped += [(framework, release, each) for each in configurations]
        for site in (each for each in SITES if each.framework == framework):
            chance.shuffle(configurations)
            results = (told(site, each, version, base) for each in configurations)
            result = next((each for each in results if each is not None), None)
            made[framework] += 1  # one that no configuration could be made of is missed
            found[framework] += bool(result)
            print(
                f"{'told' if result else 'MISSED' if result is False else 'not made'} {site}"[:150]
            )
    chance.shuffle(all_shipped)
    alarms = [
        f"{one.file}: {name}"
        for framework, version, one in all_shipped[: asked.working]
        for name in broken_by(read(one, one.text, framework, base), framework, version, base)
    ]
    print(*alarms, sep="\n")
    for framework in made:
        print(f"{framework}: {found[framework]} of {made[framework]}")
    print(f"all: {found.total()} of {made.total()}; alarms: {len(alarms)} on {asked.working}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
