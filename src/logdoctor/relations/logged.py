"""What a scan knows of a run's settings to a configuration: configuration_of."""

from __future__ import annotations

from logdoctor.model import RunContext
from logdoctor.settings.configuration import Configuration, Place, Setting, Unresolved
from logdoctor.settings.values import Value, value_of


def configuration_of(context: RunContext, name: str) -> Configuration:
    """The settings that a log shows; one shown with several values is unresolved. A log shows
    what it likes, so that no default counts.
    """
    settings: dict[str, Setting] = {}
    unresolved: dict[str, Unresolved] = {}
    place = Place(name, 0)
    for key, texts in context.config.items():
        values: dict[Value, None] = dict.fromkeys(map(value_of, texts))
        if len(values) == 1:
            settings[key] = Setting(key, next(iter(values)), place)
        else:
            unresolved[key] = Unresolved(key, ", ".join(texts), place, "several values")
    opening = Unresolved("", "what the log does not show", place, "not in the log")
    return Configuration(name, settings, unresolved, openings=(opening,))
