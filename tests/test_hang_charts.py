"""What the page draws of hung ranks: who launched which collective, folded where ranks are alike."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import pytest

from logdoctor.dumps.dump_set import DumpSet
from logdoctor.model.collectives import GroupChart, HangCharts, RankRole, Standing
from logdoctor.reports.html.collectives import collectives_of, folded_ranks
from logdoctor.reports.html.run import run_data
from logdoctor.search.automaton import Automaton
from tests.test_dumps import PENDING, SAMPLES, entry, plain, scanned

LETTERS = {
    Standing.COMPLETED: "c", Standing.STARTED: "s", Standing.SCHEDULED: "l", Standing.DIFFERENT: "d",
    Standing.NEVER_CAME: "-", Standing.NOT_KEPT: ".", Standing.NO_DUMP: "?",
}  # fmt: skip


def charts_of(dumps: Mapping[int, Any]) -> HangCharts:
    dump_set = DumpSet()
    for rank, each in dumps.items():
        dump_set.add(f"trace_rank_{rank}", pickle.dumps(each, 2))
    told = dump_set.told()
    assert told
    assert told.charts
    return told.charts


def rows(chart: GroupChart) -> list[tuple[tuple[int, ...], RankRole, str]]:
    """With a letter for each standing."""
    return [
        (each.ranks, each.role, "".join(map(LETTERS.__getitem__, each.standings)))
        for each in chart.rows
    ]


def test_ranks_that_stand_alike_are_one_row_and_the_gap_is_seen() -> None:
    """Rank 5 launched nothing after #2, rank 6 left no dump, rank 7 has begun."""
    done = [entry(0, "a", 1), entry(1, "a", 2)]
    everyone = list(range(9))
    waits = plain(*done, entry(2, "a", 3, **PENDING), a=everyone)
    begun = plain(*done, entry(2, "a", 3, retired=False, state="started"), a=everyone)
    idle = plain(*done, a=everyone)
    dumps = dict.fromkeys(everyone, waits) | {5: idle, 7: begun}
    del dumps[6]
    (chart,) = charts_of(dumps).charts
    assert (chart.group, chart.numbers, chart.awaited) == ("purpose a", (1, 2, 3), 3)
    assert (chart.waiting, chart.operations) == (7, ("all_reduce [8] Float",) * 3)
    assert rows(chart) == [
        ((0, 1, 2, 3, 4, 8), RankRole.WAITING, "ccl"),
        ((5,), RankRole.GUILTY, "cc-"),
        ((6,), RankRole.MISSING, "???"),
        ((7,), RankRole.WAITING, "ccs"),
    ]


def test_what_a_guilty_rank_launched_instead_is_told_apart() -> None:
    """The column says what the others launched."""
    usual = plain(entry(0, "a", 1), entry(1, "a", 2, **PENDING), a=[0, 1, 2])
    other = plain(entry(0, "a", 1), entry(1, "a", 2, "broadcast", **PENDING), a=[0, 1, 2])
    (chart,) = charts_of({0: usual, 1: other, 2: usual}).charts
    assert rows(chart) == [((0, 2), RankRole.WAITING, "cl"), ((1,), RankRole.GUILTY, "cd")]
    assert chart.operations[-1] == "all_reduce [8] Float"


def test_the_group_of_the_guilty_rank_comes_first() -> None:
    """Although more ranks wait for those that wait there."""
    both, everyone = [3, 4], list(range(4))
    waits = plain(entry(0, "a", 1), entry(1, "a", 2, **PENDING), a=everyone)
    stuck = plain(entry(0, "a", 1), entry(1, "b", 1, **PENDING), a=everyone, b=both)
    idle = plain(b=both)
    charts = charts_of({0: waits, 1: waits, 2: waits, 3: stuck, 4: idle})
    assert [(each.group, each.waiting) for each in charts.charts] == [
        ("purpose b", 1), ("purpose a", 3),
    ]  # fmt: skip
    assert charts.more == 0


def test_where_the_guilty_rank_waits_itself_is_drawn_as_well() -> None:
    """It launched the operations of two groups in another order than the others."""
    everyone = [0, 1, 2]
    usual = [entry(0, "a", 1), entry(1, "b", 1), entry(2, "a", 2), entry(3, "b", 2)]
    first = plain(*usual, entry(4, "a", 3, **PENDING), a=everyone, b=everyone)
    other = plain(*usual, entry(4, "b", 3, **PENDING), a=everyone, b=everyone)
    charts = charts_of({0: first, 1: other, 2: first}).charts
    assert [(each.group, each.awaited, each.waiting, rows(each)) for each in charts] == [
        ("purpose a", 3, 2, [((0, 2), RankRole.WAITING, "ccl"), ((1,), RankRole.GUILTY, "cc-")]),
        ("purpose b", 3, 0, [((0, 2), RankRole.WAITING, "cc-"), ((1,), RankRole.GUILTY, "ccl")]),
    ]


def test_records_that_are_no_longer_kept_are_not_called_missing() -> None:
    """As of a ring that is full, and of a dump with pending records only: rank 1 has none at all,
    but says that it launched something.
    """
    waits = plain(entry(900, "a", 30, **PENDING), entry(901, "a", 31, **PENDING), a=[0, 1, 2])
    later = plain(entry(899, "a", 29), *waits["entries"], a=[0, 1, 2])
    idle = plain(a=[0, 1, 2])
    idle["pg_status"] = {"4": {"last_enqueued_collective": 29}}
    (chart,) = charts_of({0: waits, 1: idle, 2: later}).charts
    assert chart.numbers == (28, 29, 30, 31)
    assert rows(chart) == [
        ((0,), RankRole.WAITING, "..ll"),
        ((1,), RankRole.GUILTY, "..--"),
        ((2,), RankRole.WAITING, ".cll"),
    ]
    idle["pg_status"] = {}
    (chart,) = charts_of({0: waits, 1: idle, 2: later}).charts
    assert rows(chart)[1] == ((1,), RankRole.GUILTY, "-" * len(chart.numbers))


def test_a_chart_shows_the_collectives_around_the_awaited_one() -> None:
    """At most as many as fit, of a rank that is far ahead."""
    done = [entry(each, "a", each + 1) for each in range(40)]
    ahead = [entry(each, "a", each + 1, **PENDING) for each in range(40, 80)]
    dumps = {0: plain(*done, *ahead, a=[0, 1]), 1: plain(*done, a=[0, 1])}
    (chart,) = charts_of(dumps).charts
    assert (chart.awaited, len(chart.numbers)) == (41, 24)
    assert chart.numbers[0] <= 41 < chart.numbers[-1]
    assert {letters[: 41 - chart.numbers[0]] for _, _, letters in rows(chart)} == {"c" * 11}


@pytest.mark.parametrize("number", [None, 0, -3])
def test_a_record_that_tells_no_number_is_drawn_as_well(number: int | None) -> None:
    """As of a dump that is damaged, or of another release: the awaited one is among those shown."""
    waits = plain(entry(0, "a", 0, **PENDING, collective_seq_id=number), a=[0, 1, 2])
    found = charts_of({0: waits, 1: waits, 2: plain(a=[0, 1, 2])})
    (chart,) = found.charts
    assert chart.numbers == (number or 0,)
    assert rows(chart) == [((0, 1), RankRole.WAITING, "l"), ((2,), RankRole.GUILTY, "-")]
    assert collectives_of(found)["charts"][0]["first"] == (number or 0)


def test_guilty_ranks_have_a_row_however_many_differ() -> None:
    """Those without one are named."""
    everyone = list(range(80))
    dumps = {
        rank: plain(
            *(entry(each, "a", each + 1) for each in range(20)),
            *(entry(20 + i, "a", 21 + i, retired=i in range(rank % 70), state="scheduled")
              for i in range(75)),
            a=everyone,
        )
        for rank in everyone
    } | {79: plain(entry(0, "a", 1), a=everyone)}  # fmt: skip
    (chart,) = charts_of(dumps).charts
    drawn = {rank for each in chart.rows for rank in each.ranks}
    assert 79 in drawn
    assert drawn | set(chart.left_out) == set(everyone)
    assert not drawn & set(chart.left_out)


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([], ""),
        ([0, 1], "0, 1"),
        ([0, 1, 2, 9], "0-2, 9"),
        ([0, 8, 16], "0, 8, 16"),
        ([0, 8, 16, 24], "0-24:8"),
        ([1, *range(5, 16, 2), 19, 21, 23, 25], "1, 5-15:2, 19-25:2"),
    ],
    ids=str,
)
def test_ranks_at_equal_distances_are_told_as_one(ranks: list[int], text: str) -> None:
    """From four on; neighbours from three on."""
    assert folded_ranks(ranks) == text


def test_a_page_has_the_chart_of_real_dumps(automaton: Automaton) -> None:
    """With nothing in it where no dump was read."""
    found = run_data(scanned(automaton, SAMPLES / "hang-sleep"), "0")["collectives"]
    first = found["charts"][0]
    assert first["group"] == "default_pg [0-3]"
    assert [(each["ranks"], each["role"], each["standings"][-1]) for each in first["rows"]] == [
        ("0, 3", "waiting", "scheduled"),
        ("1", "guilty", "never_came"),
        ("2", "waiting", "completed"),
    ]
    log = scanned(automaton, SAMPLES / "healthy" / "nohup-crashed-then-good.log")
    assert run_data(log, "0")["collectives"] == {"charts": [], "more": 0}
