"""A live scan that goes on from a state judges numbers as one that was never ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logdoctor.context import metric_state
from logdoctor.context.metrics import STREAKS_LIMIT, MetricReader
from logdoctor.errors import SourceError
from logdoctor.live.rotation import Mark
from logdoctor.live.state import LiveState, SafeMarks, read_state, write_state
from logdoctor.model import (
    AnchorKind,
    Lane,
    LogLine,
    MetricBounds,
    MetricPattern,
    SignatureDatabase,
)
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from tests.thoroughness import drawn

STRETCHES = {
    "healthy": "step:{i} - actor/pg_loss:0.1 - actor/grad_norm:0.{d} - critic/rewards/mean:0.3{d} - timing_s/step:4{d}.0\n",
    "no reward": "step:{i} - actor/pg_loss:0.1 - actor/grad_norm:0.{d} - critic/rewards/mean:0.0 - timing_s/step:4{d}.0\n",
    "exploding": "step:{i} - actor/pg_loss:0.1 - actor/grad_norm:9{d}99.5 - critic/rewards/mean:0.3{d} - timing_s/step:4{d}.0\n",
    "not finite": "step:{i} - actor/pg_loss:nan - actor/grad_norm:nan - critic/rewards/mean:0.3{d} - timing_s/step:4{d}.0\n",
    "slow": "step:{i} - actor/pg_loss:0.1 - actor/grad_norm:0.{d} - critic/rewards/mean:0.3{d} - timing_s/step:3{d}0.0\n",
    "no step": "INFO request {i} waits for a worker\n",
}


class Said(NamedTuple):
    """What was told, and after how many lines; without the onset, which only a scan knows that has
    read the whole.
    """

    after: int
    signature_id: str
    line: int
    captures: dict[str, str]


def mark(offset: int) -> Mark:
    return Mark(1, 2, offset, b"h", b"t", 0)


Moment = tuple[int, int]
"""After so many lines, and so many of two settlings."""


def watched(
    automaton: Automaton,
    rows: list[bytes],
    file: Path,
    saves: Iterable[Moment] = (),
    kills: Iterable[Moment] = (),
) -> list[Said]:
    """What is told while the rows come; a scan that is killed is followed by one that goes on from what the file holds."""
    said: list[Said] = []
    left = set(kills)
    while True:
        state = read_state(str(file))
        scan, safe = (
            Scan(automaton, told=state.told, lines=state.lines, streaks=state.streaks),
            SafeMarks(state),
        )
        was_killed = False
        for moment in moments(
            scan, safe, rows, state.marks["x"].offset if "x" in state.marks else 0
        ):
            news = scan.settle() if moment[1] else None
            if news is not None:
                safe.settle(scan.told_until)
            found = news.diagnoses if news else ()
            said += [
                Said(
                    moment[0],
                    each.signature.id,
                    each.evidence[0].line,
                    {
                        name: value
                        for name, value in each.captures.items()
                        if not name.startswith("onset")
                    },
                )
                for each in found
            ]
            if found or moment in saves:
                write_state(
                    str(file), safe.state({})._replace(told=scan.told_keys, streaks=scan.streaks)
                )
            if moment in left:
                left.remove(moment)
                was_killed = True
                break
        if not was_killed:
            return said


def moments(scan: Scan, safe: SafeMarks, rows: list[bytes], position: int) -> Iterator[Moment]:
    for number, row in enumerate(rows[position:], position + 1):
        scan.feed("x", row)
        safe.pass_by("x", "x", scan.lines_of("x"), mark(number))
        yield from ((number, settlings) for settlings in range(3))


STORIES = st.lists(
    st.tuples(st.sampled_from(sorted(STRETCHES)), st.integers(1, 34)), min_size=1, max_size=4
).map(lambda each: [("healthy", 14), *each])
MOMENTS = st.tuples(st.integers(1, 150), st.integers(0, 2))


@settings(
    max_examples=drawn(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    story=STORIES,
    saves=st.sets(MOMENTS, max_size=12),
    kills=st.sets(MOMENTS, min_size=1, max_size=5),
)
def test_a_scan_that_is_killed_tells_the_same_at_the_same_step(
    automaton: Automaton,
    tmp_path: Path,
    story: list[tuple[str, int]],
    saves: set[Moment],
    kills: set[Moment],
) -> None:
    """Wherever it is cut, and whenever its state was saved before."""
    kinds = [kind for kind, length in story for _ in range(length)]
    rows = [STRETCHES[kind].format(i=i, d=i % 7 + 1).encode() for i, kind in enumerate(kinds)]
    (tmp_path / "state").unlink(missing_ok=True)
    (tmp_path / "other").unlink(missing_ok=True)
    killed = watched(automaton, rows, tmp_path / "state", saves, kills)
    whole = watched(automaton, rows, tmp_path / "other")
    assert [each for each in killed if each.signature_id != NOT_KEPT] == [
        each for each in whole if each.signature_id != NOT_KEPT
    ]


NOT_KEPT = "gradient-always-clipped"
"""What asks for a share of the run is not told by every scan that goes on."""


@pytest.mark.xfail(strict=True, reason="a streak does not keep what a share of the run is of")
def test_a_share_of_the_run_is_told_by_a_scan_that_goes_on(
    automaton: Automaton, tmp_path: Path
) -> None:
    story = [("healthy", 14), ("slow", 18), ("exploding", 59), ("slow", 27)]
    kinds = [kind for kind, length in story for _ in range(length)]
    rows = [STRETCHES[kind].format(i=i, d=i % 7 + 1).encode() for i, kind in enumerate(kinds)]
    kills = {(19, 0), (63, 2), (90, 0), (121, 0), (126, 0)}
    killed = watched(automaton, rows, tmp_path / "state", {(12, 0), (141, 2)}, kills)
    assert killed == watched(automaton, rows, tmp_path / "other")


@pytest.mark.parametrize(
    ("kind", "steps", "signature_id"),
    [
        ("no reward", 30, "reward-always-zero"),
        ("exploding", 3, "grad-norm-exploded"),
        ("not finite", 2, "loss-not-finite"),
        ("slow", 20, "steps-became-slow"),
    ],
)
def test_each_condition_stands_though_every_step_of_it_had_a_scan_of_its_own(
    automaton: Automaton, tmp_path: Path, kind: str, steps: int, signature_id: str
) -> None:
    """The median is that of the first call, the line that is shown that of the second."""
    rows = [
        STRETCHES["healthy" if i < 14 else kind].format(i=i, d=i % 7 + 1).encode()
        for i in range(14 + steps)
    ]
    every = {(number, 2) for number in range(14, 14 + steps)}
    (said,) = watched(automaton, rows, tmp_path / "state", every, every)
    assert (said.after, said.signature_id, said.line, said.captures["steps"]) == (
        14 + steps,
        signature_id,
        15,
        str(steps),
    )


def restarted(automaton: Automaton, rows: list[bytes]) -> Scan:
    """One that goes on from the beginning, though all rows have been counted: nothing was told yet."""
    first = Scan(automaton)
    first.feed("x", b"".join(rows))
    first.look_ahead()
    return Scan(automaton, streaks=first.streaks)


def test_lines_that_are_read_again_count_once(automaton: Automaton) -> None:
    """The state is further than the place where reading goes on."""
    rows = [STRETCHES["no reward"].format(i=i, d=1).encode() for i in range(30)]
    scan = restarted(automaton, rows[:20])
    told = []
    for row in rows:
        scan.feed("x", row)
        told += [len(news.diagnoses) for news in (scan.settle(), scan.settle())]
    assert told == [0] * 58 + [1, 0]


def test_what_stood_but_was_not_told_is_told(automaton: Automaton) -> None:
    """Although nothing that is read makes a difference."""
    rows = [STRETCHES["not finite"].format(i=i, d=1).encode() for i in range(3)]
    scan = restarted(automaton, rows)
    scan.feed("x", b"".join(rows))
    assert [each.signature.id for each in scan.settle().diagnoses] == ["loss-not-finite"]


def test_what_another_source_counted_is_kept_while_it_is_silent(automaton: Automaton) -> None:
    """For the call after this one."""
    rows = [STRETCHES["no reward"].format(i=i, d=1).encode() for i in range(20)]
    scan = restarted(automaton, rows)
    before = scan.streaks
    scan.feed("y", rows[0])
    scan.settle()
    assert set(before) < set(scan.streaks)


def test_no_more_than_so_many_are_kept(database: SignatureDatabase) -> None:
    """The rest begins anew after a restart."""
    reader = MetricReader(database)
    for number in range(STREAKS_LIMIT + 5):
        reader.feed(LogLine(f"rank{number}.log", 1, "step:1 - timing_s/step:40.0", ""), number)
    assert len(reader.streaks) == STREAKS_LIMIT


def test_a_streak_of_a_rule_that_has_changed_begins_anew(
    automaton: Automaton, tmp_path: Path
) -> None:
    """What was counted by another bound says nothing."""
    rows = [STRETCHES["no reward"].format(i=i, d=1).encode() for i in range(31)]
    watched(automaton, rows[:29], tmp_path / "state", {(29, 2)})
    state = read_state(str(tmp_path / "state"))
    changed = tuple(each._replace(rule=each.rule._replace(steps=31)) for each in state.streaks)
    write_state(str(tmp_path / "state"), state._replace(streaks=changed))
    assert watched(automaton, rows, tmp_path / "state") == []
    write_state(str(tmp_path / "state"), state)
    assert [each.after for each in watched(automaton, rows, tmp_path / "state")] == [30]


def test_a_streak_is_kept_as_it_is(tmp_path: Path) -> None:
    """With its numbers that are not finite, and its line."""
    lane = Lane("node1", 3, None, "actor")
    line = LogLine(
        "x",
        7,
        "raw",
        "text",
        lane,
        lane,
        "2026-11-21T10:00:00",
        "info",
        True,
        (),
        frozenset({AnchorKind.MARKER}),
        2,
        8,
        1,
    )
    began = metric_state.Beginning(line, "loss:inf", "loss", "inf", 12)
    bounds = MetricBounds(is_not_finite=True, above=0.5)
    rule = MetricPattern("loss", bounds, None, 3, metric_state.NOWHERE)
    kept = metric_state.Streak(
        "x",
        "loss-not-finite",
        rule,
        "loss",
        9,
        (0.1, 1e-300),
        (1, 2),
        9,
        2,
        float("inf"),
        2,
        5,
        9,
        began,
        0.25,
        (0.1, 0.2),
        (0.2,),
        0.3,
    )
    write_state(str(tmp_path / "state"), LiveState(streaks=(kept,)))
    assert read_state(str(tmp_path / "state")).streaks == (kept,)


@pytest.mark.parametrize(
    ("place", "value"),
    [(5, "no base64!"), (5, "QUJD"), (6, []), (10, -1), (12, None), (2, ["loss"]), (0, "short")],
)
def test_a_broken_streak_is_refused(
    automaton: Automaton, tmp_path: Path, place: int, value: object
) -> None:
    """As any state that is none."""
    rows = [STRETCHES["not finite"].format(i=i, d=1).encode() for i in range(20)]
    watched(automaton, rows, tmp_path / "state", {(20, 2)})
    content = json.loads((tmp_path / "state").read_text())
    content["streaks"][0][place] = value
    if value == "short":
        content["streaks"][0].pop()
    (tmp_path / "state").write_text(json.dumps(content))
    with pytest.raises(SourceError, match="not a state of `logdoctor tail`"):
        read_state(str(tmp_path / "state"))
