"""YAML and JSON to settings with their places: read_yaml; Hydra's defaults lists are followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from logdoctor.model import Place
from logdoctor.settings.configuration import Problem, Setting, Unresolved
from logdoctor.settings.values import Value, value_of

MOST_VALUES = 20_000
"""Values that a configuration may have; aliases can multiply a small file without end."""

DEEPEST_DEFAULTS = 12
"""Files that take each other in as defaults."""

LONGEST_FILE = 20_000_000
"""Bytes of a configuration; what is longer is data."""


class YamlSettings(NamedTuple):
    """What a file sets; values of lists as a whole, and their members by number from 0 too where
    they are mappings.
    """

    settings: dict[str, Setting]
    openings: tuple[Unresolved, ...]
    problems: tuple[Problem, ...]


class _Reader:
    def __init__(self) -> None:
        self.openings: list[Unresolved] = []
        self.problems: list[Problem] = []
        self._count = 0

    def file(self, text: str, path: Path | None, name: str, depth: int = 0) -> dict[str, Setting]:
        """The settings of a text, with those of its defaults below its own."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            node = yaml.compose(text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            what = f"not YAML at column {column}: {error.problem or error.context}"
            self.problems.append(Problem(Place(name, line), what))
            return {}
        except (yaml.YAMLError, RecursionError) as error:
            what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            self.problems.append(Problem(Place(name, 0), f"not YAML: {what.splitlines()[0]}"))
            return {}
        if node is None or not isinstance(node, yaml.MappingNode):
            what = "no mapping at its top; expected settings"
            self.problems.append(Problem(Place(name, 0), what))
            return {}
        own: dict[str, Setting] = {}
        try:
            for key, value, line in self._flat(node, "", name):
                own[key] = Setting(key, value, Place(name, line))
        except RecursionError:
            what = "nested too deeply, or an alias that contains itself"
            self.problems.append(Problem(Place(name, 0), what))
        below: dict[str, Setting] = {}
        for each in self._defaults(node, path, name, depth):
            below.update(each)
        return {**below, **own}

    def _flat(self, node: yaml.Node, prefix: str, name: str) -> Iterator[tuple[str, Value, int]]:
        self._count += 1
        if self._count > MOST_VALUES:
            if self._count == MOST_VALUES + 1:
                what = f"more than {MOST_VALUES:,} values; the rest was not read"
                self.problems.append(Problem(Place(name, 0), what))
            return
        line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                word = str(key.value)
                if word == "defaults" and not prefix and isinstance(value, yaml.SequenceNode):
                    continue
                if word in seen:
                    what = f'"{prefix}{word}" is given twice; the last counts'
                    self.problems.append(Problem(Place(name, key.start_mark.line + 1), what))
                seen.add(word)
                yield from self._flat(value, f"{prefix}{word}.", name)
        elif isinstance(node, yaml.SequenceNode):
            if all(isinstance(each, yaml.ScalarNode) for each in node.value):
                yield prefix[:-1], tuple(map(_scalar, node.value)), line
            else:
                for number, value in enumerate(node.value):
                    yield from self._flat(value, f"{prefix}{number}.", name)
        else:
            yield prefix[:-1], _scalar(node), line

    def _defaults(
        self, node: yaml.MappingNode, path: Path | None, name: str, depth: int
    ) -> Iterator[dict[str, Setting]]:
        listed = next(
            (
                value
                for key, value in node.value
                if key.value == "defaults" and isinstance(value, yaml.SequenceNode)
            ),
            None,
        )
        if listed is None and (based := _text_of(node, "defaults")):
            yield from self._included(based, "", path, Place(name, 1), depth)
        for each in listed.value if listed is not None else ():
            place = Place(name, each.start_mark.line + 1)
            if isinstance(each, yaml.ScalarNode) and each.value != "_self_":
                yield from self._included(each.value, "", path, place, depth)
            elif isinstance(each, yaml.MappingNode):
                for key, value in each.value:
                    if not isinstance(value, yaml.ScalarNode) or value.value in ("null", ""):
                        continue
                    group = re.sub(r"^(?:optional|override)\s+", "", str(key.value))
                    if not str(key.value).startswith("override hydra/"):
                        group, _, package = group.partition("@")
                        yield from self._included(
                            f"{group}/{value.value}@{package or group.replace('/', '.')}",
                            "", path, place, depth,
                        )  # fmt: skip

    def _included(
        self, entry: str, _: str, path: Path | None, place: Place, depth: int
    ) -> Iterator[dict[str, Setting]]:
        file, _, package = entry.partition("@")
        package = "" if package in ("_here_", "_global_") else package
        found = None
        if path is not None and depth < DEEPEST_DEFAULTS:
            name = file.lstrip("/") + ("" if file.endswith((".yaml", ".yml")) else ".yaml")
            found = next(
                (
                    folder / name
                    for folder in (path.parent, path.parent.parent)
                    if (folder / name).is_file() and (folder / name).resolve() != path.resolve()
                ),
                None,
            )
        if found is None:
            what = "too many files within each other" if depth >= DEEPEST_DEFAULTS else "not found"
            self.openings.append(Unresolved("", f"defaults: {entry}", place, what))
            return
        text = found.read_text(encoding="utf-8", errors="replace")
        inner = self.file(text, found, str(found), depth + 1)
        prefix = f"{package}." if package else ""
        yield {f"{prefix}{key}": each._replace(key=f"{prefix}{key}") for key, each in inner.items()}


def _text_of(node: yaml.MappingNode, name: str) -> str:
    """A scalar at the top of a file; empty where there is none."""
    return next(
        (
            str(value.value)
            for key, value in node.value
            if key.value == name and isinstance(value, yaml.ScalarNode)
        ),
        "",
    )


def _scalar(node: yaml.Node) -> Value:
    if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"', "|", ">"):
        value = value_of(node.value)
        return value if isinstance(value, tuple) else str(node.value)
    return value_of(str(node.value))


def read_yaml(text: str, path: Path | None, name: str) -> YamlSettings:
    """The settings of a YAML or JSON text; `path` is where its defaults are sought."""
    if len(text) > LONGEST_FILE:
        problem = Problem(Place(name, 0), f"more than {LONGEST_FILE:,} characters")
        return YamlSettings({}, (), (problem,))
    reader = _Reader()
    settings = reader.file(text.replace("\t", "  "), path, name)
    return YamlSettings(settings, tuple(reader.openings), tuple(reader.problems))
