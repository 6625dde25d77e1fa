"""Warnings that are given again and again: Recurrences.

Training prints some harmless warnings thousands of times. When the same has been given often
enough, numbers apart, it is enough to know how many there are, and who gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from logdoctor.memo import Memo
from logdoctor.model import Anchor, AnchorKind, Role, Severity
from logdoctor.scanning.thinning import Likeness, without_numbers
from logdoctor.search.automaton import Automaton
from logdoctor.texts.digits import bytes_without_digits

OFTEN = 16
"""Lines of one text that are all handed on with what stands around them."""

WRITERS = 16
"""Writers of one text in a section that are each handed on; lines of others, and further lines
of these, are counted together.
"""

KNOWN_LIMIT = 4096
"""Texts that are counted at once; beyond, counting begins anew."""

LENGTH_LIMIT = 1024
"""Bytes of a line beyond which it is never called alike."""

_TIME = rb"(?:\d{2,4}[-/])?(?:\d\d[-/]?\d\d[ T_-])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"


Warned = tuple[bytes, tuple[int, ...]]
"""A line without its prefixes and numbers, and the expressions that it is read for."""


class Recurrences:
    """Tells the lines of one source that are like many above them, and harmless."""

    def __init__(self, automaton: Automaton, often: Iterable[Warned]) -> None:
        """`often` are texts that were often seen before."""
        self._automaton = automaton
        self._harmless: dict[int, bool] = {}  # by expression
        self._seen: Memo[Warned, int] = Memo(KNOWN_LIMIT)
        for text in often:
            self._seen[text] = OFTEN
        self._writers: Memo[Warned, set[bytes]] = Memo(KNOWN_LIMIT)  # those handed on
        # bytes of a line's prefixes, by the line without its digits
        self._heads: Memo[bytes, int] = Memo(KNOWN_LIMIT)

    @property
    def often(self) -> frozenset[Warned]:
        """Texts that were often seen so far."""
        return frozenset(text for text, seen in self._seen.items() if seen >= OFTEN)

    def take(self, line: bytes, expressions: tuple[int, ...]) -> Likeness | None:
        """Takes the next line that lit up for patterns alone; what it is like, where that is
        nothing new.
        """
        if (
            len(line) > LENGTH_LIMIT
            or not all(map(self.is_harmless, expressions))
            or is_wrapped_up(line)
        ):
            return None
        head = self._head_length(line)
        if head < 0:
            return None
        text = without_numbers(line[head:])
        seen = self._seen[text, expressions] = self._seen.get((text, expressions), 0) + 1
        return (
            Likeness(expressions, text, self._writer(line[:head], (text, expressions)))
            if seen > OFTEN
            else None
        )

    def _writer(self, prefixes: bytes, text: Warned) -> bytes:
        """Who the prefixes say has given the text, where that is news; else nobody."""
        known = self._writers.get(text)
        if known is None:
            known = self._writers[text] = set()
        writer = re.sub(_TIME, b"", prefixes) if len(known) < WRITERS else b""
        if not writer or writer in known:
            return b""
        known.add(writer)
        return writer

    def _head_length(self, line: bytes) -> int:
        """Bytes of a line's prefixes; negative where that cannot be said."""
        key = bytes_without_digits(line)
        head = self._heads.get(key)
        if head is None:
            head = self._heads[key] = _head_length(line)
        return head

    def is_harmless(self, expression: int) -> bool:
        """Whether it is searched for nothing but signatures that cannot have made a run fail."""
        is_harmless = self._harmless.get(expression)
        if is_harmless is None:
            is_harmless = self._harmless[expression] = all(
                map(self._is_of_harmless, self._automaton.anchors_of(expression))
            )
        return is_harmless

    def _is_of_harmless(self, anchor: Anchor) -> bool:
        if anchor.kind not in (AnchorKind.TEMPLATE, AnchorKind.REGEX):
            return False
        signature = self._automaton.database.signatures[
            self._automaton.parts[anchor.owner].signature
        ]
        return (
            signature.role in (Role.BENIGN, Role.TEARDOWN) or signature.severity is Severity.WARNING
        )


def is_wrapped_up(line: bytes) -> bool:
    """Whether a line may stand for several, or hold another that it brings (JSON, the container
    runtime interface).
    """
    return b"[repeated " in line or line.startswith(b"{") or b" std" in line[:60]


def _head_length(line: bytes) -> int:
    """Bytes of a line's prefixes; negative where escapes stand behind them."""
    from logdoctor.formats.prefixes import strip_prefixes  # noqa: PLC0415

    # most logs do not come so far
    from logdoctor.texts.masking import without_escapes  # noqa: PLC0415

    text = strip_prefixes(without_escapes(line.decode("utf-8", errors="replace"))).text.encode()
    return len(line) - len(text) if line.endswith(text) else -1
