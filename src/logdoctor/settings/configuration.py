"""The nouns of settings: Configuration, Setting, Unresolved."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.model import Place
from logdoctor.settings.values import Value

CONFIG_NAME = "config_name"
"""Hydra's option for a file below the folder of `config_path`, without its ending."""


class Setting(NamedTuple):
    """One setting as it was given, or as another fact stands for it (no place then)."""

    key: str
    value: Value
    place: Place | None = None


class Unresolved(NamedTuple):
    """A setting whose value cannot be told without running something.

    Attributes:
        text: what is written.
        why: what it depends on, in a few words.
    """

    key: str
    text: str
    place: Place | None
    why: str


class Problem(NamedTuple):
    """What is wrong with a file, or what of it was not read."""

    place: Place
    what: str


class Configuration(NamedTuple):
    """What one run is set to, as far as reading tells.

    Attributes:
        name: of the file that the user named.
        settings: by key, dotted as the framework has it, hyphens of options as underscores.
        unresolved: by key; no key is in both.
        environment: variables that the script sets for the run, by name.
        programs: what is started, the outermost first: modules, files, commands, classes.
        resources: `nodes`, `gpus_per_node`, `tasks_per_node` as Slurm is asked for them;
            `launched_nodes`, `launched_per_node`, `processes` as launchers are told.
        openings: through what more settings may come that are not seen; a default can be trusted
            only where this is empty.
        problems: in the order of files and lines.
    """

    name: str
    settings: Mapping[str, Setting] = MappingProxyType({})
    unresolved: Mapping[str, Unresolved] = MappingProxyType({})
    environment: Mapping[str, Setting] = MappingProxyType({})
    programs: tuple[str, ...] = ()
    resources: Mapping[str, Setting] = MappingProxyType({})
    openings: tuple[Unresolved, ...] = ()
    problems: tuple[Problem, ...] = ()
