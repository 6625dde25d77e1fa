"""Whatever stands before all lines of a log makes no difference to its answer."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.formats.common_prefixes import carriers, common_prefix
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.rule import ASIDE
from logdoctor.verdict.rules.registry import rules
from tests.readers import read_each_way
from tests.thoroughness import drawn

TEXTS = sorted(
    {
        text
        for rule in rules()
        for text in (*rule.fires, *rule.silent)
        if ASIDE not in text and ("Traceback (most" in text or "Error: " in text)
    }
)
"""The samples of the verdict's rules."""

WRITERS = (
    "[1743] ",
    "[worker] ",
    "[job 7/train] ",
    "(main) ",
    "<stdout> ",
    "gpu-node-b | ",
    "trainer|",
    "train\t",
    "\t",
    "part-7> ",
)
HOSTS = ("node-b: ", "gpuhost: ", "Worker_B.cluster.local: ")
"""A name alone may be the key of a listing: a single line does not show that it is a host."""

CLOCKS = ("12:01:{:02d}.330 ", "[Mon {:02d} 10:00] ", "22/Nov/2026:10:00:{:02d} ", "1763{:02d}.5 ")


def behind(text: str, prefixes: tuple[str, ...]) -> str:
    """The text with these prefixes, outermost first; clocks go on."""
    return "".join(
        "".join(each.format(number % 60) for each in prefixes) + line
        for number, line in enumerate(text.splitlines(keepends=True))
    )


def answer(automaton: Automaton, text: str) -> tuple[str, str] | None:
    root = scan_text(automaton, text).root
    return (root.name, root.verdict.value) if root else None


prefixes = st.one_of(
    st.tuples(st.sampled_from(WRITERS)),
    st.tuples(st.sampled_from(CLOCKS)),
    st.tuples(st.sampled_from(CLOCKS), st.sampled_from(WRITERS)),
    st.tuples(st.sampled_from(WRITERS), st.sampled_from(CLOCKS)),
    st.tuples(st.sampled_from(WRITERS), st.sampled_from(WRITERS)),
)


@settings(deadline=None, max_examples=drawn(150))
@given(st.sampled_from(TEXTS), prefixes)
def test_a_prefix_of_all_lines_makes_no_difference(
    automaton: Automaton, text: str, before: tuple[str, ...]
) -> None:
    """A number, a word in brackets, a host and a bar, a tab, a time, two of them."""
    assert answer(automaton, behind(text, before)) == answer(automaton, text)


@settings(deadline=None, max_examples=drawn(60))
@given(
    st.sampled_from([text for text in TEXTS if '\n  File "' in text and text[0] == "T"]),
    st.sampled_from(HOSTS),
)
def test_a_host_before_all_lines_makes_no_difference(
    automaton: Automaton, text: str, host: str
) -> None:
    """Whatever its name, where the frames of a traceback stand behind it."""
    assert answer(automaton, behind(text, (host,))) == answer(automaton, text)


@pytest.mark.parametrize("before", [("[1743] ",), ("12:01:{:02d}.330 ", "gpu-b | ")])
def test_such_a_log_has_one_verdict(automaton: Automaton, before: tuple[str, ...]) -> None:
    """Whoever reads it."""
    for text in TEXTS[::8]:
        read_each_way(automaton, behind(text, before))


def test_writers_are_told_apart() -> None:
    """Where a few texts come again; a clock names nobody, nor does what all lines have."""
    raised = ["Traceback (most recent call last):", '  File "x.py", line 1, in f', "ValueError: x"]
    two = [f"[{name}] {line}" for line in raised for name in ("alpha", "beta")]
    found = common_prefix(two)
    assert found
    assert [applied.stream.actor for text in two if (applied := found.applied(text))] == [
        "alpha",
        "beta",
    ] * 3
    for texts in (
        [f"[alpha] {line}" for line in raised],
        [f"1{n}:00 {x}" for n, x in zip(itertools.count(), raised)],
    ):
        found = common_prefix(texts)
        assert found
        assert not found.names_writers


@pytest.mark.parametrize(
    "lines",
    [
        ["Traceback (most recent call last):", '  File "x.py", line 1, in f', "ValueError: [1] x"],
        ["[Rank 0] Watchdog caught a timeout", "[Rank 1] Watchdog caught a timeout"],
        ["KeyError: 'a'", "KeyError: 'b'", "KeyError: 'c'"],
        ["RuntimeError: ValueError: x", "RuntimeError: ValueError: y"],
        ["name: run", "model: llama", "error: ValueError: x was caught", "lr: 0.1", "steps: 3"],
        ["[1743] all is well", "[1743] and goes on"],
        [],
    ],
)
def test_what_is_no_prefix_stays(lines: list[str]) -> None:
    """Nothing that begins a line stands behind it, or it stands at the beginning already."""
    assert common_prefix(lines) is None


def test_a_host_is_told_by_what_stands_behind_its_name() -> None:
    """A frame, or the rank of who writes; no level is one, nor the key of a listing."""
    texts = [
        "a launcher without a prefix",
        "node-b: [rank8]: all is well",
        'gpuhost:   File "/app/a.py", line 3, in f',
        "error: [rank0]: as a compiler says it",
        "model: [llama, qwen]",
        "RuntimeError: [2]: sizes differ",
        'python: File "a.py", line 3',
    ]
    assert carriers(texts) == {"node-b", "gpuhost"}


@pytest.mark.parametrize("host", ["node-b", "gpuhost", "gpu-7"])
def test_lines_of_a_launcher_between_them_change_nothing(automaton: Automaton, host: str) -> None:
    """The failure of a host is found, and whose it is, though most lines have no prefix."""
    launcher = [f"a launcher says a thing of word {word}" for word in "abcdefgh"]
    raised = [
        f"{host}: Traceback (most recent call last):",
        f'{host}:   File "/app/a.py", line 3, in f',
        f"{host}:     idx = load(path)",
        f"{host}: LookupFailed: no such shard",
    ]
    result = scan_text(automaton, "\n".join([*launcher, *raised]))
    assert result.root
    assert (result.root.evidence[0].line, result.root.evidence[0].lane.host) == (12, host)
