"""Names for which Python itself offers another one: OfferedName, offered_name.

Python offers the nearest name that is there, and that is often another thing: `num_generations`
for a `num_iterations` of another release. Only a slip of the pen is sure to mean the same.
"""

import re
from typing import NamedTuple

_OFFER = (
    r"\b(?:name|attribute|argument) '(?P<name>\w{1,120})'[^\n]{0,600}?"
    r"[.] Did you mean:? '(?P<offered>\w{1,120})'\?"
)


class OfferedName(NamedTuple):
    """A name that is missing, and the one that Python offers for it."""

    name: str
    offered: str

    @property
    def is_slip(self) -> bool:
        """Whether the two are one word, written with a slip: letters in the other case, an
        underscore or one letter more or less, two neighbours swapped.

        Another letter or digit makes another name (`is_torch_xpu_available`, `Qwen3Config`).
        """
        name, offered = (each.replace("_", "").casefold() for each in self)
        if len(name) == len(offered):
            return name in (offered, *_swapped(offered))
        longer, shorter = sorted((name, offered), key=len, reverse=True)
        return any(
            longer[:at] + longer[at + 1 :] == shorter
            for at, letter in enumerate(longer)
            if letter.isalpha()
        )


def _swapped(word: str) -> list[str]:
    return [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        for at in range(len(word) - 1)
        if word[at : at + 2].isalpha()
    ]


def offered_name(message: str) -> OfferedName | None:
    """What the message of a NameError, AttributeError, ImportError or TypeError ends with; None
    where Python offers nothing.
    """
    found = re.search(_OFFER, message)
    return OfferedName(found["name"], found["offered"]) if found else None
