"""Lists where frameworks refuse settings, and which of these places relations know.

    python -m scripts.list_refusals FOLDER
    python -m scripts.list_refusals FOLDER --framework verl --show open
    python -m scripts.list_refusals FOLDER --draw 40 --seed 1

FOLDER has what was unpacked of each framework, named `<framework>-<release>`: `verl-0.9.1/verl/…`.
Nothing of it is imported. A place is a `raise` or `assert` in the files that FILES names; one is
*covered* where a relation of the framework names its line as its source, or has its text as the
error; *open* where it looks as if settings alone decided it; else *beyond* (by what its conditions
call, this is a guess: files, models, devices, data, types).
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdoctor.relations.reading import load_frameworks, load_relations, relations_path
from logdoctor.relations.relation import Relation

FILES: dict[str, tuple[str, ...]] = {
    "verl": (
        "verl/utils/config.py", "verl/workers/config/*.py", "verl/trainer/main_ppo*.py",
        "verl/trainer/config/*.py", "verl/trainer/ppo/ray_trainer.py",
        "verl/trainer/ppo/v1/trainer*.py"),
    "trl": ("trl/trainer/*_config.py", "trl/trainer/*_trainer.py"),
    "vllm": ("vllm/config/*.py", "vllm/engine/arg_utils.py"),
    "sglang": ("sglang/srt/server_args.py", "sglang/srt/arg_groups/*.py"),
    "openrlhf": ("openrlhf/cli/train_*.py",),
    "megatron": (
        "megatron/training/arguments.py", "megatron/core/transformer/transformer_config.py",
        "megatron/core/model_parallel_config.py", "megatron/core/optimizer_param_scheduler.py",
        "megatron/core/num_microbatches_calculator.py"),
    "deepspeed": (
        "deepspeed/runtime/config.py", "deepspeed/runtime/zero/config.py",
        "deepspeed/runtime/*config*.py"),
    "slime": ("slime/utils/arguments.py", "slime/backends/*/arguments.py"),
    "areal": ("areal/api/cli_args.py", "areal/api/alloc_mode.py", "areal/trainer/rl_trainer.py"),
    "roll": (
        "roll/configs/*.py", "roll/utils/config_utils.py", "roll/pipeline/*/*_config.py",
        "roll/pipeline/*/*/*_config.py"),
    "nemo_rl": (
        "nemo_rl/algorithms/grpo.py", "nemo_rl/algorithms/sft.py", "nemo_rl/algorithms/dpo.py",
        "nemo_rl/models/policy/lm_policy.py", "nemo_rl/models/generation/vllm/config.py",
        "nemo_rl/models/megatron/setup.py"),
    "skyrl": ("skyrl/train/utils/utils.py", "skyrl/train/config/*.py"),
    "trinity": ("trinity/common/config_validator.py", "trinity/common/config.py"),
    "chatlearn": ("chatlearn/configs/*.py", "chatlearn/algorithm/grpo.py"),
    "prime_rl": ("packages/prime-rl-configs/src/prime_rl/configs/*.py",),
    "accelerate": ("accelerate/utils/dataclasses.py", "accelerate/utils/launch.py",
                   "accelerate/commands/launch.py"),
    "transformers": ("transformers/training_args.py",),
}  # fmt: skip
"""Where each framework judges its settings."""

FAMILIES = {each: (f"{each}_",) for each in ("trl", "openrlhf", "prime_rl", "skyrl")}
"""Frameworks whose other programs have folders of their own."""

_CALLS = frozenset({
    "len", "getattr", "int", "float", "str", "bool", "any", "all", "max", "min", "sum", "set",
    "list", "tuple", "abs", "sorted", "get", "lower", "upper", "strip", "startswith", "endswith",
    "split", "hasattr", "is_integer", "items", "keys", "values",
})  # fmt: skip
"""What conditions may call and still be decided by settings."""

_SETTINGS = frozenset({
    "self", "args", "config", "cfg", "conf", "server_args", "training_args", "values",
})  # fmt: skip
"""What settings are attributes of."""

_LEAST_TEXT = 20
"""Letters of a message's fixed part by which it is compared."""


class Site(NamedTuple):
    """A place that refuses: its lines, what is asked there, and what it says."""

    framework: str
    release: str
    file: str
    line: int
    lines: frozenset[int]
    asked: str
    message: str
    is_settings: bool


def sites(framework: str, release: str, root: Path) -> Iterator[Site]:
    """All places of a framework's tree, in the order of files and lines."""
    files = {file for pattern in FILES[framework] for file in root.glob(pattern)}
    for file in sorted(files):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node, tests in _refusals(tree, ()):
            yield _site(framework, release, str(file.relative_to(root)), node, tests)


Test = tuple[ast.expr, bool]


def _refusals(
    node: ast.AST, tests: tuple[Test, ...]
) -> Iterator[tuple[ast.Raise | ast.Assert, tuple[Test, ...]]]:
    if isinstance(node, ast.Assert) or (isinstance(node, ast.Raise) and node.exc is not None):
        yield node, tests
    elif isinstance(node, ast.If):
        for inner in node.body:
            yield from _refusals(inner, (*tests, (node.test, True)))
        for inner in node.orelse:
            yield from _refusals(inner, (*tests, (node.test, False)))
    elif not isinstance(node, ast.ExceptHandler):
        own = () if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) else tests
        for each in ast.iter_child_nodes(node):
            yield from _refusals(each, own)


def _site(
    framework: str, release: str, file: str, node: ast.Raise | ast.Assert, tests: tuple[Test, ...]
) -> Site:
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    if isinstance(node, ast.Assert):
        decisive, said = [*(test for test, _ in tests), node.test], node.msg
        asked = ast.unparse(node.test)
    else:
        decisive, said = [test for test, _ in tests], node.exc
        if tests:
            test, is_so = tests[-1]
            lines |= set(range(test.lineno, (test.end_lineno or test.lineno) + 1))
            asked = ("" if is_so else "not ") + ast.unparse(test)
        else:
            asked = ""
    conditions = [("" if so else "not ") + ast.unparse(test) for test, so in tests]
    if isinstance(node, ast.Raise):
        conditions = conditions[:-1]
    whole = f"{asked}  WITHIN {' & '.join(conditions)}" if conditions else asked
    verb = "assert " if isinstance(node, ast.Assert) else "if "
    return Site(
        framework, release, file, node.lineno, frozenset(lines), verb + whole, _text(said),
        bool(decisive) and all(map(_of_settings, decisive)) and any(map(_has_setting, decisive)),
    )  # fmt: skip


def _of_settings(test: ast.expr) -> bool:
    return all(
        _name(each.func) in _CALLS for each in ast.walk(test) if isinstance(each, ast.Call)
    ) and not any(isinstance(each, ast.Await | ast.Yield) for each in ast.walk(test))


def _has_setting(test: ast.expr) -> bool:
    return any(
        (isinstance(each, ast.Attribute) and _root(each) in _SETTINGS)
        or (isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant))
        or isinstance(each, ast.Name)
        for each in ast.walk(test)
    )


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.expr | None) -> str:
    """The message's fixed parts, with {} for what is put in."""
    if isinstance(node, ast.Call) and node.args:
        return _text(node.args[-1] if _name(node.func) == "PydanticCustomError" else node.args[0])
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        right = _text(node.right) if isinstance(node.op, ast.Add) else ""
        return _text(node.left) + right
    return ""


def covers(relation: Relation, site: Site) -> bool:
    """Whether a relation names this place as its source, or has its text."""
    origin = relation.origin
    if origin.file == site.file and origin.version == site.release and origin.line in site.lines:
        return True
    if not relation.error:
        return False
    if not site.message and origin.file.endswith(Path(site.file).name):
        return site.asked.partition("  WITHIN ")[0] in relation.error
    fixed = re.sub(r"\{[^}]*\}", "", site.message)
    if len(fixed) < _LEAST_TEXT:
        return False
    parts = [" ".join(each.split()) for each in re.split(r"\{[^}]*\}", site.message)]
    pattern = ".*".join(map(re.escape, parts)).replace(r"\ ", r"\s*")
    return re.search(pattern, " ".join(relation.error.split())) is not None


class Listed(NamedTuple):
    """A place, and the relation that knows it."""

    site: Site
    relation: str | None

    @property
    def kind(self) -> str:
        """covered, open or beyond."""
        if self.relation:
            return "covered"
        return "open" if self.site.is_settings else "beyond"


def listed(folder: Path, wanted: str | None) -> Iterator[Listed]:
    """The places of all trees in a folder."""
    frameworks = load_frameworks(relations_path())
    for root in sorted(folder.iterdir()):
        name, _, release = root.name.partition("-")
        if name not in FILES or wanted not in (None, name):
            continue
        own = [
            each
            for key, each in frameworks.items()
            if key == name or key.startswith(FAMILIES.get(name, ("\0",)))
        ]
        relations = load_relations(relations_path(), own)
        for site in sites(name, release, root):
            found = next((each.id for each in relations if covers(each, site)), None)
            yield Listed(site, found)


def _shown(found: Iterable[Listed]) -> None:
    for site, relation in found:
        place = f"{site.framework} {site.file}:{site.line}"
        print(f"{place} [{relation or '-'}] {site.asked}\n    {site.message}")


def main() -> int:
    """Prints the list, a draw of it, or its sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--framework", choices=FILES)
    parser.add_argument("--show", choices=("open", "covered", "beyond"))
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = list(listed(asked.folder, asked.framework))
    if asked.draw:
        chance = random.Random(asked.seed)  # noqa: S311
        _shown(chance.sample(found, min(asked.draw, len(found))))
    elif asked.show:
        _shown(each for each in found if each.kind == asked.show)
    else:
        counts = Counter((each.site.framework, each.kind) for each in found)
        print("| framework | covered | open | beyond settings |\n| --- | --- | --- | --- |")
        for name in dict.fromkeys(each.site.framework for each in found):
            row = (str(counts[name, kind]) for kind in ("covered", "open", "beyond"))
            print(f"| {name} | {' | '.join(row)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
