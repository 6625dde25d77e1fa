"""Formulas: what they say, what they refuse, and that units are kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.relations.formula import (
    Absent,
    FormulaError,
    Unfit,
    Unknown,
    evaluate,
    names_of,
    parse_formula,
)
from logdoctor.relations.units import unit_of
from logdoctor.settings.values import Value, value_of


def value(text: str, **names: Value) -> Value:
    def lookup(name: str) -> Value:
        if name == "hidden":
            raise Unknown(frozenset({name}))
        if name not in names:
            raise Absent(frozenset({name}))
        return names[name]

    return evaluate(parse_formula(text), lookup)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("7 // 2 + 7 % 2", 4),
        ("8 / 2", 4),
        ("1 / 4", 0.25),
        ("-3 + 5", 2),
        ("2560 % 48 == 0", False),
        ("max([1, 7, 3]) < 8", True),
        ("len([0, 1]) % 2 == 0", True),
        ("max(0, 5) == 5 and min(1, 2) == 1", True),
        ("ceil(7 / 2)", 4),
        ("'FSDP' == 'fsdp'", True),
        ("true == 1", False),
        ("1 == 1.0", True),
        ("none == 0", False),
        ("not 3 in [1, 2] and 3 not in [1, 2]", True),
        ("given(none)", False),
        ("degree('fsdp:d4t2', 'd')", 4),
        ("degree('megatron:(attn:d4p2t2|ffn:d2e4)')", 16),
        ("engine('sglang:d4p1t1')", "sglang"),
        ("default(nowhere, 1) * 3", 3),
    ],
)
def test_a_formula_has_its_value(text: str, expected: Value) -> None:
    """Numbers, texts without letter case, lists, allocations; kinds are never mixed."""
    assert (value(text), type(value(text))) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("2 +", 4, '"the end"; expected a name or a number'),
        ("a b", 3, '"b" is not expected here'),
        ("(a", 3, '"the end"; expected ")"'),
        ("a = b", 3, '"= b" is no part of a formula'),
        ("open('x')", 1, 'unknown function "open"'),
        ("a.__class__()", 1, 'unknown function "a.__class__"'),
        ("[a]", 2, "a list has numbers and texts only"),
        ("len(a, b)", 1, '"len" takes one value'),
        ("(" * 61 + "1" + ")" * 61, 62, "nested too deeply"),
        ("1 + " * 501, 2001, "longer than 2000 characters"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_column(text: str, column: int, what: str) -> None:
    """Nothing but what the grammar has; no call reaches Python."""
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert caught.value.column == column
    assert what in str(caught.value)


@given(st.text(alphabet="ab.()[]+-*/%<>=!,'@$ 019andornt", max_size=60))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    """Nothing else is ever raised while it is read."""
    with suppress(FormulaError):
        names_of(parse_formula(text))


def test_one_side_may_decide_where_the_other_is_unknown() -> None:
    """`and` with a false side, `or` with a true one; else it is said what is unknown."""
    assert value("hidden > 1 and 1 > 2") is False
    assert value("hidden > 1 or 2 > 1") is True
    with pytest.raises(Unknown) as caught:
        value("hidden > 1 and 2 > 1")
    assert caught.value.names == {"hidden"}


def test_a_default_of_the_program_stands_for_absence_only() -> None:
    """Where a value is hidden, nobody knows it."""
    with pytest.raises(Unknown):
        value("default(hidden, 1)")


@pytest.mark.parametrize("text", ["1 % 0", "'a' * 2", "none < 3", "true + 1", "max([])", "1 and 2"])
def test_what_does_not_fit_is_said_not_judged(text: str) -> None:
    """Neither true nor false."""
    with pytest.raises(Unfit):
        value(text)


UNITS: Mapping[str, str] = {"length": "tokens", "memory": "GiB", "cards": "GPUs"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("length + 1", "tokens"),
        ("length * cards", "number"),
        ("length % cards == 0", "truth"),
        ("max(length, 3) <= length", "truth"),
        ("engine(any) == 'fsdp'", "truth"),
    ],
)
def test_a_formula_has_a_unit(text: str, expected: str) -> None:
    """Sums keep it, products are plain numbers, plain numbers go with all."""
    assert unit_of(parse_formula(text), UNITS) == expected


@pytest.mark.parametrize(
    "text",
    ["length + memory", "length < cards", "min(memory, cards)", "length and memory", "'a' + 1"],
)
def test_unlike_things_are_not_added_or_compared(text: str) -> None:
    """Tokens are no GiB."""
    with pytest.raises(ValueError, match=r"between|of"):
        unit_of(parse_formula(text), UNITS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        ("1e3", 1000.0),
        ("1_024", 1024),
        ("None", None),
        ("null", None),
        ("True", True),
        ("'8'", "8"),
        ("8 # gpus", "8 # gpus"),
        ("[0, 1]", (0, 1)),
        ("list(range(0,4))", (0, 1, 2, 3)),
        ("list(range(0, 2)) + list(range(4,6))", (0, 1, 4, 5)),
        ("list(range(10**9))", "list(range(10**9))"),
        ("list(range(1000000000))", "list(range(1000000000))"),
        ("auto", "auto"),
    ],
)
def test_a_text_is_the_value_that_it_is_written_as(text: str, expected: Value) -> None:
    """Ranges are read, never evaluated, and only as long as devices are many."""
    assert value_of(text) == expected


@pytest.mark.parametrize(
    ("allocation", "gpus"),
    [
        ("sglang.d4m1p1+d4m1p1", 8),
        ("vllm.d4m2p1+d2m2p2", 16),
        ("d8", 8),
        ("sglang:d4t2p1+fsdp:d8p1t1", 16),
    ],
)
def test_the_gpus_of_an_allocation_are_added(allocation: str, gpus: int) -> None:
    """Sizes of a part are multiplied, parts added."""
    assert value("allocated(mode)", mode=allocation) == gpus


@pytest.mark.parametrize(
    "allocation", ["heuristic", "", "sglang.d4+", "actor_gen:d4,*:d2", None, 8]
)
def test_what_is_no_allocation_is_not_added(allocation: Value) -> None:
    """It cannot be judged."""
    with pytest.raises(Unfit):
        value("allocated(mode)", mode=allocation)
