"""The page of all options, docs/options.md, from their table in the command line's room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdoctor.cli.kinds import Option
from logdoctor.cli.options import OPERANDS, OPTIONS


def option_page() -> str:
    """Markdown: how each command is called, and a row for each option."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Commands and options\n"
    yield "`scripts/generate` writes this page from the rows of `src/logdoctor/cli/options.py`.\n"
    yield "```console"
    for command, operands in OPERANDS.items():
        yield f"$ logdoctor {command} [OPTIONS] {operands}"
    yield "```\n"
    yield "| option | what it does | default | commands |"
    yield "| --- | --- | --- | --- |"
    yield from map(_row, OPTIONS)


def _row(option: Option[Any]) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.names, option.off) if name)
    value = f" `{option.metavar}`".replace("|", "\\|") if option.metavar else ""
    default = option.default if option.read and option.default not in {None, ()} else ""
    commands = ", ".join(option.commands)
    return f"| {names}{value} | {option.says} | {default} | {commands} |"
