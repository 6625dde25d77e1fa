"""Which files are a tracker's, and their bytes as lines: is_tracker_name, read_as_lines."""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

PIECE = 1 << 16
"""Bytes that are read at once."""

_NAME = (
    r"events\.out\.tfevents\..+|.+\.(?:wandb|swanlab)|wandb-summary\.json|trainer_state\.json"
    r"|(?:metrics|progress)\.csv"
)
_MLFLOW = r"(?:.*/)?[0-9a-f]{32}/metrics/(?P<metric>.+)"
"""Of the path of a metric in a run's folder, which is named by its id."""


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


def is_tracker_path(path: str) -> bool:
    """Whether a file is taken for a tracker's by the folders that it is in, whatever its name."""
    return "/metrics/" in path and re.fullmatch(_MLFLOW, path) is not None


def read_as_lines(name: str, stream: BinaryIO, head: bytes) -> BinaryIO | None:
    """The stream's numbers as lines; None where it is no tracker's file, by its first bytes
    (`head`, not taken from it) and, of those that are texts, its name.
    """
    file = _file(name.rpartition("/")[2], head) or _in_folder(name, head)
    return (
        cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, _Lines(stream, file)), PIECE))
        if file
        else None
    )


def _file(name: str, head: bytes) -> TrackerFile | None:
    if head.startswith(b":W&B"):
        from logdoctor.sources.trackers.wandb import wandb_file  # noqa: PLC0415

        return wandb_file()
    if head.startswith(b":SWL"):
        from logdoctor.sources.trackers.swanlab import swanlab_file  # noqa: PLC0415

        return swanlab_file()
    if head[3:8] == bytes(5) or name.startswith("events.out.tfevents."):
        from logdoctor.sources.trackers.tensorboard import EventFile, is_event_file  # noqa: PLC0415

        return EventFile() if is_event_file(head) else None
    if name in ("trainer_state.json", "wandb-summary.json") or name.endswith(".csv"):
        from logdoctor.sources.trackers import tables  # noqa: PLC0415

        if name.endswith(".csv"):
            return tables.CsvTable() if tables.is_table(head) else None
        is_state = name == "trainer_state.json"
        return tables.TrainerState() if is_state else tables.WholeFile(tables.last_values)
    return None


def _in_folder(path: str, head: bytes) -> TrackerFile | None:
    found = re.fullmatch(_MLFLOW, path) if is_tracker_path(path) else None
    if found is None:
        return None
    from logdoctor.sources.trackers.tables import MlflowMetric, is_mlflow_metric  # noqa: PLC0415

    return MlflowMetric(found["metric"]) if is_mlflow_metric(head) else None


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
