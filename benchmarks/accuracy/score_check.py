"""How good `logdoctor check` is on made configurations that the frameworks themselves judge.

    python -m benchmarks.accuracy.score_check FOLDER --seed N --broken 120 --working 160

FOLDER has unpacked releases of OpenRLHF, SkyRL and Megatron Core (`openrlhf-0.11.2/openrlhf/…`);
TRL and Trinity are those installed. Configurations are drawn by chance, written as people write
them (scripts with variables, YAML, Python), and judged by the framework's own code on the values,
which says what is broken. One key of a working configuration is then given another value until
that code refuses it. Nothing of the verdict comes from relations.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from logdoctor.model import Severity
from logdoctor.relations.formula import names_of
from logdoctor.relations.judging import Asked, RelationBase, judge
from logdoctor.relations.reading import relations_path
from logdoctor.relations.relation import Judgement, Relation, Violation
from logdoctor.settings.files import read_configurations

Values = dict[str, Any]
ATTEMPTS = 400


class Framework(NamedTuple):
    """How configurations of a framework are made and judged.

    Attributes:
        choices: by setting, the values that are drawn from.
        refusal: what the framework's own code says of values; None where it takes them.
        written: values as a file: its name and text.
        version: whose defaults count; None for those that all releases share.
        gpus: setting of the number of processes, where only the user knows it.
    """

    name: str
    choices: Mapping[str, tuple[Any, ...]]
    refusal: Callable[[Values], str | None]
    written: Callable[[Values, random.Random], tuple[str, str]]
    version: str | None = None
    gpus: str | None = None


def refused(judged: Callable[[], object]) -> str | None:
    """The error of a check; None where there is none."""
    try:
        judged()
    except (AssertionError, ValueError, NotImplementedError, ZeroDivisionError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def as_script(launch: str, options: Mapping[str, str], chance: random.Random) -> str:
    """A bash script in which some values are variables, with defaults, arithmetic and an array."""
    head, words = ["#!/bin/bash", "set -x"], []
    for number, (option, value) in enumerate(options.items()):
        name, forms = f"V{number}", ["{}"]
        if value:
            forms.append(f'{name}="${{{name}:-{value}}}"')
            forms.append(f"export {name}={value}  # set by hand")
        if value.isdigit():
            half = int(value) // 2
            forms.append(f"{name}=$(({half} + {int(value) - half}))")
        form = chance.choice(forms)
        is_plain = form == "{}"
        head += [] if is_plain else [form]
        words.append(option.format(value if is_plain else f"${name}"))
    cut = len(words) // 2
    head += [f"ARGS=({' '.join(words[:cut])})", "", f'{launch} "${{ARGS[@]}}" \\']
    return "\n".join([*head, *(f"  {each} \\" for each in words[cut:])]).rstrip(" \\") + "\n"


def trl() -> Framework:
    """GRPOConfig of the installed release."""
    import trl as package  # noqa: PLC0415

    def refusal(values: Values) -> str | None:
        given = {key: each for key, each in values.items() if key != "@processes"}
        package.GRPOConfig.world_size = property(lambda _: values["@processes"])
        folder = tempfile.gettempdir()
        return refused(
            lambda: package.GRPOConfig(output_dir=folder, bf16=False, use_cpu=True, **given)
        )

    def written(values: Values, chance: random.Random) -> tuple[str, str]:
        given = {key: each for key, each in values.items() if key != "@processes"}
        if chance.random() < 0.5:  # noqa: PLR2004
            inner = "".join(f"    {key}={each!r},\n" for key, each in given.items())
            return "train.py", f"from trl import GRPOConfig\n\nargs = GRPOConfig(\n{inner})\n"
        return "grpo.yaml", "".join(f"{key}: {each}\n" for key, each in given.items())

    choices = {
        "per_device_train_batch_size": (1, 2, 4, 6, 8, 16),
        "num_generations": (1, 2, 3, 4, 6, 8, 16),
        "steps_per_generation": (1, 2, 3, 4, 8),
        "per_device_eval_batch_size": (1, 2, 4, 8),
        "eval_strategy": ("no", "steps"),
        "eval_steps": (50,),
        "@processes": (1, 2, 4, 8),
    }
    return Framework("trl", choices, refusal, written, package.__version__, "@processes")


def trinity() -> Framework:
    """The validators of the installed release."""
    from omegaconf import OmegaConf  # noqa: PLC0415
    from trinity.common import config_validator  # noqa: PLC0415
    from trinity.common.config import Config  # noqa: PLC0415

    cluster = config_validator.RayClusterConfigValidator()
    model = config_validator.ModelConfigValidator()

    def refusal(values: Values) -> str | None:
        configuration = OmegaConf.structured(Config)
        for key, each in values.items():
            OmegaConf.update(configuration, key, each)
        made: Any = OmegaConf.to_object(configuration)
        return refused(
            lambda: (
                cluster._set_gpu_allocation_info(made),  # noqa: SLF001  # the rest asks Ray
                model._check_model_len(made),  # noqa: SLF001
            )
        )

    def written(values: Values, _: random.Random) -> tuple[str, str]:
        tree: dict[str, Any] = {}
        for key, each in values.items():
            *path, last = key.split(".")
            node = tree
            for part in path:
                node = node.setdefault(part, {})
            node[last] = each
        import yaml  # noqa: PLC0415

        return "trinity.yaml", yaml.safe_dump(tree, sort_keys=False)

    choices = {
        "mode": ("both", "both", "both", "explore", "colocate"),
        "cluster.node_num": (1, 2, 4),
        "cluster.gpu_per_node": (1, 4, 8),
        "explorer.rollout_model.engine_num": (1, 2, 4, 8),
        "explorer.rollout_model.tensor_parallel_size": (1, 2, 4),
        "explorer.rollout_model.engine_type": ("vllm",),
        "trainer.ulysses_sequence_parallel_size": (1, 1, 2),
        "model.model_path": ("/models/some",),
        "model.max_model_len": (4096, 8192, 16384),
        "model.max_prompt_tokens": (1024, 2048, 4096),
        "model.max_response_tokens": (1024, 3072, 8192),
    }
    return Framework("trinity", choices, refusal, written)


def openrlhf(folder: Path) -> Framework:
    """The main block of its training program, with its own parser, and the checks of `train`."""
    file = folder / "openrlhf-0.11.2" / "openrlhf" / "cli" / "train_ppo_ray.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    main = next(each for each in tree.body if isinstance(each, ast.If))
    train = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "train"
    )
    spec = importlib.util.spec_from_file_location(
        "openrlhf_config", file.parents[1] / "utils" / "config.py"
    )
    assert spec
    assert spec.loader
    config = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(config)
    body = [each for each in main.body if not isinstance(each, ast.ImportFrom)]
    program = compile(ast.Module(body, []), str(file), "exec")
    checks = compile(ast.Module(checks_only(train.body), []), str(file), "exec")

    def refusal(values: Values) -> str | None:
        words = ["x", "--actor.model_name_or_path", "m", "--reward.model_name_or_path", "r"]
        for key, each in values.items():
            if each is True:
                words.append(f"--{key}")
            elif each is not False:
                words += [f"--{key}", *str(each).split()]
        space = {
            "argparse": argparse,
            "datetime": __import__("datetime").datetime,
            "hierarchize": config.hierarchize,
            "print": lambda *_: None,
            "train": lambda args: exec(checks, {"args": args}),  # noqa: S102
        }
        before, sys.argv = sys.argv, words
        try:
            return refused(lambda: exec(program, space))  # noqa: S102
        finally:
            sys.argv = before

    def written(values: Values, chance: random.Random) -> tuple[str, str]:
        options = {
            f"--{key}" if each is True else f"--{key} {{}}": "" if each is True else str(each)
            for key, each in values.items()
            if each is not False
        }
        launch = "python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path m"
        return "run.sh", as_script(launch, options, chance)

    choices = {
        "actor.num_nodes": (1, 1, 2),
        "actor.num_gpus_per_node": (4, 8),
        "ref.num_nodes": (1, 1, 2),
        "ref.num_gpus_per_node": (4, 8),
        "vllm.num_engines": (1, 2, 4, 8),
        "vllm.tensor_parallel_size": (1, 2, 4),
        "train.colocate_all": (True, False),
        "train.async_enable": (True, False, False),
        "train.partial_rollout_enable": (True, False, False),
        "rollout.n_samples_per_prompt": (1, 4, 8),
        "rollout.batch_size": (16, 128, 1024),
        "rollout.micro_batch_size": (1, 4, 16),
        "rollout.vllm_generate_batch_size": (16, 128, 1024),
        "algo.advantage.estimator": ("gae", "rloo", "group_norm", "reinforce"),
        "algo.kl.init_coef": (0.01,),
        "ds.packing_samples": (True, False),
    }
    return Framework("openrlhf", choices, refusal, written, "0.11.2")


def checks_only(body: list[ast.stmt]) -> list[ast.stmt]:
    """The assertions of statements, with the conditions around them."""
    found: list[ast.stmt] = []
    for each in body:
        if isinstance(each, ast.Assert):
            found.append(each)
        elif isinstance(each, ast.If):
            inner, other = checks_only(each.body), checks_only(each.orelse)
            if inner or other:
                found.append(ast.If(each.test, inner or [ast.Pass()], other))
    return [ast.fix_missing_locations(each) for each in found]


def skyrl(folder: Path) -> Framework:
    """`validate_batch_sizes` of the release, as it is."""
    file = folder / "skyrl-0.3.0" / "skyrl" / "train" / "utils" / "utils.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    function = next(
        each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.name == "validate_batch_sizes"
    )
    function.args.args[0].annotation = None
    space: dict[str, Any] = {"math": __import__("math")}
    exec(compile(ast.Module([function], []), str(file), "exec"), space)  # noqa: S102
    fixed = {
        "trainer.critic.model.path": None,
        "trainer.critic.sequence_parallel_size": 1,
        "trainer.ref.sequence_parallel_size": 1,
        "trainer.policy.sequence_parallel_size": 1,
        "trainer.micro_forward_batch_size_per_gpu": 1,
        "trainer.placement.critic_num_nodes": 1,
        "trainer.placement.critic_num_gpus_per_node": 1,
        "trainer.algorithm.use_kl_in_reward": False,
        "trainer.strategy": "fsdp",
        "trainer.critic_mini_batch_size": 1,
    }

    def refusal(values: Values) -> str | None:
        return refused(lambda: space["validate_batch_sizes"](_nested({**fixed, **values})))

    def written(values: Values, chance: random.Random) -> tuple[str, str]:
        options = {f"{key}={{}}": str(each) for key, each in values.items()}
        launch = "uv run --isolated -m skyrl.train.entrypoints.main_base"
        return "run.sh", as_script(launch, options, chance)

    choices = {
        "trainer.train_batch_size": (64, 128, 256, 1024),
        "trainer.policy_mini_batch_size": (16, 60, 64, 128, 256),
        "trainer.micro_train_batch_size_per_gpu": (1, 2, 4, 6, 8),
        "trainer.placement.policy_num_nodes": (1, 2),
        "trainer.placement.policy_num_gpus_per_node": (4, 8),
        "trainer.placement.ref_num_nodes": (1, 2),
        "trainer.placement.ref_num_gpus_per_node": (4, 8),
        "trainer.algorithm.use_kl_loss": ("false",),
        "generator.n_samples_per_prompt": (1, 4, 5, 8),
        "trainer.placement.colocate_all": ("false",),
        "trainer.placement.colocate_policy_ref": ("false",),
    }
    return Framework("skyrl", choices, refusal, written, "0.3.0")


def _nested(values: Mapping[str, Any]) -> SimpleNamespace:
    root = SimpleNamespace()
    for key, each in values.items():
        *path, last = key.split(".")
        node = root
        for part in path:
            if not hasattr(node, part):
                setattr(node, part, SimpleNamespace())
            node = getattr(node, part)
        setattr(node, last, False if each == "false" else each)
    return root


def megatron(folder: Path) -> Framework:
    """TransformerConfig and the calculator of micro batches of Megatron Core."""
    sys.path.insert(0, str(folder / "megatron_core-0.16.1"))
    calculator = import_module("megatron.core.num_microbatches_calculator")
    transformer = import_module("megatron.core.transformer.transformer_config")

    def refusal(values: Values) -> str | None:
        tensor, stages = (values[f"{each}_model_parallel_size"] for each in ("tensor", "pipeline"))
        ranks = values["@processes"]

        def judged() -> None:
            assert ranks % (tensor * stages) == 0, "world size"
            assert values["num_layers"] % stages == 0, "layers"
            transformer.TransformerConfig(
                num_layers=values["num_layers"],
                hidden_size=values["hidden_size"],
                num_attention_heads=values["num_attention_heads"],
                num_query_groups=values["num_query_groups"],
                tensor_model_parallel_size=tensor,
                pipeline_model_parallel_size=stages,
                pipeline_dtype=__import__("torch").bfloat16,
            )
            calculator.ConstantNumMicroBatchesCalculator(
                values["global_batch_size"],
                values["micro_batch_size"],
                ranks // (tensor * stages),
                decrease_batch_size_if_needed=False,
                rank=1,
            )

        return refused(judged)

    def written(values: Values, chance: random.Random) -> tuple[str, str]:
        given = {key: each for key, each in values.items() if key != "@processes"}
        options = {f"--{key.replace('_', '-')} {{}}": str(each) for key, each in given.items()}
        options["--group-query-attention"] = ""
        ranks = values["@processes"]
        launch = f"torchrun --nproc_per_node {min(8, ranks)} --nnodes {max(1, ranks // 8)}"
        return "pretrain.sh", as_script(f"{launch} pretrain_gpt.py", options, chance)

    choices = {
        "tensor_model_parallel_size": (1, 2, 3, 4, 8),
        "pipeline_model_parallel_size": (1, 2, 3, 4),
        "num_layers": (24, 30, 32),
        "hidden_size": (2048, 4096),
        "num_attention_heads": (8, 16, 32),
        "num_query_groups": (4, 6, 8),
        "micro_batch_size": (1, 2, 4),
        "global_batch_size": (60, 64, 128, 512),
        "seq_length": (2048,),
        "max_position_embeddings": (4096,),
        "@processes": (4, 8, 16, 32),
    }
    return Framework("megatron", choices, refusal, written)


def drawn(framework: Framework, chance: random.Random) -> Values:
    """A configuration that the framework takes."""
    for _ in range(100 * ATTEMPTS):
        values = {key: chance.choice(each) for key, each in framework.choices.items()}
        if framework.refusal(values) is None:
            return values
    raise RuntimeError(f"{framework.name}: nothing that is drawn works")


def broken(framework: Framework, values: Values, chance: random.Random) -> tuple[Values, str]:
    """The same with one key given another value that the framework refuses, and that key."""
    for _ in range(ATTEMPTS):
        key = chance.choice([each for each in values if len(set(framework.choices[each])) > 1])
        other = {**values, key: chance.choice(framework.choices[key])}
        if framework.refusal(other) is not None:
            return other, key
    return broken(framework, drawn(framework, chance), chance)


def judgement(
    framework: Framework, values: Values, chance: random.Random, base: RelationBase
) -> tuple[Judgement, str]:
    """What relations say of the values as a file, and that file."""
    name, text = framework.written(values, chance)
    gpus = values[framework.gpus] if framework.gpus else None
    asked = Asked(framework.name, framework.version, gpus=gpus)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        configurations = read_configurations(name, text, file)
    return judge(configurations[0], base, asked), text


def named_by(relation: Relation) -> Iterator[str]:
    """The settings of a relation, conditions included."""
    for formula in (relation.when, relation.holds):
        yield from names_of(formula) if formula else ()


class Scoring:
    """Counts what is said of configurations that are drawn by chance, by framework."""

    def __init__(self, base: RelationBase, chance: random.Random, is_shown: bool) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._base, self._chance, self._is_shown = base, chance, is_shown

    def take_broken(self, framework: Framework) -> None:
        """Draws one that the framework refuses: `right`, `found` by another key, or `missed`."""
        values, key = broken(framework, drawn(framework, self._chance), self._chance)
        found, text = judgement(framework, values, self._chance, self._base)
        errors = _errors(found)
        names = {name for each in errors for name in named_by(each.relation)}
        facts = {"@gpus", "@processes", "@available_gpus"} & names
        is_right = key in names or (facts and ("gpu" in key or "node" in key or key[0] == "@"))
        self.counts[framework.name]["right" if is_right else "found" if errors else "missed"] += 1
        if self._is_shown and not is_right:
            print(framework.name, key, framework.refusal(values), sorted(names), text, sep="\n  ")

    def take_working(self, framework: Framework) -> None:
        """Draws one that the framework takes: `quiet`, or an `alarm`."""
        values = drawn(framework, self._chance)
        found, text = judgement(framework, values, self._chance, self._base)
        errors = _errors(found)
        self.counts[framework.name]["alarm" if errors else "quiet"] += 1
        if self._is_shown and errors:
            print("ALARM", framework.name, [each.because.en for each in errors], text, sep="\n  ")


def _errors(found: Judgement) -> list[Violation]:
    return [each for each in found.violations if each.relation.severity is Severity.ERROR]


def main() -> int:
    """Prints for each framework how many broken ones were named with their key, and alarms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", type=int, default=120)
    parser.add_argument("--working", type=int, default=160)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    base = RelationBase(relations_path())
    makers: list[Callable[[], Framework]] = [
        trl,
        trinity,
        lambda: openrlhf(asked.folder),
        lambda: skyrl(asked.folder),
        lambda: megatron(asked.folder),
    ]
    frameworks = [each() for each in makers]
    scoring = Scoring(base, random.Random(asked.seed), asked.show)  # noqa: S311  # for repetition
    for number in range(asked.broken):
        scoring.take_broken(frameworks[number % len(frameworks)])
    for number in range(asked.working):
        scoring.take_working(frameworks[number % len(frameworks)])
    for name, each in scoring.counts.items():
        told = each["right"] + each["found"] + each["missed"]
        print(
            f"{name}: {each['right']} of {told} named with the key, {each['found']} otherwise, "
            f"{each['missed']} missed; {each['alarm']} alarms on {each['alarm'] + each['quiet']}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
