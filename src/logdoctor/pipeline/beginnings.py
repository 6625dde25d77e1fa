"""What sources begin with, where programs print what they are set to: Beginnings."""

from collections.abc import Iterable, Iterator

from logdoctor.errors import SourceError
from logdoctor.scanning.cutting import OpenAgain
from logdoctor.sources.finding import Source

MOST = 2_000_000
"""Bytes of a source that count; programs print their configuration when they start."""

WHOLE = 16
"""Sources of which so much counts; of one that comes later the less, the more came before it."""


class Beginnings:
    """What each source begins with, by its number: kept as it comes, or read again where it is a
    plain file.
    """

    def __init__(self) -> None:
        self._sources: dict[int, _Beginning] = {}

    def begin(self, number: int, name: str, open_again: OpenAgain | None = None) -> None:
        """Takes note of a source, which is opened anew where that is possible."""
        room = MOST * WHOLE // max(WHOLE, number + 1)
        self._sources[number] = _Beginning(name, room, open_again)

    def take(self, number: int, data: bytes) -> None:
        """Keeps what comes next of a source, while there is room; nothing of one that did not
        begin here.
        """
        if number in self._sources:
            self._sources[number].take(data)

    def taken(self, number: int, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same chunks, of which the first are kept."""
        for chunk in chunks:
            self.take(number, chunk)
            yield chunk

    def end(self, number: int) -> None:
        """Nothing follows what was taken of a source."""
        if number in self._sources:
            self._sources[number].is_over = True

    @property
    def known(self) -> tuple[tuple[int, bool], ...]:
        """Equal only where the texts are: how much is known of each source, and whether it is
        over.
        """
        return tuple((each.known, each.is_over) for each in self._sources.values())

    def texts(self) -> Iterator[tuple[str, str]]:
        """The name of each source, and the whole lines that it begins with."""
        for each in self._sources.values():
            yield each.name, each.text()


class _Beginning:
    def __init__(self, name: str, room: int, open_again: OpenAgain | None) -> None:
        self.name = name
        self.known = 0
        self.is_over = False
        self._room, self._open_again = room, open_again
        self._chunks: list[bytes] = []

    def take(self, data: bytes) -> None:
        if self.known < self._room and self._open_again is None:
            self._chunks.append(data[: self._room - self.known])
            self.known += len(self._chunks[-1])

    def text(self) -> str:
        """Without a line that is cut off."""
        data = b"".join(self._chunks) if self._open_again is None else self._again()
        if len(data) >= self._room or not self.is_over:
            data = data[: data.rfind(b"\n") + 1]
        return data.decode("utf-8", "replace")

    def _again(self) -> bytes:
        assert self._open_again
        data = b""
        try:
            with self._open_again() as file:
                for chunk in Source(self.name, file).chunks():
                    data += chunk
                    if len(data) >= self._room:
                        break
        except (OSError, SourceError):
            pass  # it may have gone; what could be read of it counts
        return data[: self._room]
