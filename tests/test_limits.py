"""What a log of ever new writers, errors and runs may fill."""

from __future__ import annotations

from collections.abc import Sequence

from logdoctor.model import Lane, LogEvent, LogLine, Situation, Verdict
from logdoctor.model.history import (
    PROGRAMS_LIMIT,
    QUIET_LINES,
    RERUNS_LIMIT,
    RESUMED_LIMIT,
    TIMELINE_LIMIT,
    Failed,
    Remark,
    Said,
    SourceHistory,
    Step,
)
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.exception_chains import WRITERS_LIMIT, ChainReader
from logdoctor.verdict.groups import WHOLE_KEPT, ErrorGroup, Occurrence, Room


def _line(number: int, text: str, writer: Lane) -> LogLine:
    return LogLine("x", number, text, text, lane=writer, stream=writer)


def _event(
    number: int, writer: Lane, text: str = "ValueError: no", frames: Sequence[str] = ()
) -> LogEvent:
    exception = text.partition(":")[0] if ":" in text else None
    around = [
        tuple(_line(each, "fine", writer) for each in range(first, first + 3))
        for first in (number - 3, number + 1)
    ]
    return LogEvent(
        (_line(number, text, writer),),
        0,
        exception,
        text,
        tuple(frames),
        around[0],
        around[1],
        is_traceback=bool(frames),
    )


def _occurrence(event: LogEvent) -> Occurrence:
    return Occurrence((0, event.line.number), event, event.line, Situation(None, 0), None)


def _kept(group: ErrorGroup) -> list[Occurrence]:
    return list(group._current.values())  # what fills the memory


def test_lines_around_an_event_are_kept_for_the_first_writers_only() -> None:
    """Others are kept with what they are judged by."""
    group = ErrorGroup("x")
    for number in range(3 * WHOLE_KEPT):
        event = _event(10 * number + 10, Lane(rank=number))
        group.add(event, _occurrence(event), tuple)
    assert [len(each.event.after) for each in _kept(group)] == [3] * WHOLE_KEPT + [
        0
    ] * 2 * WHOLE_KEPT
    assert (group.occurrences, len(group.lanes)) == (3 * WHOLE_KEPT, 3 * WHOLE_KEPT)


def test_writers_without_room_are_judged_as_one() -> None:
    """The counts stay exact, and an error that one of them did not survive is still found."""
    room, number = Room(lines=200), 0
    groups = [ErrorGroup(f"error {each}", room) for each in range(10)]
    for group in groups:
        for rank in range(1000):
            number += 10
            event = _event(number, Lane(rank=rank))
            group.add(event, _occurrence(event), tuple)
    assert (
        sum(
            len(each.event.lines) + len(each.event.before) + len(each.event.after)
            for group in groups
            for each in _kept(group)
        )
        <= 200 + 10 * 7
    )
    assert [(group.occurrences, len(group.lanes)) for group in groups] == [(1000, 1000)] * 10
    last = _event(number + 10, Lane(rank=999))
    groups[9].add(last, _occurrence(last)._replace(era=1), tuple)
    shown, verdict = groups[9].shown(lambda each: None if each.era else Verdict.RECOVERED)
    assert (shown.line, verdict) == (last.line, None)


def test_a_long_traceback_is_kept_whole_for_the_first_writers_only() -> None:
    """Of others its beginning and its end."""
    group = ErrorGroup("x")
    frames = [f'File "{each}.py", line 1, in f' for each in range(500)]
    for rank in range(WHOLE_KEPT + 1):
        writer = Lane(rank=rank)
        lines = tuple(
            _line(1000 * rank + each, text, writer)
            for each, text in enumerate(("Traceback", *frames, "ValueError: no"), 1)
        )
        event = LogEvent(
            lines, len(lines) - 1, "ValueError", "ValueError: no", tuple(frames), is_traceback=True
        )
        group.add(event, _occurrence(event), tuple)
    slim = _kept(group)[-1].event
    assert ([each.text for each in slim.lines], slim.frames) == (
        ["Traceback", "ValueError: no"],
        (frames[0], frames[-1]),
    )
    assert (slim.line.text, slim.lines[0].number) == ("ValueError: no", 1000 * WHOLE_KEPT + 1)


def test_the_last_exceptions_of_so_many_writers_are_remembered() -> None:
    """Those of the latest ones: what belongs to a chain stands near it."""
    chains = ChainReader()
    for rank in range(WRITERS_LIMIT + 5):
        chains.feed(
            _event(10 * rank + 10, Lane(rank=rank), "ModuleNotFoundError: no x"),
            0,
            is_known_cause=False,
        )
    assert len(chains._last) == WRITERS_LIMIT  # what fills the memory
    older = {rank: _event(10 * rank + 10, Lane(rank=rank)) for rank in (0, WRITERS_LIMIT + 4)}
    for rank, event in older.items():
        connector = _line(
            event.line.number + 2,
            "During handling of the above exception, another exception occurred:",
            event.line.stream,
        )
        newer = _event(event.line.number + 4, Lane(rank=rank))._replace(connector=connector)
        chains.feed(newer, 0, is_known_cause=False)
    assert [chains.is_probe(event, 0) for event in older.values()] == [False, True]


def test_kinds_runs_and_programs_of_one_source_stay_bounded() -> None:
    """Of kinds of errors, the lines of the first ones are kept; further runs are one with the last."""
    history = SourceHistory("x")
    for number in range(1, RERUNS_LIMIT + 6):
        history.note(Said(number, Remark.RERUN))
    assert (history.run_of(RERUNS_LIMIT - 1), history.run_of(RERUNS_LIMIT + 5)) == (
        RERUNS_LIMIT - 1,
        RERUNS_LIMIT,
    )
    history = SourceHistory("x")
    for number in range(1, RESUMED_LIMIT + 6):
        programs = frozenset({f"/job/{number}.py"})
        history.note(Failed(number * QUIET_LINES, Lane(rank=number), "x", False, programs))
    assert len(history._programs[0]) == PROGRAMS_LIMIT  # what fills the memory
    assert history.era(RESUMED_LIMIT * 2 * QUIET_LINES) == RESUMED_LIMIT + 1


def test_of_many_steps_the_newest_are_kept_and_all_are_counted() -> None:
    """Of each writer the last two at least."""
    history = SourceHistory("x")
    history.note(Step(1, Lane(rank=7), 1, None))
    history.note(Step(2, Lane(rank=7), 2, None))
    for number in range(3, 3 * TIMELINE_LIMIT):
        history.note(Step(number, Lane(rank=number % 2), number, None))
    assert len(history.steps) <= TIMELINE_LIMIT
    assert sum(map(len, history.own_steps.values())) <= TIMELINE_LIMIT + 2
    assert history.own_steps[Lane(rank=7)] == [1, 2]
    assert history.steps_until(3 * TIMELINE_LIMIT) == 3 * TIMELINE_LIMIT - 1


def test_a_chain_is_read_as_before_from_a_log(automaton: Automaton) -> None:
    """What is remembered of the older exception is enough."""
    log = (
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'foo_bar'\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nMyOwnError: there is no foo_bar here\n'
    )
    result = scan_text(automaton, log)
    assert result.answer is not None
    assert (
        result.unknown_errors[result.answer.index].title == "MyOwnError: there is no foo_bar here"
    )
