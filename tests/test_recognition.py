"""Events that repeat one another: what is remembered of them makes no difference to what is told."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.events import line_reader
from logdoctor.formats import message_shapes, prefixes
from logdoctor.formats.prefix_rows import PREFIX_ROWS
from logdoctor.formats.rows import Prefix
from logdoctor.matching import matcher
from logdoctor.matching.event_texts import EventTexts
from logdoctor.model import LogEvent, LogLine, Part, ScanResult, Where
from logdoctor.patterns.digits import Blurred, has_digits
from logdoctor.patterns.templates import parse_template
from logdoctor.pipeline import examination
from logdoctor.pipeline.scan import scan_text
from logdoctor.pipeline.scan import scan_text as scan_once
from logdoctor.search.automaton import Automaton
from logdoctor.texts import masking
from logdoctor.texts.digits import without_digits
from logdoctor.texts.masking import comparable, folded
from tests.readers import read_each_way
from tests.thoroughness import drawn

FRAMES = """\
Traceback (most recent call last):
  File "/app/train.py", line ###, in <module>
    main()
  File "/app/roll/distributed/scheduler/protocol.py", line 8##, in train_step
"""
INCIDENTS = (
    FRAMES + "    assert len(self) >= chunks\nAssertionError: batch_size ## < chunks 9#",
    FRAMES + "    assert self.lr_decay_steps > 0\nAssertionError",
    FRAMES + "    assert self.lr_decay_steps > #\nAssertionError: step ###",
    FRAMES + "    open(path)\nOSError: [Errno ##] No space left on device: '/data/rank#/x'",
    FRAMES + "    open(path)\nPermissionError: [Errno 1#] Permission denied: '/data/#'",
    FRAMES
    + "    self.load()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate #.## GiB. GPU # has a total capacity of ##.## GiB",
    FRAMES + "    sock.connect(sa)\nConnectionRefusedError: [Errno 11#] Connection refused",
    FRAMES
    + "    raise ConnectionError(e, request=request)\nrequests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.#', port=4##): Max retries"
    " exceeded with url: /generate (Caused by NewConnectionError('Failed to establish a new connection: [Errno 11#] Connection refused'))",
    FRAMES + "    self.table[key]\nreward.table.LookupTableError: no row #### in shard 0x#f",
    "ValueError: bad shape ## of rank # [repeated #x across cluster]",
    "[E321 02:07:0#.4082712## ProcessGroupNCCL.cpp:607] [Rank #] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=##, OpType=ALLREDUCE)",
    "slurmstepd: error: Exit code: 13#",
    "ERROR 10-20 12:00:0# [core.py:7##] RuntimeError: Engine core initialization failed. See root cause above.",
    "FlashAttention only support fp1# and bf16 data type",
)
PREFIXES = (
    "[rank{rank}]: ",
    "\x1b[36m(Worker pid=4{rank:03}, ip=10.0.0.{rank})\x1b[0m ",
    "{rank:3}: ",
    "[2026-03-05 10:00:{rank:02}] ",
    "node{rank}: ",
    "",
)
BETWEEN = (
    "step:{number} - actor/loss:0.5 - actor/grad_norm:1.0\n",
    "nothing of interest here\n" * 60,
    "",
)


def log(seed: int, incidents: list[tuple[str, str, int, bool]]) -> str:
    """Incidents, each printed by so many ranks with digits of their own, one rank after the other or interleaved."""
    rng = random.Random(seed)
    told = []
    for number, (incident, prefix, ranks, is_interleaved) in enumerate(incidents):
        told.append(rng.choice(BETWEEN).format(number=number))
        writers = [_written(rng, incident, prefix.format(rank=rank)) for rank in range(ranks)]
        turns = [rank for rank in range(ranks) for _ in incident.split("\n")]
        if is_interleaved:
            rng.shuffle(turns)
        told += [next(writers[rank]) for rank in turns]
    return "".join(told)


def _written(rng: random.Random, incident: str, prefix: str) -> Iterator[str]:
    return (
        prefix + re.sub("#", lambda _: str(rng.randrange(10)), line) + "\n"
        for line in incident.split("\n")
    )


def forgetful(patch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of any line or event."""
    for module in (line_reader, matcher, masking, prefixes, message_shapes):
        patch.setattr(module, "REMEMBERED_LENGTH", -1)
    patch.setattr(prefixes, "_head", prefixes._head.__wrapped__)  # nor whom prefixes name

    def shape_of_its_own(event: LogEvent) -> tuple[object, ...]:
        return (event, object())

    patch.setattr(examination, "shape_of", shape_of_its_own)


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(scan_once, id="a scan"),
        pytest.param(read_each_way, id="each way", marks=pytest.mark.slow),
    ],
)
@settings(deadline=None, max_examples=drawn(30))
@given(
    seed=st.integers(0, 1 << 30),
    incidents=st.lists(
        st.tuples(
            st.sampled_from(INCIDENTS), st.sampled_from(PREFIXES), st.integers(1, 20), st.booleans()
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_what_repeats_is_told_as_if_each_were_the_first(
    automaton: Automaton,
    read: Callable[..., ScanResult],
    seed: int,
    incidents: list[tuple[str, str, int, bool]],
) -> None:
    """Captures, counts, lanes, places, all of it: with every digit drawn anew, and writers in any order."""
    text = log(seed, incidents)
    remembered = read(automaton, text)
    with pytest.MonkeyPatch.context() as patch:
        forgetful(patch)
        assert read(automaton, text) == remembered


def test_captures_are_those_of_the_occurrence_that_is_shown(automaton: Automaton) -> None:
    """Steps were made after all but the last one, which by then is long known."""
    step = "".join(
        f"step:{number} - actor/loss:0.5 - actor/grad_norm:1.{number}\n" for number in range(3)
    )
    error = (
        FRAMES.replace("#", "1")
        + "    assert len(self) >= chunks\nAssertionError: batch_size {size} < chunks 64\n"
    )
    text = "".join(
        error.format(size=size) + step.replace("step:", f"step:{size}") for size in range(10, 30)
    ) + error.format(size=31)
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert (diagnosis.captures["batch_size"], diagnosis.occurrences) == ("31", 21)
    assert "31" in diagnosis.cause.en


@pytest.mark.parametrize("row", PREFIX_ROWS, ids=lambda row: row.name)
def test_no_prefix_tells_digits_apart(row: Prefix) -> None:
    """So that lines which differ in digits have theirs at the same places."""
    assert not has_digits(Part(None, row.pattern, Where.LINE, None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pattern",
    [
        "HEADER",
        "FRAME",
        "CONNECTOR",
        "INSIDE",
        "GROUP_RULE",
        "TYPE",
        "EXCEPTION",
        "OWN_LINE",
        "IGNORED",
    ],
)
def test_no_line_of_a_traceback_is_known_by_a_digit(pattern: str) -> None:
    """What a text looks like is remembered without its digits."""
    found = getattr(message_shapes, pattern)
    text = found if isinstance(found, str) else found.pattern
    assert not has_digits(Part(None, text, Where.LINE, None))  # type: ignore[arg-type]


def test_a_blurred_part_fits_where_the_part_does(automaton: Automaton) -> None:
    """All parts with digits, on the examples of their signatures, whole and line by line."""
    tried = 0
    for signature in automaton.database.signatures:
        parts = [part for pattern in signature.patterns for part in pattern.parts] + list(
            signature.excludes
        )
        for part in filter(has_digits, parts):
            blurred = Blurred(part)
            examples = [
                *(each.text for each in signature.examples),
                *(each.text for each in signature.counterexamples),
            ]
            for example in examples:
                for text in map(comparable, (example, *example.split("\n"))):
                    if _fits(part, text):
                        tried += 1
                        assert blurred.may_fit(without_digits(text)), (part, text)
    assert tried > 200


_TEXT = st.text("ab:'ſΣ\u2019\u212a答 \t\x85", min_size=1, max_size=12)


@given(
    st.lists(_TEXT, min_size=1, max_size=3),
    st.lists(_TEXT, max_size=3),
    st.sampled_from([None, "ValueError"]),
    st.booleans(),
)
def test_texts_of_an_event_are_those_without_the_lines_below_and_what_these_add(
    lines: list[str], below: list[str], exception: str | None, is_traceback: bool
) -> None:
    """In lower case too, whatever was asked for first."""
    said = tuple(LogLine("a", number, each, each) for number, each in enumerate(lines, 1))
    after = tuple(LogLine("a", 9, each, each) for each in below)
    event = LogEvent(
        said, 0, exception, " ".join(lines), ("in f",), after=after, is_traceback=is_traceback
    )
    whole = EventTexts(event)
    shared = EventTexts(event, EventTexts(event._replace(after=())))
    for where in [each.value for each in Where]:
        assert shared.folded(where) == whole.folded(where)
        assert shared.of(where) == whole.of(where)
        assert whole.folded(where) == folded("\n".join(each.text for each in whole.of(where)))


def _fits(part: Part, text: str) -> bool:
    if part.template:
        return parse_template(part.template).compare(text) is not None
    return regex.search(part.regex or "", text) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "may"),
    [
        (r"Errno 13\]", "Errno 00]", True),
        (r"Errno (?:28|5)\]", "Errno 000]", False),
        (r"status [1-9]\d*$", "status 00", True),
        (r"port=(?!443)\d+", "nothing", True),
        (r"(?<!\d)0 Workers", "00 Workers", False),
        (r"(?P<x1>a{2})\d{2}", "aa00", True),
        (r"[^\d]7", "a0", True),
    ],
)
def test_blurred_regexes(pattern: str, text: str, may: bool) -> None:
    """Literal digits become any; what a regex does not want to be there cannot be blurred."""
    assert Blurred(Part(None, pattern, Where.LINE, None)).may_fit(text) is may  # type: ignore[arg-type]


@pytest.mark.parametrize("ranks", [3, 300])
@pytest.mark.parametrize("incident", INCIDENTS[::4])
def test_one_copy_of_many_that_differs_in_a_word_is_told_apart(
    automaton: Automaton, incident: str, ranks: int
) -> None:
    """The last of them, and nothing else of what is told changes by what is remembered."""
    rng = random.Random(ranks)
    writers = [
        _written(rng, incident + " or so" * (rank == ranks - 1), f"[rank{rank}]: ")
        for rank in range(ranks)
    ]
    turns = [rank for rank in range(ranks) for _ in incident.split("\n")]
    rng.shuffle(turns)
    text = "".join(next(writers[rank]) for rank in turns)
    remembered = scan_once(automaton, text)
    with pytest.MonkeyPatch.context() as patch:
        forgetful(patch)
        assert scan_once(automaton, text) == remembered
    known = sum(each.occurrences for each in remembered.diagnoses)
    assert known + sum(each.occurrences for each in remembered.unknown_errors) == ranks
