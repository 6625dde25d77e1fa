"""Two errors close together are both told, by every reader alike.

Any examples of the database, with nothing, a plain line, a stamped line or a blank line between
them, by one writer or several: each that is recognised alone is in the document.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from random import Random

import pytest

from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.readers import read_each_way
from tests.thoroughness import drawn as so_many

GAPS = {
    "nothing": "",
    "plain": "all is well\n",
    "stamped": "2025-01-02 03:04:05,678 INFO all is well\n",
    "blank": "\n",
}


def ids(automaton: Automaton, text: str) -> set[str]:
    return {each.signature.id for each in scan_text(automaton, text).diagnoses}


def drawn(automaton: Automaton, rng: Random, number: int, gap: str) -> list[tuple[str, str]]:
    """Signatures, each with an example that is recognised as it alone, with the gap below it."""
    signatures = [each for each in automaton.database.signatures if each.examples]
    found: list[tuple[str, str]] = []
    while len(found) < number:
        signature = rng.choice(signatures)
        text = rng.choice(signature.examples).text.rstrip("\n") + "\n"
        alone = ids(automaton, text + GAPS[gap])
        is_open = text.rstrip().endswith("(most recent call last):")  # what follows is its rest
        if alone == {signature.id} and signature.id not in dict(found) and not is_open:
            found.append((signature.id, text))
    return found


def missing(automaton: Automaton, chosen: list[tuple[str, str]], text: str) -> set[str]:
    """Those of which nothing is told: neither as what they are alone, nor, where what else stands
    there decides otherwise (a framework that the other names), as anything at their lines.
    """
    result = scan_text(automaton, text)
    named = {each.signature.id for each in result.diagnoses}
    lines = {
        number
        for finding in result.findings
        for each in finding.evidence
        for number in range(each.line, each.end_line + 1)
    }
    untold, own = set(), text.splitlines()
    for name, example in chosen:
        rows = set(example.splitlines())
        at = {number for number, line in enumerate(own, 1) if line in rows}
        if name not in named and not at & lines:
            untold.add(name)
    return untold


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("number", [2, 3, 10])
def test_errors_close_together_are_all_told(automaton: Automaton, number: int, gap: str) -> None:
    """Sixty groups of two, forty of three, twelve of ten, each drawn from a fixed seed; where it is
    to be quick the first quarter of them.
    """
    rng = Random(f"{number} {gap}")
    for _ in range(so_many(120 // number)):
        chosen = drawn(automaton, rng, number, gap)
        text = GAPS[gap].join(each for _, each in chosen)
        assert not missing(automaton, chosen, text), text


@pytest.mark.parametrize("gap", GAPS)
def test_every_reader_tells_the_same_of_them(automaton: Automaton, gap: str) -> None:
    """The whole document: root and order too, live with pauses anywhere, and in sections."""
    rng = Random(gap)
    for _ in range(so_many(12)):
        read_each_way(automaton, GAPS[gap].join(each for _, each in drawn(automaton, rng, 3, gap)))


def test_those_of_two_writers_whose_lines_mingle_are_told(automaton: Automaton) -> None:
    """Line by line in turns, as Ray's driver prints what its workers say."""
    rng = Random(5)
    for _ in range(so_many(60)):
        chosen = [
            (name, "".join(f"(Worker pid={pid}) {line}\n" for line in text.splitlines()))
            for pid, (name, text) in enumerate(drawn(automaton, rng, 2, "nothing"))
        ]
        if any(missing(automaton, [each], each[1]) for each in chosen):
            continue
        lines = (text.splitlines(keepends=True) for _, text in chosen)
        text = "".join(filter(None, chain.from_iterable(zip_longest(*lines))))
        assert not missing(automaton, chosen, text), text


FAULT = (
    "Memory access fault by GPU node-5 (Agent handle: 0x460e3a50) on address 0x7ec4dfe0e000. "
    "Reason: Write access to a read-only page.\n"
)
BACKEND = "[rank0]: RuntimeError: Qwen2.5-VL does not support _Backend.FLASHINFER backend now.\n"


@pytest.mark.parametrize("between", GAPS.values())
@pytest.mark.parametrize("first", [FAULT, BACKEND])
def test_a_fault_below_an_exception_is_told_beside_it(
    automaton: Automaton, first: str, between: str
) -> None:
    """In either order, whole or live."""
    second = BACKEND if first is FAULT else FAULT
    found = read_each_way(automaton, first + between + second + between)
    assert {each.signature.id for each in found.diagnoses} == {
        "hip-memory-access-fault",
        "vllm-attention-backend-invalid",
    }


def test_an_exception_without_a_message_ends_with_its_line(automaton: Automaton) -> None:
    """What stands below it is no part of it."""
    text = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\n    check()\nAssertionError\nall is well\n'
    )
    (error,) = scan_text(automaton, text).unknown_errors
    assert error.evidence[0].end_line == 4
