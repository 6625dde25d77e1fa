"""The records of a SwanLab run to lines: swanlab_file.

It is a whole log, which an offline run leaves and releases from 0.8 on always: what the program
printed, the numbers of its steps, and how it ended. Of the two forms of record, releases 0.6 and
0.7 write JSON, later ones messages (swanlab.record.v1.Record); seen of 0.6.8, 0.7.20, 0.8.5, 0.9.8
and 0.10.3.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from logdoctor.sources.trackers.protobuf import fields, signed, text_of
from logdoctor.sources.trackers.record_blocks import RecordFile
from logdoctor.sources.trackers.step_lines import step_lines

MAGIC = b":SWL\xd6\xe1"
"""The first bytes of the file."""

_OWN = "__swanlab__"
"""How the names of what SwanLab itself measures of the machine begin."""

_FINISH, _SCALAR, _LOG = 11, 13, 16
"""Fields of Record."""

_DOUBLE = struct.Struct("<d")
_STATES: Mapping[int, str] = MappingProxyType({1: "finished", 2: "crashed", 3: "aborted"})
"""How a run ended (swanlab.run.v1.RunState)."""


def swanlab_file() -> RecordFile:
    """The file of a run, whose version is 1 or 2."""
    return RecordFile(MAGIC, {1: _JsonRecords, 2: _MessageRecords})


class _StepRecords:
    """Gathers the metrics of a step, each of which is a record of its own."""

    def __init__(self) -> None:
        self._step = 0
        self._metrics: list[tuple[str, float]] = []

    def end(self) -> Iterator[bytes]:
        """The last step."""
        yield from step_lines(self._step, self._metrics)
        self._metrics = []

    def metric(self, step: int, name: str, value: float) -> Iterator[bytes]:
        """The step before, where this is another one or has the metric already."""
        if name.startswith(_OWN):
            return
        if step != self._step or name in dict(self._metrics):
            yield from self.end()
        self._step = step
        self._metrics.append((name, value))

    def printed(self, text: str) -> Iterator[bytes]:
        """What the program printed, behind the steps before it."""
        yield from self.end()
        yield f"{text}\n".encode("utf-8", "replace")


class _JsonRecords(_StepRecords):
    def lines(self, record: bytes) -> Iterator[bytes]:
        try:
            told = json.loads(record)
            kind, data = told["model_type"], told["data"]
            if kind == "Scalar":
                step, value = int(data["step"]), float(data["metric"]["data"])  # or "NaN"
                yield from self.metric(step, str(data["key"]), value)
            elif kind == "Log":
                yield from self.printed(str(data["message"]))
            elif kind == "Footer" and not data["success"]:
                yield from self.printed("swanlab: the run crashed")
        except (LookupError, TypeError, OverflowError, RecursionError) as error:
            raise ValueError("no record of SwanLab") from error


class _MessageRecords(_StepRecords):
    def lines(self, record: bytes) -> Iterator[bytes]:
        for number, message in fields(record):
            if not isinstance(message, bytes):
                continue
            if number == _SCALAR:
                yield from self._scalar(dict(fields(message)))
            elif number == _LOG:
                yield from self.printed(text_of(dict(fields(message)).get(1, b"")))
            elif number == _FINISH:
                yield from self._finish(dict(fields(message)))

    def _scalar(self, message: Mapping[int, int | bytes]) -> Iterator[bytes]:
        key, step, value = (message.get(number, 0) for number in (1, 2, 5))
        if isinstance(step, int) and isinstance(value, bytes):
            number = dict(fields(value)).get(1, bytes(_DOUBLE.size))
            if isinstance(number, bytes) and len(number) == _DOUBLE.size:
                yield from self.metric(signed(step), text_of(key), _DOUBLE.unpack(number)[0])

    def _finish(self, message: Mapping[int, int | bytes]) -> Iterator[bytes]:
        """The state, and the traceback of the exception that ended the run."""
        state = _STATES.get(int(message.get(1, 0) or 0), "went on")
        yield from self.printed(f"swanlab: the run {state}")
        if error := text_of(message.get(2, b"")).rstrip("\n"):
            yield from self.printed(error)
