"""The file of an offline wandb run to lines: WandbFile.

It is a whole log: what the program printed, its configuration, the numbers of its steps and its
exit code, as records of wandb_internal.proto in the blocks of LevelDB's log
(core/pkg/leveldb in wandb; checksums are of zlib there).
"""

import json
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from logdoctor.sources.trackers.protobuf import fields, signed, text_of
from logdoctor.sources.trackers.step_lines import step_lines

MAGIC = b":W&B\xe1\xbe"
"""The first bytes; the version follows, of which 0 is known."""

BLOCK = 32 << 10
_HEADER = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_LINE, _CONFIG_OF_RUN = 3, 4
"""Fields of OutputRecord and of RunRecord."""

RECORD_LIMIT = 16 << 20
"""Bytes beyond which a record is passed over."""


class WandbFile:
    """Takes the file in pieces; gives its lines in the order in which they were kept."""

    def __init__(self) -> None:
        self._rest = b""
        self._place = 0  # of the first byte of the rest in the file
        self._record: list[bytes] | None = None

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Raises ValueError where the version is another one or a record has another checksum."""
        data = self._rest + piece
        at = 0
        if not self._place:
            if len(data) <= len(MAGIC):
                self._rest = data
                return
            if data[len(MAGIC)] != 0:
                raise ValueError(f"version {data[len(MAGIC)]} of wandb's file; expected 0")
            at = len(MAGIC) + 1
        while True:
            left = BLOCK - (self._place + at) % BLOCK
            if left < _HEADER.size:
                if len(data) - at < left:
                    break
                at += left  # zeros that fill the block
                continue
            if len(data) - at < _HEADER.size:
                break
            checksum, size, kind = _HEADER.unpack_from(data, at)
            if len(data) - at < _HEADER.size + size:
                break
            content = data[at + _HEADER.size : at + _HEADER.size + size]
            if zlib.crc32(content, zlib.crc32(bytes([kind]))) != checksum:
                raise ValueError("a record has another checksum")
            at += _HEADER.size + size
            yield from self._part(kind, content)
        self._place += at
        self._rest = data[at:]

    def end(self) -> Iterator[bytes]:
        """Nothing: each record was told when it was complete."""
        return iter(())

    def _part(self, kind: int, content: bytes) -> Iterator[bytes]:
        if kind in (_FULL, _FIRST):
            self._record = []
        if self._record is None:
            return
        self._record.append(content)
        if sum(map(len, self._record)) > RECORD_LIMIT:
            self._record = None
        elif kind in (_FULL, _LAST):
            whole, self._record = b"".join(self._record), None
            try:
                yield from _lines(whole)
            except ValueError:
                return  # no message: the next record may be one


def _lines(record: bytes) -> Iterator[bytes]:
    """What a Record tells."""
    for number, value in fields(record):
        told = _TOLD.get(number)
        if told and isinstance(value, bytes):
            yield from told(value)


def _of_history(message: bytes) -> Iterator[bytes]:
    step, metrics = 0, []
    for name, value in _items(message):
        if name == "_step" and isinstance(value, int):
            step = value
        elif not name.startswith("_"):
            metrics += [(name, float(value))] if _is_number(value) else []
    yield from step_lines(step, metrics)


def _of_config(message: bytes) -> Iterator[bytes]:
    for name, value in _items(message):
        if not name.startswith("_"):
            yield from (f"{key}: {_printed(each)}\n".encode() for key, each in _flat(name, value))


def _of_output(message: bytes) -> Iterator[bytes]:
    for field, value in fields(message):
        if field == _LINE and isinstance(value, bytes):
            yield value


def _of_run(message: bytes) -> Iterator[bytes]:
    for field, value in fields(message):
        if field == _CONFIG_OF_RUN and isinstance(value, bytes):
            yield from _of_config(value)


def _of_exit(message: bytes) -> Iterator[bytes]:
    code = next((value for field, value in fields(message) if field == 1), 0)
    if isinstance(code, int):
        yield f"wandb: the run ended with exit code {signed(code)}\n".encode()


def _items(message: bytes) -> Iterator[tuple[str, Any]]:
    """Names, with dots where they are nested, and values of HistoryItems and ConfigItems."""
    for number, item in fields(message):
        if number != 1 or not isinstance(item, bytes):
            continue
        keys, text = [], ""
        for field, value in fields(item):
            if field in (1, 2):  # key, nested_key
                keys.append(text_of(value))
            elif field == 16:  # noqa: PLR2004  # value_json
                text = text_of(value)
        try:
            yield ".".join(filter(None, keys)), json.loads(text)
        except (ValueError, RecursionError):
            continue


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(f"{name}.{key}", each)
    else:
        yield name, value


def _printed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TOLD: Mapping[int, Callable[[bytes], Iterator[bytes]]] = MappingProxyType(
    {
        2: _of_history,
        4: _of_output,
        5: _of_config,
        13: _of_output,  # as the terminal got it
        17: _of_run,
        18: _of_exit,
    }
)
"""What the kinds of a Record tell, by their field."""
