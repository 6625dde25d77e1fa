"""The compiled database as bytes: dump_automaton, load_automaton.

A line that names format and key, a line of JSON with sizes and checksums, then the sections: what
the search needs (JSON), its two tables of numbers, Hyperscan's own form of both engines, and three
times a table of ends and rows of JSON: what is known of the parts of patterns, the signatures, and
what each says. Of tables and rows only what is asked for is decoded. Nothing in it is executed;
whatever does not fit is refused.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, TypeVar, overload

import hyperscan
import xxhash

from logdoctor.model import Directory, Signature, SignatureDatabase, Wording
from logdoctor.model.rows import as_row, from_row
from logdoctor.search.automaton import Automaton, PartNumber
from logdoctor.search.engines import Engine, Engines
from logdoctor.search.traits import Traits

if TYPE_CHECKING:
    from mmap import mmap

FORMAT = "logdoctor compiled 11"


class CompiledError(ValueError):
    """The bytes are of another key, or broken."""


def dump_automaton(automaton: Automaton, key: str) -> bytes:
    """The automaton as bytes that only `load_automaton` with the same key takes; one that was
    compiled in one piece.
    """
    from logdoctor.signatures.nearest import wording_of  # noqa: PLC0415  # only to write

    database = automaton.database
    search = {
        "version": database.version,
        "numbers": database.directory.numbers,
        "refinements": database.directory.refinements,
        "metrics": database.directory.metrics,
        "components": database.directory.components,
        "settings": automaton.settings,
        "once": sorted(automaton.once),
    }
    sections = (
        _line(search),
        _table(automaton.parts),
        _table(automaton.codes),
        *(hyperscan.dumpb(engine.database) for (engine,) in automaton.engines),
        *_rows(automaton.traits),
        *_rows(database.signatures),
        *_rows(map(wording_of, database.signatures)),
    )
    head = {
        "sizes": [len(section) for section in sections],
        "checksums": [xxhash.xxh3_64_intdigest(section) for section in sections],
    }
    return b"\n".join((f"{FORMAT} {key}".encode(), json.dumps(head).encode(), b"".join(sections)))


def load_automaton(data: bytes | mmap, key: str) -> Automaton:
    """The automaton that was dumped with this key; the data must stay as they are.

    Raises:
        CompiledError: another key or format, cut off, damaged, or of another Hyperscan.
    """
    try:
        start = data.find(b"\n") + 1
        body = data.find(b"\n", start) + 1
        if data[:start] != f"{FORMAT} {key}\n".encode():
            raise CompiledError("another format or key")
        return _load(json.loads(data[start:body]), memoryview(data)[body:])
    except (ValueError, KeyError, TypeError, IndexError, hyperscan.error) as error:
        raise CompiledError(str(error)) from error


def _load(head: Any, body: memoryview) -> Automaton:
    sections, start = [], 0
    for size, checksum in zip(head["sizes"], head["checksums"], strict=True):
        sections.append(body[start : start + size])
        start += size
        if len(sections[-1]) != size or xxhash.xxh3_64_intdigest(sections[-1]) != checksum:
            raise CompiledError("damaged")
    search, parts, codes, events, course, *rows = sections
    traits, signatures, wordings = zip(rows[::2], rows[1::2], strict=True)
    told = json.loads(bytes(search))
    engines = Engines(
        *(
            (Engine(hyperscan.loadb(bytes(section), hyperscan.HS_MODE_BLOCK)),)
            for section in (events, course)
        )
    )
    directory = Directory(told["numbers"], told["refinements"], told["metrics"], told["components"])
    database = SignatureDatabase(
        _Rows(*signatures, Signature), told["version"], directory, _Rows(*wordings, Wording)
    )
    numbers, reasons = _Table(parts, PartNumber._make), _Table(codes, tuple)
    return Automaton(
        database,
        numbers,
        _Rows(*traits, Traits),
        reasons,
        told["settings"],
        told["once"],
        engines,
    )


T = TypeVar("T")


class _Decoded(Sequence[T], ABC):
    """Rows that are decoded when they are asked for."""

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...
    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._row(number)

    @abstractmethod
    def _row(self, number: int) -> T: ...


class _Table(_Decoded[T]):
    """Rows of numbers: how many rows, where each ends among all numbers, then these."""

    def __init__(self, data: memoryview, make: Callable[[memoryview], T]) -> None:
        numbers = data.cast("I")
        self._ends = numbers[: numbers[0] + 1]
        self._numbers = numbers[numbers[0] + 1 :]
        self._make = make

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _row(self, number: int) -> T:
        return self._make(
            self._numbers[self._ends[number] if number else 0 : self._ends[number + 1]]
        )


def _table(rows: Sequence[Sequence[int]]) -> bytes:
    from array import array  # noqa: PLC0415  # only to write one

    return array(
        "I", (len(rows), *accumulate(map(len, rows)), *chain.from_iterable(rows))
    ).tobytes()


class _Rows(_Decoded[T]):
    """Lines of JSON, each decoded once; `ends` says where among all bytes each ends."""

    def __init__(self, ends: memoryview, data: memoryview, kind: type[T]) -> None:
        self._data = data
        self._ends = ends.cast("I")
        self._kind = kind
        self._decoded: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._ends)

    def _row(self, number: int) -> T:
        if number not in self._decoded:
            start = self._ends[number - 1] if number else 0
            row = json.loads(bytes(self._data[start : self._ends[number]]))
            self._decoded[number] = from_row(self._kind, row, is_trusted=True)
        return self._decoded[number]


def _rows(values: Iterable[object]) -> tuple[bytes, bytes]:
    from array import array  # noqa: PLC0415  # only to write

    rows = [_line(as_row(value)) for value in values]
    return array("I", accumulate(map(len, rows))).tobytes(), b"".join(rows)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
