"""A line on the terminal while a long scan reads: Progress. Nothing is written in the first two
seconds, or to a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

QUIET_S = 2.0
"""Seconds before the line appears."""

STEP_S = 0.2
"""Seconds between two drawings."""

_BAR_COLUMNS = 24
_ERASE = "\r\x1b[K"
_MEGABYTE = 1e6


class Progress:
    """Counts the bytes of all sources as they pass through."""

    def __init__(
        self, stream: TextIO, clock: Callable[[], float], total: int | None, columns: int
    ) -> None:
        """`total` is the bytes to come, None where that is not known; `clock` gives seconds;
        `columns` is what fits a line.
        """
        self._stream: TextIO | None = stream
        self._clock = clock
        self._total = total
        self._columns = columns
        self._start = self._drawn = clock()
        self._read = 0
        self._is_shown = False

    def watched(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same chunks, of the source of that name."""
        for chunk in chunks:
            yield chunk
            self.add(name, len(chunk))

    def add(self, name: str, count: int) -> None:
        """Takes note of so many bytes of the source of that name that others have read."""
        self._read += count
        now = self._clock()
        if now - self._start >= QUIET_S and now - self._drawn >= STEP_S:
            self._drawn, self._is_shown = now, True
            self._write(_ERASE + self._line(name, now - self._start))

    def close(self) -> None:
        """Takes the line away, if it was drawn."""
        if self._is_shown:
            self._write(_ERASE)
            self._is_shown = False

    def _line(self, name: str, seconds: float) -> str:
        amount = f"{self._read / _MEGABYTE:,.0f} MB · {self._read / _MEGABYTE / seconds:,.0f} MB/s"
        if self._total and self._read <= self._total:
            share = self._read / self._total
            filled = round(share * _BAR_COLUMNS)
            amount = f"{'█' * filled}{'░' * (_BAR_COLUMNS - filled)} {share:4.0%} · {amount}"
        room = max(0, self._columns - len(amount) - 4)
        return f"{amount} · {name[-room:]}" if room else amount

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, UnicodeEncodeError):  # the terminal has gone, or cannot draw it
            self._stream = None
