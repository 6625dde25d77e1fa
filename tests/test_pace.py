"""A silence is judged by the run's own steps."""

from __future__ import annotations

import pytest

from logdoctor.live.pace import LEAST_SILENCE_S, Pace, Silence, spoken


def paced(*steps: float, stall_s: float | None = None) -> Pace:
    pace = Pace(stall_s)
    for step in steps:
        pace.line(step)
        pace.step(step)
    return pace


def test_a_silence_of_three_longest_steps_is_told_once_and_again_when_it_has_doubled() -> None:
    """The longest step of this run took 200 s."""
    pace = paced(0, 100, 300, 400)
    assert pace.silence(999) is None
    assert pace.silence(1000) == Silence(since=400, lasts=600, longest=200, has_steps=True)
    assert [pace.silence(now) for now in (1001, 1500)] == [None, None]
    assert pace.silence(1600) == Silence(since=400, lasts=1200, longest=200, has_steps=True)


def test_nothing_is_said_before_a_pace_is_known() -> None:
    """Loading a model may take any time."""
    assert paced().silence(1e6) is None
    assert paced(0, 1, 2).silence(1e6) is None


def test_fast_steps_may_pause_for_a_minute() -> None:
    """A checkpoint between steps of a second is no silence."""
    pace = paced(0, 1, 2, 3, 4)
    assert pace.silence(4 + LEAST_SILENCE_S - 1) is None
    assert pace.silence(4 + LEAST_SILENCE_S) is not None


def test_the_user_decides() -> None:
    """With --stall, also where the run prints lines and no steps."""
    pace = Pace(stall_s=10)
    pace.line(5)
    assert pace.silence(14) is None
    assert pace.silence(15) == Silence(since=5, lasts=10, longest=None, has_steps=False)
    pace.line(16)
    assert pace.silence(20) is None


def test_a_step_ends_a_silence_and_does_not_count_as_the_longest() -> None:
    """Else a run that hung once for an hour would never be called silent again."""
    pace = paced(0, 10, 20, 30)
    assert pace.silence(1000) is not None
    assert pace.step(1030) == 1000
    assert pace.step(1040) is None
    assert (pace.limit, pace.typical) == (60, 10)


def test_old_steps_have_no_pace() -> None:
    """They are read in no time, whatever they took; from the last of them on the clock runs."""
    pace = Pace()
    for _ in range(100):
        pace.step(7, is_live=False)
    assert (pace.limit, pace.typical) == (None, None)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.26, "0.3 s"),
        (45, "45 s"),
        (240, "4 min"),
        (272, "4 min 32 s"),
        (7500, "2 h 5 min"),
        (273600, "3 d 4 h"),
    ],
)
def test_durations_as_people_write_them(seconds: float, text: str) -> None:
    """Two units at most."""
    assert spoken(seconds) == text
