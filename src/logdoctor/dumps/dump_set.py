"""The dumps of one run, and what they tell together: DumpSet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from logdoctor.dumps.charts import hang_charts
from logdoctor.dumps.collectives import RankDump
from logdoctor.dumps.flight_recorder import NO_RANK, flight_recorded, rank_of_name
from logdoctor.dumps.ras import Report, held_up, read_reports
from logdoctor.dumps.stacks import Stack, latest_of_each, read_stacks, standing_apart
from logdoctor.dumps.telling import apart_lines, ras_lines, told_lines
from logdoctor.dumps.unpickling import DUMP_LIMIT
from logdoctor.dumps.waits import Hang, HangKind, found_hang, last_moments
from logdoctor.model.collectives import HangCharts
from logdoctor.sources.dump_files import begins_as_ras, begins_as_stacks

TOO_LARGE = f"larger than {DUMP_LIMIT >> 20} MiB; no dump of one rank is"

DUMPS_KEPT = 65_536
"""Dumps of one run that are looked at."""


class ToldOfDumps(NamedTuple):
    """What the dumps say.

    Attributes:
        source: the dump that shows it best.
        lines: as `told_lines` gives them; empty where nobody holds up others.
        charts: which collectives the ranks launched; None where no flight recorder tells.
    """

    source: str
    lines: tuple[str, ...]
    charts: HangCharts | None = None


class DumpSet:
    """Takes dumps one by one; keeps of each what is of use."""

    def __init__(self) -> None:
        self._dumps: list[RankDump] = []
        self._stacks: list[Stack] = []
        self._reports: list[tuple[str, Report]] = []

    def __len__(self) -> int:
        return len(self._dumps) + len(self._stacks) + len(self._reports)

    def add(self, name: str, data: bytes) -> None:
        """Takes the dump, the stacks or the reports in a file of this name.

        Raises:
            ValueError: it is none, is broken, names code, or does not say of which rank it is.
        """
        if len(data) > DUMP_LIMIT:
            raise ValueError(TOO_LARGE)
        rank = rank_of_name(name)
        if begins_as_stacks(data):
            self._stacks += read_stacks(data, rank, name)[: DUMPS_KEPT - len(self._stacks)]
            return
        if begins_as_ras(data):
            reports = read_reports(data.decode("utf-8", "replace"))
            self._reports += [(name, each) for each in reports][: DUMPS_KEPT - len(self._reports)]
            return
        dump = flight_recorded(data, rank or 0, name)
        if rank is None:
            raise ValueError(NO_RANK)
        if len(self._dumps) < DUMPS_KEPT:
            self._dumps.append(dump)

    def told(self) -> ToldOfDumps | None:
        """What they say together; None where there are none, or where nobody waits."""
        hang, stacks = found_hang(self._dumps), latest_of_each(self._stacks)
        if hang:
            hang = _with_stacks(hang, stacks)
            charts = hang_charts(hang, last_moments(self._dumps))
            return ToldOfDumps(self._shown(hang), tuple(told_lines(hang, stacks)), charts)
        apart = None if self._dumps else standing_apart(self._stacks)
        if apart:
            return ToldOfDumps(apart.apart[0].source, tuple(apart_lines(apart)))
        held = None if self._dumps else held_up([each for _, each in self._reports])
        return ToldOfDumps(self._reports[-1][0], tuple(ras_lines(held))) if held else None

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks that left a dump, ascending."""
        return sorted({each.rank for each in self._dumps})

    def _shown(self, hang: Hang) -> str:
        """The dump of the first guilty rank, else of the first that waits."""
        wanted = (*hang.guilty, *hang.direct, *hang.waiting)
        of_rank = {each.rank: each.source for each in reversed(self._dumps)}
        return next(of_rank[rank] for rank in wanted if rank in of_rank)


def _with_stacks(hang: Hang, stacks: Iterable[Stack]) -> Hang:
    """The hang, with the guilty ones among its suspects where the stacks of all these tell: those
    that stand outside of any collective, while the rest wait in one.
    """
    of_rank = {each.rank: each for each in stacks}
    if hang.kind is not HangKind.UNCLEAR or not of_rank.keys() >= set(hang.suspects):
        return hang
    guilty = tuple(each for each in hang.suspects if not of_rank[each].is_in_collective)
    if not 0 < len(guilty) < len(hang.suspects):
        return hang
    return hang._replace(kind=HangKind.NEVER_CAME, guilty=guilty, suspects=())
