"""Slots, and the cheapest alignment of a text with literal text and slots: align."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple


class SlotType(str, Enum):
    """What a slot takes."""

    INT = "int"
    NUMBER = "number"
    SIZE = "size"
    WORD = "word"
    TEXT = "text"


SLOT_REGEX = {
    SlotType.INT: r"\d+(?:[,_]\d{3})*",
    SlotType.NUMBER: r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
    SlotType.SIZE: r"\d+(?:\.\d+)?\s?(?:[KMGTkmgt]i?[Bb]|[Bb]ytes|B)\b",
    SlotType.WORD: r"\S+?",
    SlotType.TEXT: r".*?",
}
_CHARACTERS = {
    SlotType.INT: frozenset("0123456789,_"),
    SlotType.NUMBER: frozenset("0123456789.+-e"),
    SlotType.SIZE: frozenset("0123456789. kmgtibytes"),
}


class Slot(NamedTuple):
    """A place for a value."""

    name: str
    type: SlotType

    def takes(self, character: str) -> bool:
        """Whether the character can be part of its value."""
        if self.type is SlotType.TEXT:
            return True
        if self.type is SlotType.WORD:
            return not character.isspace()
        return character in _CHARACTERS[self.type]


class Alignment(NamedTuple):
    """Characters that differ, the values of the slots (a damaged one is left out), and where it
    begins in the text.
    """

    edits: int
    captures: Mapping[str, str]
    begin: int


def as_regex(element: str | Slot, is_last: bool) -> str:
    """The element as a regex; a word slot at the end takes all of the word."""
    if isinstance(element, str):
        return re.escape(element)
    pattern = r"\S+" if is_last and element.type is SlotType.WORD else SLOT_REGEX[element.type]
    return f"(?P<{element.name}>{pattern})"


def align(elements: Sequence[str | Slot], text: str, allowance: int) -> Alignment | None:
    """The cheapest one with some part of a text whose lower case is as long; None where more
    than `allowance` characters differ.
    """
    folded = text.lower()
    symbols: list[str | Slot] = []
    for each in elements:
        symbols.extend((each,) if isinstance(each, Slot) else each.lower())
    rows = [[0] * (len(folded) + 1)]
    for symbol in symbols:
        rows.append(
            _slot_row(rows[-1], symbol, folded)
            if isinstance(symbol, Slot)
            else _literal_row(rows[-1], symbol, folded)
        )
        if min(rows[-1]) > allowance:
            return None
    captures, begin = _captures(rows, symbols, text, folded)
    return Alignment(min(rows[-1]), captures, begin)


def _literal_row(above: list[int], character: str, text: str) -> list[int]:
    left = above[0] + 1
    row = [left]
    for column, other in enumerate(text):
        best = above[column] + (other != character)
        if left < best:
            best = left + 1
        if above[column + 1] < best:
            best = above[column + 1] + 1
        row.append(best)
        left = best
    return row


def _slot_row(above: list[int], slot: Slot, text: str) -> list[int]:
    missing = 0 if slot.type is SlotType.TEXT else 1
    left = above[0] + missing
    row = [left]
    for column, character in enumerate(text):
        cost = 0 if slot.takes(character) else 1
        best = min(above[column], left) + cost
        best = min(best, above[column + 1] + missing)
        row.append(best)
        left = best
    return row


def _captures(
    rows: list[list[int]], symbols: list[str | Slot], text: str, folded: str
) -> tuple[dict[str, str], int]:
    """Walks the cheapest way back from the end and cuts out what each slot took; a damaged value is
    left out.

    Also where the way begins in the text.
    """
    least = min(rows[-1])
    column = rows[-1].index(least)
    if isinstance(symbols[-1], Slot):
        while column < len(text) and rows[-1][column + 1] == least:
            column += 1
    captures: dict[str, str] = {}
    for row in range(len(symbols), 0, -1):
        symbol, end = symbols[row - 1], column
        if isinstance(symbol, Slot):
            while column and rows[row][column] == rows[row][column - 1] + (
                not symbol.takes(folded[column - 1])
            ):
                column -= 1
            column -= bool(
                column
                and rows[row][column]
                == rows[row - 1][column - 1] + (not symbol.takes(folded[column - 1]))
            )
            value = text[column:end].strip()
            if value and re.fullmatch(SLOT_REGEX[symbol.type], value):
                captures[symbol.name] = value
        else:
            column = _step_back(rows, row, column, symbol, folded)
    return captures, column


def _step_back(rows: list[list[int]], row: int, column: int, character: str, folded: str) -> int:
    while column:
        if rows[row][column] == rows[row - 1][column - 1] + (folded[column - 1] != character):
            return column - 1
        if rows[row][column] == rows[row - 1][column] + 1:
            return column
        column -= 1
    return column
