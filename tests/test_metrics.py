"""Numbers of step lines, in the formats of the frameworks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.context.metrics import MetricReader
from logdoctor.errors import SignatureError
from logdoctor.model import (
    LogLine,
    MetricBounds,
    MetricPattern,
    Position,
    Signature,
    SignatureDatabase,
    Verdict,
)
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.scanning.scanner import Scanner
from logdoctor.search.automaton import Automaton
from logdoctor.signatures.reading import load_signatures

PLACE = Position("x.yaml", 1, 1)


@pytest.fixture
def any_signature(database: SignatureDatabase) -> Signature:
    return database.signatures[0]


def reader(signature: Signature, name: str, **conditions: object) -> MetricReader:
    steps = conditions.pop("steps", 1)
    companion = conditions.pop("companion", None)
    bounds = MetricBounds(**conditions)  # type: ignore[arg-type]
    metric = MetricPattern(name, bounds, companion, steps, PLACE)  # type: ignore[arg-type]
    return MetricReader(SignatureDatabase([signature._replace(metrics=(metric,))], ""))


def line(number: int, text: str) -> LogLine:
    return LogLine("x", number, text, text)


@pytest.mark.parametrize(
    "text",
    [
        "step:83 - actor/kl_loss:0.1 - actor/grad_norm:7.5 - critic/score/mean:0.2",
        "step:83 - actor/grad_norm:np.float64(7.5) - critic/score/mean:0.2",
        "{'loss': 0.5, 'actor/grad_norm': 7.5, 'learning_rate': 1e-05}",
        "{'loss': '0.5', 'actor/grad_norm': '7.5', 'epoch': '0.01'}",
        '{"critic/score/mean": 0.5, "actor/grad_norm": 7.5e0}',
        "│ ppo/loss/avg │  7.1497e-05 │ actor/grad_norm │  7.5000e+00 │",
    ],
)
def test_formats(any_signature: Signature, text: str) -> None:
    """verl, its pprint, TRL, transformers 5, ROLL, AReaL."""
    metrics = reader(any_signature, "actor/grad_norm", above=7.0)
    metrics.feed(line(1, text), 0)
    assert [float(each.match.captures["value"]) for each in metrics.standing()] == [7.5]


def test_names_with_blanks_and_units(any_signature: Signature) -> None:
    """Megatron."""
    metrics = reader(any_signature, "elapsed time per iteration", above=1000.0)
    metrics.feed(
        line(
            1,
            " iteration   1/ 500 | elapsed time per iteration (ms): 6779.2 | learning rate: 4.687E-08 | grad norm: 2.948 |",
        ),
        0,
    )
    assert [each.match.captures["value"] for each in metrics.standing()] == ["6779.2"]


def test_a_name_is_the_whole_name(any_signature: Signature) -> None:
    """`loss` is no part of `actor/loss` or of `loss_scale`."""
    metrics = reader(any_signature, "loss", above=0.0)
    metrics.feed(line(1, "step:1 - actor/loss:0.5 - loss_scale:1.0"), 0)
    assert list(metrics.standing()) == []


@pytest.mark.parametrize(
    ("value", "is_odd"),
    [
        ("nan", True),
        ("NaN", True),
        ("-inf", True),
        ("Infinity", True),
        ("1e-3", False),
        ("nano", False),
    ],
)
def test_what_is_not_finite(any_signature: Signature, value: str, is_odd: bool) -> None:
    """As Python, JSON and Megatron print it."""
    metrics = reader(any_signature, "loss", is_not_finite=True)
    metrics.feed(line(1, f"{{'loss': {value}, 'epoch': 1}}"), 0)
    assert bool(list(metrics.standing())) == is_odd


def test_a_condition_stands_from_its_first_line_until_the_run_has_recovered(
    any_signature: Signature,
) -> None:
    """For so many steps in succession."""
    metrics = reader(any_signature, "loss", is_not_finite=True, steps=2)
    stood = []
    for number, value in enumerate(["0.1", "nan", "nan", "nan", "0.2", "nan"], 1):
        metrics.feed(line(number, f"{{'loss': {value}}}"), 0)
        stood.append([(each.match.line.number, each.steps) for each in metrics.standing()])
    assert stood == [[], [], [(2, 2)], [(2, 3)], [], []]
    assert metrics.changes == 2


def test_against_the_runs_own_median(any_signature: Signature) -> None:
    """Which the odd values do not move, and which needs ten values."""
    metrics = reader(any_signature, "grad_norm", times_median=10.0, steps=2)
    for number in range(9):
        metrics.feed(line(number, "grad_norm: 1.0"), 0)
    metrics.feed(line(20, "grad_norm: 50"), 0)
    metrics.feed(line(21, "grad_norm: 50"), 0)
    assert list(metrics.standing()) == []
    for number in range(30, 40):
        metrics.feed(line(number, "grad_norm: 1.0"), 0)
    for number in range(50, 90):
        metrics.feed(line(number, "grad_norm: 11.5"), 0)
    assert [
        (each.match.line.number, each.steps, each.match.captures["median"])
        for each in metrics.standing()
    ] == [(50, 40, "1")]


def test_a_metric_that_stands_still(any_signature: Signature) -> None:
    """The first of equal values is not the same as the one before."""
    metrics = reader(any_signature, "reward", is_constant=True, steps=3)
    for number, value in enumerate(["0.1", "0.5", "0.5", "0.5"], 1):
        metrics.feed(line(number, f"reward: {value}"), 0)
    assert list(metrics.standing()) == []
    metrics.feed(line(5, "reward: 0.5"), 0)
    assert [each.match.line.number for each in metrics.standing()] == [3]


def test_sources_have_series_of_their_own(any_signature: Signature) -> None:
    """Ranks that print the same metric into files of their own."""
    metrics = reader(any_signature, "loss", is_not_finite=True, steps=2)
    for source in (0, 1):
        metrics.feed(line(1, "loss: nan"), source)
    assert list(metrics.standing()) == []


def test_scan_judges_numbers(automaton: Automaton) -> None:
    """The first line of the streak is the evidence; what was survived is not told."""
    lost = [
        f"step:{i} - actor/pg_loss:{'nan' if i > 3 else 0.1} - actor/grad_norm:1.0\n"
        for i in range(1, 9)
    ]
    (found,) = scan_text(automaton, "".join(lost)).diagnoses
    assert (found.signature.id, found.verdict, found.evidence[0].line, found.occurrences) == (
        "loss-not-finite",
        Verdict.ROOT_CAUSE,
        4,
        5,
    )
    assert (
        scan_text(
            automaton, "".join([*lost, "step:9 - actor/pg_loss:0.1 - actor/grad_norm:1.0\n"])
        ).diagnoses
        == ()
    )


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ([(0.9, 1.0), ("inf", "inf"), ("nan", "nan")], True),
        ([("nan", 1.0), ("nan", 1.0)], True),
        ([(0.9, 1.0), (0.8, 1.1), ("nan", "nan")], False),
        ([(0.9, 1.0), ("nan", "nan"), ("nan", "nan"), (0.8, 1.1)], False),
        ([(0.9, "inf"), (0.9, "inf")], False),
        ([(0.9, "inf"), (0.9, "inf"), (0.9, "nan")], True),
    ],
)
def test_a_loss_that_ends_without_a_number_twice_is_lost(
    automaton: Automaton, values: list[tuple[object, object]], is_told: bool
) -> None:
    """Gradients overflow twice where fp16 looks for its scale; a loss does not."""
    text = "".join(
        f"{{'loss': {loss}, 'grad_norm': {norm}, 'learning_rate': 1e-05, 'epoch': 0.0{i}}}\n"
        for i, (loss, norm) in enumerate(values, 1)
    )
    assert ["loss-not-finite"] * is_told == [
        each.signature.id for each in scan_text(automaton, text).diagnoses
    ]


def test_a_live_scan_tells_numbers_when_they_stand(automaton: Automaton) -> None:
    """Once, at the second step."""
    live = Scan(automaton)
    told = []
    for i in range(1, 6):
        live.feed("x", f"step:{i} - actor/pg_loss:nan - actor/grad_norm:1.0\n".encode())
        told.append([each.signature.id for each in live.settle().diagnoses])
    assert told == [[], ["loss-not-finite"], [], [], []]


def test_a_live_scan_tells_when_numbers_are_in_order_again(automaton: Automaton) -> None:
    """What comes back is not told anew: no scan that goes on from a file could know it."""
    live = Scan(automaton)
    told = []
    for i, loss in enumerate(["nan"] * 4 + ["0.5"] * 3 + ["nan"] * 3, 1):
        live.feed("x", f"step:{i} - actor/pg_loss:{loss} - actor/grad_norm:1.0\n".encode())
        news = live.settle()
        told.append((len(news.diagnoses), [each.name for each in news.recovered]))
    over = (0, ["loss-not-finite"])
    assert told == [(0, []), (1, []), *[(0, [])] * 2, over, *[(0, [])] * 5]


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("metric: loss", "a metric without a condition"),
        ("metric: '(loss'\n    is: not-finite", 'bad metric "(loss"'),
        ("metric: loss\n    is: odd", 'unknown oddity "odd"'),
        ("metric: loss\n    above: many", 'found "many"; expected a number'),
        ("metric: loss\n    above: nan", 'found "nan"; expected a number'),
        ("template: some words of a log\n    steps: 3", "a condition on a number without a metric"),
        ("metric: loss\n    above: 1\n    regex: loss", "a metric with a text beside it"),
    ],
)
def test_bad_metric_patterns_are_refused(
    tmp_path: Path, repository: Path, pattern: str, complaint: str
) -> None:
    """With file, line and column."""
    text = (repository / "signatures" / "training" / "reward-always-zero.yaml").read_text(
        encoding="utf-8"
    )
    begin, end = text.index("  - metric:"), text.index("cause:")
    file = tmp_path / "reward-always-zero.yaml"
    file.write_text(f"{text[:begin]}  - {pattern}\n{text[end:]}", encoding="utf-8")
    with pytest.raises(SignatureError) as caught:
        load_signatures([file])
    assert complaint in str(caught.value)
    assert str(caught.value).startswith((f"{file}:9:", f"{file}:10:"))


STEPS = 20_000


HEALTHY: dict[str, Callable[[int], float | str]] = {
    "actor/pg_loss": lambda i: 0.1 + i % 5 / 100,
    "actor/grad_norm": lambda i: 1.0 + i % 7 / 100,
    "critic/rewards/mean": lambda i: i % 13,
    "timing_s/step": lambda _: 10.0,
    "filler": lambda _: "x" * 100,
}


def long_log(**metrics: Callable[[int], float | str]) -> str:
    """So many steps, of which the scanner hands on only some; each metric is a function of the step."""
    given = {**HEALTHY, **metrics}
    return "".join(
        f"step:{i} - " + " - ".join(f"{name}:{value(i)}" for name, value in given.items()) + "\n"
        for i in range(1, STEPS + 1)
    )


@pytest.mark.parametrize(
    ("odd", "first"),
    [(lambda i: i > STEPS // 2, STEPS // 2 + 1), (lambda i: i > STEPS - 3, STEPS - 2)],
    ids=["for long", "in the last three steps"],
)
def test_nan_is_found_on_its_first_line_in_a_log_of_very_many_steps(
    automaton: Automaton, odd: Callable[[int], bool], first: int
) -> None:
    """And of the step that the line tells, though only some lines of steps are read by then."""
    text = long_log(**{"actor/pg_loss": lambda i: "nan" if odd(i) else 0.1})
    (found,) = scan_text(automaton, text).diagnoses
    assert (found.signature.id, found.evidence[0].line) == ("loss-not-finite", first)
    assert found.captures["step"] == str(first)
    assert abs(found.occurrences - (STEPS - first + 1)) <= STEPS // 20


@pytest.mark.parametrize("every", [4, 7, 50, 500])
def test_single_infinities_are_no_streak_though_the_steps_between_are_not_read(
    automaton: Automaton, every: int
) -> None:
    """A loss scale that is looked for all the while."""
    assert (
        scan_text(
            automaton,
            long_log(**{"actor/grad_norm": lambda i: "inf" if i % every == 0 else 1.0 + i % 3}),
        ).diagnoses
        == ()
    )


def test_a_single_nan_among_very_many_steps_is_handed_on(automaton: Automaton) -> None:
    """Where most steps are not."""
    text = long_log(**{"actor/pg_loss": lambda i: "nan" if i == STEPS // 2 else 0.1}).encode()
    scanner = Scanner(automaton)
    numbers = [
        line.number for region in [*scanner.feed(text), *scanner.flush()] for line in region.lines
    ]
    assert (STEPS // 2 in numbers, len(numbers) < STEPS // 4) == (True, True)


@pytest.mark.parametrize(
    ("metric", "value", "expected"),
    [
        ("critic/rewards/mean", lambda i: 0.0 if i > STEPS // 3 else i % 13, "reward-always-zero"),
        ("actor/grad_norm", lambda i: 500.0 if i > STEPS // 3 else 1.0, "grad-norm-exploded"),
        ("timing_s/step", lambda i: 90.0 if i > STEPS // 3 else 10.0, "steps-became-slow"),
    ],
)
def test_what_lasts_is_found_in_a_log_of_very_many_steps(
    automaton: Automaton, metric: str, value: Callable[[int], float | str], expected: str
) -> None:
    """By those steps that are read: on a line within a quarter of a megabyte of the first."""
    found, *_ = scan_text(automaton, long_log(**{metric: value})).diagnoses
    assert (found.signature.id, STEPS // 3 < found.evidence[0].line < STEPS // 3 + 2000) == (
        expected,
        True,
    )
    assert abs(found.occurrences - 2 * STEPS // 3) <= STEPS // 10


@pytest.mark.parametrize("ranks", [1, 8])
def test_what_lasts_is_found_where_each_step_is_a_short_line(
    automaton: Automaton, ranks: int
) -> None:
    """Of five thousand of them, some are read of each few kilobytes, and enough for the onset."""
    text = "".join(
        f"step:{step} - actor/pg_clipfrac:{0.6 if step > 3000 else 0.01 + step % 3 / 500}\n"
        for step in range(1, 5001)
        for _ in range(ranks)
    )
    scan = Scan(automaton)
    scan.read("train.log", [text.encode()])
    (found,) = scan.result().diagnoses
    onset = int(found.captures.get("onset", found.captures["step"]))
    assert (found.signature.id, abs(onset - 3000) <= 250) == ("clip-fraction-saturated", True)
