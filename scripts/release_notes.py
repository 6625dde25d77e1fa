"""Prints the section of CHANGELOG.md on a version: `python scripts/release_notes.py 0.3.0`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(version: str, text: str) -> str:
    """The section without its heading.

    Raises:
        LookupError: there is none.
    """
    heading = rf"^## \[?{re.escape(version)}\]?(?=\s|$).*\n((?:(?!## ).*\n?)*)"
    found = re.search(heading, text, re.MULTILINE)
    if found is None or not found[1].strip():
        raise LookupError(f"CHANGELOG.md has no section on {version}")
    return f"{found[1].strip()}\n"


if __name__ == "__main__":
    sys.stdout.write(notes(sys.argv[1], CHANGELOG.read_text(encoding="utf-8")))
