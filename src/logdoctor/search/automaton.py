"""The compiled database, as the stages share it: Automaton."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import hyperscan

from logdoctor.model import Anchor, AnchorKind, Part, SignatureDatabase
from logdoctor.search.engines import Engine, Engines
from logdoctor.search.traits import Traits

_KINDS = tuple(AnchorKind)


class PartNumber(NamedTuple):
    """Where a part of a pattern stands: numbers from 0 of the signature in the database, its
    pattern and the part in it.

    A part of `excludes` has no anchor and no number.
    """

    signature: int
    pattern: int
    part: int


def anchor_code(anchor: Anchor) -> int:
    """The anchor as one number."""
    return anchor.owner * len(_KINDS) + _KINDS.index(anchor.kind)


def anchor_of(code: int) -> Anchor:
    """The anchor of that number."""
    return Anchor(_KINDS[code % len(_KINDS)], code // len(_KINDS))


class Automaton:
    """The compiled database.

    Attributes:
        parts: all parts of all patterns.
        traits: what is known of each part.
        codes: for each expression why it is searched (never empty), each reason as `anchor_code`
            gives it.
        settings: configuration keys that remedies ask for, sorted.
        once: expressions that tell all they can when they are first seen in a source; found once in
            each scan.
        engines: search all expressions, which are numbered from 0, in two passes.
    """

    def __init__(  # noqa: PLR0917  # in the order of the attributes
        self,
        database: SignatureDatabase,
        parts: Sequence[PartNumber],
        traits: Sequence[Traits],
        codes: Sequence[Sequence[int]],
        settings: Sequence[str],
        once: Iterable[int],
        engines: Engines,
    ) -> None:
        self.database = database
        self.parts = parts
        self.traits = traits
        self.codes = codes
        self.settings = settings
        self.once = frozenset(once)
        self.engines = engines
        # decoded when first asked for: of most expressions nobody asks
        self._anchors: dict[int, tuple[Anchor, ...]] = {}

    def anchors_of(self, expression: int) -> tuple[Anchor, ...]:
        """Why this expression is searched."""
        found = self._anchors.get(expression)
        if found is None:
            found = self._anchors[expression] = tuple(map(anchor_of, self.codes[expression]))
        return found

    def kinds(self, expressions: Iterable[int]) -> frozenset[AnchorKind]:
        """Kinds of the anchors of these expressions."""
        return frozenset(
            _KINDS[code % len(_KINDS)]
            for expression in expressions
            for code in self.codes[expression]
        )

    def expressions_in(self, data: bytes) -> tuple[int, ...]:
        """Numbers of the expressions that a text holds, ascending, each once."""
        found: set[int] = set()
        for engine, scratch in self._scratches:
            found.update(number + engine.offset for number in _found(engine, scratch, data))
        return tuple(sorted(found))

    @cached_property
    def _scratches(self) -> tuple[tuple[Engine, hyperscan.Scratch], ...]:
        return tuple(
            (each, hyperscan.Scratch(each.database)) for engines in self.engines for each in engines
        )

    def part(self, number: PartNumber) -> Part:
        """The part that stands there."""
        return (
            self.database.signatures[number.signature].patterns[number.pattern].parts[number.part]
        )


def _found(engine: Engine, scratch: hyperscan.Scratch, data: bytes) -> set[int]:
    found: set[int] = set()
    engine.database.scan(
        data,
        match_event_handler=lambda number, _start, _end, _flags, _context: found.add(number),
        scratch=scratch,
    )
    return found
