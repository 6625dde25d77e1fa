"""Bytes that come in pieces to the same without secrets: MaskedStream."""

from __future__ import annotations

import re

from logdoctor.texts.secrets import HIDDEN, redacted_lines

LONGEST = 1 << 16
"""Bytes of a line that are waited for; a longer one is parted, where it can be at a blank."""

LINES_ABOVE = 100
"""Lines of a private key that are remembered: RSA keys of 4,096 bits have 52."""

_END = re.compile(rb"\r\n|\n|\r")


class MaskedStream:
    """Takes output as it comes, and gives back whole lines, with secrets masked as reports mask
    them; all else stays as it is, byte for byte.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._has_returned = False  # a \n may follow that is of the same end
        self._above: list[str] = []  # the last line, or all of a key that is not over

    def feed(self, data: bytes) -> bytes:
        """What is whole by now, in its order; a line may end in `\\r`, as a progress bar does."""
        passed = b""
        if self._has_returned and data.startswith(b"\n"):
            passed, data = b"\n", data[1:]
        if passed or data:
            self._has_returned = data.endswith(b"\r")
        self._rest += data
        lines, ends, place = [], [], 0
        for match in _END.finditer(self._rest):
            lines.append(self._rest[place : match.start()])
            ends.append(match[0])
            place = match.end()
        self._rest = self._rest[place:]
        while len(self._rest) > LONGEST:
            cut = self._rest.rfind(b" ", 1, LONGEST)
            cut = LONGEST if cut < 0 else cut
            lines.append(self._rest[:cut])
            ends.append(b"")
            self._rest = self._rest[cut:]
        return passed + self._masked(lines, ends) if lines else passed

    def end(self) -> bytes:
        """The unfinished last line."""
        line, self._rest = self._rest, b""
        return self._masked([line], [b""]) if line else b""

    def _masked(self, lines: list[bytes], ends: list[bytes]) -> bytes:
        texts = [*self._above, *(line.decode("utf-8", "surrogateescape") for line in lines)]
        shown = redacted_lines(texts)
        start = len(texts) - 1
        while start and shown[start] == HIDDEN and len(texts) - start < LINES_ABOVE:
            start -= 1
        told = shown[len(self._above) :]
        self._above = texts[start:]
        return b"".join(
            line.encode("utf-8", "surrogateescape") + end
            for line, end in zip(told, ends, strict=True)
        )
