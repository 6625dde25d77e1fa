"""The bundled signatures, and others that were compiled by themselves, as one: joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, overload

from logdoctor.model import AnchorKind, Directory, SignatureDatabase
from logdoctor.search.automaton import Automaton, PartNumber, anchor_code, anchor_of
from logdoctor.search.engines import Engine, Engines

T = TypeVar("T")


class _Joined(Sequence[T]):
    """Two sequences as one, of which nothing is copied."""

    def __init__(self, first: Sequence[T], second: Sequence[T]) -> None:
        self._first, self._second = first, second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...
    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        first = len(self._first)
        return self._first[number] if number < first else self._second[number - first]


def joined(base: Automaton, addition: Automaton) -> Automaton:
    """The automaton of all signatures of both; `addition` was compiled without the formats that
    they share (`compile_addition`), and its signatures come last.
    """
    signatures = len(base.database.signatures)
    offsets = {
        AnchorKind.TEMPLATE: len(base.parts),
        AnchorKind.REGEX: len(base.parts),
        AnchorKind.SETTING: len(base.settings),
    }
    moved = [
        [
            anchor_code(anchor._replace(owner=anchor.owner + offsets[anchor.kind]))
            for anchor in map(anchor_of, codes)
        ]
        for codes in addition.codes
    ]
    parts = [
        PartNumber(number.signature + signatures, number.pattern, number.part)
        for number in addition.parts
    ]
    by = len(base.codes)
    engines = Engines(
        *(
            (*first, *(Engine(database, offset + by) for database, offset in second))
            for first, second in zip(base.engines, addition.engines, strict=True)
        )
    )
    return Automaton(
        _database(base.database, addition.database),
        _Joined(base.parts, parts),
        _Joined(base.traits, addition.traits),
        _Joined(base.codes, moved),
        [*base.settings, *addition.settings],
        base.once,
        engines,
    )


def _database(base: SignatureDatabase, addition: SignatureDatabase) -> SignatureDatabase:
    by = len(base.signatures)
    one, other = base.directory, addition.directory
    directory = Directory(
        {**{name: number + by for name, number in other.numbers.items()}, **one.numbers},
        _together(one.refinements, other.refinements, by),
        [*one.metrics, *(number + by for number in other.metrics)],
        _together(one.components, other.components, by),
    )
    signatures = _Joined(base.signatures, addition.signatures)
    is_worded = base.wordings and addition.wordings
    wordings = _Joined(base.wordings, addition.wordings) if is_worded else ()
    return SignatureDatabase(signatures, addition.version, directory, wordings)


def _together(
    one: Mapping[str, Sequence[int]], other: Mapping[str, Sequence[int]], by: int
) -> Mapping[str, Sequence[int]]:
    """The numbers under each name; those of the other count from `by`."""
    together = {name: list(numbers) for name, numbers in one.items()}
    for name, numbers in other.items():
        together.setdefault(name, []).extend(number + by for number in numbers)
    return together
