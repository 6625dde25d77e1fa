"""An exception that was printed above its traceback, as where stdout was flushed after stderr, or where somebody pasted it so."""

from __future__ import annotations

import itertools

import pytest

from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

HEADER = "Traceback (most recent call last):"
FRAMES = ('  File "/job/train.py", line 31, in main', "    step(batch)")
INNERMOST = '  File "/job/step.py", line 12, in step'
# what is printed, and the line of code that raised it
RAISED = (
    ("OddShardError: shard 7 is odd", "raise OddShardError(shard)"),
    ("somelib.errors.OddShardError: shard 7 is odd", "raise errors.OddShardError(shard)"),
    ("RuntimeError: shard 7 is odd:\n  rows 3, 5\nof rank 2", "check(shard)"),
    ("AssertionError: rows are missing", "assert rows >= ranks, 'rows are missing'"),
    ("KeyError: 'rows'", "return self.shards[name]"),
)
PREFIXES = ("", "[rank3]: ", "(Worker pid=711, ip=10.0.0.4) ", "2: ")
BELOW = (
    (),
    ("step 4 loss 0.7", "saved"),
    ("2025-03-01 10:00:05,120 INFO the writer is closed",),
    ("", "done"),
)


def torn(said: str, code: str, prefix: str = "", below: tuple[str, ...] = ()) -> str:
    """A log in which it stands above its traceback."""
    lines = (*said.split("\n"), HEADER, *FRAMES, INNERMOST, f"    {code}")
    return "".join(
        f"{each}\n" for each in ("step 3 loss 0.9", *(prefix + line for line in lines), *below)
    )


@pytest.mark.parametrize(
    ("said", "code", "prefix", "below"),
    [
        (*raised, prefix, BELOW[(i + j) % len(BELOW)])
        for i, raised in enumerate(RAISED)
        for j, prefix in enumerate(PREFIXES)
    ],
)
def test_the_traceback_below_belongs_to_it(
    automaton: Automaton, said: str, code: str, prefix: str, below: tuple[str, ...]
) -> None:
    result = scan_text(automaton, torn(said, code, prefix, below))
    assert result.root is not None
    assert result.root.evidence[0].line == 2
    assert len(result.diagnoses) + len(result.unknown_errors) == 1
    assert not any("ends within a traceback" in each.en for each in result.not_seen)
    for error in result.unknown_errors:
        assert error.title.startswith(said.partition("\n")[0])
        assert "step (/job/step.py:12)" in error.next_steps[-1].en
        assert "waits for" not in error.next_steps[-1].en


def test_where_ranks_print_into_each_other_each_traceback_belongs_to_its_own(
    automaton: Automaton,
) -> None:
    said, code = RAISED[0]
    ranks = [torn(said, code, f"[rank{rank}]: ").splitlines()[1:] for rank in range(4)]
    mixed = "\n".join(itertools.chain.from_iterable(zip(*ranks, strict=True)))
    (error,) = scan_text(automaton, f"{mixed}\n").unknown_errors
    assert (error.occurrences, error.ranks) == (4, (0, 1, 2, 3))
    assert "step (/job/step.py:12)" in error.next_steps[-1].en


def test_with_one_blank_line_between_it_is_still_its_own(automaton: Automaton) -> None:
    text = torn(*RAISED[0]).replace(HEADER, f"\n{HEADER}")
    (error,) = scan_text(automaton, text).unknown_errors
    assert "step (/job/step.py:12)" in error.next_steps[-1].en


@pytest.mark.parametrize(
    ("above", "code", "below", "titles"),
    [
        # a logger says it, and the traceback says it again
        ("OddShardError: 7", "check(7)", "OddShardError: 7", {"OddShardError: 7"}),
        # one was handled, the other ended the run
        ("OddShardError: 7", "check(7)", "LateShardError: 8", {"OddShardError: 7", "LateShardError: 8"}),
        # the line of code raises something else
        ("OddShardError: 7", "raise LateShardError(8)", "", {"OddShardError: 7", "LateShardError"}),
        # something else stands between
        ("OddShardError: 7\n\nretrying shard 7", "check(7)", "", {"OddShardError: 7", "in step"}),
        # it has a traceback of its own
        (f"{HEADER}\n{INNERMOST}\n    check(7)\nOddShardError: 7", "check(8)", "", {"OddShardError: 7", "in step"}),
    ],
)  # fmt: skip
def test_a_traceback_of_something_else_stays_so(
    automaton: Automaton, above: str, code: str, below: str, titles: set[str]
) -> None:
    text = torn(above, code, below=(below,) if below else ())
    errors = scan_text(automaton, text).unknown_errors
    assert len(errors) == 2
    assert all(any(want in each.title for each in errors) for want in titles)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise OddShardError(shard)", "It was raised in step (/job/step.py:12)"),
        ("assert rows >= ranks", "print what stands in the condition `rows >= ranks`"),
        ("raise error", "What is left of the traceback ends in step (/job/step.py:12)"),
        ("check(shard)", "What is left of the traceback ends in step (/job/step.py:12)"),
    ],
)
def test_a_traceback_that_is_cut_off_waits_for_nothing(
    automaton: Automaton, code: str, said: str
) -> None:
    result = scan_text(automaton, torn("step 2 loss 1.0", code))
    (error,) = result.unknown_errors
    assert said in error.next_steps[-1].en
    assert not any("waits for" in each.en for each in error.next_steps)
    assert any("ends within a traceback" in each.en for each in result.not_seen)


TORCH = "/opt/lib/python3.11/site-packages/torch"
OUTER = (
    HEADER,
    '  File "/job/train.py", line 31, in main',
    "    for batch in loader:",
    f'  File "{TORCH}/_utils.py", line 750, in reraise',
    "    raise exception",
)
WORKER = (
    "Original Traceback (most recent call last):",
    f'  File "{TORCH}/utils/data/_utils/worker.py", line 349, in _worker_loop',
    "    data = fetcher.fetch(index)",
    '  File "/job/data.py", line 12, in __getitem__',
    "    return self.shards[name]",
)
CARRIED = (
    "somelib.errors.OddShardError: shard 7 is odd",
    "RuntimeError: shard 7 is odd",
    "KeyError: 'rows'",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.33 GiB of which 1.00 GiB is free.",
)
ELSEWHERE = (
    "DataLoader worker process 3",
    "pin memory thread for device 0",
    "replica 1 on device 1",
)


@pytest.mark.parametrize("outer", [OUTER, ()], ids=["raised again", "alone"])
@pytest.mark.parametrize(
    ("said", "place", "prefix"),
    [
        (said, place, PREFIXES[(i + j) % len(PREFIXES)])
        for i, said in enumerate(CARRIED)
        for j, place in enumerate(ELSEWHERE)
    ],
)
def test_what_was_caught_elsewhere_is_told_not_what_carries_it(
    automaton: Automaton, said: str, place: str, prefix: str, outer: tuple[str, ...]
) -> None:
    name = said.partition(":")[0]
    carrier = f"{name}: Caught {name.rpartition('.')[2]} in {place}."
    lines = (*outer, carrier, *WORKER, said, "")
    text = "".join(f"{prefix}{each}\n" for each in lines)
    result = scan_text(automaton, f"step 3 loss 0.9\n{text}")
    assert result.root is not None
    (evidence,) = result.root.evidence
    assert evidence.text == prefix + said
    assert not any("Caught" in each.title for each in result.unknown_errors)


def test_what_carries_an_exception_is_told_where_that_one_is_cut_off(automaton: Automaton) -> None:
    carrier = "RuntimeError: Caught RuntimeError in stage 1 on device 1."
    text = "\n".join(("step 3", *OUTER, carrier, *WORKER, ""))
    (error,) = scan_text(automaton, text).unknown_errors
    assert error.title == carrier
    assert "__getitem__ (/job/data.py:12)" in error.next_steps[-1].en
    assert "Caught" in scan_text(automaton, f"step 3\n{carrier}\n").unknown_errors[0].title
