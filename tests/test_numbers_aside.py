"""Made runs that were kept aside, in the forms of seventeen programs and files: what is said of
them; and the laws that they showed to be missing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.accuracy.aside_numbers import FORMS, HEALTHY_ASIDE, UNHEALTHY_ASIDE, AsideRun
from logdoctor.formats.metric_names import common_name, with_common_names
from logdoctor.model import HARMLESS
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import find_sources

WAVERING = ("still-csv", "still-tune")
"""Runs whose loss stays about where it began, and is never the same."""


def said(automaton: Automaton, run: AsideRun, folder: Path) -> set[str]:
    path = folder / FORMS[run.form].file
    path.write_bytes(run.content())
    scan = Scan(automaton)
    for source in find_sources([str(path)], None):
        assert not isinstance(source, Exception), source
        scan.read(source.name, source.chunks(), source.open_again)
    return {each.name for each in scan.result().findings if each.verdict not in HARMLESS}


@pytest.mark.parametrize(
    "run",
    [each for each in UNHEALTHY_ASIDE if each.name not in WAVERING],
    ids=lambda run: run.name,
)
def test_a_sick_run_is_said_in_every_form(
    automaton: Automaton, run: AsideRun, tmp_path: Path
) -> None:
    assert said(automaton, run, tmp_path)


@pytest.mark.parametrize("name", WAVERING)
@pytest.mark.xfail(reason="a large model that is trained further has the same loss, and is well")
def test_a_loss_that_wavers_about_its_start_is_said(
    automaton: Automaton, name: str, tmp_path: Path
) -> None:
    (run,) = [each for each in UNHEALTHY_ASIDE if each.name == name]
    assert said(automaton, run, tmp_path)


@pytest.mark.parametrize("run", HEALTHY_ASIDE, ids=lambda run: run.name)
def test_nothing_is_said_of_a_healthy_one(
    automaton: Automaton, run: AsideRun, tmp_path: Path
) -> None:
    assert said(automaton, run, tmp_path) == set()


def test_the_onset_is_within_a_twentieth_of_the_steps(automaton: Automaton) -> None:
    """In all but two of the runs that are consoles which tell their steps; the bound is crossed
    within it in half of them.
    """
    near = told = 0
    for run in UNHEALTHY_ASIDE:
        text = run.content()
        if FORMS[run.form].file.endswith(".log"):
            onsets = onsets_of(automaton, text.decode())
            told += bool(onsets)
            near += bool(onsets) and abs(min(onsets) - run.began) <= run.steps / 20
    assert near >= told - 2 >= 29


def onsets_of(automaton: Automaton, text: str) -> list[int]:
    """The steps where what is said began."""
    steps = [
        each.captures.get("onset") or each.captures.get("step")
        for each in scan_text(automaton, text).diagnoses
        if each.verdict not in HARMLESS
    ]
    return [int(each) for each in steps if each]


def ids(automaton: Automaton, line: Callable[[int], str], steps: int) -> set[str]:
    text = "".join(line(step) + "\n" for step in range(1, steps + 1))
    return {each.signature.id for each in scan_text(automaton, text).diagnoses}


def loss(step: int) -> float:
    return 2.5 - step / 200 + step % 7 / 50


@pytest.mark.parametrize(
    ("rate", "is_told"),
    [("0.0", True), ("0", True), ("0.000000E+00", True), ("0.0000", False), ("1e-9", False)],
)
def test_a_learning_rate_is_zero_unless_it_was_rounded(
    automaton: Automaton, rate: str, is_told: bool
) -> None:
    def line(step: int) -> str:
        return f"{{'loss': {loss(step):.3f}, 'learning_rate': {rate}, 'epoch': {step / 100}}}"

    assert ids(automaton, line, 60) == ({"learning-rate-zero"} if is_told else set())


@pytest.mark.parametrize(("last", "is_told"), [(30, False), (90, True)])
def test_a_learning_rate_of_0_at_the_end_is_told_where_it_is_a_tenth_of_the_run(
    automaton: Automaton, last: int, is_told: bool
) -> None:
    """A decay ends at 0, a schedule that was too short stays there."""
    steps = 400

    def line(step: int) -> str:
        rate = 1e-6 if step <= steps - last else 0.0
        return f"step:{step} - loss:{loss(step):.3f} - actor/lr:{rate}"

    assert ids(automaton, line, steps) == ({"learning-rate-zero"} if is_told else set())


@pytest.mark.parametrize("ranks", [1, 8])
def test_a_step_that_many_ranks_print_is_one_step(automaton: Automaton, ranks: int) -> None:
    """19 steps are one too few, however many lines they are."""

    def line(number: int) -> str:
        step = (number - 1) // ranks + 1
        return f"step:{step} - actor/lr:0.0 - actor/entropy:{number % 9 / 10 + 0.3}"

    assert ids(automaton, line, 19 * ranks) == set()
    assert ids(automaton, line, 20 * ranks) == {"learning-rate-zero"}


@pytest.mark.parametrize(("share", "is_told"), [("97.5%", True), ("2.5%", False)])
def test_a_percentage_is_a_share(automaton: Automaton, share: str, is_told: bool) -> None:
    def line(step: int) -> str:
        head = f"10:00:00 SUCCESS Step {step} |   12.3s | Reward {0.3 + step % 5 / 50:.4f}"
        return f"{head} | Truncation {share}"

    expected = {"answers-hit-the-length-limit"} if is_told else set()
    assert ids(automaton, line, 40) == expected


def test_a_metric_in_a_row_of_a_large_table_is_judged_in_a_long_log(automaton: Automaton) -> None:
    """Forty rows a step: the thousand lines of one kind that are read of other logs are 25 steps."""

    def table(step: int) -> str:
        clip = 0.6 if step > 300 else 0.01
        rows = [
            f"│ ppo_actor/update/part_{chr(97 + i % 26)}/avg │ {i + step % 3:.4e} │"
            for i in range(39)
        ]
        rows.insert(20, f"│ ppo_actor/update/clip_ratio/avg │ {clip:.4e} │")
        return "\n".join(
            [f"(AReaL) 20260301-10:00:00.123 StatsLogger INFO: Train step {step}/900 done.", *rows]
        )

    assert ids(automaton, table, 900) == {"clip-fraction-saturated"}


def test_a_common_name_stands_for_all_that_frameworks_print() -> None:
    assert with_common_names("(?P<x>a)|<staleness>").startswith("(?P<x>a)|(?:async/staleness_mean|")
    with pytest.raises(ValueError, match="no common name <speed>; there are reward"):
        with_common_names("<speed>")
    assert common_name("timing_s/agent_loop/slowest/response_length") is None
