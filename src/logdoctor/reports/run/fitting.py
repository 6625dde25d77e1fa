"""Parts of a report to a screen: Part, fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Lines = tuple[str, ...]


class Part(NamedTuple):
    """A part of a report.

    Attributes:
        forms: what it may be, from the shortest to the longest; at least one, which may be empty.
        turn: parts with a lower one grow first.
    """

    forms: Sequence[Lines]
    turn: int = 0


def fixed(lines: Sequence[str]) -> Part:
    """A part that has one form."""
    return Part((tuple(lines),))


def fitted(parts: Sequence[Part], room: int | None) -> list[int]:
    """Which form each part takes, by its number, so that all of them have at most `room` lines
    (no limit where None). Where the shortest forms have more, these.

    Part by part, by their turns, each grows as far as there is room.
    """
    if room is None:
        return [len(part.forms) - 1 for part in parts]
    chosen = [0] * len(parts)
    left = room - sum(len(part.forms[0]) for part in parts)
    for number in sorted(range(len(parts)), key=lambda number: parts[number].turn):
        forms = parts[number].forms
        sizes = [len(form) - len(forms[0]) for form in forms]
        chosen[number] = max(form for form, size in enumerate(sizes) if not form or size <= left)
        left -= sizes[chosen[number]]
    return chosen
