"""Texts to how often they occur where nothing is wrong: Background.

The table that comes with the package was counted by `benchmarks/healthy/count_background.py` over
a healthy corpus of logs, source code and manuals. It knows short texts, in lower case and without
digits; what longer ones are worth is reckoned from the short ones in them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

COUNTED = (4, 5, 6, 8, 10)
"""Lengths of the texts in the table. All of 4 and 5 characters that are not rare; longer ones
only where they are more frequent than the shorter ones in them tell.
"""

STEPS = 2
"""Cells hold levels: each is 1/STEPS of a doubling."""

RAREST = 0.05
"""Hits per megabyte of level 1; what is not in the table counts as a third of it."""

_MAGIC = b"LDBG1\n"


class Background(NamedTuple):
    """How frequent texts are.

    Attributes:
        cells: levels of texts by the CRC-32 of their bytes, modulo the number of cells, which is a
            power of two; where texts share a cell the more frequent one counts, so that none seems
            rarer than it is.
    """

    cells: bytes

    @classmethod
    def load(cls) -> Background:
        """The table that comes with the package.

        Raises:
            ValueError: the file is damaged.
        """
        return cls.from_bytes(files("logdoctor.search").joinpath("background.bin").read_bytes())

    @classmethod
    def from_bytes(cls, raw: bytes) -> Background:
        """Reads what `to_bytes` wrote.

        Raises:
            ValueError: this is no such file.
        """
        if not raw.startswith(_MAGIC):
            raise ValueError("not a background table")
        try:
            cells = zlib.decompress(raw[len(_MAGIC) :])
        except zlib.error as error:
            raise ValueError(f"a damaged background table: {error}") from error
        if not cells or len(cells) & (len(cells) - 1):
            raise ValueError(f"a background table of {len(cells)} cells; expected a power of two")
        return cls(cells)

    def to_bytes(self) -> bytes:
        """The table as a file."""
        return _MAGIC + zlib.compress(self.cells, 9)

    def expected_hits(self, piece: str) -> float:
        """How often the text stands in a megabyte of healthy text, letter case aside; 0 to 1e6,
        never 0 itself.

        Of texts with fewer than 4 characters nothing is known: they count as 1e6.
        """
        text = piece.lower()
        return self.rates(text, len(text))[len(text)][0] if len(text) >= COUNTED[0] else 1e6

    def rates(self, text: str, longest: int) -> Sequence[Sequence[float]]:
        """For each length up to `longest`, and each start in a text in lower case, the hits per
        megabyte of that part.

        Lengths below 4 have no entries. A longer part is as frequent as its beginning, times the
        share of the occurrences of its last characters but one that go on so (a Markov chain of up
        to 10 characters); never more frequent than a part of it, which tells texts that share a
        cell apart.
        """
        grams = (
            text.encode("utf-8", "replace")
            if text.isascii()
            else bytes(min(ord(character), 255) for character in text)
        )
        table: list[list[float]] = [[] for _ in range(COUNTED[0])]
        for length in range(COUNTED[0], longest + 1):
            counted = self._counted(grams, length) if length in COUNTED else None
            table.append(_rates_of(table, length, counted))
        return table

    def _counted(self, grams: bytes, length: int) -> list[float]:
        """What the table says of each text of a length that it counts."""
        cells, mask = self.cells, len(self.cells) - 1
        return [
            _RATES[cells[zlib.crc32(grams[start : start + length]) & mask]]
            for start in range(len(grams) - length + 1)
        ]


_UNSEEN = RAREST / 3
_RATES = (_UNSEEN, *(RAREST * 2 ** (level / STEPS) for level in range(255)))


def _rates_of(
    table: Sequence[Sequence[float]], length: int, counted: list[float] | None
) -> list[float]:
    """Rates of a length from those of shorter ones, and from what was counted of it, if it was."""
    if counted is None:
        return _chained(table, length)
    if length == COUNTED[0]:
        return counted
    shorter = table[-1]
    if length == COUNTED[1]:  # all that are not rare were counted
        return [min(each, *shorter[start : start + 2]) for start, each in enumerate(counted)]
    return [
        min(max(each if each > _UNSEEN else 0.0, chained), shorter[start], shorter[start + 1])
        for start, (each, chained) in enumerate(zip(counted, _chained(table, length), strict=True))
    ]


def _chained(table: Sequence[Sequence[float]], length: int) -> list[float]:
    """Rates of a length from those of shorter ones."""
    context = min(length - 1, COUNTED[-1])
    offset = length - context
    starts, whole, part = table[length - 1], table[context], table[context - 1]
    return [
        starts[start] * min(1.0, whole[start + offset] / part[start + offset])
        for start in range(len(starts) - 1)
    ]
