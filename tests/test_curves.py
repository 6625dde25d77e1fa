"""The course of metrics: what is kept of it, what it is called, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.api import scan_runs
from logdoctor.archive.parting import partings
from logdoctor.archive.records import read_places
from logdoctor.cli.terminal import cache_folder
from logdoctor.formats.metric_names import COMMON_NAMES, common_name, name_in
from logdoctor.model import Language, ScanOptions, ScanResult, Series
from logdoctor.model.curves import Curve, thinned
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.html.curves import CourseOfRun, curves_of, curves_of_runs
from logdoctor.reports.run.curve import LARGE, chosen, curve_lines
from logdoctor.reports.run.layout import columns
from logdoctor.reports.run.marks import marks_of
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.text import SCREEN_LINES, render_text
from logdoctor.scanning.thinning import PLENTY
from logdoctor.search.automaton import Automaton
from logdoctor.texts.phrases.words import METRIC_NAMES
from tests.conftest import RunCli
from tests.curves import STEPS, UNHEALTHY, healthy, verl

ALL = ScanOptions(wants_series=True)
FEW = 8
ORDER = [each.name for each in COMMON_NAMES]


def curve_of(values: list[float]) -> Series:
    curve = Curve()
    for number, value in enumerate(values, 1):
        curve.add(value, number, number, FEW)
    return curve.series("a.log", "loss", None)


VALUES = st.lists(st.floats(width=32) | st.just(0.5), min_size=1, max_size=300)


@given(VALUES, st.integers(0, 299), st.integers(1, 300))
def test_extremes_stay_wherever_one_looks(values: list[float], first: int, size: int) -> None:
    """What is kept of a part of the run, and of one stretch beside it at each end, reaches as far
    as all of the part does.
    """
    kept = curve_of(values)
    width = 1
    while width * 2 * FEW < len(values):
        width *= 2
    part = [each for each in values[first : first + size] if math.isfinite(each)]
    near = [
        value
        for step, value in zip(kept.steps, kept.values, strict=True)
        if first + 1 - width < step <= first + size + width and math.isfinite(value)
    ]
    if part:
        assert min(near) <= min(part)
        assert max(near) >= max(part)


@given(VALUES)
def test_what_is_kept_was_there_in_its_order_and_does_not_grow(values: list[float]) -> None:
    """With the first and the last value, the extremes of all, and a value that is not finite."""
    kept = curve_of(values)
    assert kept.count == len(values)
    assert len(kept.values) <= 2 * FEW * 5
    assert list(kept.steps) == sorted(set(kept.steps))
    assert all(
        value == values[step - 1] or (math.isnan(value) and math.isnan(values[step - 1]))
        for step, value in zip(kept.steps, kept.values, strict=True)
    )
    assert (kept.steps[0], kept.steps[-1]) == (1, len(values))
    finite = [each for each in values if math.isfinite(each)]
    if finite:
        assert {min(finite), max(finite)} <= set(kept.values)
    if len(finite) < len(values):
        assert not all(map(math.isfinite, kept.values))


@given(VALUES)
def test_a_series_thinned_again_keeps_its_extremes(values: list[float]) -> None:
    series = curve_of(values)
    fewer = thinned(series, 2)
    finite = [each for each in series.values if math.isfinite(each)]
    assert (fewer.count, fewer.steps[-1]) == (series.count, series.steps[-1])
    if finite:
        assert {min(finite), max(finite)} <= set(fewer.values)


def test_no_step_is_left_out_where_the_course_is_asked_for(automaton: Automaton) -> None:
    """One value among thousands, which healthy logs need not hand on."""
    count = 3 * PLENTY
    text = "".join(
        f"step:{step} - critic/rewards/mean:{99.0 if step == 2500 else 0.5} - x/y:{step}\n"
        for step in range(1, count + 1)
    )
    reward, other = scan_text(automaton, text, ALL).series
    assert (reward.metric, reward.common, reward.count) == ("critic/rewards/mean", "reward", count)
    assert max(zip(reward.values, reward.steps, reward.lines, strict=True)) == (99.0, 2500, 2500)
    assert (other.metric, other.common, other.values[-1]) == ("x/y", None, count)


def test_without_being_asked_only_the_series_of_diagnoses_are_kept(automaton: Automaton) -> None:
    text = verl(UNHEALTHY["reward-collapsed"][1])
    (series,) = scan_text(automaton, text).series
    assert (series.metric, series.count, series.is_whole) == ("critic/rewards/mean", STEPS, True)
    assert scan_text(automaton, verl(healthy)).series == ()


def test_lines_without_a_number_of_their_step_are_counted(automaton: Automaton) -> None:
    text = "".join(
        f"{{'loss': {2 - i / 100}, 'grad_norm': 0.5, 'epoch': {i / 9}}}\n" for i in range(30)
    )
    loss, _ = scan_text(automaton, text, ALL).series
    assert (loss.has_steps, list(loss.steps)) == (False, list(range(1, 31)))


@pytest.mark.parametrize("name", COMMON_NAMES, ids=lambda each: each.name)
def test_a_common_name_has_samples_and_words_in_both_languages(name: object) -> None:
    assert [common_name(sample) for sample in name.samples] == [name.name] * len(name.samples)  # type: ignore[attr-defined]
    assert name.name in METRIC_NAMES  # type: ignore[attr-defined]


def test_other_names_have_no_common_one() -> None:
    names = ("actor/pg_clipfrac_lower", "val/loss_scale", "num_tokens", "epoch", "timing_s/gen")
    assert [common_name(name) for name in names] == [None] * len(names)
    assert name_in("INFO train step lm loss") == "lm loss"


def marked(result: ScanResult) -> list[tuple[str, int | None]]:
    return [(mark.kind, mark.step) for mark in marks_of(result)]


def test_onsets_errors_and_restarts_stand_at_their_steps(automaton: Automaton) -> None:
    text = verl(UNHEALTHY["policy-far-from-reference"][1])
    again = "step:150 - critic/rewards/mean:0.3 - actor/ppo_kl:0.7\n"
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB.\n"
    result = scan_text(automaton, text + again + error, ALL)
    assert sorted(marked(result)) == [("error", 150), ("onset", 120), ("restart", 150)]


def test_panels_come_in_the_order_in_which_people_look(automaton: Automaton) -> None:
    text = "".join(f"step:{i} - z/z:{i} - actor/entropy:0.5 - reward:{i}\n" for i in range(1, 9))
    result = scan_text(automaton, text, ALL)
    panels = curves_of(result, ORDER)["panels"]
    assert [panel["metric"] for panel in panels] == ["reward", "actor/entropy", "z/z"]
    assert panels[0]["series"][0]["values"] == list(map(float, range(1, 9)))


def test_a_value_that_is_no_number_goes_to_the_page_as_text(automaton: Automaton) -> None:
    text = "".join(f"step:{i} - loss:{'nan' if i > 4 else 0.5}\n" for i in range(1, 9))
    (panel,) = curves_of(scan_text(automaton, text, ALL), ORDER)["panels"]
    assert panel["series"][0]["values"] == [0.5] * 4 + ["nan"] * 4


def drawn(result: ScanResult, size: int, width: int = 60) -> list[str]:
    pen = Pen(TextStyle(width=width))
    (series,) = chosen(["critic/rewards/mean"], result.series)
    return list(curve_lines(series, result, size, pen))


def test_a_terminal_shows_a_spike_among_thousands_of_values(automaton: Automaton) -> None:
    """It reaches the uppermost row; nothing is wider than the terminal."""
    text = "".join(
        f"step:{step} - critic/rewards/mean:{9.0 if step == 700 else 0.5 + step % 2 / 10}\n"
        for step in range(1, 3001)
    )
    _, top, *rest = drawn(scan_text(automaton, text, ALL), LARGE)
    assert top.startswith("    9 │")
    assert top.split("│")[1].strip() != ""
    assert rest[-1].split("│")[0].strip() == "0.5"
    assert max(map(columns, [top, *rest])) <= 60


def test_a_curve_has_no_gap_where_it_is_steep(automaton: Automaton) -> None:
    """Each row of a jump has a dot."""
    text = "".join(
        f"step:{step} - critic/rewards/mean:{float(step > 50)}\n" for step in range(1, 101)
    )
    _, *rows = drawn(scan_text(automaton, text, ALL), LARGE)
    assert all(row.split("│")[1].strip() for row in rows[:LARGE])


def test_the_report_of_a_diagnosis_of_numbers_has_its_curve(automaton: Automaton) -> None:
    """With the onset below it, on a screen as in full; without colours nothing is lost."""
    result = scan_text(automaton, verl(UNHEALTHY["reward-collapsed"][1]))
    for style in (TextStyle(width=80), TextStyle(width=80, show_all=True)):
        report = render_text(result, style)
        assert "▲ step 100" in report
        assert "\x1b" not in report
    assert len(render_text(result, TextStyle(width=80)).splitlines()) <= SCREEN_LINES + 1
    assert "▲ 第 100 步" in render_text(result, TextStyle(Language.ZH, 80))


def test_what_is_not_finite_is_drawn_as_such(automaton: Automaton) -> None:
    text = "".join(
        f"step:{i} - critic/rewards/mean:{'nan' if i > 60 else i}\n" for i in range(1, 99)
    )
    assert "××××" in "\n".join(drawn(scan_text(automaton, text, ALL), LARGE))


def test_metrics_are_drawn_on_demand(run_cli: RunCli, tmp_path: Path) -> None:
    """By their name, a part of it, or what people call them; the exit code is that of the scan."""
    log = tmp_path / "t.log"
    log.write_text(verl(UNHEALTHY["policy-far-from-reference"][1]))
    for name, drawings in (("actor/ppo_kl", 1), ("kl", 2), ("grad", 1)):
        done = run_cli("scan", str(log), "--plot", name)
        assert (done.returncode, done.stdout.decode().count("steps 1 to 200")) == (0, drawings)
    done = run_cli("scan", str(log), "--plot", "nothing-like-it")
    assert done.returncode == 2
    assert 'no metric "nothing-like-it"; there are actor/entropy, ' in done.stderr.decode()


def test_a_series_is_arrays(automaton: Automaton) -> None:
    """Without a copy for NumPy; a table for Arrow."""
    series = scan_text(automaton, verl(healthy), ALL).series[0]
    assert memoryview(series.values).format == "d"  # type: ignore[arg-type]
    pytest.importorskip("pyarrow")
    table = series.to_arrow()
    assert table.column_names == ["step", "value", "line"]
    assert table["value"].to_pylist() == list(series.values)


def test_an_archive_draws_its_runs_over_each_other(tmp_path: Path) -> None:
    """A panel for each metric that two runs have, whatever they call it; bad runs lie on top."""
    for name, curve in (("a", healthy), ("b", UNHEALTHY["reward-collapsed"][1])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.log").write_text(verl(curve))
    other = "".join(f"{{'loss': 0.5, 'reward': {i / 90}, 'epoch': 1}}\n" for i in range(50))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "train.log").write_text(other)
    options = ScanOptions(keeps_series=True)
    runs = list(scan_runs(tmp_path, options=options, cache_folder=Path(cache_folder())))
    facts = {run.record.run: read_places(run.record) for run in runs}
    courses = [
        CourseOfRun(run.record.run, run.record.verdict is not None, facts[run.record.run]["series"])  # type: ignore[index]
        for run in runs
    ]
    panels = {each["common"]: each["series"] for each in curves_of_runs(courses, ORDER)["panels"]}
    assert [(each["name"], each["is_bad"]) for each in panels["reward"]] == [
        ("a", False),
        ("c", False),
        ("b", True),
    ]
    assert [each["name"] for each in panels["entropy"]] == ["a", "b"]
    assert max(len(each["steps"]) for each in panels["reward"]) <= STEPS


def courses_of(automaton: Automaton, texts: Iterable[str]) -> list[tuple[Series, ...]]:
    return [scan_text(automaton, text, ALL).series for text in texts]


def test_bad_runs_part_from_good_ones_at_a_step(automaton: Automaton) -> None:
    """The earliest first, within a fortieth of the run; what stays among the good ones is none."""
    good = courses_of(automaton, (verl(healthy, seed) for seed in range(5)))
    bad = courses_of(
        automaton, (verl(UNHEALTHY["answers-hit-the-length-limit"][1], seed) for seed in (7, 8))
    )
    found = partings(good, bad)
    assert {each.metric for each in found} == {"length", "truncated"}
    assert all(abs(each.step - 150) <= STEPS // 40 for each in found)
    assert partings(good[:3], good[3:]) == []


def test_a_loss_that_is_no_number_parts_as_well(automaton: Automaton) -> None:
    """And goes into JSON as null."""
    good = courses_of(automaton, (verl(healthy, seed) for seed in range(3)))
    bad = courses_of(automaton, [verl(UNHEALTHY["loss-not-finite"][1])])
    (found,) = partings(good, bad)
    assert (found.metric, abs(found.step - 51) <= STEPS // 40) == ("loss", True)
    assert found.document()["bad"] is None


def test_one_good_run_says_nothing_about_how_runs_differ(automaton: Automaton) -> None:
    (good,) = courses_of(automaton, [verl(healthy)])
    bad = courses_of(automaton, [verl(UNHEALTHY["reward-collapsed"][1])])
    assert partings([good], bad) == []
