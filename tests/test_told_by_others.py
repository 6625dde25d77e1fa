"""Who waited for a program says that it failed; what the program itself said above it is why."""

from __future__ import annotations

import re
from itertools import product

import pytest

from logdoctor.context.last_words import last_words
from logdoctor.formats.error_lines import COMPLAINT, IN_COMPLAINTS, NAMES_REASON
from logdoctor.model import Diagnosis
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

OPENING = "reading the settings\nstarting 8 workers\n"
REFUSALS = (
    "Error: No such option: --width",
    "Error: Invalid value for '--width': 'wide' is not a valid integer.",
    "unknown flag: --gpu-count",
    "flag provided but not defined: -width",
    "error: unexpected argument '--width' found",
    "getopt: unrecognized option '--wrold-size'",
    "run.sh: invalid option -- 'z'",
    "run.sh: option requires an argument -- 'n'",
    "srun: option '--nodes' requires an argument",
    "Unknown command line flag 'width'. Did you mean: with ?",
    "train.py: error: --tp 8 does not divide the 12 heads",
    "ERROR: the dataset /data/run7 holds no shard",
)
"""As argparse, click, cobra, Go's flag, clap, getopt, a shell, absl and programs themselves do."""
PREFIXES = ("", "[rank0]: ", "(trainer pid=4011) ", "node-3: ", "[default0]:", "0: ")
RUNNING_FAILED = """\
Traceback (most recent call last):
  File "/app/launch.py", line 40, in <module>
    subprocess.run(command, check=True)
subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 2.
"""
WAITED = (
    "launcher: worker exited with exit code 2\n",
    "subprocess: command ['python', 'train.py'] returned code 2\n",
    "supervisor: process exited with status 2, giving up\n",
    "srun: error: node-3: task 0: Exited with exit code 2\n",
    RUNNING_FAILED,
)


def root_of(automaton: Automaton, text: str) -> str:
    """The line, or the id, that is said to be the root cause."""
    root = scan_text(automaton, text).root
    if isinstance(root, Diagnosis):
        return root.signature.id
    return root.title if root else "none"


def shown(line: str) -> str:
    """As a title has it: a level in capitals is the prefix of a record."""
    return line.removeprefix("ERROR: ")


@pytest.mark.parametrize(("refusal", "prefix"), list(product(REFUSALS, PREFIXES)))
def test_what_the_child_said_is_why(automaton: Automaton, refusal: str, prefix: str) -> None:
    """Whatever stands before it, and whoever says below it that the child failed."""
    for waited in WAITED:
        assert shown(refusal) in root_of(automaton, f"{OPENING}{prefix}{refusal}\n{waited}"), waited


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_is_what_a_source_ends_with(automaton: Automaton, refusal: str) -> None:
    """Nobody reports it: it is looked at for what the bytes of the end hold."""
    assert re.match(COMPLAINT, refusal)
    assert re.search(IN_COMPLAINTS, refusal.encode())
    assert shown(refusal) in root_of(automaton, f"{OPENING}{refusal}\n")


@pytest.mark.parametrize(
    "said",
    [
        "unknown arguments will be passed on to the script",
        "Unknown option --width is ignored",
        "invalid options are listed below",
        "training options: --width 3",
        "the flag --width needs no value",
        "ERROR: job failed",
        "Error: the worker has failed",
    ],
)
@pytest.mark.parametrize("waited", WAITED)
def test_what_names_no_reason_is_none(automaton: Automaton, said: str, waited: str) -> None:
    """The report stays the answer."""
    assert shown(said) not in root_of(automaton, f"{OPENING}{said}\n{waited}")


@pytest.mark.parametrize("waited", WAITED)
def test_what_stands_further_above_is_not_what_is_reported(
    automaton: Automaton, waited: str
) -> None:
    """The program went on after it."""
    steps = "".join(f"reading shard {number}\n" for number in range(9))
    text = f"{OPENING}{REFUSALS[-1]}\n{steps}{waited}"
    assert shown(REFUSALS[-1]) not in root_of(automaton, text)


REASONS = (
    "ERROR: the dataset /data/run7 holds no shard",
    "train: error: `width` is not a key of the model's settings",
    "Error: cannot build the loader: the index is empty",
    "Error: --width must not be larger than the model is wide",
)
EMPTY = ("ERROR: the whole job failed", "Error: aborting the run", "Fatal error: startup failed")


@pytest.mark.parametrize(("reason", "empty"), list(product(REASONS, EMPTY)))
@pytest.mark.parametrize("prefix", ["", "[rank0]: "])
def test_of_one_writer_the_line_that_names_a_reason_counts(
    automaton: Automaton, reason: str, empty: str, prefix: str
) -> None:
    """Not the one that stands last and says only that something failed."""
    assert re.search(NAMES_REASON, reason.partition(":")[2])
    for between in ("", f"{prefix}cleaning up\n"):
        text = f"{OPENING}{prefix}{reason}\n{between}{prefix}{empty}\n"
        assert root_of(automaton, text) == shown(reason)


@pytest.mark.parametrize("empty", EMPTY)
def test_what_names_nothing_counts_where_nothing_else_is_said(
    automaton: Automaton, empty: str
) -> None:
    """Nor does what another writer said stand for it."""
    assert not re.search(NAMES_REASON, empty.partition(":")[2].strip())
    assert root_of(automaton, f"{OPENING}{empty}\n") == shown(empty)
    event = last_words("x", [(1, f"[rank1]: {REASONS[0]}"), (2, f"[rank0]: {empty}")])
    assert event is not None
    assert event.headline == shown(empty)


RAISED = """\
Traceback (most recent call last):
  File "/app/train.py", line 90, in <module>
    main()
  File "/app/train.py", line 71, in main
    {call}
{said}
"""


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize(
    "said", ["RuntimeError: training failed", "SystemExit: 2", "JobError: the job was aborted"]
)
def test_an_exception_that_names_nothing_is_raised_for_what_was_said(
    automaton: Automaton, reason: str, said: str
) -> None:
    """The line right above it is why."""
    raised = RAISED.format(call="run(settings)", said=said)
    assert root_of(automaton, f"{OPENING}{reason}\n{raised}") == shown(reason)
    assert root_of(automaton, f"{OPENING}{raised}") == said


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize(
    "said",
    [
        "RuntimeError: training failed: the index of `width` is empty",
        "ValueError: 12 heads are not divisible by 8",
        "AssertionError",
    ],
)
def test_an_exception_that_says_something_stands_for_itself(
    automaton: Automaton, reason: str, said: str
) -> None:
    """Its own message, or its own line of code, is nearer than what was logged above it."""
    raised = RAISED.format(call="assert heads % tp == 0", said=said)
    assert shown(reason) not in root_of(automaton, f"{OPENING}{reason}\n{raised}")


WARNED = "WARNING: cannot reach http://10.0.0.2:8000, attempt {number}\n"


@pytest.mark.parametrize("waited", WAITED)
@pytest.mark.parametrize("prefix", ["", "[rank0]: "])
def test_a_warning_that_was_the_last_thing_again_and_again_is_why(
    automaton: Automaton, prefix: str, waited: str
) -> None:
    """Not one that stands there once, that others wrote as well, or that the program got beyond."""
    rows = [prefix + WARNED.format(number=number) for number in range(1, 6)]
    assert "10.0.0.2" in root_of(automaton, OPENING + "".join(rows) + waited)
    others = [f"[rank{number}]: {row.removeprefix(prefix)}" for number, row in enumerate(rows)]
    for text in (rows[0], "".join(rows) + "reading shard 3\n", "".join(others)):
        assert "10.0.0.2" not in root_of(automaton, OPENING + text + waited)
