"""What the ranks of a hung run launched of each other's collectives: GroupChart."""

from enum import Enum
from typing import NamedTuple


class Standing(Enum):
    """How far a rank came in one collective.

    What is not kept was launched before the oldest record that the rank still has.
    """

    COMPLETED = "completed"
    STARTED = "started"
    SCHEDULED = "scheduled"
    DIFFERENT = "different"
    NEVER_CAME = "never_came"
    NOT_KEPT = "not_kept"
    NO_DUMP = "no_dump"


class RankRole(Enum):
    """What a rank has to do with the hang."""

    GUILTY = "guilty"
    SUSPECT = "suspect"
    WAITING = "waiting"
    MISSING = "missing"
    NEITHER = "neither"


class RanksAlike(NamedTuple):
    """Ranks of one role that stand alike in all collectives that a chart shows.

    Attributes:
        ranks: ascending, never empty.
        standings: one for each number of the chart.
    """

    ranks: tuple[int, ...]
    role: RankRole
    standings: tuple[Standing, ...]


class GroupChart(NamedTuple):
    """The last collectives of a process group, by rank.

    Attributes:
        group: what the group is for, else its name.
        ranks: its ranks, ascending.
        numbers: of the collectives shown, in succession, ascending; never empty.
        operations: what each is: name, size and type as most launched it; empty where no record of
            it is kept.
        awaited: the number that the hang is about, where it is of this group; else that in which a
            guilty rank waits, else that in which most do.
        waiting: how many ranks wait in any collective of the group, guilty ones left out.
        rows: by their first rank, ascending; those of guilty ranks are the last to be left out.
        left_out: ranks of the group that have no row, ascending; there are too many different ones.
    """

    group: str
    ranks: tuple[int, ...]
    numbers: tuple[int, ...]
    operations: tuple[str, ...]
    awaited: int
    waiting: int
    rows: tuple[RanksAlike, ...]
    left_out: tuple[int, ...]


class HangCharts(NamedTuple):
    """The groups in whose collectives ranks wait.

    Attributes:
        charts: that of the awaited operation first, then those in which guilty ranks wait, then
            those in which most others do; may be empty.
        more: how many further groups there are in whose collectives ranks wait.
    """

    charts: tuple[GroupChart, ...] = ()
    more: int = 0
