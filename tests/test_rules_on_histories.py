"""Rules asked about a history that is noted by hand: no log, no database; bounds are literal numbers."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from logdoctor.model import Lane, LogEvent, LogLine, Phase, RunContext, Situation
from logdoctor.model.history import (
    Closed,
    Fact,
    Failed,
    Histories,
    PhaseBegan,
    Remark,
    RunBegan,
    Said,
    Step,
)
from logdoctor.verdict.exception_chains import ChainReader
from logdoctor.verdict.failure import Case, Failure, kind_of
from logdoctor.verdict.groups import ErrorGroup, Occurrence
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.rules.registry import rule_of

NAME = "train.log"
WORKER, DRIVER = Lane(pid=77, actor="Worker"), Lane(pid=5, actor="Driver")


def failure(
    facts: Iterable[Fact],
    *,
    line: int = 10,
    writer: Lane = WORKER,
    level: str | None = None,
    is_traceback: bool = False,
) -> Failure:
    """An unknown error in a source of which these facts are noted after it."""
    histories = Histories()
    text = "ValueError: the batch is empty"
    said = LogLine(NAME, line, text, text, stream=writer)
    event = LogEvent((said,), 0, "ValueError", text, level=level, is_traceback=is_traceback)
    history = histories[NAME]
    occurrence = Occurrence(
        (0, line), event, said, Situation(None, 0), None, history.era(line), history.run_of(line)
    )
    history.note(Failed(line, writer, kind_of(occurrence), False, frozenset()))
    for fact in facts:
        history.note(fact)
    case = Case(histories, RunContext(), ChainReader())
    return Failure(occurrence, None, case, ErrorGroup("x"))


def asked(rule: str, found: Failure) -> Proof | None:
    return rule_of(rule).proof(found, found.history)


def closed(lines: int, *writers: Lane) -> Closed:
    return Closed(lines, dict.fromkeys(writers, lines), None, None)


def steps(*lines: int, writer: Lane = WORKER) -> list[Step]:
    return [Step(line, writer, line, None) for line in lines]


@pytest.mark.parametrize(("made", "holds"), [((20,), False), ((20, 30), True)])
def test_two_steps_show_that_a_process_lives(made: tuple[int, ...], holds: bool) -> None:
    """One may have been printed before, and come late."""
    assert bool(asked("own-steps-followed", failure(steps(*made)))) is holds
    assert bool(asked("steps-followed", failure(steps(*made, writer=DRIVER)))) is holds
    restarted = failure([Said(11, Remark.RESTART), *steps(*made, writer=DRIVER)], is_traceback=True)
    assert bool(asked("restarted-and-stepped", restarted)) is holds


def test_the_proof_counts_the_steps_and_names_the_first() -> None:
    found = asked("own-steps-followed", failure(steps(12, 14, 30)))
    assert found
    assert (found.lines[0].number, found.values["count"]) == (12, 3)


@pytest.mark.parametrize(("lines", "holds"), [(1009, False), (1010, True)])
def test_a_thousand_quiet_lines_show_that_a_process_lives(lines: int, holds: bool) -> None:
    """Those after the failure in line 10, with its writer at the end."""
    assert bool(asked("wrote-on-quietly", failure([closed(lines, WORKER)]))) is holds
    assert asked("wrote-on-quietly", failure([closed(5000, DRIVER)])) is None


@pytest.mark.parametrize(("lines", "holds"), [(109, False), (110, True)])
def test_a_hundred_lines_outlive_what_is_only_mentioned(lines: int, holds: bool) -> None:
    mentioned = failure([closed(lines, DRIVER)], level="info")
    assert bool(asked("mentioned-and-outlived", mentioned)) is holds
    assert asked("mentioned-and-outlived", failure([closed(5000, DRIVER)], level="error")) is None


@pytest.mark.parametrize(("lines", "holds"), [(119, False), (120, True)])
def test_a_later_run_of_a_hundred_lines_stands_for_the_file(lines: int, holds: bool) -> None:
    """The later run begins with line 20 and did not fail."""
    again = failure([Said(20, Remark.RERUN), closed(lines, DRIVER)])
    assert bool(asked("later-run-in-file", again)) is holds


@pytest.mark.parametrize(("before", "holds"), [(1, False), (2, True)])
def test_the_third_time_makes_a_habit(before: int, holds: bool) -> None:
    """With steps made since, one more that was logged is no news; so is what a stop then ends."""
    kind = kind_of(failure([]).occurrence)
    again = [Failed(line, WORKER, kind, False, frozenset()) for line in range(11, 11 + before)]
    made = steps(20, 30, writer=DRIVER)
    late = failure([*again, *made], level="error")
    last = late.occurrence.line._replace(number=40)
    event = late.event._replace(lines=(last,))
    late.occurrence = late.occurrence._replace(line=last, event=event)
    assert bool(asked("habit", late)) is holds
    stopped = failure([*again, Said(50, Remark.CANCEL)], level="error")
    assert bool(asked("caught-until-stopped", stopped)) is holds


def test_a_step_takes_back_an_end_and_a_stop() -> None:
    """They were another's, or the run went on."""
    for remark in (Remark.END, Remark.CANCEL, Remark.STOP):
        history = failure([Said(20, remark), *steps(30)]).history
        assert (history.end, history.stop, history.cancel) == (None, None, None)


def test_the_first_end_without_a_step_behind_it_counts() -> None:
    history = failure([Said(20, Remark.END), Said(25, Remark.END)]).history
    assert history.end == 20


def test_the_end_of_an_earlier_run_that_failed_is_not_the_judged_one_s() -> None:
    facts: list[Fact] = [
        Said(12, Remark.END),
        Said(20, Remark.RERUN),
        closed(500, DRIVER),
    ]
    history = failure(facts).history
    assert (history.end, history.has_ended, history.last_runs) == (None, True, (2, 20))


@pytest.mark.parametrize(
    ("facts", "holds"),
    [
        ([], True),
        ([RunBegan(5)], False),
        ([PhaseBegan(5, Phase.INIT)], False),
        ([PhaseBegan(5, Phase.EVAL)], True),
        ([RunBegan(20)], True),
        ([RunBegan(5), Said(7, Remark.END)], True),
        ([Failed(20, DRIVER, "x", True, frozenset(), is_failed_exit=True)], False),
        ([Failed(20, DRIVER, "x", True, frozenset())], True),
    ],
)
def test_what_stands_below_an_end_and_another_beginning_is_no_noise(
    facts: list[Fact], holds: bool
) -> None:
    """The end is said in line 3, the failure in line 10."""
    assert bool(asked("after-the-end", failure([Said(3, Remark.END), *facts]))) is holds
    begun = failure([RunBegan(2), Said(3, Remark.END)])
    assert asked("after-the-end", begun)
