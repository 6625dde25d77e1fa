"""The compiled database, as the stages share it: Automaton."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import hyperscan

from logdoctor.model import Anchor, AnchorKind, Part, SignatureDatabase
from logdoctor.templates import Template


@dataclass(frozen=True)
class CompiledPart:
    """A part of a pattern, ready to be compared.

    Attributes:
        signature, pattern, index: numbers from 0 of the signature in the database, its pattern and the part in it; a
            part of `excludes` has no anchor and is not here.
        template: parsed, or None where the part is a regex.
    """

    signature: int
    pattern: int
    index: int
    part: Part
    template: Template | None


@dataclass(frozen=True)
class Automaton:
    """The compiled database.

    Attributes:
        parts: all parts of all patterns.
        anchors: for each expression, why it is searched (never empty).
        settings: configuration keys that remedies ask for, sorted.
    """

    database: SignatureDatabase
    parts: tuple[CompiledPart, ...]
    anchors: tuple[tuple[Anchor, ...], ...]
    settings: tuple[str, ...]
    engine: hyperscan.Database

    def kinds(self, anchors: Iterable[int]) -> frozenset[AnchorKind]:
        """Kinds of the anchors of these expressions."""
        return frozenset().union(*(self._kinds[number] for number in anchors))

    @cached_property
    def _kinds(self) -> tuple[frozenset[AnchorKind], ...]:
        return tuple(frozenset(anchor.kind for anchor in anchors) for anchors in self.anchors)
