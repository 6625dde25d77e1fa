"""Lines that a terminal or an editor cut at its width, put together again: Unwrapper."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logdoctor.formats.prefixes import cut_of

NARROWEST, WIDEST = 60, 250
"""Columns between which a width is taken for a terminal's."""

USUAL = frozenset({80, 100, 120, 132, 160, 200})
"""Widths that need less proof."""

PROOF = 3
"""Different lines that must have the width of the widest; of the usual widths one less."""

PIECES_LIMIT = 100
"""Pieces of one line."""

_DRAWN = r"(?:  |[│╮╯┤┃║|\\]|([=\-*#_.~^+])\1\1)$"
_DIGITS = r"\d+"


class Unwrapper:
    """Knows the widest line of a source so far, and how many different ones are as wide."""

    def __init__(self) -> None:
        self._width = 0
        self._full: set[str] = set()

    def join(self, texts: Sequence[str]) -> list[range]:
        """For successive lines, which of them were one: ranges of their indices, all in order."""
        if not self.takes(texts):
            return [range(i, i + 1) for i in range(len(texts))]
        joined: list[range] = []
        start = 0
        for i in range(1, len(texts) + 1):
            if (
                i == len(texts)
                or i - start >= PIECES_LIMIT
                or not self._goes_on(texts[i - 1], texts[i], texts[start])
            ):
                joined.append(range(start, i))
                start = i
        return joined

    def takes(self, texts: Sequence[str]) -> bool:
        """Takes successive lines; whether there are some that were cut, in what was taken so
        far.
        """
        if max(map(len, texts), default=0) >= self._width:
            for text in texts:
                if len(text) >= self._width:
                    self._note(text)
        return NARROWEST <= self._width <= WIDEST and len(self._full) >= PROOF - (
            self._width in USUAL
        )

    def _note(self, text: str) -> None:
        if len(text) > self._width:
            self._width = len(text)
            self._full.clear()
        if len(self._full) < PROOF and not re.search(_DRAWN, text):
            self._full.add(re.sub(_DIGITS, "", text))

    def _goes_on(self, text: str, below: str, first: str) -> bool:
        """Whether a line was cut and goes on below."""
        if (
            len(text) != self._width
            or not below
            or below.startswith(("  ", "\t", "Traceback (", '{"'))
            or (_has_prefix(below) and _has_prefix(first))
        ):
            return False
        return re.search(_DRAWN, text) is None


def _has_prefix(text: str) -> bool:
    cut = cut_of(text)
    return cut is not None and (cut.is_record or any(cut.applied(text).stream))
