"""What a log shows of a run's settings to a configuration: configuration_of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logdoctor.formats.printed_settings import read_settings
from logdoctor.model import Place
from logdoctor.settings.configuration import Configuration, Setting, Unresolved
from logdoctor.settings.printed_dumps import read_dumps
from logdoctor.settings.values import Value, value_of

_WORDS = re.compile(r"[\w-]+")

LONGEST_LINE = 200_000
"""Characters of a line in which settings are sought; a dump of all of them is shorter."""


def configuration_of(text: str, name: str, keys: Iterable[str]) -> Configuration:
    """The settings of these keys that a log shows, each where it is shown first; one shown with
    several values is unresolved. A log shows what it likes, so that no default counts.
    """
    wanted: dict[str, list[str]] = {}
    for key in keys:
        wanted.setdefault(key.rsplit(".", 1)[-1], []).append(key)
    place = Place(name, 0)
    opening = Unresolved("", "the log", place, "it does not show all settings")
    if not wanted:
        return Configuration(name, openings=(opening,))
    most = max(part.count("_") for part in wanted) + 1
    found: dict[str, Setting] = {}
    unresolved: dict[str, Unresolved] = {}
    lines = text.split("\n")
    for each in read_dumps(lines, lambda dump: bool(_named(dump, most) & wanted.keys()), name):
        if each.key in wanted.get(each.key.rsplit(".", 1)[-1], ()):
            _note(each, found, unresolved)
    for number, line in enumerate(lines, 1):
        for part in sorted(_named(line[:LONGEST_LINE], most) & wanted.keys()):
            for key, written in read_settings(part, line[:LONGEST_LINE]):
                if key in wanted[part]:
                    _note(Setting(key, value_of(written), Place(name, number)), found, unresolved)
    return Configuration(name, found, unresolved, openings=(opening,))


def _named(text: str, most: int) -> set[str]:
    """All that a text may name: its words, and up to so many of them that hyphens join, with
    underscores instead.
    """
    words = set(_WORDS.findall(text))
    for joined in [each for each in words if "-" in each]:
        parts = joined.split("-")
        for start in range(len(parts)):
            for end in range(start + 1, min(start + most, len(parts)) + 1):
                words.add("_".join(parts[start:end]))
    return words


def _note(
    setting: Setting | Unresolved, found: dict[str, Setting], unresolved: dict[str, Unresolved]
) -> None:
    if isinstance(setting, Unresolved):
        if setting.key not in found:
            unresolved.setdefault(setting.key, setting)
        return
    first: Value = found[setting.key].value if setting.key in found else setting.value
    if setting.key not in unresolved and first == setting.value:
        found.setdefault(setting.key, setting)
        return
    found.pop(setting.key, None)
    unresolved[setting.key] = Unresolved(setting.key, "", setting.place, "several values")
