"""Relation files to relations: load_relations, load_frameworks.

A folder for each framework: `_framework.yaml` says how its runs are recognised, each other file is
a relation. Strict as signatures are, by the same reader: all faults of all files, each with its
place, before it gives up.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import yaml

from logdoctor.errors import Fault, SignatureError
from logdoctor.model import Maturity, Position, Severity
from logdoctor.relations.formula import (
    FormulaError,
    Node,
    parse_formula,
    replaced,
)
from logdoctor.relations.relation import Example, Framework, Origin, Relation
from logdoctor.relations.units import TRUTH, UNITS, unit_of
from logdoctor.settings.values import Value, value_of
from logdoctor.signatures.files import SignatureFile, bundled_folder, signature_files
from logdoctor.signatures.yaml_types import (
    BothLanguages,
    Choice,
    Field,
    Flag,
    JsonSchema,
    ListOf,
    MapOf,
    Number,
    Reading,
    Record,
    Text,
    Unreadable,
    Values,
    YamlType,
    compose,
)

FRAMEWORK_FILE = "_framework.yaml"
FOR_EACH = "for_each"
"""Key of a file that says the same of several parts of a run, each named `{it}` in it."""

R = TypeVar("R")

TEXT = Text()
TEXTS = ListOf(TEXT, one_is_enough=True)
MACHINE_UNITS = {
    "@gpus": "GPUs",
    "@gpus_per_node": "GPUs",
    "@nodes": "nodes",
    "@processes": "processes",
    "@launched_nodes": "nodes",
    "@launched_per_node": "GPUs",
    "@available_gpus": "GPUs",
    "@available_gpus_per_node": "GPUs",
    "@available_nodes": "nodes",
    "@gpu_memory": "GiB",
    "@host_memory": "GiB",
}


class _Written(NamedTuple):
    """A formula with its place, before it is known whose settings it has."""

    node: Node
    at: yaml.Node


class _Formula:
    """A formula."""

    def read(self, node: yaml.Node, reading: Reading) -> _Written:
        text = Text("a formula").read(node, reading)
        try:
            return _Written(parse_formula(text), node)
        except FormulaError as error:
            reading.fault(node, f'bad formula "{text}"', str(error))
            raise Unreadable from error

    def schema(self) -> JsonSchema:
        return {"type": "string"}


class _AnyValue:
    """A value as a configuration has it: text, number, list."""

    def read(self, node: yaml.Node, reading: Reading) -> Value:
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.read(each, reading) for each in node.value)
        if isinstance(node, yaml.ScalarNode):
            return value_of(node.value) if not node.style else str(node.value)
        reading.fault(node, "found a mapping", "expected a value or a list")
        raise Unreadable

    def schema(self) -> JsonSchema:
        return {}


FORMULA = _Formula()

_RELEASE = Field("version", TEXT, "release or commit that was read", required=True)
_FILE = Field("file", TEXT, "path inside the package or repository", required=True)
_LINE = Field("line", Number(), "line of the check, from 1", required=True)
ORIGIN = Record(
    "a source",
    (_RELEASE, _FILE, _LINE),
    lambda values, _: Origin(values[_RELEASE], values[_FILE], int(values[_LINE])),
)


class _ExampleType:
    """Settings by name."""

    def read(self, node: yaml.Node, reading: Reading) -> Example:
        return Example(MapOf(_AnyValue()).read(node, reading), reading.position(node))

    def schema(self) -> JsonSchema:
        return {"type": "object"}


def _many(item: YamlType[R]) -> ListOf[R]:
    return ListOf(item, at_least=1, one_is_enough=True)


_ID = Field("id", TEXT, "the name of the file without .yaml", required=True)
_TITLE = Field("title", BothLanguages(), "what is wrong, in a few words", required=True)
_SEVERITY = Field("severity", Choice(Severity), "error or warning", required=True)
_MATURITY = Field("maturity", Choice(Maturity), "draft or confirmed", required=True)
_LET = Field("let", MapOf(FORMULA), "short names for parts of the formulas")
_WHEN = Field("when", FORMULA, "when the relation counts")
_HOLDS = Field("holds", FORMULA, "what must hold", required=True)
_WHY = Field("why", BothLanguages(), "what happens otherwise, and what to change", required=True)
_ERROR = Field("error", TEXT, "what the framework prints then")
_SILENT = Field("silent", Flag(), "true: the framework says nothing")
_ADJUST = Field("adjust", TEXTS, "settings to change, the one to try first, first")
_VERSIONS = Field("versions", TEXTS, "comparisons of the framework's version")
_SOURCE = Field("source", ORIGIN, "where the framework has it", required=True)
_SIGNATURE = Field("signature_id", TEXT, "the signature of the failure")
_EVIDENCE = Field("evidence", Flag(), "true: judged of runs that failed only; most run well")
_BREAKS = Field("breaks", _many(_ExampleType()), "settings that break it", required=True)
_FITS = Field("fits", _many(_ExampleType()), "settings that just fit", required=True)
_REFERENCES = Field("references", TEXTS, "URLs")


def _whole(
    written: _Written, let: Mapping[str, Node], reading: Reading, units: Mapping[str, str]
) -> Node:
    node = replaced(written.node, let)
    try:
        unit = unit_of(node, units)
    except ValueError as error:
        reading.fault(written.at, "units do not fit", str(error))
        raise Unreadable from error
    if unit not in ("", TRUTH):
        reading.fault(written.at, f"a formula that gives a {unit}", "expected true or false")
        raise Unreadable
    return node


def _relation(framework: Framework, values: Values, reading: Reading) -> Relation:
    units = {**framework.units, **MACHINE_UNITS}
    let: dict[str, Node] = {}
    for name, each in values.get(_LET, {}).items():
        let[name] = replaced(each.node, let)
    if (_ERROR in values) == (_SILENT in values):
        reading.fault(values.node, "error and silent", "expected exactly one of them")
        raise Unreadable
    when = values.maybe(_WHEN)
    return Relation(
        id=values[_ID],
        framework=framework.name,
        title=values[_TITLE],
        severity=values[_SEVERITY],
        maturity=values[_MATURITY],
        when=_whole(when, let, reading, units) if when else None,
        holds=_whole(values[_HOLDS], let, reading, units),
        why=values[_WHY],
        error=values.maybe(_ERROR),
        adjust=values.get(_ADJUST, ()),
        versions=values.get(_VERSIONS, ()),
        origin=values[_SOURCE],
        signature_id=values.maybe(_SIGNATURE),
        breaks=values[_BREAKS],
        fits=values[_FITS],
        references=values.get(_REFERENCES, ()),
        is_evidence=_EVIDENCE in values,
        position=values.position,
    )


def _relation_type(framework: Framework) -> Record[Relation]:
    fields = (
        _ID, _TITLE, _SEVERITY, _MATURITY, _LET, _WHEN, _HOLDS, _WHY, _ERROR, _SILENT, _ADJUST,
        _VERSIONS, _SOURCE, _SIGNATURE, _EVIDENCE, _BREAKS, _FITS, _REFERENCES,
    )  # fmt: skip
    return Record("a relation", fields, partial(_relation, framework))


_PROGRAMS = Field("programs", TEXTS, "modules, files, commands and classes that run it")
_KEYS = Field("keys", TEXTS, "settings that it has and others have not")
_PART = Field("part", Flag(), "true: looked at beside the framework that a run is of")
_PACKAGE = Field("package", TEXT, "whose releases count as its versions")
_MACHINE = Field("machine", MapOf(FORMULA), "formulas for facts of the machine")
_UNITS = Field("units", MapOf(TEXTS), "names of settings by the unit that they count")
_ALIASES = Field("aliases", MapOf(TEXT), "settings by their other names")


def _framework(name: str, values: Values, reading: Reading) -> Framework:
    units = values.get(_UNITS, {})
    for unit in units.keys() - {*UNITS}:
        reading.fault(values.node, f'unknown unit "{unit}"', f"expected one of {', '.join(UNITS)}")
        raise Unreadable
    return Framework(
        name,
        values.get(_PROGRAMS, ()),
        values.get(_KEYS, ()),
        _PART in values,
        values.get(_PACKAGE, ""),
        {f"@{fact}": each.node for fact, each in values.get(_MACHINE, {}).items()},
        {key: unit for unit, keys in units.items() for key in keys},
        values.get(_ALIASES, {}),
    )


def _framework_type(name: str) -> Record[Framework]:
    fields = (_PROGRAMS, _KEYS, _PART, _PACKAGE, _MACHINE, _UNITS, _ALIASES)
    return Record("a framework", fields, partial(_framework, name))


def relations_path() -> Path:
    """Folder of the relations that come with logdoctor."""
    return bundled_folder("relations")


def load_frameworks(root: Path) -> Mapping[str, Framework]:
    """The frameworks below a folder, by name.

    Raises:
        SignatureError: with all faults of their files.
    """
    faults: list[Fault] = []
    found = {}
    for file in signature_files(sorted(root.glob(f"*/{FRAMEWORK_FILE}"))):
        name = file.path.parent.name
        for framework in _read_file(file, _framework_type(name), faults):
            found[name] = framework
    _raise(faults)
    return found


def load_relations(root: Path, frameworks: Iterable[Framework]) -> tuple[Relation, ...]:
    """The relations of these frameworks, in the order of ids.

    Raises:
        SignatureError: with all faults of their files.
    """
    faults: list[Fault] = []
    relations: dict[str, tuple[Relation, ...]] = {}
    for framework in frameworks:
        kind = _relation_type(framework)
        files = sorted((root / framework.name).glob("*.yaml"))
        for file in signature_files([each for each in files if each.name != FRAMEWORK_FILE]):
            found = _read_file(file, kind, faults)
            for relation in found:
                faults += _place_faults(relation, file.path, relations)
            relations.update({relation.id: found for relation in found})
    _raise(faults)
    return tuple(relation for each in sorted(relations) for relation in relations[each])


def _read_file(file: SignatureFile, kind: Record[R], faults: list[Fault]) -> tuple[R, ...]:
    """What a file says: once, or once for each word of its `for_each`, which stands for `{it}`."""
    reading = Reading(str(file.path))
    if file.problem:
        faults.append(Fault(Position(str(file.path), 1, 1), file.problem))
        return ()
    found: list[R] = []
    try:
        node = compose(file.content.decode("utf-8-sig", "replace"), reading)
        found += [kind.read(each, reading) for each in (_each(node, reading) if node else ())]
    except Unreadable:
        pass
    faults.extend(reading.faults)
    return tuple(found)


def _each(node: yaml.Node, reading: Reading) -> Iterator[yaml.Node]:
    """The file for each word of its `for_each`, or the file alone."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    listed = next((value for key, value in pairs if key.value == FOR_EACH), None)
    if listed is None:
        yield node
        return
    for word in TEXTS.read(listed, reading):
        copy = deepcopy(node)
        copy.value = [(key, value) for key, value in copy.value if key.value != FOR_EACH]
        _put(copy, word)
        yield copy


def _put(node: yaml.Node, word: str) -> None:
    if isinstance(node, yaml.ScalarNode):
        node.value = node.value.replace("{it}", word)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            _put(each, word)
    else:
        for key, value in node.value:
            _put(key, word)
            _put(value, word)


def _place_faults(
    relation: Relation, file: Path, known: Mapping[str, tuple[Relation, ...]]
) -> list[Fault]:
    faults = []
    if relation.id != file.stem:
        what = f'id "{relation.id}" in file "{file.name}"'
        faults.append(Fault(relation.position, what, f'expected "{file.stem}"'))
    if relation.id in known:
        what = f'duplicate id "{relation.id}"'
        faults.append(Fault(relation.position, what, f"also in {known[relation.id][0].position}"))
    return faults


def _raise(faults: list[Fault]) -> None:
    if faults:
        raise SignatureError(tuple(sorted(faults, key=lambda each: each.position)))
