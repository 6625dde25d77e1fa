"""What `--patch` prints: write_patch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from logdoctor.cli.terminal import note, write
from logdoctor.model import Change
from logdoctor.reports.run.patch import render_overrides, render_patch


def write_patch(changes: Sequence[Change], file: str) -> None:
    """Prints changes of the run's file, or of none (`-`); without any a note says so."""
    if not changes:
        note("no change is proven by the log or follows from a value of the run")
    elif file == "-":
        write(render_overrides(changes))
    else:
        write(render_patch(changes, file, Path(file).read_text(encoding="utf-8-sig")))
