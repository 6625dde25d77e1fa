"""Clocks that differ: the order among causes follows what happened, not what a clock says."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from logdoctor.model import Lane, ScanResult
from logdoctor.model.history import Histories, Step
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.clocks import Clocks

START = datetime(2026, 11, 21, 22, 0)  # noqa: DTZ001  # as logs have it, without a zone
ERRORS = (
    "ValueError: the exchange with a peer broke off",
    "ValueError: labels beyond the vocabulary",
)


def log(
    rank: int,
    *,
    failed_at: int,
    ahead: timedelta = timedelta(),
    steps: int = 8,
    style: str = "%Y-%m-%d %H:%M:%S,000",
    is_chained: bool = False,
) -> str:
    """Steps every ten seconds, then the rank's error, `failed_at` seconds after the start by a clock that is right."""
    lines = [
        f"{START + ahead + timedelta(seconds=10 * step):{style}} - trainer - INFO - step {step} loss 0.5"
        for step in range(1, steps + 1)
    ]
    lines.append(
        f"{START + ahead + timedelta(seconds=failed_at):{style}} - trainer - ERROR - giving up"
    )
    frames = [
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 9, in step',
        "    go()",
    ]
    chain = (
        [
            *frames,
            "KeyError: 'labels'",
            "",
            "During handling of the above exception, another exception occurred:",
            "",
        ]
        if is_chained
        else []
    )
    return "\n".join([*lines, *chain, *frames, ERRORS[rank]]) + "\n"


def scanned(automaton: Automaton, logs: dict[str, str]) -> ScanResult:
    scan = Scan(automaton)
    for name, text in logs.items():
        scan.read(name, [text.encode()])
    return scan.result()


def root_of(result: ScanResult) -> str:
    assert result.root is not None
    return result.root.evidence[0].text


@pytest.mark.parametrize("hours", [0, 8, -7, 5.5, 2.37])
@pytest.mark.parametrize("style", ["%Y-%m-%d %H:%M:%S,000", "[%Y-%m-%d %H:%M:%S TP0]"])
def test_a_clock_that_is_hours_off_does_not_change_the_order(
    automaton: Automaton, hours: float, style: str
) -> None:
    """Steps that both ranks tell say by how much; the other error follows from the first."""
    late, early = (
        log(0, failed_at=120, style=style),
        log(1, failed_at=100, ahead=timedelta(hours=hours), style=style),
    )
    result = scanned(automaton, {"logs/rank_0.log": late, "logs/rank_1.log": early})
    assert root_of(result) == ERRORS[1]
    assert [each.verdict.value for each in result.unknown_errors] == ["root_cause", "consequence"]
    other = scanned(
        automaton,
        {
            "logs/rank_0.log": log(0, failed_at=100),
            "logs/rank_1.log": log(1, failed_at=120, ahead=timedelta(hours=hours)),
        },
    )
    assert root_of(other) == ERRORS[0]


@pytest.mark.parametrize(("hours", "root"), [(8, 1), (0, 1), (3.37, 0)])
def test_without_steps_in_common_the_ends_tell_the_time_zone(
    automaton: Automaton, hours: float, root: int
) -> None:
    """A difference that no zone has tells nothing: then the order of the sources stays."""
    logs = {
        "rank_0.log": log(0, failed_at=120, steps=0),
        "rank_1.log": log(1, failed_at=100, steps=0, ahead=timedelta(hours=hours)),
    }
    assert root_of(scanned(automaton, logs)) == ERRORS[root]


def test_an_exception_far_below_its_time_has_it_all_the_same(automaton: Automaton) -> None:
    """Of a chain only the first stands right below the logger's line."""
    logs = {
        "rank_0.log": log(0, failed_at=120, is_chained=True),
        "rank_1.log": log(1, failed_at=100, is_chained=True),
    }
    assert root_of(scanned(automaton, logs)) == ERRORS[1]


def test_runs_one_after_the_other_have_one_clock(automaton: Automaton) -> None:
    """Names that tell no writers may be of two runs: their times are taken as they stand."""
    logs = {
        "second.log": log(0, failed_at=100, ahead=timedelta(hours=2)),
        "first.log": log(1, failed_at=100),
    }
    assert root_of(scanned(automaton, logs)) == ERRORS[1]


def test_in_one_source_the_order_of_the_lines_counts(automaton: Automaton) -> None:
    """However far the clocks of its writers are apart, and though lines between have no time."""
    late, early = (
        log(rank, failed_at=100, ahead=timedelta(hours=hours)).splitlines()
        for rank, hours in ((0, 0), (1, 8))
    )
    lines = [
        line
        for pair in zip(
            (f"[rank1]: {line}" for line in early),
            (f"[rank0]: {line}" for line in late),
            strict=True,
        )
        for line in pair
    ]
    result = scan_text(automaton, "\n".join(lines))
    assert ERRORS[1] in root_of(result)
    assert all(each.occurrences == 1 for each in result.unknown_errors)


@pytest.mark.parametrize(("seconds", "root"), [(20, 1), (0, 0), (-20, 0), (3 * 3600, 0)])
def test_lines_that_were_relayed_late_count_by_their_own_time(
    automaton: Automaton, seconds: int, root: int
) -> None:
    """Ray prints a worker's lines after those of another though they are older; by hours, it is another clock."""
    lines = [
        f"({worker} pid={rank + 7}, ip=10.0.0.{rank}) {START - timedelta(seconds=seconds * rank):%Y-%m-%d %H:%M:%S,000} - trainer - ERROR - {ERRORS[rank]}"
        for rank, worker in enumerate(("ActorWorker", "CriticWorker"))
    ]
    assert ERRORS[root] in root_of(scan_text(automaton, "\n".join(lines)))


def test_times_are_put_on_one_clock() -> None:
    """That of the first source; a log without the year can be compared, one without the date cannot."""
    times = {
        "rank_0.log": ("2026-11-21T10:00:00", "2026-11-21T10:00:10"),
        "rank_1.log": ("--11-21T18:00:00.5", "--11-21T18:00:10.5"),
    }
    histories = Histories()
    for source, told in times.items():
        for step, time in enumerate(told, 1):
            histories[source].note(Step(step, Lane(), step, time))
    clocks = Clocks(histories)
    assert clocks.common(
        {"rank_0.log": "2026-11-21T10:00:20", "rank_1.log": "--11-21T18:00:15.5"}
    ) == {
        "rank_0.log": pytest.approx(
            clocks.common({"rank_0.log": "2026-11-21T10:00:20"})["rank_0.log"]  # type: ignore[index]
        ),
        "rank_1.log": pytest.approx(
            clocks.common({"rank_0.log": "2026-11-21T10:00:15"})["rank_0.log"]  # type: ignore[index]
        ),
    }
    assert clocks.common({"rank_0.log": "T10:00:00"}) is None
    assert clocks.common({"rank_0.log": None}) is None
    assert clocks.common({"rank_0.log": "2026-13-41T10:00:00"}) is None
