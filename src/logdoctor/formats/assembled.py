"""All formats of the registry, as the tables take them: FORMATS.

An installed logdoctor has them in one file, which is written when the wheel is built: to open one
for each framework took as long as half the search of a small log. A checkout imports them.
"""

import json
import os
from typing import Any, NamedTuple

from logdoctor.formats.rows import (
    EngineKey,
    FileName,
    Format,
    Marker,
    MarkerKind,
    Message,
    PhaseWords,
    Prefix,
    RunFolder,
)
from logdoctor.model import Phase

SHIPPED = "formats.json"
"""Name of that file in the package's own folder."""


class Assembled(NamedTuple):
    """All formats in the registry's order, and the names of those that are frameworks."""

    formats: tuple[Format, ...]
    applications: tuple[str, ...]
    parts: tuple[str, ...]


def registered() -> Assembled:
    """What the registry has."""
    from logdoctor.formats.registry import APPLICATIONS, FORMATS, PARTS  # noqa: PLC0415  # see above

    return Assembled(
        FORMATS, tuple(each.name for each in APPLICATIONS), tuple(each.name for each in PARTS)
    )


def dumped(assembled: Assembled) -> bytes:
    """The same as bytes."""
    formats = [
        each._replace(
            carriers=[_row_of(row) for row in each.carriers],  # type: ignore[arg-type]
            prefixes=[_row_of(row) for row in each.prefixes],  # type: ignore[arg-type]
        )
        for each in assembled.formats
    ]
    rows = [formats, assembled.applications, assembled.parts]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def loaded(data: bytes) -> Assembled:
    """What was dumped."""
    formats, applications, parts = json.loads(data)
    return Assembled(tuple(map(_format, formats)), tuple(applications), tuple(parts))


def _row_of(prefix: Prefix) -> tuple[Any, ...]:
    heads = "|".join(prefix.heads)
    return prefix.name, heads, prefix.needs, prefix.pattern, prefix.samples, prefix.is_record


def _format(fields: list[Any]) -> Format:
    name, markers, methods, actors, carriers, prefixes, files, messages, folders, *rest_ = fields
    start, engine_keys = rest_
    return Format(
        name,
        tuple(Marker(MarkerKind(kind), *rest) for kind, *rest in markers),
        tuple(PhaseWords(Phase(phase), *rest) for phase, *rest in methods),
        tuple(PhaseWords(Phase(phase), *rest) for phase, *rest in actors),
        tuple(map(_prefix, carriers)),
        tuple(map(_prefix, prefixes)),
        tuple(FileName(whose, tuple(marks), *rest) for whose, marks, *rest in files),
        tuple(
            Message(whose, head, more, tuple(sample), mark)
            for whose, head, more, sample, mark in messages
        ),
        tuple(RunFolder(*row) for row in folders),
        start,
        tuple(EngineKey(*row) for row in engine_keys),
    )


def _prefix(row: list[Any]) -> Prefix:
    name, heads, needs, pattern, samples, is_record = row
    return Prefix(name, heads, needs, pattern, tuple(samples), is_record=is_record)


def _assembled() -> Assembled:
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), SHIPPED)
    try:
        with open(path, "rb") as file:
            return loaded(file.read())
    except OSError:
        return registered()


FORMATS, APPLICATIONS, PARTS = _assembled()
