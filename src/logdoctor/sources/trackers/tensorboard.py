"""TensorBoard's event files to step lines: EventFile.

Records of TFRecord (length, its checksum, data, its checksum) hold messages of event.proto and
summary.proto.
A record that is cut off at the end is still being written, and no fault. The checksum of the data
is not looked at: a damaged value is one of many, and a judgement asks for several.
"""

import struct
from collections.abc import Iterator
from functools import cache

from logdoctor.sources.trackers.protobuf import fields, signed, text_of
from logdoctor.sources.trackers.step_lines import step_lines

RECORD_LIMIT = 1 << 20
"""Bytes beyond which a record is passed over: images and graphs are that large, numbers never."""

_HEAD = struct.Struct("<QI")
_TAIL = 4
_STEP, _SUMMARY, _VALUE, _TAG, _SIMPLE, _TENSOR = 2, 5, 1, 1, 2, 8
_DTYPE, _CONTENT, _FLOATS, _DOUBLES = 1, 4, 5, 6
_FORMATS = {1: "<f", 2: "<d", 3: "<i", 9: "<q"}
"""Of a tensor's content, by its type (tensorflow/core/framework/types.proto)."""


class EventFile:
    """Takes an event file in pieces; gives the lines of the steps that are complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._to_skip = 0
        self._step: int | None = None
        self._metrics: list[tuple[str, float]] = []

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Raises ValueError where a record's length has another checksum: nothing behind it can
        be found.
        """
        data = self._rest + piece
        at = 0
        while True:
            if self._to_skip:
                skipped = min(self._to_skip, len(data) - at)
                self._to_skip -= skipped
                at += skipped
            if self._to_skip or len(data) - at < _HEAD.size:
                break
            size, checksum = _HEAD.unpack_from(data, at)
            if masked_crc32c(data[at : at + 8]) != checksum:
                raise ValueError("a record's length has another checksum")
            if size > RECORD_LIMIT:
                self._to_skip = _HEAD.size + size + _TAIL
                continue
            if len(data) - at < _HEAD.size + size + _TAIL:
                break
            at += _HEAD.size
            yield from self._event(data[at : at + size])
            at += size + _TAIL
        self._rest = data[at:]

    def end(self) -> Iterator[bytes]:
        """The last step's lines."""
        if self._step is not None:
            yield from step_lines(self._step, self._metrics)
        self._metrics = []

    def _event(self, message: bytes) -> Iterator[bytes]:
        step, summaries = 0, []
        try:
            for number, value in fields(message):
                if number == _STEP and isinstance(value, int):
                    step = signed(value)
                elif number == _SUMMARY and isinstance(value, bytes):
                    summaries.append(value)
            metrics = [
                metric
                for summary in summaries
                for number, value in fields(summary)
                if number == _VALUE and isinstance(value, bytes)
                for metric in _scalar(value)
            ]
        except ValueError:
            return  # a damaged record; the next one stands where its length says
        if metrics and step != self._step:
            yield from self.end()
            self._step = step
        self._metrics += metrics


def is_event_file(head: bytes) -> bool:
    """Whether the first record's length has its checksum."""
    return len(head) >= _HEAD.size and masked_crc32c(head[:8]) == _HEAD.unpack_from(head)[1]


def masked_crc32c(data: bytes) -> int:
    """CRC-32C as TFRecord has it (tensorflow/core/lib/hash/crc32c.h)."""
    crc = 0xFFFFFFFF
    table = _crc32c_table()
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@cache
def _crc32c_table() -> tuple[int, ...]:
    table = []
    for number in range(256):
        crc = number
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


def _scalar(message: bytes) -> Iterator[tuple[str, float]]:
    """The metric of a Summary.Value, where it is a number."""
    tag, number = "", None
    for field, value in fields(message):
        if field == _TAG:
            tag = text_of(value)
        elif field == _SIMPLE and isinstance(value, bytes):
            (number,) = struct.unpack("<f", value)
        elif field == _TENSOR and isinstance(value, bytes):
            number = _of_tensor(value)
    if number is not None and tag:
        yield tag, number


def _of_tensor(message: bytes) -> float | None:
    """The one number of a tensor, else None."""
    kind, content = 0, b""
    for field, value in fields(message):
        if field == _DTYPE and isinstance(value, int):
            kind = value
        elif field in (_CONTENT, _FLOATS, _DOUBLES) and isinstance(value, bytes):
            content = value
    form = _FORMATS.get(kind)
    if form is None or len(content) != struct.calcsize(form):
        return None
    (number,) = struct.unpack(form, content)
    return float(number)
