"""A rank's record of its collectives to a RankDump: flight_recorded.

Torch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp) writes one file per rank,
as a pickle or as JSON. What is read is that of versions 2.0 to 2.10 of the format (torch 2.4 to
2.13). Which rank wrote it, only the file's name tells.
"""

import gc
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from logdoctor.dumps.collectives import (
    PENDING_KEPT,
    RECENT_KEPT,
    Frame,
    Group,
    Operation,
    OperationId,
    RankDump,
    Shape,
)
from logdoctor.dumps.unpickling import BROKEN, unpickled

NO_DUMP = "no dump of the flight recorder"

NO_RANK = "a dump of the flight recorder whose name does not end in its rank"

ENTRIES_LIMIT = 200_000
"""Records of one dump that are read; torch keeps as many as TORCH_FR_BUFFER_SIZE says."""

FRAMES_KEPT = 24
"""Frames of a record that are kept, the innermost ones."""

SIZES_KEPT = 16
"""Tensors of an operation whose sizes are kept."""

RANKS_LIMIT = 1 << 18
"""Ranks that a run may have; a larger number (a date at the end of a name) is none of a rank."""

_NAMED_RANK = r"(?i)rank[_=-]?(\d+)(?!.*rank[_=-]?\d)"
_TRAILING = r"(\d+)(?:\.(?:json|pickle|pkl|txt|bin|gz|bz2|xz|zst))*$"
_FOREIGN = (
    r"(?:^|/)(?:torch|site-packages|dist-packages)/|<frozen|/lib/python3[.\d]*/"
    r"|\.so[.\d]*$|\.(?:[chS]|cc|cpp|hpp)$"  # native
)


def rank_of_name(name: str) -> int | None:
    """The rank that a file is of: a number behind `rank`, else the number that its name ends in;
    None where that is none of a rank.
    """
    found = re.search(_NAMED_RANK, name.rsplit("/", 1)[-1]) or re.search(_TRAILING, name)
    digits = found[1].lstrip("0") if found else ""
    if not found or len(digits) > len(str(RANKS_LIMIT)):
        return None
    rank = int(digits or 0)
    return rank if rank < RANKS_LIMIT else None


def flight_recorded(data: bytes, rank: int, source: str) -> RankDump:
    """The record of one rank.

    Raises:
        ValueError: it is broken, names code, or is none.
    """
    with _uncollected():
        return _rank_dump(unpickled(data) if data[:1] == b"\x80" else _parsed(data), rank, source)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the collector from walking through hundred thousands of plain texts and numbers while
    they are read, which takes as long again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ValueError(BROKEN) from error


def _rank_dump(plain: Any, rank: int, source: str) -> RankDump:
    if not isinstance(plain, dict) or not {"entries", "pg_config", "pg_status"} & set(plain):
        raise ValueError(NO_DUMP)
    rows = plain.get("entries") or ()
    try:
        entries = sorted(rows[-ENTRIES_LIMIT:], key=_order)
        recorded = _Recorded(_groups(plain.get("pg_config")))
        for number, row in enumerate(entries, 1):
            recorded.add(row, is_recent=number > len(entries) - RECENT_KEPT)
        launched = 1 + _order(entries[-1]) if entries else 0
        is_whole = _order(entries[0]) == 0 if entries else not _has_launched(plain.get("pg_status"))
        return recorded.dump(rank, source, launched)._replace(is_whole=is_whole)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise ValueError(BROKEN) from error


def _has_launched(status: Any) -> bool:
    """Whether a rank without records says that it launched anything; JSON has numbers as texts."""
    told = status.values() if isinstance(status, dict) else ()
    return any(int(each.get("last_enqueued_collective") or 0) > 0 for each in told)


def _order(row: Mapping[str, Any]) -> int:
    return int(row.get("record_id") or 0)


class _Recorded:
    """Takes records in their order."""

    def __init__(self, groups: dict[str, Group]) -> None:
        self._groups = groups
        self._pending: list[Operation] = []
        self._recent: list[Operation] = []
        self._last: dict[str, tuple[Mapping[str, Any], OperationId, Shape]] = {}
        self._oldest: dict[str, int] = {}
        self._keys: list[tuple[str, str]] = []
        self._shapes: Counter[tuple[str, Shape]] = Counter()

    def add(self, row: Mapping[str, Any], *, is_recent: bool) -> None:
        """Takes the next one; `is_recent` says whether it is among the last."""
        is_pending = _is_pending(row)
        is_kept = is_pending and len(self._pending) < PENDING_KEPT
        group, key, shape = _what(row, self._groups)
        if is_kept or is_recent:
            operation = _operation(row, key, shape, is_pending=is_pending)
            if is_kept:
                self._pending.append(operation)
            if is_recent:
                self._recent.append(operation)
        if key.pair is None:
            self._last[key.group] = row, key, shape
            self._oldest.setdefault(key.group, key.number)
            self._keys.append((group.purpose, shape.name))
            self._shapes[group.purpose, shape] += 1

    def dump(self, rank: int, source: str, launched: int) -> RankDump:
        """All of it; `launched` is how many operations the rank launched."""
        return RankDump(
            rank,
            source,
            self._groups,
            tuple(self._pending),
            tuple(self._recent),
            {
                name: _operation(*each, is_pending=_is_pending(each[0]))
                for name, each in self._last.items()
            },
            launched,
            self._oldest,
            Counter(pairwise(self._keys)),
            self._shapes,
        )


def _operation(
    row: Mapping[str, Any], key: OperationId, shape: Shape, *, is_pending: bool
) -> Operation:
    return Operation(
        _order(row),
        key,
        shape,
        is_pending,
        int(row.get("time_created_ns") or 0) / 1e9,
        _frames(row.get("frames")),
        row.get("state") == "started",
    )


def _is_pending(row: Mapping[str, Any]) -> bool:
    """An operation that failed is retired as one that completed; gloo never says `completed`."""
    return row.get("state") != "completed" and not row.get("retired")


def _groups(config: Any) -> dict[str, Group]:
    """Gloo puts all its groups under one name, without ranks."""
    if not isinstance(config, dict):
        return {}
    return {
        str(name): Group(str(name), str(told.get("desc") or ""), _ranks(told.get("ranks")))
        for name, told in config.items()
        if name and isinstance(told, dict)
    }


def _ranks(told: Any) -> tuple[int, ...]:
    """`"[0, 1]"`, a text in all versions so far."""
    listed = told if isinstance(told, list | tuple) else re.findall(r"\d{1,9}", str(told or ""))
    ranks = sorted({int(each) for each in listed})
    if ranks and not 0 <= ranks[0] <= ranks[-1] < RANKS_LIMIT:
        raise ValueError(BROKEN)
    return tuple(ranks)


def _what(row: Mapping[str, Any], groups: dict[str, Group]) -> tuple[Group, OperationId, Shape]:
    told = row.get("process_group") or ("", "")
    name, purpose = (str(told[0]), str(told[1])) if len(told) > 1 else (str(told[0]), "")
    group = groups.get(name)
    if group is None or (not group.purpose and purpose):
        group = groups[name] = Group(name, purpose, group.ranks if group else ())
    printed = str(row.get("profiling_name") or "")
    pair = _pair(printed) if row.get("is_p2p") else None
    number = row.get("p2p_seq_id" if pair else "collective_seq_id", row.get("seq_id"))
    shape = Shape(
        printed.partition(":")[2].partition(" ")[0] or printed,
        tuple([tuple(map(int, each)) for each in (row.get("input_sizes") or ())[:SIZES_KEPT]]),
        tuple(map(str, (row.get("input_dtypes") or ())[:SIZES_KEPT])),
    )
    return group, OperationId(name, int(number or 0), pair), shape


def _pair(printed: str) -> tuple[int, int] | None:
    """`nccl:send 0->3` and `nccl:recv 3<-0` are the two sides of one transfer."""
    found = re.search(r"(\d+)(->|<-)(\d+)", printed)
    if not found:
        return None
    own, other = int(found[1]), int(found[3])
    return (own, other) if found[2] == "->" else (other, own)


def _frames(told: Any) -> tuple[Frame, ...]:
    if not isinstance(told, list | tuple):
        return ()
    return tuple(
        Frame(str(each.get("name")), str(each.get("filename")), int(each.get("line") or 0))
        for each in told[:FRAMES_KEPT]
        if isinstance(each, dict)
    )


def is_foreign(frame: Frame) -> bool:
    """Whether a frame is of an installed package or native."""
    return not frame.file or re.search(_FOREIGN, frame.file) is not None


def own_frame(frames: Iterable[Frame]) -> Frame | None:
    """The innermost frame of the run's own code, else the innermost one; None where there is
    none.
    """
    listed = tuple(frames)
    return next(
        (each for each in listed if not is_foreign(each)),
        listed[0] if listed else None,
    )
