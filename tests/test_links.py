"""Places in a report on a terminal are links; elsewhere they are plain."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from logdoctor.reports.run.links import linked

LOG = "step:1 - loss:0.5\nAssertionError: batch_size 32 < chunks 64\n"


def on_a_terminal(folder: Path, **terminal: str) -> str:
    """The report of a scan whose stdout is a terminal, named like that."""
    hidden = {"TERM_PROGRAM", "NO_COLOR"}
    plain = {name: value for name, value in os.environ.items() if name not in hidden}
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "logdoctor", "scan", "a log.txt"],
        cwd=folder,
        env={**plain, **terminal},
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.DEVNULL,
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # so Linux says that the other side is closed
            break
    os.close(master)
    assert process.wait(30) == 1
    return shown.decode()


@pytest.mark.parametrize(
    ("terminal", "target"),
    [
        ({"TERM": "xterm-kitty"}, "/a%20log.txt#2\x1b\\a log.txt:2\x1b]8;;\x1b\\"),
        ({"TERM": "xterm-256color"}, "/a%20log.txt\x1b\\a log.txt:2\x1b]8;;\x1b\\"),
        (
            {"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"},
            "/a%20log.txt:2\x1b\\a log.txt:2\x1b]8;;\x1b\\",
        ),
    ],
)
def test_a_place_leads_to_its_file(tmp_path: Path, terminal: dict[str, str], target: str) -> None:
    """With the line where the terminal can take it."""
    (tmp_path / "a log.txt").write_text(LOG, encoding="utf-8")
    assert target in on_a_terminal(tmp_path, **terminal)


@pytest.mark.parametrize("terminal", [{"TERM": "linux"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_terminals_without_links_get_none(tmp_path: Path, terminal: dict[str, str]) -> None:
    """The kernel's own console prints them as they are; who wants no colour wants plain text."""
    (tmp_path / "a log.txt").write_text(LOG, encoding="utf-8")
    shown = on_a_terminal(tmp_path, **{"TERM": "xterm", **terminal})
    assert ("a log.txt:2" in shown, "\x1b]8;" in shown) == (True, False)


def test_only_whole_names_of_sources_are_linked() -> None:
    """Not the end of another name, and no line of a source that is no file."""
    targets = {"b.log": "file://h/b.log#{line}"}
    assert linked("x/b.log:1 b.log:12, <stdin>:3", targets) == (
        "x/b.log:1 \x1b]8;;file://h/b.log#12\x1b\\b.log:12\x1b]8;;\x1b\\, <stdin>:3"
    )
    assert linked("b.log:12", {}) == "b.log:12"
