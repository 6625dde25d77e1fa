"""Signatures that fit one event: the run's frameworks decide, wherever the log tells them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.formats.assembled import APPLICATIONS
from logdoctor.formats.library_paths import packages_in
from logdoctor.matching.rivals import Home, chosen, home_of, literals_of, own_words
from logdoctor.model import (
    LogEvent,
    LogLine,
    Match,
    MatchKind,
    Role,
    ScanOptions,
    Severity,
    Signature,
)
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from tests.readers import read_each_way

DIVIDED = "AssertionError: 1020 % 16 != 0\n"
RAISED = """\
Traceback (most recent call last):
  File "{path}", line 204, in split
    assert size % parts == 0, f"{{size}} % {{parts}} != 0"
AssertionError: 1020 % 16 != 0
"""
QUIET = "nothing of interest here\n" * 60
OF_VERL = "/opt/venv/lib/python3.11/site-packages/verl/utils/seqlen_balancing.py"
OF_ROLL = "/app/roll/roll/distributed/scheduler/protocol.py"
VERL_STARTS = "python3 -m verl.trainer.main_ppo data.train_batch_size=1020\n"
ROLL_STARTS = "[2026-01-11 21:25:34] [x.py (41)] [INFO] [reference-0 0 / 1][PID 136685] text\n"

VERL, ROLL = "verl-engine-batch-misfit", "roll-batch-not-multiple-of-mini-batch"

LINE = LogLine("x", 1, "x", "x")
EVENT = LogEvent((LINE,), 0, None, "x")


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        (VERL_STARTS + QUIET + DIVIDED, VERL),
        (DIVIDED + QUIET + VERL_STARTS, VERL),
        (ROLL_STARTS + QUIET + DIVIDED, ROLL),
        (DIVIDED + QUIET + ROLL_STARTS, ROLL),
        (RAISED.format(path=OF_VERL), VERL),
        (RAISED.format(path=OF_ROLL), ROLL),
        (ROLL_STARTS + RAISED.format(path=OF_VERL), VERL),
    ],
    ids=[
        "verl is seen before",
        "verl is seen after",
        "ROLL is seen before",
        "ROLL is seen after",
        "verl's frames",
        "ROLL's frames",
        "verl's frames in a run of ROLL",
    ],
)
def test_the_framework_that_was_seen_wins(automaton: Automaton, text: str, id_: str) -> None:
    """Wherever the log tells it, and whoever reads the log."""
    assert [each.signature.id for each in read_each_way(automaton, text).diagnoses] == [id_]


def test_the_framework_that_the_user_names_wins(automaton: Automaton) -> None:
    for name, id_ in (("verl", VERL), ("roll", ROLL)):
        result = scan_text(automaton, DIVIDED, ScanOptions(frameworks=(name,)))
        assert [each.signature.id for each in result.diagnoses] == [id_]


@pytest.mark.parametrize("before", ["", "[rank0]: step 3 loss 0.5\n", "TRL is not used here\n"])
def test_what_anybody_prints_is_no_framework_s(automaton: Automaton, before: str) -> None:
    """It stays an error, with the frameworks' signatures as what it resembles at most."""
    result = read_each_way(automaton, before + DIVIDED)
    assert result.diagnoses == ()
    (error,) = result.unknown_errors
    assert (error.title, result.root) == (DIVIDED.strip(), error)


def test_what_one_framework_prints_is_said_with_its_doubt(automaton: Automaton) -> None:
    """The text has words of its own, but nothing says which program it is."""
    said = "AssertionError: batch_size 32 < chunks 64\n"
    (guess,) = read_each_way(automaton, said).diagnoses
    (sure,) = read_each_way(automaton, ROLL_STARTS + said).diagnoses
    assert guess.signature == sure.signature
    assert guess.grounds == "cause, framework not seen"
    assert guess.confidence < sure.confidence


def test_the_framework_of_the_frames_counts() -> None:
    """Installed, or in a checkout of its own repository; a folder of that name is not enough."""
    assert packages_in([f'File "{OF_VERL}", line 1', f'File "{OF_ROLL}", line 2']) == {
        "verl",
        "roll",
    }
    assert packages_in(['File "/home/me/verl/train.py", line 1']) == frozenset()


@pytest.mark.parametrize(
    ("regex", "text", "words"),
    [
        (r"AssertionError: (?P<a>\d+) % (?P<b>\d+) != 0", "AssertionError: 1020 % 16 != 0", 0),
        (r"Exception: Request failed: (?P<a>.*)", "Exception: Request failed: no such page", 2),
        (r"(?P<what>batch_size \d+ < chunks)", "batch_size 32 < chunks", 3),
        (r"AllocationError: (?P<what>.{3,9})", "AllocationError: x y z", 2),
    ],
)
def test_the_words_of_a_text_are_those_of_the_pattern(regex: str, text: str, words: int) -> None:
    """What a slot took is the run's own, and Python's exceptions are everybody's."""
    assert own_words(text, literals_of(regex)) == words


@pytest.mark.parametrize(
    "below", ["", "[worker 1] done\n", "all fine here\nand here\n", "Finished in 3 s\n"]
)
@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("KeyError: 'X'", "key-missing"),
        ("TypeError: 'float' object is not iterable", "type-not-usable-so"),
    ],
)
def test_an_exception_s_line_ends_it_where_a_pattern_says_so(
    automaton: Automaton, said: str, id_: str, below: str
) -> None:
    """What stands below, though it may go on with the message, may be another process's."""
    text = (
        f'Traceback (most recent call last):\n  File "/app/x.py", line 3, in f\n    x()\n{said}\n'
    )
    assert [each.signature.id for each in read_each_way(automaton, text + below).diagnoses] == [id_]


Drawn = tuple[list[str], Role, Severity, bool, MatchKind]

_SIGNATURES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(APPLICATIONS), max_size=2, unique=True),
        st.sampled_from([Role.CAUSE, Role.WRAPPER]),
        st.sampled_from([Severity.FATAL, Severity.ERROR]),
        st.booleans(),
        st.sampled_from(MatchKind),
    ),
    min_size=1,
    max_size=5,
)
_FRAMEWORKS = st.lists(st.sampled_from(APPLICATIONS), max_size=2, unique=True)


def contest(automaton: Automaton, drawn: list[Drawn]) -> list[tuple[Signature, Match]]:
    """Signatures that fit one event, in the order of what they are worth."""
    known = automaton.database.find("cuda-out-of-memory")
    assert known
    found = []
    for number, (frameworks, role, severity, is_own, kind) in enumerate(drawn):
        signature = known._replace(
            id=f"s{number}", frameworks=tuple(frameworks), role=role, severity=severity
        )
        found.append((signature, Match(EVENT, LINE, signature.id, kind, 1.0, {}, 9, "", is_own)))
    return sorted(found, key=lambda each: each[0].is_general)


@given(_SIGNATURES, _FRAMEWORKS)
def test_what_is_chosen_is_at_home(
    automaton: Automaton, drawn: list[Drawn], frameworks: list[str]
) -> None:
    """Of any signatures that fit one event, in a run of any frameworks."""
    found = contest(automaton, drawn)
    held = chosen(found, frameworks)
    homes = {each.id: home_of(each, frameworks) for each, _ in found}
    told = [homes[each.id] for each, _ in held]
    assert len(held) <= 2
    assert all(match.is_own_text for each, match in held if homes[each.id] > Home.ANY)
    if min(homes.values()) <= Home.ANY:
        assert held
        assert Home.ANOTHER not in told
    if any(homes[each.id] is Home.OWN and not each.is_general for each, _ in found):
        assert told[0] is Home.OWN


@given(_SIGNATURES, _FRAMEWORKS)
def test_where_no_signature_is_a_framework_s_nothing_is_asked(
    automaton: Automaton, drawn: list[Drawn], frameworks: list[str]
) -> None:
    """The first one holds, in any run."""
    found = contest(automaton, [([], *each[1:]) for each in drawn])
    assert chosen(found, frameworks)[0] == found[0]
