"""Findings to workflow commands of GitHub Actions: annotation.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations


def annotation(kind: str, title: str, text: str, *, file: str | None, line: int = 0) -> str:
    """One workflow command with its line end, whatever the texts contain.

    Args:
        kind: `error`, `warning` or `notice`.
        title: stands above the text.
        text: of any number of lines.
        file: as seen from the root of the repository; None where there is none.
        line: from 1; 0 for none.
    """
    where = {"file": file, "line": str(line) if file and line else None, "title": title}
    properties = ",".join(f"{name}={_property(each)}" for name, each in where.items() if each)
    return f"::{kind} {properties}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
