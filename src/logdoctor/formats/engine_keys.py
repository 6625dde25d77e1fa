"""What frameworks call the options of the inference engine that they start: ENGINE_KEYS."""

from collections.abc import Mapping
from types import MappingProxyType

from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.rows import EngineKey

ENGINE_KEYS: Mapping[str, Mapping[str, EngineKey]] = MappingProxyType(
    {
        each.name: MappingProxyType({row.option: row for row in each.engine_keys})
        for each in FORMATS
        if each.engine_keys
    }
)
"""By framework, by the engine's own name of the option with underscores."""
