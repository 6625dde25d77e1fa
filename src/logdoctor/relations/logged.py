"""What a log shows of a run's settings to a configuration: LoggedText."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logdoctor.formats.printed_settings import read_settings
from logdoctor.model import Place
from logdoctor.settings.configuration import Configuration, Setting, Unresolved
from logdoctor.settings.printed_dumps import read_dumps
from logdoctor.settings.values import Value, value_of
from logdoctor.texts.masking import without_escapes

LONGEST_LINE = 200_000
"""Characters of a line in which settings are sought; a dump of all of them is shorter."""

_WORD = re.compile(r"[^\W_]+")


class LoggedText:
    """A text of a log, which may be asked for the settings of several frameworks."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._lines = text.split("\n")
        # of which all its names are put together: it has few of those that a framework knows
        self._words: set[str] = set()
        for line in self._lines:
            self._words.update(_WORD.findall(line))
            plain = without_escapes(line)
            if plain != line:
                self._words.update(_WORD.findall(plain))

    def configuration(self, keys: Iterable[str]) -> Configuration:
        """The settings of these keys that it shows, each where it is shown first; one shown with
        several values is unresolved. A log shows what it likes, so that no default counts.
        """
        name = self._name
        opening = Unresolved("", "the log", Place(name, 0), "it does not show all settings")
        wanted: dict[str, list[str]] = {}
        for key in keys:
            part = key.rsplit(".", 1)[-1]
            if self._words.issuperset(_WORD.findall(part)):
                wanted.setdefault(part, []).append(key)
        if not wanted:
            return Configuration(name, openings=(opening,))
        last = re.compile(rf"(?<!\w)(?:{'|'.join(map(_written, sorted(wanted)))})(?!\w)")
        found: dict[str, Setting] = {}
        unresolved: dict[str, Unresolved] = {}
        for each in read_dumps(self._lines, last, name):
            if each.key in wanted.get(each.key.rsplit(".", 1)[-1], ()):
                _note(each, found, unresolved)
        for number, line in enumerate(self._lines, 1):
            parts = {each.replace("-", "_") for each in last.findall(line[:LONGEST_LINE])}
            for part in sorted(parts):
                for key, written in read_settings(part, line[:LONGEST_LINE]):
                    if key in wanted[part]:
                        place = Place(name, number)
                        _note(Setting(key, value_of(written), place), found, unresolved)
        return Configuration(name, found, unresolved, openings=(opening,))


def _written(part: str) -> str:
    return "[_-]".join(map(re.escape, part.split("_")))


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
