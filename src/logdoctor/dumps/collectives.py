"""What the ranks of a run recorded of their collectives: Operation, RankDump.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Frame(NamedTuple):
    """Where a rank was: a function, and its file and line."""

    function: str
    file: str
    line: int

    @property
    def text(self) -> str:
        """`load_shard (data.py:55)`; native ones may have no line."""
        where = f":{self.line}" if self.line else ""
        return f"{self.function} ({self.file.rsplit('/', 1)[-1]}{where})"


class Shape(NamedTuple):
    """What an operation does: its name without the library's, and sizes and types of its input
    as recorded.
    """

    name: str
    sizes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]

    @property
    def text(self) -> str:
        """`all_reduce [2048, 5120] Float`; of several tensors the first, and how many."""
        if not self.sizes:
            return self.name
        more = f" and {len(self.sizes) - 1} more" if len(self.sizes) > 1 else ""
        dtype = f" {self.dtypes[0]}" if self.dtypes else ""
        return f"{self.name} {list(self.sizes[0])}{dtype}{more}"


class OperationId(NamedTuple):
    """Which operation of which group: the group's name, which all its ranks share, and the
    operation's number in it, from 1.

    Attributes:
        pair: of a transfer between two ranks, their places in the group, the sender's first; its
            number is that of no other rank.
    """

    group: str
    number: int
    pair: tuple[int, int] | None = None


class Operation(NamedTuple):
    """One record of a rank.

    Attributes:
        order: ascends in the order in which the rank launched its operations.
        is_pending: whether it had neither completed nor been given up.
        is_started: whether it is known to have begun; gloo tells of none.
        launched_s: when, in seconds since 1970 by the clock of its host; 0 where it is not told.
        frames: who launched it, innermost first; may be empty.
    """

    order: int
    key: OperationId
    shape: Shape
    is_pending: bool
    launched_s: float = 0.0
    frames: tuple[Frame, ...] = ()
    is_started: bool = False


class Group(NamedTuple):
    """A process group as a rank knows it: what it is for, and its ranks, ascending; empty where
    the rank does not say.
    """

    name: str
    purpose: str
    ranks: tuple[int, ...] = ()


class RankDump(NamedTuple):
    """What one rank recorded, as far as it is of use.

    Attributes:
        source: the file it comes from.
        groups: by name.
        pending: operations it waits for, in their order; at most `PENDING_KEPT`.
        recent: its last operations, in their order; at most `RECENT_KEPT`.
        last: by group, the last operation that it launched there.
        launched: how many operations it launched, as far as it counts them.
        is_whole: whether there is a record of everything that it launched.
        oldest: by group, the lowest number of which there is a record.
        steps: how often one operation followed another: `(purpose, name)` of both.
        shapes: how often an operation of a purpose and name had which sizes.
    """

    rank: int
    source: str
    groups: Mapping[str, Group]
    pending: tuple[Operation, ...]
    recent: tuple[Operation, ...]
    last: Mapping[str, Operation]
    launched: int
    oldest: Mapping[str, int] = MappingProxyType({})
    steps: Mapping[tuple[tuple[str, str], tuple[str, str]], int] = MappingProxyType({})
    shapes: Mapping[tuple[str, Shape], int] = MappingProxyType({})
    is_whole: bool = True

    @property
    def head(self) -> Operation | None:
        """The oldest operation that it waits for."""
        return self.pending[0] if self.pending else None

    @property
    def is_full(self) -> bool:
        """Whether it may wait for more operations than are kept."""
        return len(self.pending) >= PENDING_KEPT

    def at(self, key: OperationId) -> Operation | None:
        """Its record of an operation; None where there is none, or it is no longer kept."""
        return next((each for each in (*self.pending, *self.recent) if each.key == key), None)


PENDING_KEPT = 64
"""Pending operations of a rank that are kept; the oldest decides."""

RECENT_KEPT = 48
"""Last operations of a rank that are kept."""
