"""What is known of a part of a pattern before any text is seen: Traits, Need, TextNeed.

Worked out when the database is compiled (`part_analysis`), so that a scan takes no pattern apart
only to find that it was not meant.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

REGEX_WEIGHT_LIMIT = 60
"""A regex may run over any amount of text; no more characters of it count."""

EDGE, EDGE_GRAMS, TIP = 24, 3, 4
"""Where a pattern may go on in the next line, among so many bytes at one of a line's ends stand so
many of its grams, and of a pattern without slots the outermost so many bytes, or those next to
them, which leaves room for a damaged one. So it is with lines that were wrapped or cut off.
"""

_BLANKS = " \t\n\r\v\f"


class Need(NamedTuple):
    """Grams in lower case of which a line must hold `least`, or `least_wrapped` where the pattern
    may go on in the next one.

    `text` is all that the pattern says, where that is known; of each of `choices` a whole line
    holds one. Where the text is there to the letter, `match` compares no pattern with damage that
    is worth at `most` as much as this one `outdoes`. All that fits stands within `reach` bytes of
    a hit, where that is known. All texts are as `as_text` gives them.
    """

    grams: tuple[str, ...]
    least: float
    least_wrapped: float
    text: str | None = None
    choices: tuple[tuple[str, ...], ...] = ()
    most: float = math.inf
    outdoes: float = 0
    reach: float = math.inf

    def is_met_by(self, line: str) -> bool:
        """Whether the pattern may fit the line, or one that goes on from it or into it."""
        return self._is_said_in(line) or self._may_go_on(line)

    def is_met_near(self, line: str, ends: Iterable[int]) -> bool:
        """The same of a long line, by hits that end there; what is known to be near them is
        looked for there only.
        """
        if self.reach == math.inf:
            return self.is_met_by(line)
        reach = int(self.reach)
        return any(
            self._is_said_in(line[max(0, end - reach) : end + reach]) for end in ends
        ) or self._may_go_on(line)

    def _is_said_in(self, text: str) -> bool:
        return sum(map(text.__contains__, self.grams)) >= self.least and all(
            any(map(text.__contains__, choice)) for choice in self.choices
        )

    def _may_go_on(self, line: str) -> bool:
        """Whether it may go on from an edge of the line."""
        head, tail = line.lstrip(_BLANKS)[:EDGE], line.rstrip(_BLANKS)[-EDGE:]
        return (
            self._goes_on(head, head[:TIP], head[TIP : 2 * TIP])
            or self._goes_on(tail, tail[-TIP:], tail[-2 * TIP : -TIP])
        ) and sum(map(line.__contains__, self.grams)) >= self.least_wrapped

    def is_whole_in(self, line: str) -> bool:
        """Whether nothing in the line speaks against its fitting to the letter."""
        return all(map(line.__contains__, self.grams))

    def _goes_on(self, edge: str, *tips: str) -> bool:
        is_of_text = self.text is None or any(tip in self.text for tip in tips)
        return is_of_text and sum(map(edge.__contains__, self.grams)) >= EDGE_GRAMS


class TextNeed(NamedTuple):
    """What one of the texts of an event, named by the value of a `Where`, must hold for a part
    to fit to the letter, and of each of `choices` one.
    """

    where: str
    literals: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...]


class Traits(NamedTuple):
    """What is known of a part.

    Attributes:
        line: what the bytes of a line must hold.
        text: what the text of an event must hold.
        weight: the most characters that may count for it.
        can_be_damaged: whether a character may differ.
        is_regex: whether it is one; else it is a template.
        is_digit_blind: no digit of a text makes a difference to it, or to what excludes its
            signature.
    """

    line: Need
    text: TextNeed
    weight: int
    can_be_damaged: bool
    is_regex: bool
    is_digit_blind: bool


def as_text(data: bytes) -> str:
    """Bytes as a text with a character for each: Python looks for texts in texts twice as fast
    as for bytes in bytes.
    """
    return data.decode("latin-1")
