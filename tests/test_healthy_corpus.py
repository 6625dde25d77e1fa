"""What fires where nothing is wrong: the table that benchmarks/healthy/fires writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.69 GiB of which 1.71 GiB is free.\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for kind, text in (
        ("real", "INFO: step 3 of 9\n"),
        ("generated", OUT_OF_MEMORY),
        ("foreign", "def f():\n    return 1\n"),
    ):
        (tmp_path / "corpus" / kind).mkdir(parents=True)
        (tmp_path / "corpus" / kind / "some.log").write_text(text, encoding="utf-8")
    return tmp_path / "corpus"


def fires(repository: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    script = repository / "benchmarks" / "healthy" / "fires"
    return subprocess.run(
        [sys.executable, script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def program(folder: Path, command: str) -> Path:
    file = folder / "program"
    file.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    file.chmod(0o700)
    return file


def test_only_what_fires_has_a_row(repository: Path, corpus: Path, tmp_path: Path) -> None:
    """With its times by kind of text, the size of the corpus and the versions."""
    document = tmp_path / "healthy.md"
    done = fires(
        repository,
        corpus,
        "--program",
        program(tmp_path, f'exec "{sys.executable}" -m logdoctor "$@"'),
        "--write",
        document,
        "--texts",
    )
    text = document.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if "](signatures/en/" in line]
    assert (done.returncode, len(rows)) == (0, 1)
    assert rows[0].startswith(
        "| fatal | [cuda-out-of-memory](signatures/en/cuda/cuda-out-of-memory.md) | 0 | 1 | 0 | "
    )
    assert "in 3 files, each scanned as a run of its own" in text
    assert "fatal cuda-out-of-memory\n    some.log:1: torch.OutOfMemoryError" in done.stderr


def test_a_program_that_answers_nothing_is_told(
    repository: Path, corpus: Path, tmp_path: Path
) -> None:
    """No table of zeros."""
    done = fires(repository, corpus, "--program", program(tmp_path, "echo broken >&2; exit 3"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing could be scanned" in done.stderr
    assert "exit 3: b'broken" in done.stderr


def test_a_file_without_answer_is_named(repository: Path, corpus: Path, tmp_path: Path) -> None:
    """The table is of the others, and the exit code says so."""
    command = f'case "$4" in */real/*) exit 2;; esac; exec "{sys.executable}" -m logdoctor "$@"'
    done = fires(repository, corpus, "--program", program(tmp_path, command))
    assert (done.returncode, "# What fires" in done.stdout, "some.log: exit 2" in done.stderr) == (
        1,
        True,
        True,
    )
