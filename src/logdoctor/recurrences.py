"""Warnings that are given again and again: Recurrences.

Training prints some harmless warnings thousands of times. When the same has been given often enough, digits apart, it is
enough to know how many there are, and who gives them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from logdoctor.automaton import Automaton
from logdoctor.marked_lines import Likeness, without_digits
from logdoctor.model import Role, Severity

OFTEN = 64
"""Lines of one text that are all handed on with what stands around them."""

KNOWN_LIMIT = 8192
"""Texts that are counted at once; beyond, counting begins anew."""

LENGTH_LIMIT = 1024
"""Bytes of a line beyond which it is never called alike."""

_TIME = re.compile(rb"(?:\d{2,4}[-/])?(?:\d\d[-/]?\d\d[ T_-])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")


Warned = tuple[bytes, tuple[int, ...]]
"""A line without its digits, and the expressions that it is read for."""


class _Text:
    """A text without its digits: how many bytes its prefixes take (negative where that cannot be said), and how often it was seen."""

    __slots__ = ("head", "seen")

    def __init__(self, head: int, seen: int = 0) -> None:
        self.head = head
        self.seen = seen


class Recurrences:
    """Tells the lines of one source that are like many above them, and harmless."""

    def __init__(self, automaton: Automaton, often: Mapping[Warned, int]) -> None:
        """`often` are texts that were often seen before, each with the length of its prefixes."""
        self._automaton = automaton
        self._harmless: dict[int, bool] = {}  # by expression
        self._texts = {text: _Text(head, OFTEN) for text, head in often.items()}

    @property
    def often(self) -> Mapping[Warned, int]:
        """Texts that were often seen so far, each with the length of its prefixes."""
        return {text: counted.head for text, counted in self._texts.items() if counted.seen >= OFTEN}

    def take(self, line: bytes, expressions: tuple[int, ...]) -> Likeness | None:
        """Takes the next line that lit up for patterns alone; what it is like, where that is nothing new."""
        if len(line) > LENGTH_LIMIT or not all(map(self._is_harmless, expressions)) or _is_wrapped_up(line):
            return None
        key = (without_digits(line), expressions)
        text = self._texts.get(key)
        if text is None:
            if len(self._texts) >= KNOWN_LIMIT:
                self._texts.clear()
            text = self._texts[key] = _Text(_head_length(line))
        text.seen += 1
        return Likeness(expressions, key[0], _TIME.sub(b"", line[: text.head])) if text.seen > OFTEN and text.head >= 0 else None

    def _is_harmless(self, expression: int) -> bool:
        """Whether it is searched for nothing but signatures that cannot have made a run fail."""
        is_harmless = self._harmless.get(expression)
        if is_harmless is None:
            signatures = [
                self._automaton.database.signatures[self._automaton.parts[anchor.owner].signature]
                for anchor in self._automaton.anchors_of(expression)
            ]
            is_harmless = self._harmless[expression] = all(
                each.role in (Role.BENIGN, Role.TEARDOWN) or each.severity is Severity.WARNING for each in signatures
            )
        return is_harmless


def _is_wrapped_up(line: bytes) -> bool:
    """Whether a line may stand for several, or hold another that it brings (JSON, the container runtime interface)."""
    return b"[repeated " in line or line.startswith(b"{") or b" std" in line[:60]


def _head_length(line: bytes) -> int:
    """Bytes of a line's prefixes; negative where escapes stand behind them."""
    from logdoctor.normalize import without_escapes  # noqa: PLC0415  # most logs do not come so far
    from logdoctor.prefixes import strip_prefixes  # noqa: PLC0415

    text = strip_prefixes(without_escapes(line.decode("utf-8", errors="replace"))).text.encode()
    return len(line) - len(text) if line.endswith(text) else -1
