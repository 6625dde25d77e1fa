"""A traceback says the same however it was drawn: by CPython, by IPython (7 or 8) or in a box of
rich's, with its header or without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.document.document import document
from logdoctor.model import Language
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.thoroughness import drawn

RULE = "-" * 75
PATHS = [
    "/home/me/job/train.py",
    "/home/me/job/rewards.py",
    "/opt/venv/lib/python3.11/site-packages/datasets/arrow_dataset.py",
    "/opt/venv/lib/python3.11/site-packages/vllm/worker/cache_engine.py",
]
CODE = [
    "self.gpu_cache = self._allocate_kv_cache(blocks)",
    "loss = log_softmax(logits, dim=-1)",
    'score = batch["advantages"]',
    "mean = total / count",
    "exp_avg_sq = torch.zeros_like(p)",
]
EXCEPTIONS = [
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 642.00 MiB. GPU",
    "KeyError: 'advantages'",
    "ZeroDivisionError: division by zero",
    "AttributeError: 'NoneType' object has no attribute 'shape'",
    "TypeError: f() missing 1 required positional argument: 'row'",
    "oddlib.OddShardError: shard 7 is odd",
]


class Frame(NamedTuple):
    path: str
    line: int
    function: str
    code: str


FRAMES = st.lists(
    st.builds(
        Frame,
        st.sampled_from(PATHS),
        st.integers(4, 3000),
        st.sampled_from(["step", "fill", "_collate", "<module>"]),
        st.sampled_from(CODE),
    ),
    min_size=1,
    max_size=4,
)


def python(frames: list[Frame], exception: str) -> list[str]:
    lines = ["Traceback (most recent call last):"]
    for each in frames:
        lines += [f'  File "{each.path}", line {each.line}, in {each.function}']
        lines += [f"    {each.code}"]
    return [*lines, exception]


def ipython(frames: list[Frame], exception: str, frame_line: Callable[[Frame], str]) -> list[str]:
    type_ = exception.partition(":")[0].rpartition(".")[2]
    lines = [RULE, f"{type_:<42}Traceback (most recent call last)"]
    for each in frames:
        arrow = f"{'-' * (5 - len(str(each.line)))}> {each.line}"
        lines += [frame_line(each), f"{each.line - 2:>7} # before", f"{each.line - 1:>7} "]
        lines += [f"{arrow}     {each.code}", f"{each.line + 1:>7}     return None", ""]
    return [*lines, exception]


def ipython_8(frames: list[Frame], exception: str) -> list[str]:
    def frame_line(each: Frame) -> str:
        called = "" if each.function == "<module>" else f", in {each.function}(rows, **kwargs)"
        return f"File {each.path}:{each.line}{called}"

    return ipython(frames, exception, frame_line)


def ipython_7(frames: list[Frame], exception: str) -> list[str]:
    def frame_line(each: Frame) -> str:
        called = "" if each.function == "<module>" else "(rows, **kwargs)"
        return f"{each.path} in {each.function}{called}"

    return ipython(frames, exception, frame_line)


def box(frames: list[Frame], exception: str) -> list[str]:
    lines = [f"╭{'─' * 30} Traceback (most recent call last) {'─' * 30}╮"]
    for each in frames:
        lines += [f"│ {f'{each.path}:{each.line} in {each.function}':<90} │", f"│ {'':<90} │"]
        lines += [f"│ {f'  {each.line - 1} │   # before':<90} │"]
        lines += [f"│ {f'❱ {each.line} │   {each.code}':<90} │", f"│ {'':<90} │"]
    return [*lines, f"╰{'─' * 92}╯", exception]


LANGUAGE = Language.EN
DRAWN = {"IPython 8": ipython_8, "IPython 7": ipython_7, "rich": box}


def said(automaton: Automaton, lines: list[str]) -> object:
    """All that does not depend on where the lines stand."""
    found = document(scan_text(automaton, "".join(f"{line}\n" for line in lines)), LANGUAGE, "0")
    diagnosed = ("signature_id", "title", "cause", "captures", "remedies")
    unknown = ("title", "package", "next_steps")
    return [
        *([row[key] for key in diagnosed] for row in found["diagnoses"]),
        *([row[key] for key in unknown] for row in found["unknown_errors"]),
    ]


@pytest.mark.parametrize("name", DRAWN)
@settings(max_examples=drawn(25), deadline=None)
@given(
    frames=FRAMES,
    exception=st.sampled_from(EXCEPTIONS),
    shown=st.tuples(st.booleans(), st.sampled_from(["", "(WorkerDict pid=4012) ", "> "])),
)
def test_a_traceback_says_the_same_however_it_is_drawn(
    automaton: Automaton,
    name: str,
    frames: list[Frame],
    exception: str,
    shown: tuple[bool, str],
) -> None:
    """`shown`: whether its header is there, and what stands before each line."""
    has_header, prefix = shown
    drawn = DRAWN[name](frames, exception)
    cut = drawn if has_header else drawn[drawn.index(next(x for x in drawn if ".py" in x)) :]
    assert said(automaton, [prefix + line for line in cut]) == said(
        automaton, python(frames, exception)
    )


@settings(max_examples=drawn(25), deadline=None)
@given(first=st.sampled_from(CODE), frames=FRAMES, above=st.integers(0, 2))
def test_an_arrow_whose_frame_was_cut_off_gives_its_code(
    automaton: Automaton, first: str, frames: list[Frame], above: int
) -> None:
    """So that what the code says is read, with the frames below it or alone."""
    drawn = ipython_8([Frame(PATHS[0], 49, "fill", first), *frames], EXCEPTIONS[0])
    arrow = next(number for number, line in enumerate(drawn) if "> " in line)
    assert said(automaton, drawn[arrow - above :]) == said(automaton, drawn)


@given(
    st.lists(
        st.sampled_from(
            [
                "File ~/app/engine.py:49, in fill(self)",
                "/opt/app/engine.py in fill(self)",
                "---> 49     self.pages = self.take(count)",
                "     50     return self.pages",
                "",
                "step 3/100 loss 2.31",
                "all ranks: ready",
                "done",
            ]
        ),
        max_size=9,
    )
)
@settings(max_examples=drawn(60), deadline=None)
def test_without_an_exception_nothing_was_raised(automaton: Automaton, lines: list[str]) -> None:
    """A list of places in code is no traceback."""
    result = scan_text(automaton, "".join(f"{line}\n" for line in lines))
    assert (result.diagnoses, result.unknown_errors) == ((), ())
