"""`scan --patch`: what the first remedy changes in the run's own file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from logdoctor.model import Change
from logdoctor.reports.run.patch import render_overrides, render_patch
from logdoctor.signatures.skeleton import signature_skeleton
from tests.conftest import RunCli

ERROR = b"ValueError: the words that only this message has, with 56 as a slot\n"
RUN = """\
# the run
actor:
  micro: 8   # per GPU
  names: {a: 1, b: "two"}

data:
  files:
    - x.parquet
"""


def change(key: str, value: str) -> Change:
    return Change(key, "8", value, None, is_computed=True)


def patched(folder: Path, text: str, *changes: Change) -> str:
    """The file after `patch` has applied what is printed."""
    file = folder / "run.yaml"
    file.write_text(text, encoding="utf-8")
    diff = render_patch(changes, "run.yaml", text)
    subprocess.run(
        ["patch", "-p0", "--quiet"], input=diff, text=True, check=True, cwd=folder, timeout=20
    )
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("actor.micro", "4", "micro: 8   # per GPU", "micro: 4   # per GPU"),
        ("run.actor.micro", "4", "micro: 8   # per GPU", "micro: 4   # per GPU"),
        ("micro", "4", "micro: 8   # per GPU", "micro: 4   # per GPU"),
        ("actor.names.a", "3", "{a: 1,", "{a: 3,"),
        ("actor.names.b", "a: b", '"two"', '"a: b"'),
        ("actor.names.c.d", "3", '"two"}', '"two", c: {d: 3}}'),
        ("actor.size", "off", '"two"}\n', '"two"}\n  size: off\n'),
        ("data.limits.most", "# 3", "x.parquet\n", "x.parquet\n  limits:\n    most: '# 3'\n"),
        ("+trainer.steps", "[1, 2]", "x.parquet\n", "x.parquet\ntrainer:\n  steps: [1, 2]\n"),
    ],
)
def test_only_the_value_changes(tmp_path: Path, key: str, value: str, old: str, new: str) -> None:
    """Comments, quotes and order stay; a key that is not there comes into its mapping."""
    assert old in RUN
    assert patched(tmp_path, RUN, change(key, value)) == RUN.replace(old, new, 1)


def test_a_file_without_a_last_line_end(tmp_path: Path) -> None:
    """In the middle it is kept; a line behind the last needs one."""
    assert patched(tmp_path, "a: 1\nb: 2", change("b", "3")) == "a: 1\nb: 3"
    assert patched(tmp_path, "a: 1", change("c", "3")) == "a: 1\nc: 3\n"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("data.files", "data:\n  files: {a: 1}\n"),
        ("a.b", "a: 1\n"),
        ("b", "x: {b: 1}\ny: {b: 2}\n"),
        ("a", "a: |\n  text\n"),
        ("a", "#!/bin/sh\npython -m train a=1\n"),
        ("a", "- 1\n"),
        ("NCCL_DEBUG", "a: 1\n"),
    ],
)
def test_what_cannot_be_said_in_the_file_is_an_override(key: str, text: str) -> None:
    """Another type, a name that is not unique, no YAML, the environment."""
    export = "export " if key.isupper() else ""
    assert render_patch([change(key, "3")], "run.yaml", text) == f"{export}{key}=3\n"


def write(folder: Path, what: str, when: str = "") -> Path:
    file = folder / "worker-lost-its-batch.yaml"
    text = signature_skeleton("worker-lost-its-batch", "demo")
    new = f"{when}    set: {{actor.micro: {what}}}\n    risk: safe "
    file.write_text(text.replace("    risk: safe ", new), encoding="utf-8")
    return file


@pytest.mark.slow  # compiles the whole database with one more
def test_the_command_prints_a_diff_of_the_file(run_cli: RunCli, tmp_path: Path) -> None:
    """Whose values are the run's own; without a file, overrides; the exit code is the scan's."""
    run = tmp_path / "run.yaml"
    run.write_text(RUN, encoding="utf-8")
    more = write(tmp_path, "{halve: 1}")
    done = run_cli("scan", "--signatures", more, "--patch", run, stdin=ERROR)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, [each for each in lines if each[1:].lstrip().startswith("micro")]) == (
        1,
        ["-  micro: 8   # per GPU", "+  micro: 4   # per GPU"],
    )
    log = b"actor.micro: 8\n" + ERROR
    done = run_cli("scan", "--signatures", more, "--patch", "-", stdin=log)
    assert done.stdout == b"actor.micro=4\n"
    done = run_cli("scan", "--signatures", more, "--patch", "-", stdin=ERROR)
    assert (done.stdout, b"no change is proven" in done.stderr) == (b"", True)
    done = run_cli("scan", "--patch", tmp_path / "gone.yaml", stdin=ERROR)
    assert done.returncode == 2


def test_overrides_are_lines() -> None:
    """As hydra and shells read them."""
    changes = [change("actor.micro", "4"), change("MAX_JOBS", "2")]
    assert render_overrides(changes) == "actor.micro=4\nexport MAX_JOBS=2\n"
