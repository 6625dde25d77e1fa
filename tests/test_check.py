"""`logdoctor check`: what it says of a script, in which forms, and how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from logdoctor.reports.run.layout import columns
from logdoctor.settings.command_lines import may_run
from logdoctor.settings.shell import read_shell
from tests.conftest import RunCli

SHELL = pytest.mark.skipif(
    find_spec("tree_sitter_bash") is None, reason="the extra `check` is not installed"
)
TRL = "num_generations: {}\nsteps_per_generation: 2\nper_device_train_batch_size: 8\n"
VERL = """\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:8
export NCCL_IB_DISABLE=1
BATCH=${BATCH:-500}
python3 -m verl.trainer.main_ppo data.train_batch_size=$BATCH actor_rollout_ref.rollout.n=5 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\
  actor_rollout_ref.actor.ppo_mini_batch_size=128 algorithm.adv_estimator=grpo \\
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 \\
  trainer.nnodes=2 trainer.n_gpus_per_node=8 "$@"
"""


def written(at: Path, text: str, name: str = "grpo.yaml") -> str:
    file = at / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def document(run_cli: RunCli, *words: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_cli("check", *words, "--format", "json", **more).stdout)
    return found


def test_a_broken_configuration_is_told_with_what_fits(run_cli: RunCli, tmp_path: Path) -> None:
    """Values, place, the nearest that fit, what the framework would say, what was read."""
    file = written(tmp_path, TRL.format(12))
    done = run_cli("check", file, "--gpus", "4", "--framework", "trl==1.16.0")
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    assert lines[0] == (
        "✖ per_device_train_batch_size 8 × 4 processes × steps_per_generation 2 = 64 is not "
        f"divisible by num_generations 12    {file}:3"
    )
    assert lines[2].startswith("  Set num_generations to 8 or 16; or ")
    assert lines[3] == (
        "  the run would stop, as in: ValueError: generation_batch_size (64) must be divisible by "
        "num_generations (12)."
    )
    assert lines[-1].startswith(f"read: {file}, defaults of trl 1.16.0 · ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_a_terminal_it_fits(run_cli: RunCli, tmp_path: Path, language: str) -> None:
    """No word of it is lost; elsewhere each line stays whole."""
    words = ("check", written(tmp_path, TRL.format(12)), "--gpus", "4", "--lang", language)
    whole = run_cli(*words).stdout.decode()
    ours, theirs = os.openpty()
    subprocess.run(
        [sys.executable, "-m", "logdoctor", *words],
        stdout=theirs,
        env={**os.environ, "COLUMNS": "60"},
        timeout=60,
        check=False,
    )
    os.close(theirs)
    with suppress(OSError):  # its end
        shown = b""
        while data := os.read(ours, 65536):
            shown += data
    os.close(ours)
    lines = shown.decode().splitlines()
    assert "".join("".join(lines).split()) == "".join(whole.split())
    wide = [each for each in lines if columns(each) > 60 and len(each.split()) > 1]  # else a word
    assert wide == []
    assert max(map(columns, whole.splitlines())) > 100


def test_a_fitting_one_is_quiet_and_exits_with_0(run_cli: RunCli, tmp_path: Path) -> None:
    """No mark of a violation."""
    done = run_cli("check", written(tmp_path, TRL.format(8)), "--gpus", "4")
    assert done.returncode == 0
    assert "✖" not in done.stdout.decode()


def test_the_document_is_as_designed(run_cli: RunCli, tmp_path: Path) -> None:
    """All keys of section 6b."""
    file = written(tmp_path, TRL.format(12))
    found = document(run_cli, file, "--gpus", "4")
    (violation,) = found["violations"]
    assert found.keys() == {
        "schema_version", "framework", "read", "violations", "not_judged", "judged",
    }  # fmt: skip
    assert found["framework"] == "trl"
    assert found["read"] == [{"file": file, "problem": None}]
    assert violation["relation_id"] == "trl-steps-generation-batch-not-multiple-of-generations"
    assert violation["settings"] == {
        "per_device_train_batch_size": "8",
        "@processes": "4",
        "steps_per_generation": "2",
        "num_generations": "12",
    }
    assert violation["suggestions"][0] == {"key": "num_generations", "value": "8"}
    assert violation["at"] == {"file": file, "line": 3}
    assert violation["source"]["file"] == "trl/trainer/grpo_config.py"
    assert violation["signature_id"] == "grpo-batch-not-divisible-by-generations"
    assert violation["severity"] == "error"


def test_markdown_and_annotations_name_the_place(run_cli: RunCli, tmp_path: Path) -> None:
    """For a pull request."""
    file = written(tmp_path, TRL.format(12))
    markdown = run_cli("check", file, "--gpus", "4", "--format", "markdown").stdout.decode()
    assert f"(`{file}:3`)" in markdown
    annotation = run_cli("check", file, "--gpus", "4", "--format", "github").stdout.decode()
    assert annotation.startswith(f"::error file={file},line=3,title=the generation batch")
    assert "%0A" in annotation
    assert annotation.count("\n") == 1


def test_chinese_says_the_same(run_cli: RunCli, tmp_path: Path) -> None:
    """In the user's language."""
    done = run_cli("check", written(tmp_path, TRL.format(12)), "--gpus", "4", "--lang", "zh")
    assert "不能被 num_generations 12 整除" in done.stdout.decode()


@SHELL
def test_a_script_is_judged_with_its_environment(run_cli: RunCli, tmp_path: Path) -> None:
    """Errors first, each at its line; what is left in the environment is a warning."""
    file = written(tmp_path, VERL, "run.sh")
    found = document(run_cli, file)
    assert [
        (each["relation_id"], each["severity"], each["at"]["line"]) for each in found["violations"]
    ] == [
        ("verl-rollout-batch-not-divisible", "error", 6),
        ("launch-infiniband-disabled", "warning", 4),
    ]
    assert found["violations"][0]["suggestions"][:2] == [
        {"key": "data.train_batch_size", "value": "496"},
        {"key": "data.train_batch_size", "value": "512"},
    ]


@SHELL
def test_stdin_is_read_too(run_cli: RunCli) -> None:
    """As `-`."""
    found = document(run_cli, "-", stdin=VERL.encode())
    assert found["read"] == [{"file": "stdin", "problem": None}]
    assert found["violations"][0]["at"]["file"] == "stdin"


@SHELL
def test_more_gpus_than_there_are_is_told(run_cli: RunCli, tmp_path: Path) -> None:
    """What the user says counts before what Slurm is asked for."""
    file = written(tmp_path, VERL.replace("500", "512"), "run.sh")
    found = document(run_cli, file, "--gpus", "4", "--nodes", "2")
    assert [each["relation_id"] for each in found["violations"]] == [
        "verl-not-enough-gpus",
        "launch-infiniband-disabled",
    ]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("x.yaml", "a: [1\n", "not YAML at column"),
        ("x.yaml", "lr: 1\n", "no framework recognised"),
        ("x.py", "def (", "not Python"),
        ("x.yaml", "\0\0", "no text"),
    ],
)
def test_what_cannot_be_judged_exits_with_2(
    run_cli: RunCli, tmp_path: Path, name: str, text: str, told: str
) -> None:
    """And says why."""
    done = run_cli("check", written(tmp_path, text, name))
    assert done.returncode == 2
    assert told in done.stdout.decode()


def test_a_file_that_is_not_there_is_noted(run_cli: RunCli, tmp_path: Path) -> None:
    """The others are judged."""
    file = written(tmp_path, TRL.format(12))
    done = run_cli("check", str(tmp_path / "gone.yaml"), file, "--gpus", "4")
    assert done.returncode == 2
    assert "gone.yaml: no such file" in done.stderr.decode()
    assert "✖" in done.stdout.decode()


def test_an_unknown_framework_is_a_mistake(run_cli: RunCli, tmp_path: Path) -> None:
    """One clear sentence with those that there are."""
    done = run_cli("check", written(tmp_path, "a: 1\n"), "--framework", "frobnicate")
    assert done.returncode == 2
    assert 'no relations for "frobnicate"; expected one of ' in done.stderr.decode()


def test_a_log_is_judged_by_what_it_shows(run_cli: RunCli, tmp_path: Path) -> None:
    """Its configuration alone, without defaults: what it does not show may be anything."""
    overrides = [
        "data.train_batch_size=500",
        "actor_rollout_ref.rollout.n=5",
        "trainer.nnodes=2",
        "trainer.n_gpus_per_node=8",
        "actor_rollout_ref.actor.use_dynamic_bsz=False",
        "actor_rollout_ref.actor.strategy=fsdp",
    ]
    lines = ["12:00:00 INFO main_ppo", f"Error executing job with overrides: {overrides}"]
    file = written(tmp_path, "\n".join(lines) + "\n", "train.log")
    found = document(run_cli, file, "--framework", "verl")
    assert [(each["relation_id"], each["at"]["line"]) for each in found["violations"]] == [
        ("verl-rollout-batch-not-divisible", 2)
    ]


def test_a_relation_is_explained(run_cli: RunCli) -> None:
    """Its formula, why, where it is from, what breaks it."""
    page = run_cli("explain", "trl-one-generation").stdout.decode()
    assert "num_generations >= 2" in page
    assert "trl/trainer/grpo_config.py:" in page
    row = json.loads(run_cli("explain", "trl-one-generation", "--format", "json").stdout)
    assert row["relation_id"] == "trl-one-generation"


@SHELL
def test_what_uv_runs_is_read(run_cli: RunCli, tmp_path: Path) -> None:
    """As SkyRL's examples start it, with an array of overrides."""
    text = (
        "ARGS=(trainer.train_batch_size=1024 trainer.policy_mini_batch_size=60)\n"
        'uv run --isolated --extra fsdp -m skyrl.train.entrypoints.main_base "${ARGS[@]}"\n'
    )
    found = document(run_cli, written(tmp_path, text, "run.sh"), "--framework", "skyrl==0.3.0")
    assert "skyrl-batch-not-multiple-of-mini-batch" in [
        each["relation_id"] for each in found["violations"]
    ]


@SHELL
def test_what_torchrun_starts_counts_as_the_machine(run_cli: RunCli, tmp_path: Path) -> None:
    """Megatron's processes; what is not set is 1, as in its own classes."""
    text = "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --tensor-model-parallel-size 3\n"
    found = document(run_cli, written(tmp_path, text, "run.sh"))
    assert [each["relation_id"] for each in found["violations"]] == ["megatron-world-not-divisible"]


@SHELL
def test_an_array_that_a_branch_changes_may_hold_any_option(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Also behind the value of another option; nothing is taken for absent then."""
    text = (
        "ARGS=(--save-interval 10)\n"
        'if [ "$FSDP" = 1 ]; then ARGS=("${ARGS[@]}" --use-megatron-fsdp); fi\n'
        "torchrun --nproc_per_node 8 pretrain_gpt.py --save /ckpt ${ARGS[@]}\n"
    )
    found = document(run_cli, written(tmp_path, text, "run.sh"))
    assert found["violations"] == []
    text = text.replace(" ${ARGS[@]}", "")
    found = document(run_cli, written(tmp_path, text, "run.sh"))
    assert [each["relation_id"] for each in found["violations"]] == [
        "megatron-save-without-interval"
    ]


@pytest.mark.parametrize(
    ("call", "broken"),
    [
        ("TrainingArguments(per_device_train_batch_size=1, fp16=True, bf16=True)",
         "transformers-two-precisions"),
        ("SFTConfig(packing=True, max_length=None)", "trl-sft-packing-without-length"),
        ("DPOConfig(loss_type=['aot'], use_weighting=True)", "trl-dpo-weighting-with-sorted-loss"),
        ("RLOOConfig(num_generations=1)", "trl-rloo-one-generation"),
    ],
)  # fmt: skip
def test_each_trainer_has_relations_of_its_own(
    run_cli: RunCli, tmp_path: Path, call: str, broken: str
) -> None:
    """TRL's, and those of transformers' Trainer, below all of them."""
    found = document(run_cli, written(tmp_path, f"args = {call}\n", "train.py"))
    assert [each["relation_id"] for each in found["violations"]] == [broken]


@SHELL
def test_a_long_script_is_read_in_time(run_cli: RunCli, tmp_path: Path) -> None:
    """Only lines that may start a program are kept with their environment."""
    lines = "".join(f"export A{i}={i}\necho $A{i}\n" for i in range(5000))
    file = written(tmp_path, lines + VERL, "run.sh")
    script = read_shell(Path(file).read_text(encoding="utf-8"), None, "x", may_run)
    assert [each.words[0].text for each in script.commands] == ["python3"]
    assert len(script.commands[0].environment) == 5001
    found = document(run_cli, file)
    assert found["violations"][0]["at"]["line"] == 10_006
