"""A message that somebody broke into lines is the same message."""

import random

import pytest

from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

LONG, DRAWN, SHARE = 70, 600, 0.9
"""Characters of the examples that are broken, how many are drawn, and which share of them is
recognised still; what is not has its break inside of a name or before the word that begins an
error. Of all of them it is 93 %; a draw of 600 has a standard error of one point.
"""

STEPS = "loading the data\nstep 1 loss 0.5\n"


def ids(automaton: Automaton, text: str) -> set[str]:
    return {each.signature.id for each in scan_text(automaton, STEPS + text).diagnoses}


def broken(line: str, rng: random.Random) -> str | None:
    """The line with a new line for one of its inner blanks."""
    blanks = [i for i, char in enumerate(line) if char == " " and 25 < i < len(line) - 12]
    if not blanks:
        return None
    place = rng.choice(blanks)
    return f"{line[:place]}\n{line[place + 1 :]}\n"


@pytest.mark.parametrize("prefix", ["", "[rank0]: "])
def test_most_examples_survive_a_break(automaton: Automaton, prefix: str) -> None:
    rng = random.Random(7)
    lines = [
        (signature.id, example.text.strip())
        for signature in automaton.database.signatures
        for example in signature.examples
        if "\n" not in example.text.strip() and len(example.text) > LONG
    ]
    told = []
    for name, line in rng.sample(lines, DRAWN):
        text = broken(line, rng)
        if text and name in ids(automaton, f"{line}\n"):
            told.append(name in ids(automaton, prefix + text))
    assert len(told) > DRAWN * 2 // 3
    assert sum(told) >= SHARE * len(told)


WATCHDOG = (
    "[rank3]:[E1002 10:11:12.000000000 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught{}"
    "collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, NumelIn=1,{}"
    "NumelOut=1, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n"
)


@pytest.mark.parametrize("breaks", [(" ", "\n"), ("\n", " "), ("\n", "\n")])
def test_one_over_two_or_three_lines(automaton: Automaton, breaks: tuple[str, str]) -> None:
    assert "nccl-watchdog-timeout" in ids(automaton, WATCHDOG.format(*breaks))


BEGUN = "RuntimeError: Trying to create"


def test_an_exception_goes_on_below(automaton: Automaton) -> None:
    text = f"{BEGUN}\ntensor with negative dimension -1: [-1]\n"
    assert ids(automaton, text) == {"tensor-negative-dimension"}


@pytest.mark.parametrize(
    "below",
    [
        "2026-10-02 10:11:12,000 INFO data.py:7 tensor with negative dimension -1: [-1]",
        "(worker pid=7) tensor with negative dimension -1: [-1]",
    ],
)
def test_what_another_wrote_does_not_go_on(automaton: Automaton, below: str) -> None:
    assert ids(automaton, f"{BEGUN}\n{below}\n") == set()
