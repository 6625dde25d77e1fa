"""Numbers of step lines, in the formats of the frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdoctor.automaton import Automaton
from logdoctor.errors import SignatureError
from logdoctor.live import LiveScan
from logdoctor.metrics import MetricReader
from logdoctor.model import LogLine, MetricPattern, Position, Signature, SignatureDatabase, Verdict
from logdoctor.pipeline import scan_text
from logdoctor.signatures import load_signatures

PLACE = Position("x.yaml", 1, 1)


@pytest.fixture
def any_signature(database: SignatureDatabase) -> Signature:
    return database.signatures[0]


def reader(signature: Signature, name: str, **conditions: object) -> MetricReader:
    given = {"is_not_finite": False, "is_constant": False, "above": None, "below": None, "times_median": None, "steps": 1, **conditions}
    return MetricReader([signature._replace(metrics=(MetricPattern(name, position=PLACE, **given),))])  # type: ignore[arg-type]


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
    metrics.feed(line(1, " iteration   1/ 500 | elapsed time per iteration (ms): 6779.2 | learning rate: 4.687E-08 | grad norm: 2.948 |"), 0)
    assert [each.match.captures["value"] for each in metrics.standing()] == ["6779.2"]


def test_a_name_is_the_whole_name(any_signature: Signature) -> None:
    """`loss` is no part of `actor/loss` or of `loss_scale`."""
    metrics = reader(any_signature, "loss", above=0.0)
    metrics.feed(line(1, "step:1 - actor/loss:0.5 - loss_scale:1.0"), 0)
    assert list(metrics.standing()) == []


@pytest.mark.parametrize(("value", "is_odd"), [("nan", True), ("NaN", True), ("-inf", True), ("Infinity", True), ("1e-3", False), ("nano", False)])
def test_what_is_not_finite(any_signature: Signature, value: str, is_odd: bool) -> None:
    """As Python, JSON and Megatron print it."""
    metrics = reader(any_signature, "loss", is_not_finite=True)
    metrics.feed(line(1, f"{{'loss': {value}, 'epoch': 1}}"), 0)
    assert bool(list(metrics.standing())) == is_odd


def test_a_condition_stands_from_its_first_line_until_the_run_has_recovered(any_signature: Signature) -> None:
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
    assert [(each.match.line.number, each.steps, each.match.captures["median"]) for each in metrics.standing()] == [(50, 40, "1")]


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
    lost = [f"step:{i} - actor/pg_loss:{'nan' if i > 3 else 0.1} - actor/grad_norm:1.0\n" for i in range(1, 9)]
    (found,) = scan_text(automaton, "".join(lost)).diagnoses
    assert (found.signature.id, found.verdict, found.evidence[0].line, found.occurrences) == ("loss-not-finite", Verdict.ROOT_CAUSE, 4, 5)
    assert scan_text(automaton, "".join([*lost, "step:9 - actor/pg_loss:0.1 - actor/grad_norm:1.0\n"])).diagnoses == ()


def test_a_live_scan_tells_numbers_when_they_stand(automaton: Automaton) -> None:
    """Once, at the third step."""
    live = LiveScan(automaton)
    told = []
    for i in range(1, 6):
        live.feed("x", f"step:{i} - actor/pg_loss:nan - actor/grad_norm:1.0\n".encode())
        told.append([each.signature.id for each in live.settle().diagnoses])
    assert told == [[], [], ["loss-not-finite"], [], []]


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
def test_bad_metric_patterns_are_refused(tmp_path: Path, repository: Path, pattern: str, complaint: str) -> None:
    """With file, line and column."""
    text = (repository / "signatures" / "training" / "reward-always-zero.yaml").read_text(encoding="utf-8")
    begin, end = text.index("  - metric:"), text.index("cause:")
    file = tmp_path / "reward-always-zero.yaml"
    file.write_text(f"{text[:begin]}  - {pattern}\n{text[end:]}", encoding="utf-8")
    with pytest.raises(SignatureError) as caught:
        load_signatures([file])
    assert complaint in str(caught.value)
    assert str(caught.value).startswith((f"{file}:9:", f"{file}:10:"))
