"""Of a line of more than a kilobyte only what stands near its hits is compared, and nothing that
fits is lost.
"""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.patterns.regex_trees import LONGEST_KNOWN, longest_match
from logdoctor.patterns.templates import parse_template
from logdoctor.scanning.relevance import REMEMBERED_LENGTH, Screen
from logdoctor.search.automaton import Automaton
from logdoctor.search.traits import Need
from tests.readers import document, read_whole
from tests.thoroughness import drawn

WORDS = [
    "the",
    "answer",
    "is",
    "that",
    "a",
    "model",
    "of",
    "memory",
    "runs",
    "out",
    "when",
    "we",
    "try",
    "to",
    "load",
    "a",
    "file",
    "and",
    "the",
    "worker",
    "failed",
    "to",
    "connect",
    "error",
    "in",
    "process",
    "with",
    "value",
    "expected",
    "tensor",
    "size",
    "of",
    "device",
    "not",
    "found",
    "timeout",
    "waiting",
    "for",
    "rank",
    "group",
    "答案",
    "是",
    "内存",
    "import",
    "module",
    "batch",
    "must",
    "be",
    "divisible",
    "by",
]


@pytest.fixture(scope="module")
def sayings(automaton: Automaton) -> list[str]:
    """What is recognised, a line each."""
    return [
        line.strip()
        for signature in automaton.database.signatures
        for example in signature.examples
        for line in example.text.split("\n")[-1:]
        if 20 < len(line.strip()) < 400
    ]


def _prose(rng: random.Random, length: int) -> str:
    return " ".join(rng.choices(WORDS, k=length // 6))


def _long_line(rng: random.Random, sayings: list[str]) -> str:
    """Prose with something in it that is recognised, or nearly, at its start, in it or at its
    end; at times coloured as a whole, which leaves it a hit of its own.
    """
    said = rng.choice(sayings)
    if rng.random() < 0.3:
        place = rng.randrange(len(said))
        said = said[:place] + rng.choice("xyz") + said[place + 1 :]
    if rng.random() < 0.2:
        said = f"\x1b[31m{said}\x1b[0m"
    before, after = rng.choice([(0, 3000), (1500, 1500), (4000, 0), (9000, 200)])
    return " ".join([*[_prose(rng, before)] * bool(before), said, _prose(rng, after)]).strip()


@settings(deadline=None, max_examples=drawn(5))
@given(seed=st.integers(0, 2**32))
def test_what_stands_far_from_a_hit_makes_no_difference(
    automaton: Automaton, sayings: list[str], seed: int
) -> None:
    _read_alike(automaton, sayings, seed)


@pytest.mark.slow  # many times as many
@settings(deadline=None, max_examples=drawn(40))
@given(seed=st.integers(0, 2**32))
def test_in_many_lines_it_makes_none_either(
    automaton: Automaton, sayings: list[str], seed: int
) -> None:
    _read_alike(automaton, sayings, seed)


def _read_alike(automaton: Automaton, sayings: list[str], seed: int) -> None:
    rng = random.Random(seed)
    lines = [_long_line(rng, sayings) for _ in range(4)]
    data = "\n".join(["starting", *lines, "step 1", *sayings[:1], ""]).encode()
    told = document(read_whole(automaton, data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Need, "is_met_near", lambda self, line, _: self.is_met_by(line))
        assert document(read_whole(automaton, data)) == told


def test_prose_with_a_piece_of_a_template_is_not_read(automaton: Automaton) -> None:
    """Its grams stand in it, but not where the piece does."""
    template = next(
        part.template
        for signature in automaton.database.signatures
        for pattern in signature.patterns
        for part in pattern.parts
        if part.template and not parse_template(part.template).slots and len(part.template) > 60
    )
    prose = "lorem ipsum " * 200
    line = f"{prose}{template[:10]} {prose}{template[10:]} {prose}".encode()
    assert len(line) > REMEMBERED_LENGTH
    number = next(
        number
        for number in range(len(automaton.codes))
        for anchor in automaton.anchors_of(number)
        if automaton.traits[anchor.owner].line.text == template.lower()
    )
    screen = Screen(automaton)
    assert screen.worth_reading(line, (number,), [(len(line) - len(prose) + 6, number)], 7)
    assert not screen.worth_reading(line, (number,), [(len(prose) + 17, number)], 7)


@pytest.mark.parametrize(
    ("regex", "longest"),
    [
        ("ab?c", 3),
        (r"a\d{1,4}(?:bc|d)", 7),
        ("a.*b", math.inf),
        (r"\S+", math.inf),
        (rf"a{{1,{LONGEST_KNOWN}}}b", math.inf),
        ("a(?=.*b)", math.inf),
        ("a(?!b)", 1),
        ("(?<=b)a", math.inf),
        ("(?p)", math.inf),
    ],
)
def test_how_long_a_match_may_be(regex: str, longest: float) -> None:
    assert longest_match(regex) == longest


@pytest.mark.parametrize(
    ("template", "longest"),
    [
        ("out of memory now", 17 + 2),
        ("{n:int} bytes of {m:size} left", len(" bytes of  left") + 2 + 2 * 60),
        ("no file {path} here", math.inf),
        ("from {a:text} to", math.inf),
    ],
)
def test_how_long_the_text_of_a_template_may_be(template: str, longest: float) -> None:
    assert parse_template(template).longest == longest
