"""Writes relations/<framework>/defaults.json from released packages and tagged sources.

    python -m scripts.framework_defaults FOLDER

FOLDER has what was unpacked of each release: `verl-0.9.1/verl/…`. Nothing of it is imported:
YAML is read as YAML, argparse's calls and dataclasses are read from the syntax. Only settings that
relations name are kept, and those that their values refer to. What is no literal is left out, and
so unknown.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from logdoctor.relations.formula import names_of
from logdoctor.relations.reading import load_frameworks, load_relations, relations_path
from logdoctor.settings.yaml_files import read_yaml

UNKNOWN = object()
REFERENCE = re.compile(r"\$\{(?:oc\.select:)?\s*([\w.]+)")


class Row(NamedTuple):
    """Where a framework keeps its defaults.

    Attributes:
        folder: begin of its folders' names, before the release.
        kind: yaml, argparse or dataclass.
        files: inside a release; of several for the same, the first that is there.
        top: the class of the whole configuration, for dataclasses.
        variants: by setting and its value, the files that count instead.
    """

    framework: str
    folder: str
    kind: str
    files: tuple[str, ...]
    top: str = ""
    variants: Mapping[str, Mapping[str, str]] = {}


_VERL = "verl/trainer/config/_generated_ppo_{}trainer.yaml"
ROWS = (
    Row("verl", "verl-", "yaml", (_VERL.format(""),), variants={
        "config_name": {
            "ppo_trainer": _VERL.format(""), "ppo_trainer.yaml": _VERL.format(""),
            "ppo_megatron_trainer": _VERL.format("megatron_"),
            "ppo_megatron_trainer.yaml": _VERL.format("megatron_"),
        },
        "model_engine": {
            "dp": _VERL.format(""), "megatron": _VERL.format("megatron_"),
            "torchtitan": _VERL.format("torchtitan_"), "veomni": _VERL.format("veomni_"),
        },
    }),
    Row("trl", "trl-", "dataclass", (
        "trl/trainer/grpo_config.py", "trl/trainer/base_config.py", "trl/trainer/utils.py",
    ), "GRPOConfig"),
    *(
        Row(f"trl_{name.lower()}", "trl-", "dataclass", (
            f"trl/trainer/{name.lower()}_config.py", "trl/trainer/base_config.py",
        ), f"{name}Config")
        for name in ("SFT", "DPO", "KTO", "RLOO")
    ),
    Row("openrlhf", "openrlhf-", "argparse", ("openrlhf/cli/train_ppo_ray.py",)),
    *(
        Row(f"openrlhf_{name}", "openrlhf-", "argparse", (f"openrlhf/cli/train_{name}.py",))
        for name in ("sft", "dpo", "rm")
    ),
    Row("slime", "slime-", "argparse", (
        "slime/utils/arguments.py", "slime/backends/sglang_utils/arguments.py",
    )),
    Row("megatron", "megatron-", "argparse", ("megatron/training/arguments.py",)),
    Row("trinity", "trinity_rft-", "dataclass", ("trinity/common/config.py",), "Config"),
    Row("areal", "areal-", "dataclass", ("areal/api/cli_args.py",), "GRPOConfig"),
    Row("roll", "roll-", "dataclass", (
        "roll/pipeline/rlvr/rlvr_config.py", "roll/configs/base_config.py",
        "roll/configs/worker_config.py", "roll/configs/generating_args.py",
        "roll/configs/training_args.py",
    ), "RLVRConfig"),
    Row("skyrl", "skyrl-", "dataclass", ("skyrl/train/config/config.py",), "SkyRLTrainConfig"),
    Row("skyrl_sft", "skyrl-", "dataclass", (
        "skyrl/train/config/sft_config.py", "skyrl/train/config/config.py",
    ), "SFTConfig"),
)  # fmt: skip


def of_yaml(files: Iterable[Path]) -> dict[str, Any]:
    """The values of the first file that is there."""
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        return {}
    read = read_yaml(file.read_text(encoding="utf-8"), None, str(file))
    return {key: each.value for key, each in read.settings.items()}


def of_argparse(files: Iterable[Path]) -> dict[str, Any]:
    """The defaults of `add_argument` calls."""
    found: dict[str, Any] = {}
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) == "add_argument":
                found.update(_argument(node))
    return {key: value for key, value in found.items() if value is not UNKNOWN}


def _argument(node: ast.Call) -> Iterator[tuple[str, Any]]:
    names = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
    keywords = {each.arg: each.value for each in node.keywords}
    if not names:
        return
    action = keywords.get("action")
    stored = {"store_true": False, "store_false": True}.get(
        str(action.value) if isinstance(action, ast.Constant) else ""
    )
    value = _literal(keywords["default"]) if "default" in keywords else stored
    longest = max(names, key=len).lstrip("-").replace("-", "_")
    yield longest, value
    if "dest" in keywords:
        yield str(_literal(keywords["dest"])), value


def of_dataclasses(files: Iterable[Path], top: str) -> dict[str, Any]:
    """The defaults of a dataclass's fields, and of those that its fields are, by dotted name."""
    classes: dict[str, ast.ClassDef] = {}
    for file in files:
        if file.is_file():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    classes.setdefault(node.name, node)
    return dict(_fields(classes, top, "", ()))


def _fields(
    classes: Mapping[str, ast.ClassDef], name: str, prefix: str, way: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    node = classes.get(name)
    if node is None or name in way:
        return
    for base in node.bases:
        yield from _fields(classes, _name(base), prefix, (*way, name))
    for each in node.body:
        if not (isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)):
            continue
        key = f"{prefix}{each.target.id}"
        made, value = _default(each.value)
        if made in classes:
            yield from _fields(classes, made, f"{key}.", (*way, name))
        elif value is not UNKNOWN:
            yield key, value


def _default(node: ast.expr | None) -> tuple[str, Any]:
    """The class that a field's factory makes, if any, and its literal default."""
    if isinstance(node, ast.Call) and _name(node.func) == "field":
        keywords = {each.arg: each.value for each in node.keywords}
        if "default_factory" in keywords:
            made = keywords["default_factory"]
            if isinstance(made, ast.Lambda) and isinstance(made.body, ast.Call):
                return "", UNKNOWN
            return _name(made), UNKNOWN
        return "", _literal(keywords["default"]) if "default" in keywords else UNKNOWN
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        return _name(node.func), UNKNOWN
    return "", _literal(node) if node is not None else UNKNOWN


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _literal(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return UNKNOWN
    if isinstance(value, list | tuple) and all(
        isinstance(each, str | int | float) for each in value
    ):
        return list(value)
    return value if value is None or isinstance(value, bool | int | float | str) else UNKNOWN


def needed(names: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of names, and of what these refer to."""
    found: dict[str, Any] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in values and name not in found:
            found[name] = values[name]
            todo += REFERENCE.findall(str(values[name]))
    return dict(sorted(found.items()))


def recorded(row: Row, folder: Path, names: frozenset[str]) -> dict[str, Any]:
    """What the file of defaults of a framework has."""
    releases = {
        each.name.removeprefix(row.folder): each
        for each in sorted(folder.glob(f"{row.folder}*"))
        if each.is_dir()
    }

    def read(root: Path, files: Iterable[str]) -> dict[str, Any]:
        paths = [root / each for each in files]
        if row.kind == "yaml":
            return needed(names, of_yaml(paths))
        if row.kind == "argparse":
            return needed(names, of_argparse(paths))
        return needed(names, of_dataclasses(paths, row.top))

    variants = {
        key: {
            value: {
                release: found
                for release, root in releases.items()
                if (found := read(root, [file]))
            }
            for value, file in files.items()
        }
        for key, files in row.variants.items()
    }
    return {
        "releases": {release: read(root, row.files) for release, root in releases.items()},
        "variants": variants,
    }


def main() -> int:
    """Writes the files; 2 where no folder is given."""
    if len(sys.argv) != 2:  # noqa: PLR2004
        print(__doc__)
        return 2
    root = relations_path()
    frameworks = load_frameworks(root)
    for row in ROWS:
        framework = frameworks.get(row.framework)
        if framework is None:
            continue
        relations = load_relations(root, [framework])
        formulas = [
            each for relation in relations for each in (relation.when, relation.holds) if each
        ]
        formulas += framework.machine.values()
        names = frozenset(name for each in formulas for name in names_of(each))
        found = recorded(row, Path(sys.argv[1]), names)
        file = root / row.framework / "defaults.json"
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        counts = (f"{each} {len(values)}" for each, values in found["releases"].items())
        print(f"{row.framework}: {', '.join(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
