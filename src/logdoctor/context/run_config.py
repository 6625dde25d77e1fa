"""A run's configuration file to values by dotted key: RunConfig, read_run_config."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from logdoctor.errors import SourceError
from logdoctor.model import Place
from logdoctor.sources.small_files import read_small

VALUES_LIMIT = 100_000
"""Values that a configuration may have; aliases can multiply a small file without end."""


class RunConfig(NamedTuple):
    """Values as text by dotted key (members of lists by their number from 0: `stages.0.name`), and
    where each stands.
    """

    values: Mapping[str, str]
    places: Mapping[str, Place]


def read_run_config(file: Path) -> RunConfig:
    """The configuration in a file of YAML.

    Raises:
        SourceError: it cannot be read, or is no YAML mapping.
    """
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        node = yaml.compose(read_small(str(file)).decode("utf-8-sig"), Loader=loader)
    except OSError as error:
        raise SourceError(str(file), (error.strerror or str(error)).lower()) from error
    except RecursionError as error:
        raise SourceError(str(file), "nested too deeply") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(str(file), f"not YAML: {error}".replace("\n", " ")) from error
    if not isinstance(node, yaml.MappingNode):
        raise SourceError(
            str(file), "no mapping at its top; expected the run's configuration in YAML"
        )
    values: dict[str, str] = {}
    places: dict[str, Place] = {}
    try:
        for key, value in _flat(node, ""):
            values[key] = str(value.value)
            places[key] = Place(str(file), value.start_mark.line + 1)
            if len(values) > VALUES_LIMIT:
                raise SourceError(
                    str(file),
                    f"more than {VALUES_LIMIT:,} values; expected the configuration of one run",
                )
    except RecursionError as error:
        raise SourceError(
            str(file), "nested too deeply, or an alias that contains itself"
        ) from error
    return RunConfig(values, places)


def _flat(node: yaml.Node, prefix: str) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _flat(value, f"{prefix}{key.value}.")
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _flat(value, f"{prefix}{number}.")
    else:
        yield prefix.rstrip("."), node
