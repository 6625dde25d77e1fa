"""The compiled database as bytes: dump_automaton, load_automaton.

A line that names format and key, a line of JSON with sizes and a checksum, then four sections: what the search needs
(JSON), Hyperscan's own form of both engines, and the signatures, each a line of JSON that is decoded when it is first asked for.
Nothing in it is executed; whatever does not fit is refused.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any, overload

import hyperscan

from logdoctor.automaton import Automaton, PartNumber
from logdoctor.model import (
    Counterexample,
    Directory,
    Example,
    LocalText,
    Maturity,
    MetricPattern,
    Part,
    Pattern,
    Phase,
    Position,
    Remedy,
    Risk,
    Role,
    Severity,
    Signature,
    SignatureDatabase,
    When,
    Where,
)
from logdoctor.searching import Engines

FORMAT = "logdoctor compiled 4"


class CompiledError(ValueError):
    """The bytes are of another key, or broken."""


def dump_automaton(automaton: Automaton, key: str) -> bytes:
    """The automaton as bytes that only `load_automaton` with the same key takes."""
    database = automaton.database
    rows = [json.dumps(signature, ensure_ascii=False, default=dict).encode() for signature in database.signatures]
    search = {
        "version": database.version,
        "numbers": database.directory.numbers,
        "refinements": database.directory.refinements,
        "metrics": database.directory.metrics,
        "lengths": [len(row) for row in rows],
        "parts": automaton.parts,
        "codes": automaton.codes,
        "settings": automaton.settings,
        "once": sorted(automaton.once),
    }
    sections = (json.dumps(search, separators=(",", ":")).encode(), *map(hyperscan.dumpb, automaton.engines), b"".join(rows))
    head = {"sizes": [len(section) for section in sections], "checksums": [zlib.crc32(section) for section in sections]}
    return b"\n".join((f"{FORMAT} {key}".encode(), json.dumps(head).encode(), b"".join(sections)))


def load_automaton(data: bytes, key: str) -> Automaton:
    """The automaton that was dumped with this key.

    Raises:
        CompiledError: another key or format, cut off, damaged, or of another Hyperscan.
    """
    try:
        first, head, body = data.split(b"\n", 2)
        if first != f"{FORMAT} {key}".encode():
            raise CompiledError("another format or key")
        return _load(json.loads(head), memoryview(body))
    except (ValueError, KeyError, TypeError, IndexError, hyperscan.error) as error:
        raise CompiledError(str(error)) from error


def _load(head: Any, body: memoryview) -> Automaton:
    sections, start = [], 0
    for size, checksum in zip(head["sizes"], head["checksums"], strict=True):
        sections.append(body[start : start + size])
        start += size
        if len(sections[-1]) != size or zlib.crc32(sections[-1]) != checksum:
            raise CompiledError("damaged")
    search = json.loads(bytes(sections[0]))
    engines = Engines(*(hyperscan.loadb(bytes(section), hyperscan.HS_MODE_BLOCK) for section in sections[1:3]))
    signatures = _Rows(bytes(sections[3]), search["lengths"])
    database = SignatureDatabase(signatures, search["version"], Directory(search["numbers"], search["refinements"], search["metrics"]))
    return Automaton(database, [PartNumber(*part) for part in search["parts"]], search["codes"], search["settings"], search["once"], engines)


class _Rows(Sequence[Signature]):
    """Signatures that are decoded one by one."""

    def __init__(self, data: bytes, lengths: Sequence[int]) -> None:
        self._data = data
        self._ends = [0]
        for length in lengths:
            self._ends.append(self._ends[-1] + length)
        self._decoded: dict[int, Signature] = {}

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, number: int) -> Signature: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Signature]: ...
    def __getitem__(self, number: int | slice) -> Signature | Sequence[Signature]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        if number not in self._decoded:
            self._decoded[number] = _signature(json.loads(self._data[self._ends[number] : self._ends[number + 1]]))
        return self._decoded[number]


def _signature(row: Sequence[Any]) -> Signature:
    given = dict(zip(Signature._fields, row, strict=True))
    return Signature(
        **{
            **given,
            "title": LocalText(*given["title"]),
            "severity": Severity(given["severity"]),
            "role": Role(given["role"]),
            "maturity": Maturity(given["maturity"]),
            "aliases": tuple(given["aliases"]),
            "patterns": tuple(Pattern(tuple(map(_part, parts))) for (parts,) in given["patterns"]),
            "metrics": tuple(_metric(metric) for metric in given["metrics"]),
            "excludes": tuple(map(_part, given["excludes"])),
            "frameworks": tuple(given["frameworks"]),
            "explains": tuple(given["explains"]),
            "stalls": tuple(map(Phase, given["stalls"])),
            "cause": LocalText(*given["cause"]),
            "remedies": tuple(map(_remedy, given["remedies"])),
            "examples": tuple(Example(text, captures, origin, Position(*position)) for text, captures, origin, position in given["examples"]),
            "counterexamples": tuple(Counterexample(text, why, Position(*position)) for text, why, position in given["counterexamples"]),
            "references": tuple(given["references"]),
            "position": Position(*given["position"]),
        }
    )


def _metric(row: Sequence[Any]) -> MetricPattern:
    name, is_not_finite, is_constant, above, below, times_median, steps, position = row
    return MetricPattern(name, is_not_finite, is_constant, above, below, times_median, steps, Position(*position))


def _part(row: Sequence[Any]) -> Part:
    template, regex, where, position = row
    return Part(template, regex, Where(where), Position(*position))


def _remedy(row: Sequence[Any]) -> Remedy:
    when, action, settings, risk, check, reference = row
    frameworks, phases, *comparisons = when
    versions, config, captures = ({name: tuple(values) for name, values in each.items()} for each in comparisons)
    condition = When(tuple(frameworks), tuple(map(Phase, phases)), versions, config, captures)
    return Remedy(condition, LocalText(*action), settings, Risk(risk), LocalText(*check), reference)
