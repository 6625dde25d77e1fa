"""The manual page, docs/logdoctor.1, from the table of options: man_page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdoctor.cli.commands import cli
from logdoctor.cli.kinds import Option
from logdoctor.cli.options import OPERANDS, OPTIONS
from logdoctor.version import __version__

_EXIT_CODES = (
    ("0", "nothing at or above --fail-on"),
    ("1", "at least one diagnosis, or an error that no signature knows"),
    ("2", "usage error, something could not be read, or there was nothing to read"),
    ("130", "interrupted; what was read is reported"),
)


def man_page() -> str:
    """In the macros of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f'.TH LOGDOCTOR 1 "" "logdoctor {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"logdoctor \- what went wrong first in an LLM training log, why, and what to change"
    yield ".SH SYNOPSIS"
    for command, operands in OPERANDS.items():
        yield ".B logdoctor " + _text(command)
        yield f"[OPTIONS] {_text(operands)}"
        yield ".br"
    yield ".SH COMMANDS"
    for command in OPERANDS:
        yield ".TP"
        yield ".B " + _text(command)
        yield _text(_help_of(command))
    yield ".SH OPTIONS"
    for option in OPTIONS:
        yield from _option(option)
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT_CODES:
        yield from (".TP", f".B {code}", _text(meaning))


def _help_of(command: str) -> str:
    found: Any = cli
    for name in command.split():
        found = found.commands[name]
    return " ".join(str(found.help).split())


def _option(option: Option[Any]) -> Iterator[str]:
    names = ", ".join(rf"\fB{_text(name)}\fR" for name in (*option.names, option.off) if name)
    yield ".TP"
    yield f"{names} {_text(option.metavar)}".rstrip()
    default = option.default if option.read and option.default not in {None, ()} else ""
    told = f" (default: {default})" if default else ""
    yield _text(f"{option.says}{told} Of: {', '.join(option.commands)}.")


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
