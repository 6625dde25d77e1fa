"""The skill for agents says what is true: its commands run, and what it names is there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

SKILL = Path(__file__).parents[1] / "docs" / "skill" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
COMMANDS = [
    line[2:]
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
SHORT = "step:1 - loss:0.5\nAssertionError: batch_size 32 < chunks 64\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands speak of."""
    folder = tmp_path_factory.mktemp("skill")
    (folder / "train.log").write_text(SHORT, encoding="utf-8")
    (folder / "archive" / "a").mkdir(parents=True)
    (folder / "archive" / "a" / "train.log").write_text(SHORT, encoding="utf-8")
    (folder / "run.sh").write_text(
        "python3 -m verl.trainer.main_ppo data.train_batch_size=256 "
        "actor_rollout_ref.actor.ppo_mini_batch_size=64 trainer.n_gpus_per_node=8 trainer.nnodes=2\n",
        encoding="utf-8",
    )
    return folder


def test_its_head_is_what_agents_read_first() -> None:
    """A name like its folder's rule asks for, and when to use it."""
    head = yaml.safe_load(TEXT.split("---")[1])
    assert head["name"] == "logdoctor"
    assert 40 < len(head["description"]) <= 1024


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_run(command: str, folder: Path) -> None:
    """Found or not found, never a usage error; what is said to be JSON is."""
    program, *words = shlex.split(command)
    assert program == "logdoctor"
    done = subprocess.run(
        [sys.executable, "-m", "logdoctor", *words],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode in {0, 1}, done.stderr.decode()) == (True, done.stderr.decode())
    assert done.stdout or "--patch" in words
    if "json" in words or words[0] == "schema":
        json.loads(done.stdout)


def test_the_keys_that_it_names_are_in_the_document(folder: Path) -> None:
    """Of the first diagnosis and around it."""
    done = subprocess.run(
        [sys.executable, "-m", "logdoctor", "scan", "--format", "json", "train.log"],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    document = json.loads(done.stdout)
    root = document[document["answer"]["in"]][document["answer"]["index"]]
    known = {
        *document,
        *root,
        *root["remedies"][0],
        "unknown_errors",
        "next_steps",
        "diagnoses",
        "yes",
        "always",
        "unknown",
        "no",
        "affects-others",
        "loses-data",
        "runs-foreign-code",
    }
    named = set(re.findall(r"`([a-z_-]+)(?:\[0\])?`", TEXT)) - {"explain"}
    assert named <= known
