"""Bytes to regions, lines and events: nothing depends on how the bytes are cut, and no input makes a stage raise."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.document.document import render_json
from logdoctor.events.grouper import EventGrouper
from logdoctor.events.line_reader import LineReader
from logdoctor.matching.recognition import Recogniser, Shape
from logdoctor.model import Diagnosis, Language, LocalText, LogEvent, Match, RawLine, Severity
from logdoctor.patterns.regex_trees import mandatory_literals
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.scanning.repeated_warnings import OFTEN, WRITERS
from logdoctor.scanning.scanner import BLOCK, LINE_LIMIT, Scanner
from logdoctor.scanning.thinning import STRETCH
from logdoctor.search.automaton import Automaton
from tests.log_parts import PARTS as LOG_PARTS
from tests.log_parts import TRACEBACK
from tests.thoroughness import drawn

ERROR = b"AssertionError: batch_size 32 < chunks 64"
PARTS = (*LOG_PARTS, b"\n\n\n", b"no line end")


def raw_lines(automaton: Automaton, chunks: list[bytes]) -> tuple[list[RawLine], int, int]:
    scanner = Scanner(automaton)
    regions = [region for chunk in chunks for region in scanner.feed(chunk)]
    regions += scanner.flush()
    return [line for region in regions for line in region.lines], scanner.lines, scanner.bytes


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.lists(st.integers(0, 10**6), max_size=40))
def test_the_cutting_of_the_bytes_makes_no_difference(
    automaton: Automaton, parts: list[bytes], places: list[int]
) -> None:
    """The same lines, numbers and counts for any chunks."""
    data = b"".join(parts)
    assert raw_lines(automaton, cut(data, places)) == raw_lines(automaton, [data])


@settings(deadline=None, max_examples=drawn(30))
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.lists(st.integers(0, 10**6), max_size=40))
def test_the_whole_document_is_the_same_for_any_cutting(
    automaton: Automaton, parts: list[bytes], places: list[int]
) -> None:
    """From bytes to JSON."""
    data = b"".join(parts)
    documents = []
    for chunks in (cut(data, places), [data]):
        scan = Scan(automaton)
        scan.read("x", chunks)
        documents.append(render_json(scan.result(), Language.EN, "0"))
    assert documents[0] == documents[1]


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_make_a_stage_raise(automaton: Automaton, data: bytes) -> None:
    """Whatever comes, there is a result."""
    scan = Scan(automaton)
    scan.read("x", [data, TRACEBACK, data, b"Error: ", data])
    assert scan.result().sources[0].bytes == 2 * len(data) + len(data) + len(TRACEBACK) + 7


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_makes_a_stage_raise(automaton: Automaton, text: str) -> None:
    """Also between the lines of a traceback."""
    lines = TRACEBACK.decode().split("\n")
    result = scan_text(automaton, "\n".join(part for line in lines for part in (line, text)))
    assert result.sources[0].problem is None


def test_line_numbers_are_those_of_grep(automaton: Automaton) -> None:
    """Lines end at \\n; \\r and other separators do not count."""
    data = b"one\x0b\x85\xe2\x80\xa8still one\rand still\ntwo\n" + ERROR + b"\n"
    lines, count, size = raw_lines(automaton, [data])
    assert ([(line.number, line.data) for line in lines if line.anchors], count, size) == (
        [(3, ERROR)],
        3,
        len(data),
    )


def test_an_error_behind_a_progress_bar_is_found(automaton: Automaton) -> None:
    """Behind \\r, and glued to the bar itself."""
    bar = "Update policy 2: 100%|###| 5/5 [11:53<00:00, 4.64s/it]"
    for text in (f"{bar}\r{ERROR.decode()}\n", f"{bar}{ERROR.decode()}\n"):
        result = scan_text(automaton, text)
        assert [(each.signature.id, each.evidence[0].line) for each in result.diagnoses] == [
            ("dataproto-batch-smaller-than-chunks", 1)
        ]


def test_lines_longer_than_a_block_are_scanned_with_overlap(automaton: Automaton) -> None:
    """An error is found wherever it stands in a line of three megabytes, and is handed on in part."""
    for place in (0, BLOCK - 20, BLOCK - 4096 - 10, 2 * BLOCK + 7, 3 * BLOCK):
        line = bytearray(b"x" * (3 * BLOCK + 100))
        line[place : place + len(ERROR)] = ERROR
        chunk = random.Random(place).randrange(1000, 300_000)
        data = b"first\n" + bytes(line) + b"\nlast\n"
        lines, count, _ = raw_lines(
            automaton, [data[i : i + chunk] for i in range(0, len(data), chunk)]
        )
        lit = [each for each in lines if each.anchors]
        assert {(each.number, len(each.data) <= LINE_LIMIT) for each in lit} == {(2, True)}
        assert any(ERROR in each.data for each in lit)
        assert (count, lines[-1].data) == (3, b"last")


def test_two_errors_far_apart_in_one_long_line_are_both_handed_on(automaton: Automaton) -> None:
    """Each with its own surroundings."""
    line = (
        b"ValueErrors seen: 0 "
        + b"x" * 30_000
        + b" "
        + ERROR
        + b" "
        + b"x" * 30_000
        + b" RuntimeError: CUDA error: out of memory\n"
    )
    result = scan_text(automaton, line.decode())
    assert {each.signature.id for each in result.diagnoses} == {
        "dataproto-batch-smaller-than-chunks",
        "cuda-error-out-of-memory",
    }


def test_a_traceback_without_end_is_given_up(automaton: Automaton) -> None:
    """Frames without number stay bounded, and what comes after them is found."""
    result = scan_text(
        automaton, '  File "/x/a.py", line 1, in f\n' * 5000 + "plain\n" * 50 + ERROR.decode()
    )
    assert [each.signature.id for each in result.diagnoses] == [
        "dataproto-batch-smaller-than-chunks"
    ]


def test_a_traceback_that_was_cut_off_does_not_swallow_the_next(automaton: Automaton) -> None:
    """A second header ends the first."""
    head = "\n".join(TRACEBACK.decode().splitlines()[:3]) + "\n"
    events = events_of(automaton, head + TRACEBACK.decode())
    assert [(event.exception, len(event.frames)) for event in events][-1] == ("AssertionError", 1)


def test_an_interrupt_in_the_middle_of_a_chunk_counts_nothing_twice(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken before it is judged once."""
    taken = itertools.count(1)
    recognise = Recogniser.recognise

    def interrupted(self: Recogniser, event: LogEvent, shape: Shape) -> tuple[Match, ...]:
        if next(taken) == 5:
            raise KeyboardInterrupt
        return recognise(self, event, shape)

    monkeypatch.setattr(Recogniser, "recognise", interrupted)
    scan = Scan(automaton)
    with pytest.raises(KeyboardInterrupt):
        scan.read("x", [(ERROR + b"\n" + b"dark\n" * 99) * 10])
    (diagnosis,) = scan.result().diagnoses
    assert diagnosis.occurrences <= 5


def test_dark_lines_around_a_lit_one_are_handed_on(automaton: Automaton) -> None:
    """Three before and twelve after, no more."""
    data = (
        b"".join(b"line %d\n" % i for i in range(1, 50))
        + ERROR
        + b"\n"
        + b"".join(b"line %d\n" % i for i in range(51, 100))
    )
    lines, _, _ = raw_lines(automaton, [data])
    assert [line.number for line in lines] == list(range(47, 63))


def events_of(automaton: Automaton, text: str) -> list[LogEvent]:
    scanner, grouper = Scanner(automaton), EventGrouper()
    reader = LineReader("x", automaton.expressions_in, automaton.kinds)
    regions = [*scanner.feed(text.encode()), *scanner.flush()]
    events = [
        event
        for region in regions
        if not region.is_marked_only
        for line in reader.read(region)
        for event in grouper.feed(line)
    ]
    return [*events, *grouper.flush()]


def test_a_traceback_is_one_event(automaton: Automaton) -> None:
    """Header, frames with their source lines, exception."""
    (event,) = events_of(automaton, "before\n" + TRACEBACK.decode() + "after\n")
    assert (
        event.exception,
        event.message,
        event.line.number,
        len(event.lines),
        event.is_traceback,
    ) == (
        "AssertionError",
        "AssertionError: batch_size 32 < chunks 64 after",
        5,
        5,
        True,
    )
    assert event.frames == (
        'File "/app/roll/distributed/scheduler/protocol.py", line 849, in chunk assert len(self) >= chunks',
    )


def test_interleaved_writers_are_put_apart(automaton: Automaton) -> None:
    """Each rank's traceback is an event of its own."""
    lines = TRACEBACK.decode().splitlines()
    text = "\n".join(f"[rank{rank}]: {line}" for line in lines for rank in range(4)) + "\n"
    events = events_of(automaton, text)
    assert sorted(
        (event.line.lane.rank, event.exception, len(event.frames)) for event in events
    ) == [(rank, "AssertionError", 1) for rank in range(4)]


def test_each_exception_of_a_chain_is_an_event(automaton: Automaton) -> None:
    """The inner one comes first."""
    text = (
        TRACEBACK.decode()
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + TRACEBACK.decode().replace("AssertionError", "RuntimeError")
    )
    assert [event.exception for event in events_of(automaton, text)] == [
        "AssertionError",
        "RuntimeError",
    ]


def test_a_traceback_in_a_record_goes_on_without_the_record_s_prefix(automaton: Automaton) -> None:
    """ROLL prints its prefix on the first line only; inside Ray the transport's prefix stays."""
    lines = TRACEBACK.decode().splitlines()
    head = "[2026-01-11 21:25:34] [worker.py (41)] [ERROR] [actor_train-0 0 / 8][PID 77] "
    for prefix in ("", "(ActorWorker(actor_train-0) pid=77) "):
        (event,) = events_of(
            automaton,
            "\n".join([prefix + head + lines[0], *(prefix + line for line in lines[1:])]) + "\n",
        )
        assert (event.exception, event.lines[0].lane.rank, event.level, len(event.frames)) == (
            "AssertionError",
            0,
            "error",
            1,
        )


def test_ray_s_remote_frames_follow_the_driver_s(automaton: Automaton) -> None:
    """The wrapper and the worker's own exception are two events."""
    text = """\
Traceback (most recent call last):
  File "main.py", line 3, in <module>
    ray.get(ref)
ray.exceptions.RayTaskError(ValueError): ray::Worker.train_step() (pid=5, ip=10.0.0.1)
  File "/app/worker.py", line 9, in train_step
    raise ValueError("bad shape")
ValueError: bad shape
"""
    assert [event.exception for event in events_of(automaton, text)] == [
        "ray.exceptions.RayTaskError(ValueError)",
        "ValueError",
    ]


def test_every_value_of_a_configuration_key_is_read(automaton: Automaton) -> None:
    """Lines of configuration are not thinned like steps."""
    text = "".join(f"model{number}.tensor_model_parallel_size: {number}\n" for number in range(40))
    config = scan_text(automaton, text).context.config
    assert [config[f"model{number}.tensor_model_parallel_size"] for number in range(40)] == [
        (str(number),) for number in range(40)
    ]


def test_of_many_steps_the_last_is_known_exactly(automaton: Automaton) -> None:
    """Before an error, and at the end."""
    steps = "".join(
        f"step:{number} - actor/loss:0.5 - actor/grad_norm:1.0\n" for number in range(1, 9000)
    )
    for tail, line in ((ERROR.decode() + "\n", 8999), ("", 8999)):
        progress = scan_text(automaton, steps + tail).context.last_progress
        assert progress is not None
        assert (progress.line, progress.step) == (line, 8999)


PREEMPTED = "\x1b[36m(AgentLoopWorker pid={pid}, ip=10.0.0.9)\x1b[0m WARNING 03-04 04:{minute:02d}:44 [scheduler.py:397] Sequence group {group} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.\n"
ORDINARY = (
    "step:{group} - actor/loss:0.5 - actor/grad_norm:1.0\n",
    "nothing of interest here\n",
    "step:{group} - actor/loss:0.5 - actor/grad_norm:1.0\n" * 3,
    ERROR.decode() + "\n",
)


@st.composite
def warned_logs(draw: st.DrawFn) -> str:
    """A warning several hundred times by a few writers, with steps, other lines and errors between."""
    between = draw(
        st.lists(st.tuples(st.integers(1, 400), st.sampled_from(ORDINARY)), min_size=1, max_size=6)
    )
    lines: list[str] = []
    for count, other in between:
        lines += [
            PREEMPTED.format(pid=1000 + group % 7, minute=group % 60, group=group)
            for group in range(count)
        ]
        lines.append(other.format(group=len(lines)))
    return "".join(lines)


NO_TEXT = LocalText("", "")


def essence(diagnosis: Diagnosis) -> tuple[Diagnosis, list[int]]:
    """All but the lines of a harmless one, which are chosen from many, and what stands around the others."""
    if diagnosis.signature.severity is Severity.WARNING:
        rules = tuple(each._replace(line=0, text=NO_TEXT) for each in diagnosis.because)
        return diagnosis._replace(spots=(), evidence=(), because=rules), []
    return diagnosis._replace(spots=(), evidence=()), [each.line for each in diagnosis.evidence]


@settings(deadline=None, max_examples=drawn(20))
@given(warned_logs())
def test_a_warning_that_is_passed_over_is_judged_as_if_it_were_not(
    automaton: Automaton, log: str
) -> None:
    """By its number and its writers."""
    passed_over = scan_text(automaton, log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logdoctor.scanning.repeated_warnings.OFTEN", 10**9)
        handed_on = scan_text(automaton, log)
    assert list(map(essence, passed_over.diagnoses)) == list(map(essence, handed_on.diagnoses))
    assert passed_over._replace(diagnoses=()) == handed_on._replace(diagnoses=())


def test_of_a_warning_given_often_only_some_lines_are_handed_on(automaton: Automaton) -> None:
    """Else it would not pay."""
    log = "".join(
        PREEMPTED.format(pid=7, minute=number % 60, group=number) for number in range(5000)
    )
    lines, _, _ = raw_lines(automaton, [log.encode()])
    assert len(lines) < 4 * OFTEN  # and the first and last of each stretch
    assert len(lines) + sum(line.left_out for line in lines) == 5000


def test_of_a_warning_given_by_hundreds_a_few_writers_stand_for_all(automaton: Automaton) -> None:
    """All are counted."""
    log = "".join(
        PREEMPTED.format(pid=number % 500, minute=number % 60, group=number)
        for number in range(5000)
    )
    lines, _, _ = raw_lines(automaton, [log.encode()])
    assert len(lines) <= OFTEN + WRITERS + 2 * (len(log) // STRETCH + 1)
    assert len(lines) + sum(line.left_out for line in lines) == 5000


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        ("ValueError: NaN gradients found in layer 3, loss is broken", True),
        ("We found in the infinite loss of words a gradient", False),
        ("a key was found in the table", False),
    ],
)
def test_of_a_regex_s_alternatives_a_line_must_hold_one_each(line: str, is_read: bool) -> None:
    """A word that is everywhere would else have every line taken apart."""
    pattern = r"(?:NaN|Inf)[\w ]{0,16} (?:found in|detected in) .{0,20}(?:loss|grad)"
    choices = mandatory_literals(pattern)[1]
    assert choices == (("NaN", "Inf"), ("found", "detected"), ("loss", "grad"))
    assert all(any(each in line for each in choice) for choice in choices) is is_read
