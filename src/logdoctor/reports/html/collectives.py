"""What hung ranks launched, as the page draws it: collectives_of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from logdoctor.document.document import Json

if TYPE_CHECKING:
    from logdoctor.model.collectives import GroupChart, HangCharts

STRETCH_LEAST = 4
"""Ranks at equal distances that are told as one stretch; neighbours are from three on."""


def collectives_of(found: HangCharts | None) -> Json:
    """The charts of a page, in their order, and how many `more` groups there are."""
    if found is None:
        return {"charts": [], "more": 0}
    return {"charts": [_drawn(each) for each in found.charts], "more": found.more}


def _drawn(chart: GroupChart) -> Json:
    return {
        "group": f"{chart.group} [{folded_ranks(chart.ranks)}]",
        "first": chart.numbers[0],
        "operations": list(chart.operations),
        "awaited": chart.awaited,
        "waiting": chart.waiting,
        "rows": [
            {
                "ranks": folded_ranks(each.ranks),
                "count": len(each.ranks),
                "role": each.role.value,
                "standings": [one.value for one in each.standings],
            }
            for each in chart.rows
        ],
        "left_out": folded_ranks(chart.left_out),
    }


def folded_ranks(ranks: Sequence[int]) -> str:
    """`0-3, 7, 8-1016:8`, the last for every eighth one, as Slurm and Python write it; `ranks`
    ascend.
    """
    return ", ".join(_stretches(ranks))


def _stretches(ranks: Sequence[int]) -> Iterator[str]:
    start = 0
    while start < len(ranks):
        step = ranks[start + 1] - ranks[start] if start + 1 < len(ranks) else 1
        end = start
        while end + 1 < len(ranks) and ranks[end + 1] - ranks[end] == step:
            end += 1
        if end - start + 1 >= (STRETCH_LEAST if step > 1 else 3):
            yield f"{ranks[start]}-{ranks[end]}{f':{step}' if step > 1 else ''}"
            start = end + 1
        else:
            yield str(ranks[start])
            start += 1
