"""Which files are a tracker's, and their bytes as lines: is_tracker_name, read_as_lines."""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

PIECE = 1 << 16
"""Bytes that are read at once."""

_NAME = r"events\.out\.tfevents\..+|.+\.wandb|trainer_state\.json|(?:metrics|progress)\.csv"


class BrokenTrackerFileError(RuntimeError):
    """A tracker's file is damaged; what stands before the damage was read."""


class TrackerFile(Protocol):
    """A tracker's file, which is read in pieces."""

    def feed(self, piece: bytes, /) -> Iterator[bytes]:
        """The lines that the next bytes complete; raises ValueError where they are damaged."""

    def end(self) -> Iterator[bytes]:
        """What is left when no bytes follow."""


def is_tracker_name(name: str) -> bool:
    """Whether a file of this name (no path) is taken for a tracker's."""
    return re.fullmatch(_NAME, name) is not None


def read_as_lines(name: str, stream: BinaryIO, head: bytes) -> BinaryIO | None:
    """The stream's numbers as lines; None where it is no tracker's file, by its first bytes
    (`head`, not taken from it) and, of those that are texts, its name.
    """
    file = _file(name.rpartition("/")[2], head)
    return (
        cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, _Lines(stream, file)), PIECE))
        if file
        else None
    )


def _file(name: str, head: bytes) -> TrackerFile | None:
    if head.startswith(b":W&B"):
        from logdoctor.sources.trackers.wandb import WandbFile  # noqa: PLC0415

        return WandbFile()
    if head[3:8] == bytes(5) or name.startswith("events.out.tfevents."):
        from logdoctor.sources.trackers.tensorboard import EventFile, is_event_file  # noqa: PLC0415

        return EventFile() if is_event_file(head) else None
    if name == "trainer_state.json" or name.endswith(".csv"):
        from logdoctor.sources.trackers import tables  # noqa: PLC0415

        if name.endswith(".csv"):
            return tables.CsvTable() if tables.is_table(head) else None
        return tables.TrainerState()
    return None


class _Lines(io.RawIOBase):
    """What a tracker's file holds, as lines; what stands before damage comes before its error."""

    def __init__(self, stream: BinaryIO, file: TrackerFile) -> None:
        self._stream, self._file = stream, file
        self._lines = self._all()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            line = next(self._lines, None)
            if line is None:
                return 0
            self._rest = line
        given = self._rest[: len(buffer)]
        buffer[: len(given)] = given
        self._rest = self._rest[len(given) :]
        return len(given)

    def _all(self) -> Iterator[bytes]:
        read = getattr(self._stream, "read1", self._stream.read)
        while piece := read(PIECE):
            lines, damage = _until_damage(self._file.feed(piece))
            yield lines
            if damage:
                yield _until_damage(self._file.end())[0]
                raise damage
        lines, damage = _until_damage(self._file.end())
        yield lines
        if damage:
            raise damage


def _until_damage(lines: Iterator[bytes]) -> tuple[bytes, BrokenTrackerFileError | None]:
    """The lines until one cannot be read, and why that is."""
    whole: list[bytes] = []
    try:
        whole.extend(lines)
    except ValueError as error:
        return b"".join(whole), BrokenTrackerFileError(str(error))
    return b"".join(whole), None
