"""A traceback says the same without its header, its indentation or its last line, as far as what is
left of it tells.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logdoctor.document.document import document
from logdoctor.formats.message_shapes import Raised, raised_in
from logdoctor.model import Language, ScanResult
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.readers import document as whole_document
from tests.readers import read_in_sections, read_live, read_whole
from tests.thoroughness import drawn

HEADER = "Traceback (most recent call last):"
CODE = (
    "go(x)",
    "main()",
    "self.engine.go(x)",
    "self.engine.state",
    "y = next(it)",
    "return parse(",
    "if args.only:",
    "raise",
    "with lock:",
    'score = batch["advantages"]',
)
EXCEPTIONS = (
    "StopIteration",
    "AssertionError",
    "queue.Empty",
    "oddlib.OddShardError",
    "oddlib.OddShardError: shard 7 is odd",
    "KeyError: 'advantages'",
    "RuntimeError: FlashAttention only support fp16 and bf16 data type",
)
PREFIXES = ("", "[rank0]: ", "(Worker pid=711, ip=10.0.0.4) ", "2: ", "trainer-1  | ")
CODES = st.lists(st.sampled_from(CODE), min_size=1, max_size=4)
KNOWN = "FlashAttention only support fp16 and bf16 data type"


class Torn(NamedTuple):
    """What is left of a traceback, and what stands around its lines."""

    prefix: str
    has_header: bool
    is_indented: bool
    has_blanks: bool = False

    def text(self, lines: list[str]) -> str:
        """A log in which a run has begun and prints them."""
        left = [HEADER] * self.has_header + [x if self.is_indented else x.strip() for x in lines]
        below = "\n\n" if self.has_blanks else "\n"
        return "loading\nstep 3\n" + "".join(f"{self.prefix}{line}{below}" for line in left)


TORN = st.builds(Torn, st.sampled_from(PREFIXES), *[st.booleans()] * 3)
WHOLE = Torn("", has_header=True, is_indented=True)


def frames(codes: list[str]) -> list[str]:
    """A traceback's frames, outermost first, each with its source line."""
    return [
        line
        for i, code in enumerate(codes)
        for line in (f'  File "/app/part{i}.py", line {i + 3}, in work', f"    {code}")
    ]


def scanned(automaton: Automaton, lines: list[str]) -> ScanResult:
    return scan_text(automaton, WHOLE._replace(has_header=False).text(lines))


def titles(result: ScanResult) -> list[str]:
    return [each.title for each in result.unknown_errors]


def said(automaton: Automaton, text: str) -> object:
    """All that does not depend on where the lines stand."""
    found = document(scan_text(automaton, text), Language.EN, "0")
    return [
        *([row[key] for key in ("signature_id", "cause")] for row in found["diagnoses"]),
        *([row[key] for key in ("title", "next_steps")] for row in found["unknown_errors"]),
    ]


@settings(max_examples=drawn(150), deadline=None)
@given(CODES, st.sampled_from(EXCEPTIONS), TORN)
@example(["go(x)", "y = next(it)"], "StopIteration", Torn("[rank0]: ", False, False, True))
@example(["raise", "go(x)"], "AssertionError", Torn("", True, False))
def test_without_header_and_indentation_it_says_the_same(
    automaton: Automaton, codes: list[str], exception: str, torn: Torn
) -> None:
    whole = [*frames(codes), exception]
    told = said(automaton, torn.text(whole))
    assert told
    assert told == said(automaton, WHOLE.text(whole))


@pytest.mark.parametrize("code", ["    other,", ")", "x for x in rows"])
def test_a_frame_below_shows_that_the_line_above_it_was_code(
    automaton: Automaton, code: str
) -> None:
    """Python 3.13 prints all lines of a call."""
    lines = [line.strip() for line in frames(["go(", "y = next(it)"])]
    torn = [HEADER, *lines[:2], code.strip(), *lines[2:], "StopIteration"]
    assert titles(scanned(automaton, torn)) == ["StopIteration: `y = next(it)`"]


def test_an_exception_above_a_frame_stays_one(automaton: Automaton) -> None:
    """The next traceback may have lost its header."""
    lines = [line.strip() for line in frames(["go(x)"])]
    both = [HEADER, *lines, "ValueError: odd", *lines, "StopIteration"]
    assert sorted(titles(scanned(automaton, both))) == ["StopIteration: `go(x)`", "ValueError: odd"]


@pytest.mark.parametrize("below", ["step 4 loss 0.3", "", "saved to /data/x"])
def test_frames_alone_are_no_error(automaton: Automaton, below: str) -> None:
    assert scanned(automaton, [*frames(["go(x)", "wait(y)"]), below]).answer is None


MESSAGES = (
    ('raise ValueError("the batch is too wide")', "ValueError: the batch is too wide"),
    ("raise odd.OddShardError('rows') from None", "OddShardError: rows"),
    (f'raise RuntimeError("{KNOWN}")', f"RuntimeError: {KNOWN}"),
    ('raise ValueError(f"the batch is {wide}")', "ValueError: the batch is …"),
    ("raise ValueError(name)", "ValueError"),
)


@settings(max_examples=drawn(100), deadline=None)
@given(CODES, st.sampled_from(MESSAGES), TORN)
def test_without_its_last_line_the_line_of_code_says_what_was_raised(
    automaton: Automaton, codes: list[str], message: tuple[str, str], torn: Torn
) -> None:
    """The same as its last line would say as far as that is written out, also to signatures."""
    code, expected = message
    cut = frames([*codes, code])
    told, printed = (
        scan_text(automaton, text) for text in (torn.text(cut), WHOLE.text([*cut, expected]))
    )
    assert [each.signature.id for each in told.diagnoses] == [
        each.signature.id for each in printed.diagnoses
    ]
    assert titles(told) == titles(printed)


@settings(max_examples=drawn(40), deadline=None)
@given(CODES, st.sampled_from(MESSAGES), TORN)
def test_where_the_run_goes_on_below_it_has_recovered(
    automaton: Automaton, codes: list[str], message: tuple[str, str], torn: Torn
) -> None:
    steps = "".join(f"{torn.prefix}step {n} loss 0.{n}\n" for n in range(4, 24))
    result = scan_text(automaton, torn.text(frames([*codes, message[0]])) + steps)
    assert result.root is None
    verdicts = [each.verdict for each in result.diagnoses]
    verdicts += [each.verdict for each in result.unknown_errors]
    assert [each.value for each in verdicts] == ["recovered"]


def test_a_signature_knows_what_only_the_line_of_code_says(automaton: Automaton) -> None:
    cut = frames([f'raise RuntimeError("{KNOWN}")'])
    (known,) = scanned(automaton, [*cut, f"RuntimeError: {KNOWN}"]).diagnoses
    (found,) = scanned(automaton, cut).diagnoses
    assert found.signature.id == known.signature.id


@pytest.mark.parametrize(
    "last", ["ValueError: the batch is 7 wide", "oddlib.Odd: shard 7", "alueError: the batch"]
)
def test_where_its_last_line_follows_that_is_what_it_says(automaton: Automaton, last: str) -> None:
    lines = [HEADER, *frames(['raise ValueError("the batch")']), last]
    assert titles(scanned(automaton, lines)) == [last]


@pytest.mark.parametrize("code", ["raise error", "go(x)", "raise SystemExit(main())"])
def test_where_the_line_of_code_names_nothing_it_says_nothing(
    automaton: Automaton, code: str
) -> None:
    assert scanned(automaton, frames([code])).answer is None
    (title,) = titles(scanned(automaton, [HEADER, *frames([code])]))
    assert "in work" in title


@pytest.mark.parametrize(
    ("code", "is_told"),
    [('raise ValueError("too wide")', False), ("raise ValueError(wide)", True)],
)
def test_that_the_log_ends_within_it_is_told_where_something_is_missing(
    automaton: Automaton, code: str, is_told: bool
) -> None:
    result = scanned(automaton, [HEADER, *frames([code])])
    assert any("ends within" in each.en for each in result.not_seen) == is_told


@pytest.mark.parametrize(
    ("code", "raised"),
    [
        ('raise ValueError("a b")', Raised("ValueError", "a b", True)),
        ("raise x.OddError('it\\'s') from e", Raised("OddError", "it's", True)),
        ('raise ValueError("{a} of %s")  # odd', Raised("ValueError", "{a} of %s", True)),
        ('raise ValueError(f"all")', Raised("ValueError", "all", True)),
        ('raise ValueError(f"a {b} c")', Raised("ValueError", "a", False)),
        ('raise ValueError("a %s c" % b)', Raised("ValueError", "a", False)),
        ('raise ValueError("a {} c".format(b))', Raised("ValueError", "a", False)),
        ('raise ValueError("a " + b)', Raised("ValueError", "a", False)),
        ('raise ValueError("a " f"{b}")', Raised("ValueError", "a", False)),
        ('raise ValueError("what was cut o', Raised("ValueError", "what was cut o", False)),
        ('raise ValueError("a", b)', Raised("ValueError", "", False)),
        ("raise ValueError(", Raised("ValueError", "", False)),
        ("raise ValueError", Raised("ValueError", "", False)),
        ("raise error", None),
        ("raise ValueError.of(x)", None),
        ("raise SystemExit(1)", None),
        ("return ValueError('a')", None),
    ],
)
def test_what_a_line_of_code_raises(code: str, raised: Raised | None) -> None:
    assert raised_in(code) == raised


@settings(deadline=None, max_examples=drawn(40))
@given(
    CODES,
    st.sampled_from([*EXCEPTIONS, *(code for code, _ in MESSAGES)]),
    TORN,
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_pieces_and_pauses_make_no_difference(  # noqa: PLR0917  # one for each thing drawn
    automaton: Automaton,
    codes: list[str],
    last: str,
    torn: Torn,
    goes_on: bool,
    rng: random.Random,
) -> None:
    whole = frames([*codes, last]) if last.startswith("raise ") else [*frames(codes), last]
    data = (torn.text(whole) + "a healthy line\n" * (30 * goes_on)).encode()
    told = whole_document(read_whole(automaton, data))
    assert whole_document(read_live(automaton, data, rng)) == told
    assert whole_document(read_in_sections(automaton, data)) == told


@pytest.mark.parametrize("scraps", [["..."], ["self.config.update(self.args.x)"], ["<cut>", "  x"]])
def test_scraps_below_a_header_hide_no_exception(automaton: Automaton, scraps: list[str]) -> None:
    lines = [HEADER, *scraps, "RuntimeError: the shard 7 is odd"]
    assert titles(scanned(automaton, lines)) == ["RuntimeError: the shard 7 is odd"]
