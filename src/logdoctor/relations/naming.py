"""Where relations are, and which name a signature, told without reading them as YAML:
bundled_root, are_named, named_by.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from logdoctor.model import Diagnosis

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_FOLDERS = (
    os.path.join(_PACKAGE, "relations_data"),
    os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "relations"),
)
"""Where relations are: inside the package, or beside it in a checkout."""

SHIPPED = "relations.json"
"""Name of the file, in the folder of relations, that an installed logdoctor has of all of them."""

_NAMED = rb"(?m)^signature_id: *([\w-]+)"


def are_named(diagnoses: Iterable[Diagnosis]) -> bool:
    """Whether a relation names the signature of any of the diagnoses."""
    index = _index()
    return any(name in index for each in diagnoses for name in names_of(each))


def named_by(diagnoses: Iterable[Diagnosis]) -> dict[str, frozenset[str]]:
    """The signatures that relations name, of those of the diagnoses, by the relations'
    framework; empty where there are no relations.
    """
    found: dict[str, set[str]] = {}
    index = _index()
    for name in sorted({name for each in diagnoses for name in names_of(each)}):
        for framework in index.get(name, ()):
            found.setdefault(framework, set()).add(name)
    return {framework: frozenset(found[framework]) for framework in sorted(found)}


@lru_cache(maxsize=1)
def _index() -> Mapping[str, Sequence[str]]:
    """The frameworks whose relations name a signature, by its id."""
    root = bundled_root()
    if root is None:
        return {}
    try:
        with open(os.path.join(root, SHIPPED), "rb") as file:
            names: Mapping[str, Sequence[str]] = json.loads(file.readline())
            return names
    except OSError:
        return names_below(root)


def names_below(root: str) -> Mapping[str, Sequence[str]]:
    """The frameworks whose relations, in files below a folder, name a signature, by its id."""
    found: dict[str, dict[str, None]] = {}
    for framework in sorted(os.listdir(root)):
        folder = os.path.join(root, framework)
        for file in os.listdir(folder) if os.path.isdir(folder) else ():
            with open(os.path.join(folder, file), "rb") as opened:
                named = re.search(_NAMED, opened.read())
            if named:
                found.setdefault(named[1].decode(), {})[framework] = None
    return {name: tuple(frameworks) for name, frameworks in found.items()}


def digest_of(root: str | None = None) -> str:
    """Equal only for the same relations, below a folder or, where it is None, the bundled one."""
    import hashlib  # noqa: PLC0415  # a plain scan does without

    digest = hashlib.sha256()
    for folder, _, files in sorted(os.walk(root or bundled_root() or "")):
        for file in sorted(files):
            with open(os.path.join(folder, file), "rb") as opened:
                digest.update(f"{file} {hashlib.sha256(opened.read()).hexdigest()}\n".encode())
    return digest.hexdigest()


def bundled_root() -> str | None:
    """The folder of the relations that come with logdoctor; None where it is missing."""
    return next(filter(os.path.isdir, _FOLDERS), None)


def names_of(diagnosis: Diagnosis) -> Iterator[str]:
    """All names by which a relation may mean the signature of a diagnosis."""
    signature = diagnosis.signature
    yield from (signature.id, *signature.aliases)
    if signature.refines:
        yield signature.refines
