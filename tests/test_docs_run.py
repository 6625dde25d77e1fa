"""What the documents say to type is typed: each page's commands, in its order, in a folder that has what they speak of.

What logdoctor reads from is a stand-in (`STAND_INS`), and what needs more than this machine is not
typed (`NOT_TYPED`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs_commands import PAGES

REPOSITORY = Path(__file__).parents[1]

NOT_TYPED = {
    "pip install": "installs; .ci/run types it",
    "logdoctor slurm ": "asks Slurm, whose answers tests/test_slurm.py has",
    "s3://": "a bucket, as tests/test_clouds.py has",
    "--engine ray": "a cluster, as tests/test_rays.py starts",
    "--notify": "tells a chat, as tests/test_chat.py does",
    "--webhook": "posts to a server, as tests/test_notify.py does",
    "ring-overflow": "the tutorial, which tests/test_drafting.py types whole",
    "logdoctor note ": "the tutorial, which tests/test_drafting.py types whole",
    "ray job submit": "a cluster",
    "events.out": "files of TensorBoard and wandb, as tests/test_numbers.py writes them",
    "benchmarks/run": "measures for twenty minutes; .ci/run types it with --quick",
}
"""Words of commands that are not typed here, and why."""

STAND_INS = ("some-training", "torchrun", "kubectl", "ray", "sbatch")
"""Programs whose place a script takes that prints the log of a failed run and fails."""

ELSEWHERE = {"/shared/": "shared/", "/home/me/": "me/", "/var/lib/node_exporter/textfile/": ""}
"""Absolute places in commands, and what has their place here."""

UNTIL_IDLE = re.compile(r"\blogdoctor tail (?!-$)")
"""A tail of files, which would wait for more; of a pipe it ends by itself."""

SCRIPT = """\
python3 -m verl.trainer.main_ppo data.train_batch_size=256 \
actor_rollout_ref.actor.ppo_mini_batch_size=64 trainer.n_gpus_per_node=8 trainer.nnodes=2
"""


def typed(page: Path) -> list[str]:
    """Lines after a prompt, without comments at their ends."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [re.sub(r"\s+#\s.*", "", line[2:]) for line in lines if line.startswith("$ ")]


def reason(command: str) -> str | None:
    """Why a command is not typed."""
    return next((each for each in NOT_TYPED if each in command), None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Logs, archives, dumps, scripts and programs under the names that the pages use."""
    samples = REPOSITORY / "sample_logs"
    log = samples / "chatlearn-ray-channel-timeout.log"
    for name in ("train.log", "a.log", "worker.err", "LOGS/train.log", "job-1.out", "shared/train.log",
                 "shared/logs/train.log", "logs/train.log", "me/runs/train.log", "archive/one/train.log",
                 "archive/two/train.log", "bad-runs/one/train.log"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, tmp_path / name)
    subprocess.run(["gzip", "worker.err"], cwd=tmp_path, check=True)
    (tmp_path / "good-runs" / "one").mkdir(parents=True)
    shutil.copy(next((samples / "healthy").glob("*.log")), tmp_path / "good-runs" / "one")
    shutil.copytree(samples / "hang-chain", tmp_path / "DUMPS")
    shutil.copytree(samples / "hang-chain", tmp_path / "shared" / "dumps")
    (tmp_path / "sample_logs").symlink_to(samples)
    (tmp_path / "run.yaml").write_text("models:\n  policy:\n    enforce_eager: false\n")
    for name in ("run.sh", "run_grpo.sh", "train.sbatch"):
        (tmp_path / name).write_text(SCRIPT)
    (tmp_path / "bin").mkdir()
    programs = dict.fromkeys(STAND_INS, f"cat '{log}'; exit 1")
    programs["logdoctor"] = f"exec '{sys.executable}' -m logdoctor \"$@\""
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Types a command in the folder."""
    for place, here in ELSEWHERE.items():
        command = command.replace(place, here)
    command = UNTIL_IDLE.sub("logdoctor tail --until-idle 1 ", command)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "page",
    [each for each in PAGES if typed(each) and each.name != "SKILL.md"],  # see test_skill.py
    ids=lambda page: page.name,
)
@pytest.mark.slow
def test_the_commands_of_a_page_do_what_they_are_for(page: Path, folder: Path) -> None:
    """Something is found or nothing, and said; none is used wrongly, and none fails to read."""
    failed = []
    for command in typed(page):
        if reason(command) is None:
            done = run(command, folder)
            is_told = bool(done.stdout) or bool(
                re.search(r"(>|-o) |--html|^logdoctor mcp", command)
            )
            if done.returncode not in {0, 1} or not is_told or "Traceback" in done.stderr:
                failed.append((command, done.returncode, done.stderr[-300:]))
    assert failed == []


def test_what_a_page_shows_is_what_is_printed(folder: Path) -> None:
    """The annotation of GitHub, as far as it is shown."""
    page = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
    shown = re.search(r"^(::error .*)…$", page, re.MULTILINE)
    assert shown is not None
    command = typed(REPOSITORY / "docs" / "ci.md")[0]
    assert run(command, folder).stdout.startswith(shown[1])


def test_what_is_not_typed_is_there() -> None:
    """No reason without a command."""
    reasons = {reason(command) for page in PAGES for command in typed(page)}
    assert NOT_TYPED.keys() - reasons == set()


def test_a_command_that_fails_is_noticed(folder: Path) -> None:
    """A file that is not there, a value that is none, a program that is none."""
    for command in ("logdoctor scan gone.log", "logdoctor scan --format xml a.log", "logdocter a"):
        assert run(command, folder).returncode not in {0, 1}
