"""The dumps of one run, and what they tell together: DumpSet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from logdoctor.dumps.collectives import RankDump
from logdoctor.dumps.flight_recorder import NO_RANK, flight_recorded, rank_of_name
from logdoctor.dumps.telling import told_lines
from logdoctor.dumps.unpickling import DUMP_LIMIT
from logdoctor.dumps.waits import Hang, found_hang

TOO_LARGE = f"larger than {DUMP_LIMIT >> 20} MiB; no dump of one rank is"

DUMPS_KEPT = 65_536
"""Dumps of one run that are looked at."""


class ToldOfDumps(NamedTuple):
    """What the dumps say.

    Attributes:
        source: the dump that shows it best.
        lines: as `told_lines` gives them; empty where nobody holds up others.
    """

    source: str
    lines: tuple[str, ...]


class DumpSet:
    """Takes dumps one by one; keeps of each what is of use."""

    def __init__(self) -> None:
        self._dumps: list[RankDump] = []

    def __len__(self) -> int:
        return len(self._dumps)

    def add(self, name: str, data: bytes) -> None:
        """Takes the dump in a file of this name.

        Raises:
            ValueError: it is none, is broken, names code, or does not say of which rank it is.
        """
        if len(data) > DUMP_LIMIT:
            raise ValueError(TOO_LARGE)
        rank = rank_of_name(name)
        dump = flight_recorded(data, rank or 0, name)
        if rank is None:
            raise ValueError(NO_RANK)
        if len(self._dumps) < DUMPS_KEPT:
            self._dumps.append(dump)

    def told(self) -> ToldOfDumps | None:
        """What they say together; None where there are none, or where nobody waits."""
        hang = found_hang(self._dumps)
        return ToldOfDumps(self._shown(hang), tuple(told_lines(hang))) if hang else None

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks that left a dump, ascending."""
        return sorted({each.rank for each in self._dumps})

    def _shown(self, hang: Hang) -> str:
        """The dump of the first guilty rank, else of the first that waits."""
        wanted = (*hang.guilty, *hang.direct, *hang.waiting)
        of_rank = {each.rank: each.source for each in reversed(self._dumps)}
        return next(of_rank[rank] for rank in wanted if rank in of_rank)
