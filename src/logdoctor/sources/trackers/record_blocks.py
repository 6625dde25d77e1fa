"""A tracker's file of records in blocks to lines: RecordFile.

Offline runs of wandb (core/pkg/leveldb) and of SwanLab (swanlab's DataStore, which follows it) keep
records as LevelDB's log does: blocks of 32 KiB, a record in one part or several, each with a
checksum (of zlib here), its size and its kind.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

BLOCK = 32 << 10
RECORD_LIMIT = 16 << 20
"""Bytes beyond which a record is passed over."""

_HEADER = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


class Records(Protocol):
    """What the records of one version of a file tell, in the order in which they were kept."""

    def lines(self, record: bytes, /) -> Iterator[bytes]:
        """Of the next one; raises ValueError where it is none."""

    def end(self) -> Iterator[bytes]:
        """What is left when no record follows."""


class RecordFile:
    """Takes the file in pieces; gives its lines in the order in which they were kept."""

    def __init__(self, magic: bytes, versions: Mapping[int, Callable[[], Records]]) -> None:
        """`magic` are the first bytes; the version follows, as one more."""
        self._magic, self._versions = magic, versions
        self._records: Records | None = None
        self._rest = b""
        self._place = 0  # of the first byte of the rest in the file
        self._record: list[bytes] | None = None
        self._to_skip = 0
        self._is_damaged = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Raises ValueError where the version is none that is known. What follows a record with
        another checksum begins with the next block.
        """
        data = self._rest + piece
        at = 0
        if self._records is None:
            if len(data) <= len(self._magic):
                self._rest = data
                return
            self._records = self._records_of(data[len(self._magic)])
            at = len(self._magic) + 1
        while True:
            skipped = min(self._to_skip, len(data) - at)
            self._to_skip -= skipped
            at += skipped
            left = BLOCK - (self._place + at) % BLOCK
            if self._to_skip or len(data) - at < min(left, _HEADER.size):
                break
            if left < _HEADER.size:
                at += left  # zeros that fill the block
                continue
            checksum, size, kind = _HEADER.unpack_from(data, at)
            end = at + _HEADER.size + size
            if len(data) < end <= at + left:
                break
            content = data[at + _HEADER.size : end]
            if end > at + left or zlib.crc32(content, zlib.crc32(bytes([kind]))) != checksum:
                self._is_damaged, self._record, self._to_skip = True, None, left
                continue
            at = end
            yield from self._part(self._records, kind, content)
        self._place += at
        self._rest = data[at:]

    def end(self) -> Iterator[bytes]:
        """What the last records leave to tell; raises ValueError where some were damaged."""
        yield from self._records.end() if self._records else ()
        if self._is_damaged:
            raise ValueError("a record has another checksum")

    def _records_of(self, version: int) -> Records:
        if version not in self._versions:
            known = " or ".join(map(str, self._versions))
            raise ValueError(f"version {version} of the file; expected {known}")
        return self._versions[version]()

    def _part(self, records: Records, kind: int, content: bytes) -> Iterator[bytes]:
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
                yield from records.lines(whole)
            except ValueError:
                return  # no message: the next record may be one
