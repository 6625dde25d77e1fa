"""What frameworks take where nothing is set, by release: Defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from logdoctor.settings.configuration import CONFIG_NAME, Configuration
from logdoctor.settings.values import Value

DEFAULTS_FILE = "defaults.json"
"""Written by scripts/framework_defaults.py from released packages; never by hand."""


class Defaults:
    """The defaults of one framework.

    A value counts where all releases that it could be of agree: the told one, its neighbours
    where it was not recorded, all where none is told.
    """

    def __init__(self, releases: Mapping[str, Mapping[str, Value]]) -> None:
        self._releases = releases
        self._order = sorted(releases, key=_numbers)

    def of(self, key: str, version: str | None) -> tuple[bool, Value]:
        """Whether the default of a key is known, and what it is."""
        values = [
            self._releases[each][key]
            for each in self._around(version)
            if key in self._releases[each]
        ]
        if not values or any(
            type(each) is not type(values[0]) or each != values[0] for each in values
        ):
            return False, None
        return True, values[0]

    def all(self, version: str | None) -> dict[str, Value]:
        """All defaults that are known, by key."""
        keys = {key for each in self._around(version) for key in self._releases[each]}
        return {key: value for key in keys for known, value in [self.of(key, version)] if known}

    def _around(self, version: str | None) -> Sequence[str]:
        if version is None or not self._order:
            return self._order
        told = _numbers(version)
        same = [each for each in self._order if _numbers(each) == told]
        below = [each for each in self._order if _numbers(each) < told]
        above = [each for each in self._order if _numbers(each) > told]
        return same or [*below[-1:], *above[:1]]


def load_defaults(root: Path, framework: str, configuration: Configuration) -> Defaults:
    """The defaults of a framework for a configuration, which may choose between several; of none
    where nothing was recorded, or what it chooses is not known.
    """
    file = root / framework / DEFAULTS_FILE
    if not file.is_file():
        return Defaults({})
    recorded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    chosen: Mapping[str, Mapping[str, Any]] = recorded["releases"]
    variants_of: Mapping[str, Any] = recorded.get("variants", {})
    is_named = CONFIG_NAME in configuration.settings or CONFIG_NAME in configuration.unresolved
    if is_named and CONFIG_NAME not in variants_of:
        return Defaults({})  # the settings stand in a file that was not read
    for key, variants in variants_of.items():
        given = configuration.settings.get(key)
        if given:
            chosen = variants.get(str(given.value), {})
    return Defaults(
        {
            release: {key: _value(each) for key, each in values.items()}
            for release, values in chosen.items()
        }
    )


def _value(each: Any) -> Value:
    return tuple(map(_value, each)) if isinstance(each, list) else each


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.split("+", maxsplit=1)[0])[:4]))
