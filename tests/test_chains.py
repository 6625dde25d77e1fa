"""Chains of exceptions: which link says what went wrong."""

from __future__ import annotations

import pytest

from logdoctor.model import ScanResult
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

HANDLED = "\nDuring handling of the above exception, another exception occurred:\n\n"
PASSED_ON = "\nThe above exception was the direct cause of the following exception:\n\n"


def raised(exception: str, function: str) -> str:
    return f'Traceback (most recent call last):\n  File "/app/train.py", line 3, in {function}\n    {function}()\n{exception}\n'


def top(result: ScanResult) -> str:
    """Proving line of the answer."""
    assert result.root is not None
    return result.root.evidence[0].text


UNKNOWN = "RuntimeError: a message that nobody has written a signature for"
LAST = "RuntimeError: cleaning up went wrong as well"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (raised("ModuleNotFoundError: No module named '_soundfile_data'", "f") + HANDLED + raised(UNKNOWN, "g"), UNKNOWN),
        (raised("ModuleNotFoundError: No module named 'flash_attn'", "f") + HANDLED + raised(UNKNOWN, "g"), UNKNOWN),
        (raised("KeyError: 'backend_of_the_run'", "f") + HANDLED + raised(UNKNOWN, "g"), UNKNOWN),
        (raised(UNKNOWN, "f") + HANDLED + raised(LAST, "g"), UNKNOWN),
        (raised("lark.LarkError: no terminal matches 'p' here", "f") + HANDLED + raised("ValueError: Parsing error: no terminal matches 'p' here", "g"),
         "ValueError: Parsing error: no terminal matches 'p' here"),
        (raised(UNKNOWN, "f") + PASSED_ON + raised("openai.APIConnectionError: no connection to it", "g"), UNKNOWN),
        (raised("httpx.ConnectError: [Errno 111] Connection refused", "f") + PASSED_ON + raised("openai.SomethingError: no connection to it", "g"),
         "httpx.ConnectError: [Errno 111] Connection refused"),
    ],
    ids=["a probe for a module", "a probe for a module that is known", "a probe for a key", "a failure while cleaning up", "quoted by the newer", "passed on", "a symptom passed on"],
)  # fmt: skip
def test_the_telling_link_of_a_chain_is_the_root(
    automaton: Automaton, log: str, expected: str
) -> None:
    """Probes and quoted exceptions yield to the newer one, what is passed on to the older."""
    assert top(scan_text(automaton, log)) == expected


def test_a_long_message_does_not_hide_the_chain(automaton: Automaton) -> None:
    """Blank and indented lines of the older message stand before the connector."""
    message = "lark.LarkError: no terminal matches 'p' here\n\nfsdpp:d1p1t1\n    ^\nExpected one of: \n\t* COLON\n\t* LSQB\n\n"
    newer = "ValueError: Parsing error: no terminal matches 'p' here"
    assert top(scan_text(automaton, raised(message, "f") + HANDLED + raised(newer, "g"))) == newer


def test_a_chain_of_one_writer_is_seen_among_others(automaton: Automaton) -> None:
    """Lines of other workers stand between its own."""
    worker, other = (
        "(WorkerDict pid=77, ip=10.0.0.2) ",
        "(WorkerDict pid=78, ip=10.0.0.2) all is well\n",
    )
    chain = raised("KeyError: 'backend_of_the_run'", "f") + HANDLED + raised(UNKNOWN, "g")
    lines = [
        worker + line + (other if number % 3 == 0 else "")
        for number, line in enumerate(chain.splitlines(keepends=True))
    ]
    assert top(scan_text(automaton, "".join(lines))) == worker + UNKNOWN


def test_exceptions_that_only_stand_below_each_other_are_no_chain(automaton: Automaton) -> None:
    """Without a connector the first one counts."""
    missing = "ModuleNotFoundError: No module named '_soundfile_data'"
    assert top(scan_text(automaton, raised(missing, "f") + raised(UNKNOWN, "g"))) == missing


def test_chains_of_interleaved_ranks_are_told_apart(automaton: Automaton) -> None:
    """The connector belongs to the rank that printed it, however many lines of others stand below it."""
    chain = (
        raised("ModuleNotFoundError: No module named '_soundfile_data'", "f")
        + HANDLED
        + raised(UNKNOWN, "g")
    ).splitlines()
    for log in (chain, [f"[rank{rank}]: {line}" for line in chain for rank in (2, 0, 3, 1)]):
        assert UNKNOWN in top(scan_text(automaton, "\n".join(log)))


def test_evidence_shows_what_reads_otherwise_before_the_same_on_other_ranks(
    automaton: Automaton,
) -> None:
    """Three places are shown; four ranks that say the same do not take them all."""
    first, second = (f"AssertionError: batch_size {size} < chunks 64" for size in (32, 16))
    lines = [
        f"[rank{rank}]: {line}"
        for text in (first, second)
        for line in raised(text, "f").splitlines()
        for rank in range(4)
    ]
    root = scan_text(automaton, "\n".join(lines)).root
    assert root is not None
    assert [each.text.partition(": ")[2] for each in root.evidence][:2] == [first, second]


@pytest.mark.parametrize("wrapper", ["datasets.exceptions.DatasetGenerationError: An error occurred while generating the dataset",
                                     "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause."])  # fmt: skip
def test_of_two_wrappers_the_one_that_says_more_is_the_answer(
    automaton: Automaton, wrapper: str
) -> None:
    """That an actor died is what Ray says of anything, wherever it stands."""
    died = raised(
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "get",
    )
    for log in (died + raised(wrapper, "f"), raised(wrapper, "f") + died):
        assert wrapper in top(scan_text(automaton, log))
