"""Pipes, devices, endless files and loops of links, wherever a path is taken: words, never a hang."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from logdoctor.signatures.files import signature_files
from logdoctor.sources import small_files
from logdoctor.sources.small_files import read_small

WORDS = {
    "fifo": "",
    "loop": "",
    "device": "a device, not a file",
    "link to a device": "a device, not a file",
    "folder": "",
}


def odd(folder: Path, kind: str, name: str) -> Path:
    """Something odd of that name."""
    path = folder / name
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(name)
    elif kind == "device":
        return Path("/dev/zero")
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    return path


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "logdoctor", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("option", ["--config", "--state"])
def test_what_is_no_file_is_refused_in_words(tmp_path: Path, kind: str, option: str) -> None:
    """In the place of a configuration, a state, signatures: code 2, no traceback, no hang."""
    log = tmp_path / "x.log"
    log.write_text("all is well\n")
    path = odd(tmp_path, kind, "odd.yaml")
    command = ["tail", "--until-idle", "0.2"] if option == "--state" else ["scan"]
    done = run(*command, option, path, log)
    assert done.returncode == 2
    assert WORDS[kind] in done.stderr
    assert "Traceback" not in done.stderr
    assert "please report" not in done.stderr


@pytest.mark.parametrize("kind", ["fifo", "loop", "link to a device"])
def test_what_is_no_file_in_a_folder_hides_nothing(tmp_path: Path, kind: str) -> None:
    """Named, and the log beside it is judged."""
    odd(tmp_path, kind, "a.log")
    (tmp_path / "b.log").write_text("AssertionError: batch_size 32 < chunks 64\n")
    done = run("scan", "--format", "json", tmp_path)
    assert done.returncode == 2
    assert '"dataproto-batch-smaller-than-chunks"' in done.stdout
    assert "a.log: " in done.stderr
    assert "please report" not in done.stderr


@pytest.mark.parametrize("kind", ["loop", "link to a device", "folder"])
def test_what_is_no_file_among_signatures_is_a_problem_of_it(tmp_path: Path, kind: str) -> None:
    """The others are read."""
    odd(tmp_path, kind, "self.yaml")
    (tmp_path / "other.yaml").write_text("id: x")
    found = {each.path.name: each for each in signature_files([tmp_path])}
    assert found["other.yaml"].content == b"id: x"
    assert (found["self.yaml"].problem or "").startswith("cannot be read: ")


def test_a_pipe_with_a_writer_is_read(tmp_path: Path) -> None:
    """As a shell's `<(command)`."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"a: 1\n" * 50_000,))
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer.start()
    select.select([descriptor], [], [], 10)  # until it writes
    found = b""
    try:
        found = read_small(str(path))
    finally:
        os.close(descriptor)
        writer.join()
    assert found == b"a: 1\n" * 50_000


def test_a_pipe_that_says_nothing_and_a_file_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are given up."""
    monkeypatch.setattr(small_files, "PATIENCE_S", 0.05)
    monkeypatch.setattr(small_files, "LIMIT", 1000)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    kept = os.open(path, os.O_RDWR)
    with pytest.raises(OSError, match="a pipe that says nothing"):
        read_small(str(path))
    os.close(kept)
    (tmp_path / "large").write_bytes(b"x" * 1001)
    with pytest.raises(OSError, match="more than"):
        read_small(str(tmp_path / "large"))
