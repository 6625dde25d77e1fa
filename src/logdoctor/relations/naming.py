"""Which signatures relations name, without reading these as YAML: named_by_relations."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from logdoctor.model import Diagnosis

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_FOLDERS = (
    os.path.join(_PACKAGE, "relations_data"),
    os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "relations"),
)
"""Where relations are: inside the package, or beside it in a checkout."""

_NAMED = rb"(?m)^signature_id: *([\w-]+)"


Named: TypeAlias = Mapping[str, frozenset[str]]
"""Names of signatures, by the framework of the relations that name them."""


def named_by_relations(diagnoses: Iterable[Diagnosis]) -> Named:
    """The signatures that relations name, of those of the diagnoses; empty where there are no
    relations.
    """
    root = next(filter(os.path.isdir, _FOLDERS), None)
    if root is None:
        return {}
    ids = frozenset(name for each in diagnoses for name in names_of(each))
    found: dict[str, set[str]] = {}
    for framework in sorted(os.listdir(root)):
        folder = os.path.join(root, framework)
        for file in os.listdir(folder) if os.path.isdir(folder) else ():
            with open(os.path.join(folder, file), "rb") as opened:
                named = re.search(_NAMED, opened.read())
            if named and (name := named[1].decode()) in ids:
                found.setdefault(framework, set()).add(name)
    return {framework: frozenset(names) for framework, names in found.items()}


def names_of(diagnosis: Diagnosis) -> Iterator[str]:
    """All names by which a relation may mean the signature of a diagnosis."""
    signature = diagnosis.signature
    yield from (signature.id, *signature.aliases)
    if signature.refines:
        yield signature.refines
