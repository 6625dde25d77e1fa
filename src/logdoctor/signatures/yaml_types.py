"""YAML nodes to values, with every fault placed: YamlType.

A type knows how to read a node and how to describe itself as JSON Schema (draft 2020-12), so that
the loader and the editor's completion cannot differ. All plain scalars are text: `2.10`, `no` and
`1e5` stay what was written.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import yaml

from logdoctor.errors import Fault
from logdoctor.model import LocalText, Position
from logdoctor.texts.filling import take_apart
from logdoctor.texts.masking import printable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=Enum)

JsonSchema = dict[str, Any]


class Mention(NamedTuple):
    """A name that must be given elsewhere: what it is the name of, and where it stands."""

    kind: str
    name: str
    position: Position


class Reading:
    """Collects the faults of one file while its nodes are read, and the names that it mentions."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.mentions: list[Mention] = []

    def position(self, node: yaml.Node) -> Position:
        """Where a node begins."""
        return Position(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def fault(self, node: yaml.Node, what: str, hint: str = "") -> None:
        """Notes what is wrong with a node."""
        self.faults.append(Fault(self.position(node), what, hint))


# it ends the reading of a node; the faults are the errors
class Unreadable(Exception):  # noqa: N818
    """A node could not be read; the fault has been noted."""


class YamlType(Protocol[T_co]):
    """What a node must look like."""

    def read(self, node: yaml.Node, reading: Reading) -> T_co:
        """The node's value.

        Raises:
            Unreadable: it is of another type; the fault is in `reading`.
        """

    def schema(self) -> JsonSchema:
        """The same as JSON Schema."""


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return f'"{printable(node.value)[:60]}"' if node.value else "nothing"


@dataclass(frozen=True)
class Text:
    """A text that is not empty."""

    expected: str = "text"
    may_have_controls: bool = False

    def read(self, node: yaml.Node, reading: Reading) -> str:
        """The scalar as written."""
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            reading.fault(node, f"found {_kind(node)}", f"expected {self.expected}")
            raise Unreadable
        if not self.may_have_controls and printable(node.value) != node.value:
            reading.fault(
                node,
                f'a control character in "{printable(node.value)[:40]}"',
                "expected visible characters; only log texts may have others",
            )
            raise Unreadable
        return str(node.value)

    def schema(self) -> JsonSchema:
        """A string; numbers and booleans are accepted as they are read as text."""
        return {"type": ["string", "number", "boolean"]}


@dataclass(frozen=True)
class Flag:
    """A key that says something by standing there: its value is `true`, whatever quotes it has."""

    def read(self, node: yaml.Node, reading: Reading) -> bool:
        """True."""
        if not isinstance(node, yaml.ScalarNode) or node.value != "true":
            reading.fault(node, f"found {_kind(node)}", "expected true, or no such key")
            raise Unreadable
        return True

    def schema(self) -> JsonSchema:
        """`true`, as text too."""
        return {"enum": [True, "true"]}


@dataclass(frozen=True)
class NameOf:
    """The name of something of this kind, which is looked for once everything is read."""

    kind: str

    def read(self, node: yaml.Node, reading: Reading) -> str:
        """The name; what it names may not exist."""
        name = Text(f"the name of a {self.kind}").read(node, reading)
        reading.mentions.append(Mention(self.kind, name, reading.position(node)))
        return name

    def schema(self) -> JsonSchema:
        """A string."""
        return {"type": "string"}


@dataclass(frozen=True)
class Number:
    """A decimal number."""

    def read(self, node: yaml.Node, reading: Reading) -> float:
        """Its value, never NaN nor infinite."""
        try:
            value = float(node.value) if isinstance(node, yaml.ScalarNode) else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            reading.fault(node, f"found {_kind(node)}", "expected a number")
            raise Unreadable
        return value

    def schema(self) -> JsonSchema:
        """A number."""
        return {"type": "number"}


@dataclass(frozen=True)
class Choice(Generic[E]):
    """One of a closed set of words."""

    enum: type[E]

    def read(self, node: yaml.Node, reading: Reading) -> E:
        """The member of that value."""
        values = [str(member.value) for member in self.enum]
        word = Text("one of " + ", ".join(values)).read(node, reading)
        if word not in values:
            name = self.enum.__name__.lower()
            reading.fault(node, f'unknown {name} "{word}"', f"expected one of {', '.join(values)}")
            raise Unreadable
        return self.enum(word)

    def schema(self) -> JsonSchema:
        """An enumeration."""
        return {"enum": [member.value for member in self.enum]}


@dataclass(frozen=True)
class ListOf(Generic[T]):
    """A list of the same type; `one_is_enough` also takes a single value that is no list."""

    item: YamlType[T]
    at_least: int = 0
    one_is_enough: bool = False

    def read(self, node: yaml.Node, reading: Reading) -> tuple[T, ...]:
        """The items in order; all are read before a fault stops it."""
        if not isinstance(node, yaml.SequenceNode):
            if self.one_is_enough:
                return (self.item.read(node, reading),)
            reading.fault(node, f"found {_kind(node)}", "expected a list")
            raise Unreadable
        if len(node.value) < self.at_least:
            reading.fault(node, "the list is empty", f"expected at least {self.at_least}")
            raise Unreadable
        return _read_all([partial(self.item.read, child, reading) for child in node.value])

    def schema(self) -> JsonSchema:
        """An array."""
        array: JsonSchema = {"type": "array", "items": self.item.schema()}
        if self.at_least:
            array["minItems"] = self.at_least
        return {"anyOf": [self.item.schema(), array]} if self.one_is_enough else array


def _read_all(readers: list[Callable[[], T]]) -> tuple[T, ...]:
    values, failed = [], False
    for read in readers:
        try:
            values.append(read())
        except Unreadable:
            failed = True
    if failed:
        raise Unreadable
    return tuple(values)


def _pairs(node: yaml.Node, reading: Reading) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """Keys and values of a mapping; a duplicate key or one that is no text is a fault and left
    out.
    """
    if not isinstance(node, yaml.MappingNode):
        reading.fault(node, f"found {_kind(node)}", "expected a mapping")
        raise Unreadable
    first: dict[str, int] = {}
    pairs = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            reading.fault(key, f"found {_kind(key)} as a key", "expected text")
        elif key.value in first:
            reading.fault(
                key,
                f'duplicate key "{key.value}"',
                f"first given in line {first[key.value]}; keep one of them",
            )
        else:
            first[key.value] = key.start_mark.line + 1
            pairs.append((key, value))
    return pairs


@dataclass(frozen=True)
class MapOf(Generic[T]):
    """A mapping from free names to values of the same type."""

    value: YamlType[T]

    def read(self, node: yaml.Node, reading: Reading) -> Mapping[str, T]:
        """In the order written."""
        pairs = _pairs(node, reading)
        values = _read_all([partial(self.value.read, value, reading) for _, value in pairs])
        return {str(key.value): value for (key, _), value in zip(pairs, values, strict=True)}

    def schema(self) -> JsonSchema:
        """An object with free keys."""
        return {"type": "object", "additionalProperties": self.value.schema()}


@dataclass(frozen=True)
class BothLanguages:
    """`{en: …, zh: …}`."""

    def read(self, node: yaml.Node, reading: Reading) -> LocalText:
        """Both texts, white space at the ends removed."""
        texts = {}
        for key, value in _pairs(node, reading):
            if key.value not in ("en", "zh"):
                reading.fault(key, f'unknown language "{key.value}"', "expected en and zh")
                raise Unreadable
            texts[key.value] = Text().read(value, reading).strip()
            if take_apart(texts[key.value]).is_open:
                reading.fault(
                    value, 'a clause "[[" without its end', "expected ]] before the next [["
                )
                raise Unreadable
        for language in ("en", "zh"):
            if language not in texts:
                reading.fault(
                    node, f'the text in "{language}" is missing', "every text is given in en and zh"
                )
                raise Unreadable
        return LocalText(**texts)

    def schema(self) -> JsonSchema:
        """An object with en and zh."""
        text = {"type": "string", "minLength": 1}
        return {
            "type": "object",
            "properties": {"en": text, "zh": text},
            "required": ["en", "zh"],
            "additionalProperties": False,
        }


@dataclass(frozen=True, eq=False)
class Field(Generic[T]):
    """A key of a record."""

    name: str
    type: YamlType[T]
    doc: str
    required: bool = False


class Values:
    """What was read of a record; look a field up by the field itself."""

    def __init__(self, values: Mapping[str, object], node: yaml.Node, position: Position) -> None:
        self._values = values
        self.node = node
        self.position = position

    def __contains__(self, field: Field[Any]) -> bool:
        return field.name in self._values

    def get(self, field: Field[T], default: T) -> T:
        """The field's value, or `default` where it was not given."""
        # put there by field.type.read
        return self._values.get(field.name, default)  # type: ignore[return-value]

    def maybe(self, field: Field[T]) -> T | None:
        """The field's value, or None where it was not given."""
        # put there by field.type.read
        return self._values.get(field.name)  # type: ignore[return-value]

    def __getitem__(self, field: Field[T]) -> T:
        # put there by field.type.read
        return self._values[field.name]  # type: ignore[return-value]


@dataclass(frozen=True)
class Record(Generic[T]):
    """A mapping with known keys, built into an object."""

    name: str
    fields: tuple[Field[Any], ...]
    build: Callable[[Values, Reading], T]
    required_unless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def read(self, node: yaml.Node, reading: Reading) -> T:
        """All fields are read before a fault stops it; unknown and missing ones are faults."""
        known = {each.name: each for each in self.fields}
        given, before = {}, len(reading.faults)
        for key, value in _pairs(node, reading):
            if key.value not in known:
                reading.fault(
                    key,
                    f'unknown key "{key.value}" in {self.name}',
                    f"expected one of {', '.join(known)}",
                )
                continue
            try:
                given[str(key.value)] = known[key.value].type.read(value, reading)
            except Unreadable:
                given[str(key.value)] = None
        for each in self.fields:
            excused = any(other in given for other in self.required_unless.get(each.name, ()))
            if each.required and not excused and each.name not in given:
                reading.fault(node, f'{self.name} has no "{each.name}"', f"expected {each.doc}")
        if len(reading.faults) > before:
            raise Unreadable
        return self.build(Values(given, node, reading.position(node)), reading)

    def schema(self) -> JsonSchema:
        """An object with these properties; what `required_unless` excuses is left to the loader."""
        return {
            "type": "object",
            "properties": {
                each.name: {"description": each.doc, **each.type.schema()} for each in self.fields
            },
            "required": [
                each.name
                for each in self.fields
                if each.required and each.name not in self.required_unless
            ],
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class TextOr(Generic[T]):
    """A record, or a text that stands for one."""

    record: Record[T]
    of_text: Callable[[str], T]

    def read(self, node: yaml.Node, reading: Reading) -> T:
        """What either is built into."""
        if isinstance(node, yaml.MappingNode):
            return self.record.read(node, reading)
        return self.of_text(Text().read(node, reading))

    def schema(self) -> JsonSchema:
        """Either of them."""
        return {"anyOf": [Text().schema(), self.record.schema()]}


def compose(text: str, reading: Reading) -> yaml.Node | None:
    """The root node of a YAML text, or None where it is no YAML (the fault is noted)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = f"not YAML: {error.problem or error.context}"
        reading.faults.append(
            Fault(
                Position(reading.file, line, column),
                what,
                "quote texts that contain ': ', '#', '{' or '\"'",
            )
        )
        return None
    except RecursionError:
        reading.faults.append(
            Fault(Position(reading.file, 1, 1), "nested too deeply", "expected one signature")
        )
        return None
    except yaml.YAMLError as error:
        reading.faults.append(
            Fault(
                Position(reading.file, 1, 1),
                f"not YAML: {error}".splitlines()[0],
                "expected YAML in UTF-8",
            )
        )
        return None
    if node is None:
        reading.faults.append(
            Fault(Position(reading.file, 1, 1), "the file is empty", "expected one signature")
        )
    return node
