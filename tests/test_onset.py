"""Where a metric left its course: on made courses with a known onset, and in what is told."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.accuracy.made_courses import course_of
from logdoctor.context.onset import direction, onset_of
from logdoctor.model import MetricBounds
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.run.marks import marks_of
from logdoctor.search.automaton import Automaton

COURSES = 150


def test_the_onset_is_found_within_a_twentieth_of_the_steps() -> None:
    """In nineteen of twenty courses, of which the crossing is as near in two of three."""
    courses = [course_of(seed) for seed in range(COURSES)]
    assert sum(each.is_near(each.found) for each in courses) >= 0.95 * COURSES
    assert sum(each.is_near(each.crossed) for each in courses) <= 0.7 * COURSES


def found(values: list[float], crossed: int, towards: int = 1) -> int:
    return onset_of(range(len(values)), values, crossed, towards)


def wavering(count: int, level: float = 1.0) -> list[float]:
    rng = random.Random(3)
    return [level + rng.gauss(0, 0.02) for _ in range(count)]


def test_what_goes_at_once_began_there() -> None:
    assert found([*wavering(80), *wavering(20, 5.0)], 80) == 80


def test_what_goes_evenly_began_where_it_left_its_line() -> None:
    values = [*wavering(80), *(1 + 0.2 * i for i in range(1, 41))]
    assert abs(found(values, 105) - 80) <= 2


def test_what_went_there_all_along_began_with_the_first() -> None:
    assert found([each - i / 100 for i, each in enumerate(wavering(90))], 80, -1) == 0


def test_a_bend_to_the_other_side_is_none() -> None:
    """It fell for a while, and then was beyond the bound above all at once."""
    values = [*wavering(60), *(1 - i / 40 for i in range(20)), *wavering(20, 9.0)]
    assert found(values, 80) >= 79


@pytest.mark.parametrize("before", [0, 3, 9])
def test_too_few_values_before_tell_nothing(before: int) -> None:
    assert found([*wavering(before), *wavering(30, 5.0)], before) == before


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=90),
    st.sampled_from([-1, 1]),
    st.data(),
)
def test_values_of_any_size_have_an_onset(
    values: list[float], towards: int, data: st.DataObject
) -> None:
    crossed = data.draw(st.integers(0, len(values) - 1))
    assert 0 <= found(values, crossed, towards) <= crossed


@pytest.mark.parametrize(
    ("bounds", "towards"),
    [
        (MetricBounds(above=0.4), 1),
        (MetricBounds(below_start=0.1), -1),
        (MetricBounds(above=-1e-9, below_best=0.8), -1),
        (MetricBounds(above=-1e-12, below=1e-12), 0),
        (MetricBounds(is_constant=True, above=1e-6), 0),
        (MetricBounds(is_not_finite=True), 0),
    ],
)
def test_a_bound_has_a_direction(bounds: MetricBounds, towards: int) -> None:
    assert direction(bounds) == towards


def clipped(step: int) -> float:
    return 0.01 + step % 3 / 500 + max(0, step - 100) * 0.01


@pytest.mark.parametrize("head", ["step:{step} - ", ""])
def test_the_onset_is_told_and_marked(automaton: Automaton, head: str) -> None:
    """By its step or, where none is told, by its line; the evidence stays where the bound is."""
    text = "".join(
        f"{head.format(step=step + 5)}{{'actor/pg_clipfrac': {clipped(step):.4f}}}\n"
        for step in range(1, 181)
    )
    result = scan_text(automaton, text)
    (diagnosis,) = result.diagnoses
    line = int(diagnosis.captures["onset_line"])
    assert abs(line - 100) <= 3
    assert diagnosis.captures.get("onset") == (str(line + 5) if head else None)
    assert diagnosis.evidence[0].line == 139
    place = f"step {line + 5}" if head else f"line {line}"
    assert diagnosis.cause.en.endswith(f"The metric left its course at {place}.")
    assert [each.line for each in marks_of(result) if each.kind == "onset"] == [line]


def test_what_went_at_once_is_told_by_its_line_alone(automaton: Automaton) -> None:
    text = "".join(
        f"step:{step} - actor/pg_clipfrac:{0.6 if step > 100 else 0.01}\n" for step in range(1, 141)
    )
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert "onset_line" not in diagnosis.captures
    assert "left its course" not in diagnosis.cause.en
