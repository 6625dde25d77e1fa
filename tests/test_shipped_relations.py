"""The one file of relations that an installed logdoctor reads: what the folder says, no more."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from logdoctor.relations.judging import RelationBase
from logdoctor.relations.model_facts import KNOWN_MODELS, read_models
from logdoctor.relations.naming import SHIPPED, names_below
from logdoctor.relations.reading import load_frameworks, load_relations, relations_path
from logdoctor.relations.shipped import dumped


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a wheel has it."""
    root = tmp_path_factory.mktemp("installed") / "relations_data"
    shutil.copytree(relations_path(), root)
    (root / SHIPPED).write_bytes(dumped(root))
    return root


def test_the_file_says_what_the_folder_says(root: Path) -> None:
    base, frameworks = RelationBase(root), load_frameworks(root)
    assert base.frameworks == frameworks
    assert [*base.frameworks] == [*frameworks]
    for each in frameworks.values():
        assert base.relations(each.name) == load_relations(root, [each])
    assert base.models == read_models(root / KNOWN_MODELS)


def test_places_are_told_where_the_folder_lies_now(root: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(root, tmp_path / "elsewhere")
    (relation, *_) = RelationBase(moved).relations("verl")
    assert relation.position.file == str(moved / "verl" / f"{relation.id}.yaml")


def test_without_relations_nothing_is_named(tmp_path: Path) -> None:
    assert names_below(str(tmp_path)) == {}


def test_a_proof_reads_no_yaml(root: Path) -> None:
    """As importing it takes longer than the proof."""
    asked = (
        "import sys\n"
        "from pathlib import Path\n"
        "from logdoctor.relations import naming\n"
        f"naming._FOLDERS = ({str(root)!r},)\n"
        "from logdoctor.model import RunContext\n"
        "from logdoctor.relations.proving import _violations\n"
        "named = {'verl': frozenset({'verl-batch-size-not-divisible'})}\n"
        "text = \"{'actor_rollout_ref': {'model': {'path': 'Qwen/Qwen2.5-7B'}}}\"\n"
        "_violations(named, RunContext(), [('log', text)], ())\n"
        "assert 'logdoctor.relations.shipped' in sys.modules\n"
        "print([each for each in ('yaml', 'inspect', 'dataclasses') if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], check=False, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
