"""All relations as one file, and back: dumped, Shipped.

An installed logdoctor has them so; the file is written when the wheel is built. To read a
framework's as YAML took a third of the time in which a small failing log is judged. Lines of JSON:
which relations name a signature, the frameworks, the known models, then one line of relations for
each framework.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from logdoctor.model import LocalText, Maturity, Position, Severity
from logdoctor.relations.formula import Constant, Name, Node, Operation
from logdoctor.relations.naming import SHIPPED, names_below
from logdoctor.relations.relation import Example, Framework, Origin, Relation
from logdoctor.settings.values import Value

OF_FRAMEWORKS = 3
"""Lines above those of the frameworks' relations."""


def dumped(root: Path) -> bytes:
    """The relations below a folder.

    Raises:
        SignatureError: with all faults of their files.
    """
    from logdoctor.relations.model_facts import KNOWN_MODELS, read_models  # noqa: PLC0415
    from logdoctor.relations.reading import load_frameworks, load_relations  # noqa: PLC0415

    frameworks = load_frameworks(root)
    lines = [
        names_below(str(root)),
        [_framework_row(each) for each in frameworks.values()],
        read_models(root / KNOWN_MODELS),
        *(
            [_relation_row(each, root) for each in load_relations(root, [framework])]
            for framework in frameworks.values()
        ),
    ]
    return b"".join(_line(each) for each in lines)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Shipped:
    """What `dumped` made; what nobody asks for is not decoded.

    Attributes:
        frameworks: by name, in the order of names.
        models: those that are known by their names.
    """

    def __init__(self, root: Path) -> None:
        """Of the file in a folder of relations.

        Raises:
            OSError: the folder has none.
        """
        self._root = root
        self._lines = (root / SHIPPED).read_bytes().splitlines()
        rows = [_framework(row) for row in json.loads(self._lines[1])]
        self.frameworks: Mapping[str, Framework] = {each.name: each for each in rows}

    @property
    def models(self) -> list[Mapping[str, Any]]:
        """As `read_models` gives them."""
        told: list[Mapping[str, Any]] = json.loads(self._lines[2])
        return told

    def relations(self, framework: str) -> tuple[Relation, ...]:
        """Those of a framework, in the order of ids."""
        number = OF_FRAMEWORKS + [*self.frameworks].index(framework)
        return tuple(_relation(row, self._root) for row in json.loads(self._lines[number]))


def _node_row(node: Node) -> Any:
    """A name as text, a constant behind 0, an operation behind its operator."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Constant):
        return [0, node.value]
    return [node.operator, *map(_node_row, node.operands)]


def _node(row: Any) -> Node:
    if isinstance(row, str):
        return Name(row)
    if row[0] == 0:
        return Constant(_value(row[1]))
    return Operation(row[0], tuple(map(_node, row[1:])))


def _value(row: Any) -> Value:
    return tuple(map(_value, row)) if isinstance(row, list) else row


def _framework_row(framework: Framework) -> list[Any]:
    machine = {name: _node_row(each) for name, each in framework.machine.items()}
    return [
        *framework._replace(
            machine=machine, units=dict(framework.units), aliases=dict(framework.aliases)
        )
    ]


def _framework(row: list[Any]) -> Framework:
    name, programs, keys, is_part, package, machine, units, aliases = row
    nodes = {fact: _node(each) for fact, each in machine.items()}
    return Framework(name, tuple(programs), tuple(keys), is_part, package, nodes, units, aliases)


def _relation_row(relation: Relation, root: Path) -> dict[str, Any]:
    """A place in a file is told from the folder on."""

    def place(position: Position) -> list[Any]:
        return [Path(position.file).relative_to(root).as_posix(), position.line, position.column]

    return {
        **relation._asdict(),
        "when": relation.when and _node_row(relation.when),
        "holds": _node_row(relation.holds),
        "breaks": [[dict(each.settings), place(each.position)] for each in relation.breaks],
        "fits": [[dict(each.settings), place(each.position)] for each in relation.fits],
        "position": place(relation.position),
    }


def _relation(row: dict[str, Any], root: Path) -> Relation:
    def place(told: list[Any]) -> Position:
        return Position(str(root / told[0]), *told[1:])

    def examples(told: list[Any]) -> tuple[Example, ...]:
        return tuple(
            Example({key: _value(each) for key, each in settings.items()}, place(position))
            for settings, position in told
        )

    return Relation(
        **{
            **row,
            "title": LocalText(*row["title"]),
            "severity": Severity(row["severity"]),
            "maturity": Maturity(row["maturity"]),
            "when": _node(row["when"]) if row["when"] is not None else None,
            "holds": _node(row["holds"]),
            "why": LocalText(*row["why"]),
            "adjust": tuple(row["adjust"]),
            "versions": tuple(row["versions"]),
            "origin": Origin(*row["origin"]),
            "breaks": examples(row["breaks"]),
            "fits": examples(row["fits"]),
            "references": tuple(row["references"]),
            "position": place(row["position"]),
        }
    )
