"""What is known about healthy text, and the pieces that are chosen by it."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from subprocess import CompletedProcess

import pytest

from logdoctor.checks.proofs import template_reports
from logdoctor.model import AnchorKind, Part, Where
from logdoctor.patterns.alignment import Slot
from logdoctor.patterns.templates import Template, parse_template
from logdoctor.search.automaton import Automaton
from logdoctor.search.background import RAREST, STEPS, Background
from logdoctor.search.pieces import (
    FOUND_BY,
    GOOD_PIECES,
    LEAST_PIECE,
    TOO_COMMON,
    choose_pieces,
    desired_edits,
    guaranteed_edits,
    required_literals,
)

CELLS = 1 << 16


@pytest.fixture(scope="module")
def background() -> Background:
    return Background.load()


def table(**levels: int) -> Background:
    """A table that knows these texts only; `_` stands for a blank."""
    cells = bytearray(CELLS)
    for name, level in levels.items():
        cells[zlib.crc32(name.replace("_", " ").encode()) % CELLS] = level
    return Background(bytes(cells))


Chosen = Sequence[tuple[Template, tuple[str, ...]]]


@pytest.fixture(scope="module")
def chosen(automaton: Automaton, background: Background) -> Chosen:
    """All templates of the database with their pieces."""
    texts = (automaton.part(number).template for number in automaton.parts)
    templates = (parse_template(text) for text in texts if text)
    return [(each, choose_pieces(each, background)) for each in templates]


def test_a_level_is_a_rate() -> None:
    """Level 1 is the rarest, each STEPS levels are a doubling; a text of 5 is no more frequent than its halves."""
    known = table(loss=1 + 4 * STEPS, oss_=1 + 5 * STEPS, loss_=1 + 3 * STEPS)
    assert (
        known.expected_hits("loss"),
        known.expected_hits("LOSS "),
        known.expected_hits("oss "),
    ) == (16 * RAREST, 8 * RAREST, 32 * RAREST)


def test_an_unknown_text_is_rarer_than_any_known() -> None:
    """But never impossible; too short a text is everywhere."""
    known = table()
    assert (known.expected_hits("zqzq"), known.expected_hits("of ")) == (RAREST / 3, 1e6)


def test_a_longer_text_is_reckoned_from_its_parts() -> None:
    """ "abcdef" is as frequent as "abcde", times the share of "bcde" that goes on with "f"."""
    known = table(abcd=21, bcde=21, cdef=21, abcde=17, bcdef=13)
    assert known.expected_hits("abcdef") == pytest.approx(
        RAREST * 2 ** (16 / STEPS) * 2 ** (-8 / STEPS)
    )


def test_a_counted_longer_text_overrules_its_parts() -> None:
    """A text of 6 that is in the table is at least that frequent, however rarely its beginning goes on so."""
    known = table(abcd=25, bcde=25, cdef=25, abcde=17, bcdef=17, abcdef=15)
    assert known.expected_hits("abcdef") == RAREST * 2 ** (14 / STEPS)


def test_no_text_is_more_frequent_than_its_parts() -> None:
    """Though the table says so, because another text has the same cell."""
    known = table(abcd=25, bcde=25, cdef=25, abcde=7, bcdef=5, abcdef=21)
    assert known.expected_hits("abcdef") == RAREST * 2 ** (4 / STEPS)


def test_a_part_of_a_text_has_the_rate_it_has_alone(background: Background) -> None:
    """Rates of all parts at once are those of each."""
    text = "failed to load: no such file"
    rates = background.rates(text, 12)
    assert [rates[length][start] for length in (5, 8, 12) for start in (0, 7, 16)] == pytest.approx(
        [
            background.expected_hits(text[start : start + length])
            for length in (5, 8, 12)
            for start in (0, 7, 16)
        ]
    )


@pytest.mark.parametrize(
    ("common", "rare"),
    [
        ("return ", "cudnn_s"),
        ("number of ", "numel mis"),
        (" for the ", " nccl abo"),
        ("import ", "lr_deca"),
        ("tokens/s", "unpickla"),
    ],
)
def test_the_shipped_table_knows_what_is_common(
    background: Background, common: str, rare: str
) -> None:
    """What logs and sources are full of has more hits than what they hardly hold, and more than any piece may have."""
    assert background.expected_hits(common) > TOO_COMMON > background.expected_hits(rare)


def test_other_scripts_have_a_rate(background: Background) -> None:
    """What the table cannot know is rare."""
    assert 0 < background.expected_hits("显存不足错误") < TOO_COMMON


def test_a_table_survives_its_file() -> None:
    """What is written is what is read."""
    known = table(loss=9)
    assert Background.from_bytes(known.to_bytes()) == known


@pytest.mark.parametrize(
    "raw", [b"", b"LDBG1\nxx", b"LDBG1\n" + zlib.compress(b"abc"), b"LDBG1\n" + zlib.compress(b"")]
)
def test_a_damaged_table_is_refused(raw: bytes) -> None:
    """It is told, not guessed around."""
    with pytest.raises(ValueError, match="background table"):
        Background.from_bytes(raw)


def test_pieces_hold_no_digits(chosen: Chosen) -> None:
    """Lines that differ in digits only have the same pieces."""
    assert [piece for _, pieces in chosen for piece in pieces if any(map(str.isdigit, piece))] == []


def test_digits_stay_where_a_template_has_nothing_else(background: Background) -> None:
    """Better a piece with digits than none."""
    (piece,) = choose_pieces(parse_template("{a} xi 31 mm 7 {b}"), background)
    assert piece in " xi 31 mm 7 "
    assert len(piece) >= LEAST_PIECE


def test_pieces_are_disjoint_parts_of_the_literals_in_order(chosen: Chosen) -> None:
    """Each begins behind the end of the one before."""
    for template, pieces in chosen:
        rest = "\n".join(template.literals)
        for piece in pieces:
            assert piece in rest, template.elements
            rest = rest.split(piece, 1)[1]


def test_several_pieces_are_long_and_rare(chosen: Chosen, background: Background) -> None:
    """Shorter or more common ones stand alone only, where a template has nothing better."""
    for _, pieces in chosen:
        assert len(pieces) == 1 or min(map(len, pieces)) >= min(GOOD_PIECES)
        assert len(pieces) == 1 or max(map(background.expected_hits, pieces)) <= TOO_COMMON


def test_common_words_lower_the_guarantee(background: Background) -> None:
    """Not a piece more than there are good ones for."""
    template = parse_template(
        "return {a} return {b} import {c} lr_decay unpicklable {d} return {e} the {f} import {g} return"
    )
    assert (desired_edits(template), guaranteed_edits(template, background)) == (5, 2)


def test_short_templates_guarantee_nothing(background: Background) -> None:
    """They are never matched fuzzily."""
    assert guaranteed_edits(parse_template("pg nan {a}"), background) == 0


def test_any_text_within_the_guarantee_keeps_a_piece(chosen: Chosen) -> None:
    """Thousands of damaged texts of all templates of the database."""
    source = random.Random(7)
    lost = []
    for template, pieces in chosen:
        filled = "".join(
            "31" if isinstance(each, Slot) else each for each in template.elements
        ).lower()
        for _ in range(40):
            text = damaged(filled, len(pieces) - 1, source)
            if not any(piece in text for piece in pieces):
                lost.append(text)
    assert lost == []


def damaged(text: str, edits: int, source: random.Random) -> str:
    """The text with that many characters replaced, left out or put in; half of the time close together."""
    characters = list(text)
    centre, reach = source.randrange(len(text)), source.choice((len(text), 2 * edits + 1))
    for _ in range(edits):
        position = min(len(characters) - 1, max(0, centre + source.randint(-reach, reach)))
        characters[position : position + source.randrange(2)] = source.choice(
            ("", "x", "7", " ", "\u00e9")
        )
    return "".join(characters)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"self\.node2pg\[node_rank\]", ("pg[node_rank]",)),
        (r"error 12345 \d+", ("error ",)),
        (r"0x10de:\w+", ("0x10de:",)),
        (r"return (?P<n>\d+) unpicklable", (" unpicklable",)),
        (r"zeqpd/(?P<area>runtime|moe)/", ("zeqpd/moe", "zeqpd/runti")),
        (r"(?P<n>\d+) of (?:zeqpds|quxels)", ("quxels", "zeqpds")),
        (r"(?=zeqpd/\w+)\w+", ("zeqpd/",)),
        (r"(?<=zeqpd/)\w+", ("zeqpd/",)),
        (r"(?!zeqpd/)\w+", ()),
    ],
)
def test_required_literals_are_rare_and_without_digits(
    pattern: str, literals: tuple[str, ...], background: Background
) -> None:
    """With digits only where nothing else stands; they go on into branches, not over a blank, and what is looked for around a match counts."""
    assert required_literals(pattern, background) == literals


def test_a_literal_ends_where_little_ends(background: Background) -> None:
    """Logs are full of iterations, which Hyperscan would find first."""
    (literal,) = required_literals("raised during iteration", background)
    assert background.expected_hits("teration") > 100 * background.expected_hits(
        literal[-FOUND_BY:]
    )
    assert "raised during iteration".startswith(literal)


def test_reports_tell_the_costliest_piece_first(automaton: Automaton) -> None:
    """And what the guarantee would be."""
    for report in template_reports(automaton):
        costs = [hits for _, hits in report.pieces]
        assert (report.edits, costs) == (len(costs) - 1, sorted(costs, reverse=True))


@pytest.mark.slow  # the proof of the whole database
def test_check_tells_how_each_template_is_searched(
    run_cli: Callable[..., CompletedProcess[bytes]],
) -> None:
    """With --verbose: its guaranteed edits, each piece with its expected hits."""
    report = run_cli("signatures", "check", "--verbose").stdout.decode()
    assert " edits guaranteed" in report
    assert " hits/MB\n" in report


def test_least_piece_is_what_the_table_knows(background: Background) -> None:
    """Every length of a piece has a rate."""
    assert background.expected_hits("e" * LEAST_PIECE) < 1e6


def test_literals_of_a_frame_stand_on_one_of_its_lines(background: Background) -> None:
    """Its text is that of two lines, with a blank between."""
    pattern = r"in cli_main file_path = importlib\.util\.find_spec"
    assert any(" " in literal for literal in required_literals(pattern, background))
    assert not any(
        " " in literal for literal in required_literals(pattern, background, is_frame=True)
    )


def test_of_a_pattern_with_several_parts_one_is_searched(
    automaton: Automaton, background: Background
) -> None:
    """All of them only where none has a literal: where one is missing, the others prove nothing."""
    owners = {
        anchor.owner
        for number in range(len(automaton.codes))
        for anchor in automaton.anchors_of(number)
        if anchor.kind in (AnchorKind.TEMPLATE, AnchorKind.REGEX)
    }
    searched: dict[tuple[int, int], list[Part]] = {}
    for owner in owners:
        number = automaton.parts[owner]
        searched.setdefault((number.signature, number.pattern), []).append(automaton.part(number))
    several = [parts for parts in searched.values() if len(parts) > 1]
    assert [
        part.regex
        for parts in several
        for part in parts
        if required_literals(part.regex or "", background, part.where is Where.FRAME)
    ] == []
    assert len(searched) == sum(
        len(signature.patterns) for signature in automaton.database.signatures
    )
