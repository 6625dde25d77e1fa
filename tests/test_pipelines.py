"""A script that goes on after a program died: the first death is the root cause of what is
missing later, and is seen on any screen where nothing ties it to the later failure.
"""

from __future__ import annotations

from itertools import product

import pytest

from logdoctor.model import Diagnosis, ScanResult, UnknownError, Verdict
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton


def traceback(program: str, code: str, error: str) -> str:
    """As Python prints it."""
    return (
        f'Traceback (most recent call last):\n  File "{program}", line 7, in <module>\n'
        f"    {code}\n{error}\n"
    )


DEATHS = [
    traceback("/app/prep.py", 'open("raw/train.jsonl")', error)
    for error in (
        "FileNotFoundError: [Errno 2] No such file or directory: 'raw/train.jsonl'",
        "KeyError: 'prompt'",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "prep.BadShard: shard 7 has no header line at all",
        "MemoryError",
    )
] + ["run.sh: line 2:  4012 Killed                  python prep.py --all\n"]
WANTS = [
    traceback("/app/train.py", "main()", error)
    for error in (
        "ValueError: num_samples should be a positive integer value, but got num_samples=0",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.txt'",
        "ModuleNotFoundError: No module named 'prepared_data'",
        "IndexError: the list of shards is empty",
    )
]
OTHERS = [
    traceback("/app/train.py", "loss.backward()", error)
    for error in (
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
            "capacity of 79.10 GiB of which 1.19 GiB is free."
        ),
        "RuntimeError: CUDA error: device-side assert triggered",
    )
]
BETWEEN = ("", "== step 2/3 train 02:30:34\n", "+ python train.py\nINFO trainer: started\n")


def root(result: ScanResult) -> Diagnosis | UnknownError:
    """The root cause."""
    (first,) = [each for each in result.findings if each.verdict is Verdict.ROOT_CAUSE]
    return first


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("want", WANTS)
def test_the_first_death_is_the_root_of_what_is_missing(
    automaton: Automaton, death: str, want: str
) -> None:
    """Whatever the script prints between them and after them."""
    for between, after in product(BETWEEN, ("", "pipeline finished\n")):
        text = death + between + want + after
        assert root(scan_text(automaton, text)).evidence[0].line <= death.count("\n"), text


@pytest.mark.parametrize("death", DEATHS[:-1])
@pytest.mark.parametrize("other", OTHERS)
def test_a_death_that_nothing_ties_to_the_root_is_shown(
    automaton: Automaton, death: str, other: str
) -> None:
    """In the report of a small screen, with its line."""
    result = scan_text(automaton, death + other)
    assert root(result).evidence[0].line > death.count("\n")
    shown = render_text(result, TextStyle(height=24))
    assert "Also seen" in shown
    assert f":{death.count(chr(10))}" in shown


@pytest.mark.parametrize("want", WANTS)
def test_the_same_program_twice_and_a_caught_one_are_none(automaton: Automaton, want: str) -> None:
    """A retry of one program, and a log of an exception, are no other program's death."""
    again = traceback("/app/train.py", "main()", "KeyError: 'prompt'")
    caught = "2026-11-23 02:34:29 ERROR skipped a row\n" + DEATHS[1].replace("<module>", "read")
    for first in (again, caught):
        result = scan_text(automaton, first + want)
        rules = {reason.rule for each in result.findings for reason in each.because}
        assert not rules & {"left-undone", "read-what-was-not-made", "earlier-program-died"}


@pytest.mark.parametrize("want", WANTS)
def test_an_older_exception_of_a_chain_ended_no_program(automaton: Automaton, want: str) -> None:
    """A library that is imported has frames of its own module level."""
    first = traceback("/lib/soundfile.py", "import _soundfile", "ModuleNotFoundError: No module")
    between = "\nDuring handling of the above exception, another exception occurred:\n\n"
    result = scan_text(automaton, first + between + want)
    rules = {reason.rule for each in result.findings for reason in each.because}
    assert not rules & {"left-undone", "read-what-was-not-made", "earlier-program-died"}
