"""Signatures whose templates are so alike that one accepts the other's text: near_duplicates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from logdoctor.model import Part, Pattern, Position, Signature, SignatureDatabase, Where
from logdoctor.patterns.alignment import SlotType
from logdoctor.patterns.templates import Template, parse_template
from logdoctor.search.background import Background
from logdoctor.search.pieces import choose_pieces
from logdoctor.texts.masking import comparable

_SAMPLES = {
    SlotType.INT: "7",
    SlotType.NUMBER: "0.5",
    SlotType.SIZE: "1.00 GiB",
    SlotType.WORD: "x",
    SlotType.TEXT: "x",
}


class NearDuplicate(NamedTuple):
    """A text that one signature's pattern stands for, and another's accepts.

    Attributes:
        signature_id, template, position: of the pattern that stands for the text.
        other_id, other_template: of the pattern that accepts it too.
        edits: characters that differ for the other one; 0 where it fits exactly.
        is_taken: whether the other one wins on this very text, so that the pattern is never seen.
    """

    signature_id: str
    template: str
    position: Position
    other_id: str
    other_template: str
    edits: int
    is_taken: bool


class _Row(NamedTuple):
    """A pattern with templates: what a log says that it was made for, and what is searched for
    it.
    """

    signature: Signature
    pattern: Pattern
    templates: tuple[Template, ...]
    said: tuple[tuple[bool, str], ...]  # whether it is a frame, text
    pieces: tuple[str, ...]  # of the first template, in lower case


def near_duplicates(database: SignatureDatabase) -> tuple[NearDuplicate, ...]:
    """All of them, in the order of ids, that neither `refines`, `explains`, `excludes` nor
    `frameworks` tell apart.

    A text with sample values in the slots is compared as the matcher would: it must hold a piece of
    the other template and lie within its allowance. Patterns of regexes alone are not compared.
    """
    background = Background.load()
    rows = [row for signature in database.signatures for row in _rows(signature, background)]
    pairs = sorted(_lit_up(rows))
    compared = (
        _compared(rows[row], rows[other])
        for row, other in pairs
        if rows[row].signature is not rows[other].signature
    )
    return tuple(duplicate for duplicate in compared if duplicate)


def _lit_up(rows: Sequence[_Row]) -> set[tuple[int, int]]:
    """Numbers, from 0, of a row and of another that has a piece in its text."""
    text, starts = "", []
    for row in rows:
        starts.append(len(text))
        text += "\n".join(each for _, each in row.said).lower() + "\n"
    pairs = set()
    for number, other in enumerate(rows):
        for piece in other.pieces:
            position = text.find(piece)
            while position >= 0:
                pairs.add((bisect_right(starts, position) - 1, number))
                position = text.find(piece, position + 1)
    return pairs


def _rows(signature: Signature, background: Background) -> Iterator[_Row]:
    for pattern in signature.patterns:
        parts = [part for part in pattern.parts if part.template]
        templates = tuple(parse_template(part.template or "") for part in parts)
        if templates:
            texts = tuple(
                (part.where is Where.FRAME, said(template))
                for part, template in zip(parts, templates, strict=True)
            )
            pieces = tuple(piece.lower() for piece in choose_pieces(templates[0], background))
            yield _Row(signature, pattern, templates, texts, pieces)


def said(template: Template) -> str:
    """A text that it stands for, with sample values in the slots."""
    return comparable(
        "".join(
            each if isinstance(each, str) else _SAMPLES[each.type] for each in template.elements
        )
    )


def _compared(row: _Row, other: _Row) -> NearDuplicate | None:
    edits = [_edits(part, row.said) for part in other.pattern.parts]
    least = sum(each for each in edits if each is not None)
    if None in edits or _is_excluded(other, least, row.said):
        return None
    is_taken = least == 0 and not other.signature.refines and _place(other) < _place(row)
    if not is_taken and are_told_apart(row.signature, other.signature):
        return None
    part = next(part for part in row.pattern.parts if part.template)
    shown = next(part.template for part in other.pattern.parts if part.template)
    return NearDuplicate(
        row.signature.id,
        part.template or "",
        part.position,
        other.signature.id,
        shown or "",
        least,
        is_taken,
    )


def _edits(part: Part, said: Sequence[tuple[bool, str]]) -> int | None:
    """Fewest characters of any of these texts that differ from a part; None where none is
    accepted.
    """
    texts = [text for is_frame, text in said if is_frame == (part.where is Where.FRAME)]
    if part.template is None:
        return 0 if any(regex.search(part.regex or "", text) for text in texts) else None
    template = parse_template(part.template)
    return min(
        (found.edits + found.cut_off for text in texts if (found := template.compare(text))),
        default=None,
    )


def _is_excluded(other: _Row, edits: int, said: Sequence[tuple[bool, str]]) -> bool:
    """Whether a near miss of the other signature fits at least as well, as far as edits tell."""
    return any(
        (found := _edits(part, said)) is not None and found <= edits
        for part in other.signature.excludes
    )


def _place(row: _Row) -> tuple[bool, int, str]:
    """The order in which the matcher prefers signatures that fit an event exactly; regexes
    beside templates are left out of account.
    """
    return (
        row.signature.is_general,
        -sum(template.length for template in row.templates),
        row.signature.id,
    )


def are_told_apart(one: Signature, other: Signature) -> bool:
    """Whether `refines`, `explains` or `frameworks` says which of two is meant."""
    families = {one.refines or one.id} & {other.refines or other.id}
    is_explained = one.id in other.explains or other.id in one.explains
    are_elsewhere = bool(one.frameworks and other.frameworks) and not set(one.frameworks) & set(
        other.frameworks
    )
    return bool(families) or is_explained or are_elsewhere
