"""Of one line printed over and over most copies are only counted, and nothing else is told of it
than where all are read.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.scanning import equal_lines
from logdoctor.scanning.equal_lines import FIRST_KEPT, LAST_KEPT, RUN_BYTES, Run, equal_runs
from logdoctor.search.automaton import Automaton
from tests.log_parts import PARTS
from tests.readers import document, read_live, read_whole
from tests.thoroughness import drawn

LINES = (
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    b"[rank3]: RuntimeError: NCCL communicator was aborted on rank 3.",
    b"2026-01-01 10:00:00 ERROR [rank3] StrangeError: nobody knows the frobnicator",
    b"(pid=3) RuntimeError: x went wrong [repeated 7x across cluster]",
    b"/lib/torch/foo.py:12: FutureWarning: torch.cuda.amp.autocast(args...) is deprecated.",
    b"WARNING retrying after Connection reset by peer",
    b'  File "/a/b.py", line 3, in main',
    b"    at foo.bar(ValueError: x)",
    b"step 5: loss nan grad_norm nan",
    b"nothing is to be seen here",
    b"",
)
SMALL = 2000


def _off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(equal_lines, "RUN_BYTES", 1 << 40)


@settings(deadline=None, max_examples=drawn(40))
@given(
    st.lists(
        st.sampled_from(PARTS)
        | st.tuples(st.sampled_from(LINES), st.integers(1, 3)).map(
            lambda run: (run[0] + b"\n") * (run[1] * SMALL // (len(run[0]) + 1) + 70)
        ),
        max_size=6,
    ),
    st.integers(0, 2**32),
)
def test_it_makes_no_difference_that_copies_are_only_counted(
    automaton: Automaton, parts: list[bytes], seed: int
) -> None:
    data = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        _off(patch)
        told = document(read_whole(automaton, data))
        patch.setattr(equal_lines, "RUN_BYTES", SMALL)
        assert document(read_whole(automaton, data)) == told
        assert document(read_live(automaton, data, random.Random(seed))) == told


@pytest.mark.parametrize("line", LINES[:3])
def test_all_copies_count(automaton: Automaton, line: bytes) -> None:
    """Also over several blocks, whose copies are counted one block after the other."""
    copies = 3_000_000 // len(line)
    result = read_whole(automaton, (line + b"\n") * copies + b"the end\n")
    found = [
        (each.occurrences, each.evidence[0].line)
        for errors in (result.diagnoses, result.unknown_errors)
        for each in errors
    ]
    assert (found, result.sources[0].lines) == ([(copies, 1)], copies + 1)


def test_hardly_any_of_many_copies_is_gone_over() -> None:
    copies = 200_000
    runs = list(equal_runs((LINES[1] + b"\n") * copies))
    assert sum(run.copies for run in runs) == copies - FIRST_KEPT - LAST_KEPT


LINE = b"one line\n"
ENOUGH = RUN_BYTES // len(LINE) + 1


@pytest.mark.parametrize(
    ("before", "copies", "after"),
    [
        (b"", ENOUGH, b""),
        (b"another line\n" * 9, ENOUGH, b"the end\n"),
        (b"not only " + LINE, ENOUGH, b"one line more\n"),
        (b"x" * 5 * RUN_BYTES + b"\n", 7 * ENOUGH, LINE[:-1]),
    ],
)
def test_a_run_begins_and_ends_with_whole_copies(before: bytes, copies: int, after: bytes) -> None:
    start, end = len(before), len(before) + copies * len(LINE)
    assert list(equal_runs(before + LINE * copies + after)) == [
        Run(start + FIRST_KEPT * len(LINE), end - LAST_KEPT * len(LINE), len(LINE))
    ]


@pytest.mark.parametrize(
    "block",
    [
        b"",
        LINE * (ENOUGH - 1),
        b"".join(b"line %d\n" % number for number in range(3 * ENOUGH)),
        b"a\nb\n" * RUN_BYTES,
        (b"x" * (equal_lines.LENGTH_LIMIT + 1) + b"\n") * 200,
        (b"x" * 1000 + b"\n") * (FIRST_KEPT + LAST_KEPT),
        b"no end at all" * RUN_BYTES,
    ],
)
def test_others_are_no_run(block: bytes) -> None:
    assert list(equal_runs(block)) == []
