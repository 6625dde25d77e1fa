"""Templates and how texts are compared with them."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from logdoctor.patterns.alignment import Slot, SlotType
from logdoctor.patterns.templates import Comparison, Template, _in_common, parse_template
from logdoctor.search.background import Background
from logdoctor.search.pieces import choose_pieces, guaranteed_edits, required_literals

BACKGROUND = Background.load()
CHUNKS = "AssertionError: batch_size {batch_size:int} < chunks {chunks:int}"
LOOK_UP = "Failed to look up actor with name '{actor}'. This could because 1. You are trying to look up a named actor you didn't create."
TIMEOUT = "increase RAY_CGRAPH_get_timeout which is currently {seconds:int} seconds. Otherwise, this may indicate that the execution is hanging."
TEMPLATES = (CHUNKS, LOOK_UP, TIMEOUT, "assert self.lr_decay_steps > 0")


def test_a_template_is_literals_and_slots() -> None:
    """Literals keep the blanks that touch slots; the type is `word` where none is given."""
    assert parse_template("no {what} for {count:int} ranks").elements == (
        "no ",
        Slot("what", SlotType.WORD),
        " for ",
        Slot("count", SlotType.INT),
        " ranks",
    )


def test_doubled_braces_are_braces() -> None:
    """`{{` and `}}` stand for themselves."""
    assert parse_template("core proc(s): {{}} failed").elements == ("core proc(s): {} failed",)


def test_a_slot_may_stand_between_braces() -> None:
    """Read from the left."""
    assert parse_template('{{"error": {code:int}}}').elements == (
        '{"error": ',
        Slot("code", SlotType.INT),
        "}",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size {n:float} is wrong", 'unknown slot type "float"'),
        ("{n:int} and {n:int} differ", 'slot "n" is given twice'),
        ("a lone } brace", "a lone brace"),
        ("{n:int}", "needs literal text"),
        ("failed because of {reason:text}", "of type text stands at an end"),
    ],
)
def test_bad_templates_say_what_is_wrong(text: str, message: str) -> None:
    """Each mistake has its own message."""
    with pytest.raises(ValueError, match=message):
        parse_template(text)


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        (
            CHUNKS,
            "AssertionError: batch_size 32 < chunks 64",
            Comparison(0, {"batch_size": "32", "chunks": "64"}),
        ),
        (
            CHUNKS,
            "ASSERTIONERROR: BATCH_SIZE 1,024 < CHUNKS 2048",
            Comparison(0, {"batch_size": "1,024", "chunks": "2048"}),
        ),
        (
            CHUNKS,
            "x AssertionErrr: bath_size 32 < chunkz 64 y",
            Comparison(3, {"batch_size": "32", "chunks": "64"}),
        ),
        (CHUNKS, "AssertionError: batch_size 3x < chunks 64", Comparison(1, {"chunks": "64"})),
        (LOOK_UP, LOOK_UP.replace("{actor}", "explorer"), Comparison(0, {"actor": "explorer"})),
        (
            "GPU has {free:size} free and {total:size} in all",
            "GPU has 10.81 MiB free and 23.69 GiB in all",
            Comparison(0, {"free": "10.81 MiB", "total": "23.69 GiB"}),
        ),
        (
            "died {why:text} on node",
            "died of SIGKILL (9) on node",
            Comparison(0, {"why": "of SIGKILL (9)"}),
        ),
        ("loss is {loss:number} now", "loss is -1.5e-05 now", Comparison(0, {"loss": "-1.5e-05"})),
    ],
)
def test_comparison_counts_edits_and_captures(
    template: str, text: str, expected: Comparison
) -> None:
    """Damage is counted in characters; a damaged value is not captured."""
    assert parse_template(template).compare(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "only support equal chunk. Got size of DataProto 512 and chunk 6.",
        "batch_size",
        "",
        "assert batch_size > 0",
    ],
)
def test_other_texts_do_not_compare(text: str) -> None:
    """What differs in more than the allowance is no match."""
    assert parse_template(CHUNKS).compare(text) is None


def test_short_templates_match_exactly_only() -> None:
    """Below twelve literal characters nothing may differ."""
    template = parse_template("KeyError: {n:int}")
    assert (template.compare("KeyError: 1"), template.compare("KeyErrr: 1")) == (
        Comparison(0, {"n": "1"}),
        None,
    )


def mutate(text: str, edits: int, random_source: random.Random) -> str:
    """The text after so many random insertions, deletions and replacements of characters."""
    characters = list(text)
    for _ in range(edits):
        position, operation = random_source.randrange(len(characters)), random_source.random()
        if operation < 0.5:
            characters[position] = random_source.choice("abcdefghijklmnopqrstuvwxyz_ 0123456789")
        elif operation < 0.75 and len(characters) > 1:
            del characters[position]
        else:
            characters.insert(position, random_source.choice("abcdefghijklmnopqrstuvwxyz_ "))
    return "".join(characters)


@given(st.sampled_from(TEMPLATES), st.integers(), st.text(max_size=60), st.text(max_size=60))
def test_anything_within_the_guarantee_keeps_a_piece(
    source: str, seed: int, before: str, after: str
) -> None:
    """A text with as many damaged characters as guaranteed still holds one of the pieces."""
    template = parse_template(source)
    filled = "".join("12" if isinstance(each, Slot) else each for each in template.elements)
    damaged = (
        before + mutate(filled, guaranteed_edits(template, BACKGROUND), random.Random(seed)) + after
    )
    assert any(piece in damaged.lower() for piece in choose_pieces(template, BACKGROUND))


@given(
    st.sampled_from(TEMPLATES),
    st.integers(),
    st.text(alphabet="abc ", max_size=300),
    st.text(alphabet="abc ", max_size=300),
)
def test_anything_within_the_allowance_compares(
    source: str, seed: int, before: str, after: str
) -> None:
    """A text with as many damaged characters as allowed is accepted, with no more edits than were made."""
    template = parse_template(source)
    filled = "".join("12" if isinstance(each, Slot) else each for each in template.elements)
    comparison = template.compare(
        before + " " + mutate(filled, template.allowance, random.Random(seed)) + " " + after
    )
    assert comparison is not None
    assert comparison.edits <= template.allowance


def distance(template: Template, text: str) -> int:
    """The least number of edits, by the textbook, for templates without slots."""
    literal = "".join(template.literals)
    row = [0] * (len(text) + 1)
    for character in literal:
        above, row = row, [row[0] + 1]
        for column, other in enumerate(text):
            row.append(
                min(above[column] + (character != other), above[column + 1] + 1, row[column] + 1)
            )
    return min(row)


@given(st.text(alphabet="aserl_dcyp>0 .t", max_size=80))
def test_comparison_finds_the_least_edits(text: str) -> None:
    """For a template without slots it is the semi-global edit distance."""
    template = parse_template("assert self.lr_decay_steps > 0")
    best = distance(template, text)
    comparison = template.compare(text)
    assert (comparison.edits if comparison else None) == (
        best if best <= template.allowance else None
    )


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"batch_size (?P<n>\d+) < chunks (?P<m>\d+)", (" < chunks",)),
        (r"(?:CUDA|HIP) out of memory\. Tried", (" out of memory. tried",)),
        (r"Connection (?:reset by peer|closed by host)", ("closed by host", "reset by peer")),
        (r"Connection (?:reset|closed)", ("connection ",)),
        (r"(?:error )?timeout[^x]*", ("timeout",)),
        (r"\d+ of \d+", ()),
    ],
)
def test_required_literals_stand_in_every_match(pattern: str, literals: tuple[str, ...]) -> None:
    """They are taken from what cannot be left out."""
    assert required_literals(pattern, BACKGROUND) == literals


OUT_OF_MEMORY = parse_template(
    "CUDA out of memory. Tried to allocate {size:size}. GPU {gpu:int} has a total capacity of {total:size}"
)


@pytest.mark.parametrize(
    ("text", "cut_off"),
    [
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a tot",
            15,
        ),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a...",
            19,
        ),
    ],
)
def test_a_message_may_be_cut_off(text: str, cut_off: int) -> None:
    """In a word, or where dots say so."""
    found = OUT_OF_MEMORY.compare(text)
    assert found is not None
    assert (found.edits, found.cut_off, dict(found.captures)) == (
        0,
        cut_off,
        {"size": "2.00 GiB", "gpu": "0"},
    )


@pytest.mark.parametrize(
    "text",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has",  # the end of a word may be the end of the message
        "CUDA out of memory. Tried",
        "Tried to allocate 2.00 GiB. GPU 0 has a tot",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a tot and goes on",
    ],
)
def test_a_beginning_is_no_message_that_was_cut_off(text: str) -> None:
    """Unless it is long, and evidently cut."""
    assert OUT_OF_MEMORY.compare(text) is None


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_a_long_text_compares_as_if_each_window_was_looked_at(seed: int) -> None:
    """Windows that are compared together first, and grams that stand apart, make no difference."""
    rng = random.Random(seed)
    name = rng.choice(TEMPLATES)
    words = [*re.findall(r"\w+", " ".join(TEMPLATES)), "step", "loss", "the", "12"]
    said = list(re.sub(r"\{.*?\}", "7", name))
    for _ in range(rng.randrange(len(said) // 6)):
        said[rng.randrange(len(said))] = rng.choice("abxy 7")
    before, after = (" ".join(rng.choices(words, k=rng.randrange(400))) for _ in range(2))
    text = f"{before} {''.join(said)} {after}"[-rng.randrange(200, 4000) :]
    found = parse_template(name).compare(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logdoctor.patterns.templates.WINDOWS_TOGETHER", 1)
        patch.setattr("logdoctor.patterns.templates._Stretch._stand_together", lambda *_: True)
        assert parse_template(name).compare(text) == found


@given(st.text("abc ", max_size=70), st.text("abc ", max_size=90))
def test_what_two_texts_have_in_common_is_their_longest_common_subsequence(
    one: str, other: str
) -> None:
    """As rapidfuzz counts it."""
    assert _in_common(one, other, 0) == LCSseq.similarity(one, other)
