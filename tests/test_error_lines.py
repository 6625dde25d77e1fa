"""What the parser takes for an error is found, and what only looks like one is not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.context.last_words import last_words
from logdoctor.formats.error_lines import (
    COMPLAINT,
    ENDINGS,
    ERROR_LEVEL,
    ERROR_LINES,
    EXCEPTION,
    FAILURE,
    IN_COMPLAINTS,
    OTHER_ENDINGS,
    ErrorLine,
    is_said,
)
from logdoctor.formats.marked import Marked
from logdoctor.formats.message_shapes import DUMP, MESSAGES
from logdoctor.model import AnchorKind
from logdoctor.pipeline.scan import scan_text
from logdoctor.scanning.scanner import Scanner
from logdoctor.search.automaton import Automaton

SAYS = "waited 30 s for the rollout server, giving up"


def lit_kinds(automaton: Automaton, text: str) -> frozenset[AnchorKind]:
    """As what the lines of a text light up."""
    scanner = Scanner(automaton)
    regions = [*scanner.feed(text.encode()), *scanner.flush()]
    kinds = [automaton.kinds(line.anchors) for region in regions for line in region.lines]
    return frozenset().union(*kinds)


def finds(automaton: Automaton, text: str) -> bool:
    """Whether a scan of the text says that something went wrong."""
    result = scan_text(automaton, text)
    return bool(result.unknown_errors or result.diagnoses)


@pytest.mark.parametrize(
    ("row", "sample"),
    [(row, sample) for row in ERROR_LINES for sample in row.samples],
    ids=lambda value: value.name if isinstance(value, ErrorLine) else value[:40],
)
def test_each_sample_lights_up(automaton: Automaton, row: ErrorLine, sample: str) -> None:
    """As what its row says, also behind a prefix and before Windows' line end."""
    assert re.search(row.expression, sample, re.MULTILINE)
    for text in (f"{sample}\n", f"(WorkerDict pid=12) {sample}\r\nnext\n"):
        assert row.kind in lit_kinds(automaton, text)


def test_each_line_is_counted_once(automaton: Automaton) -> None:
    """Nothing that is searched for reaches over the end of its line."""
    samples = [sample for row in ERROR_LINES for sample in row.samples]
    text = "".join(f"{sample}\nnext\n" for sample in samples if "\n" not in sample)
    (source,) = scan_text(automaton, text).sources
    assert source.lines == text.count("\n")


@pytest.mark.parametrize(
    ("row", "near_miss"),
    [(row, near_miss) for row in ERROR_LINES for near_miss in row.near_misses],
    ids=lambda value: value.name if isinstance(value, ErrorLine) else value[:40],
)
def test_each_near_miss_stays_silent(automaton: Automaton, row: ErrorLine, near_miss: str) -> None:
    """It does not light up as an error, and no scan finds one."""
    assert re.search(row.expression, near_miss, re.MULTILINE) is None
    assert row.kind not in lit_kinds(automaton, f"{near_miss}\n")
    assert not finds(automaton, f"{near_miss}\n")


@pytest.mark.parametrize(
    "name",
    [
        "RolloutTimeout",
        "RolloutFailure",
        "EngineDied",
        "EngineCrashed",
        "ReplayNotFound",
        "ServerUnavailable",
        "queue.Full",
        "MemoryFault",
        "RolloutError",
        "RolloutException",
        "my_package.errors.TransferFailure",
        "binascii.Error",
        "RayTaskError(EngineDied)",
    ],
)
def test_an_exception_in_a_line_of_its_own_is_an_error(automaton: Automaton, name: str) -> None:
    """Whatever its name ends with."""
    (error,) = scan_text(automaton, f"started the rollout\n{name}: {SAYS}\n").unknown_errors
    assert error.title.startswith(f"{name}: waited 30 s")


@pytest.mark.parametrize("level", ["WARNING", "INFO", "DEBUG"])
@pytest.mark.parametrize("name", ["RolloutTimeout", "RolloutError"])
def test_a_program_that_makes_little_of_it_is_believed(
    automaton: Automaton, name: str, level: str
) -> None:
    """The level of its record tells."""
    assert not finds(automaton, f"2026-01-11 21:25:34,000 - {level} - {name}: {SAYS}\n")


_NAMES = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "queue.", "ray.exceptions.", "a_b.C."]),
        st.from_regex(r"[A-Z][a-z]{2,8}([A-Z][a-z]{2,6}|_[a-z]{3})?", fullmatch=True),
        st.sampled_from([*ENDINGS, *OTHER_ENDINGS]),
        st.sampled_from(["", "(OSError)"]),
    ),
)
_MESSAGES = st.one_of(
    st.just(SAYS),
    st.lists(
        st.from_regex(r"[a-z]{1,9}|[0-9]{1,4}|[(\"'][a-z]{2,6}[)\"']", fullmatch=True), max_size=7
    ).map(" ".join),
    st.sampled_from(["", "30", "true", "FULL_SHARD", "/dev/shm is full", "等待超时"]),
)


@given(name=_NAMES, message=_MESSAGES, colon=st.sampled_from([": ", ":", " : ", "："]))
def test_what_the_parser_takes_for_an_exception_lights_up(
    automaton: Automaton, name: str, message: str, colon: str
) -> None:
    """For any name and message: what is told in a line of its own is found, and nothing else."""
    text = f"{name}{colon}{message}"
    found = re.match(EXCEPTION, text)
    is_told = found is not None and is_said(found[0], text)
    assert (AnchorKind.ERROR in lit_kinds(automaton, f"{text}\n")) == is_told


@pytest.mark.parametrize(
    "marked",
    [
        *(row.marked for row in ERROR_LINES if row.kind is AnchorKind.ERROR),
        *(Marked(kind.head, (kind.mark,)) for kind in MESSAGES if kind.mark),
        FAILURE,
        DUMP,
    ],
    ids=lambda each: each.pattern[:60],
)
@given(data=st.data())
def test_what_an_expression_fits_has_one_of_its_marks(marked: Marked, data: st.DataObject) -> None:
    """Or it would be passed over."""
    assert marked.search(data.draw(st.from_regex(marked.pattern)))


@pytest.mark.parametrize(
    "sample",
    [sample for row in ERROR_LINES if row.kind is AnchorKind.ERROR for sample in row.samples],
)
def test_an_opening_ends_where_something_fails(sample: str) -> None:
    """Whatever lights up as an error."""
    assert FAILURE.search(sample)


@pytest.mark.parametrize(
    "line",
    [
        "Error: Inference path does not exist: /store/results/llama3-1b/inference",
        "slurmstepd: error: could not open the log of the step",
        "Exception: the folder of checkpoints cannot be opened",
        "错误：无法打开检查点目录，请检查路径是否存在并重新运行",
        "F1121 10:00:00.123456 12 store.cc:41] Check failed: the ring is broken",
        "2026-01-11 21:25:34,000 - ERROR - could not open the folder of checkpoints",
    ],
)
def test_the_end_of_a_source_is_looked_at_where_it_may_complain(line: str) -> None:
    """What is taken for its last words holds what the bytes of the end are searched for."""
    event = last_words("x", [(1, line)])
    assert event is not None
    assert re.search(IN_COMPLAINTS, line.encode())
    assert re.search(COMPLAINT, line) or re.search(ERROR_LEVEL, line)


@pytest.mark.parametrize(
    "sample", [sample for row in ERROR_LINES if row.is_report for sample in row.samples]
)
@pytest.mark.parametrize("before", ["", "step 1 loss 0.5\n", "ValueError: a bad one\n"])
def test_what_only_reports_a_failure_is_never_passed_over(
    automaton: Automaton, before: str, sample: str
) -> None:
    """It is the answer where nothing else went wrong, and only there."""
    result = scan_text(automaton, f"{before}{sample}\n")
    assert result.root
    if "ValueError" in before and result.root.name != "command-not-found":
        shown = {each.evidence[0].line for each in result.findings if each.name == result.root.name}
        is_known = any(each.evidence[0].line == 2 for each in result.diagnoses)
        assert shown == {1} or is_known


@pytest.mark.parametrize("exception", ["StopIteration", "StopAsyncIteration", "SystemExit: 1"])
def test_an_end_that_nobody_caught_is_an_error(automaton: Automaton, exception: str) -> None:
    """Though programs also end so by intention, without a traceback."""
    text = f'Traceback (most recent call last):\n  File "/a.py", line 3, in <module>\n    f()\n{exception}\n'
    assert finds(automaton, text)
    assert not finds(automaton, f"{exception}\n")
    assert not finds(automaton, text.replace(exception, "SystemExit: 0"))
