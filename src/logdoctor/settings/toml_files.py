"""TOML to settings with their places: read_toml, parsed_toml."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from logdoctor.model import Place
from logdoctor.settings.configuration import Problem, Setting
from logdoctor.settings.values import Value

_TABLE = re.compile(r"\s*\[+\s*([\w.\"' -]+?)\s*\]+\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w.\"'-]+)\s*=")


def read_toml(text: str, name: str) -> tuple[dict[str, Setting], tuple[Problem, ...]]:
    """The settings of a text by dotted key, each at its line; tables in lists are left out."""
    try:
        told = parsed_toml(text)
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        return {}, (Problem(Place(name, int(at[1]) if at else 0), f"not TOML: {error}"),)
    except RecursionError:
        return {}, (Problem(Place(name, 0), "nested too deeply"),)
    lines = _lines(text)
    found = _flat(told, "")
    return {key: Setting(key, value, Place(name, lines.get(key, 0))) for key, value in found}, ()


def parsed_toml(text: str) -> Mapping[str, Any]:
    """The tables of a text.

    Raises:
        ValueError: it is no TOML; the message tells where.
        RecursionError: it is nested too deeply.
    """
    reader = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    found: dict[str, Any] = reader.loads(text)
    return found


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Value]]:
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{path}.")
        elif isinstance(value, list):
            if not any(isinstance(each, dict | list) for each in value):
                yield path, tuple(map(_plain, value))
        else:
            yield path, _plain(value)


def _plain(value: Any) -> Value:
    """A value as settings have it; dates as text."""
    return value if isinstance(value, bool | int | float | str) else str(value)


def _lines(text: str) -> dict[str, int]:
    """Where each key is given, by its dotted name."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _TABLE.fullmatch(line):
            table = f"{_bare(header[1])}."
        elif key := _KEY.match(line):
            found.setdefault(f"{table}{_bare(key[1])}", number)
    return found


def _bare(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))
