"""Ways in which a message is damaged between the source code and the log: the damages of the threshold study."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from logdoctor.patterns.alignment import Slot, SlotType
from logdoctor.patterns.templates import Template

Damage = Callable[[str, float, random.Random], str]

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_. "
_VALUES = {
    SlotType.INT: "{:d}",
    SlotType.NUMBER: "{:d}.5",
    SlotType.SIZE: "{:d}.25 GiB",
    SlotType.WORD: "worker-{:d}",
    SlotType.TEXT: "what stood at place {:d} of it",
}
_OTHER_WORDS = [
    "the",
    "a",
    "this",
    "that",
    "given",
    "current",
    "requested",
    "existing",
    "process",
    "worker",
    "device",
    "value",
    "number",
    "failed",
    "cannot",
    "could",
    "not",
    "unable",
    "while",
    "during",
    "because",
    "error",
    "invalid",
    "missing",
    "expected",
    "found",
    "unexpected",
    "task",
    "job",
    "run",
    "object",
    "resource",
    "memory",
    "file",
    "connection",
    "please",
    "check",
    "see",
    "set",
    "use",
    "total",
    "available",
    "remaining",
    "was",
    "is",
    "were",
    "has",
]


def filled(template: Template, draw: random.Random) -> str:
    """The message with values in its slots."""
    return "".join(
        _VALUES[each.type].format(draw.randrange(1, 4000)) if isinstance(each, Slot) else each
        for each in template.elements
    )


def with_edits(text: str, rate: float, draw: random.Random) -> str:
    """Inserts, deletes and replaces so large a share of the characters, anywhere."""
    characters = list(text)
    for _ in range(round(len(text) * rate)):
        place = draw.randrange(len(characters))
        kind = draw.randrange(3)
        if kind == 0:
            characters.insert(place, draw.choice(_LETTERS))
        elif kind == 1 and len(characters) > 1:
            del characters[place]
        else:
            characters[place] = draw.choice(_LETTERS)
    return "".join(characters)


def reworded(text: str, rate: float, draw: random.Random) -> str:
    """Replaces, drops or adds so large a share of the words, at least one."""
    words = re.findall(r"\S+", text)
    for _ in range(max(1, round(len(words) * rate))):
        place = draw.randrange(len(words))
        kind = draw.randrange(3)
        if kind == 0:
            words.insert(place, draw.choice(_OTHER_WORDS))
        elif kind == 1 and len(words) > 1:
            del words[place]
        else:
            words[place] = draw.choice(_OTHER_WORDS)
    return " ".join(words)


def truncated(text: str, rate: float, draw: random.Random) -> str:  # noqa: ARG001  # the interface of a damage
    """Leaves out so large a share at the end."""
    return text[: max(1, len(text) - round(len(text) * rate))]


def wrapped(text: str, columns: float, draw: random.Random) -> str:
    """Breaks the line at so many columns, also within words, behind a prefix of 0 to 60 characters."""
    prefix = "x" * draw.randrange(61)
    whole = prefix + text
    return "\n".join(whole[i : i + int(columns)] for i in range(0, len(whole), int(columns)))
