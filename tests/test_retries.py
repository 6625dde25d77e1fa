"""What a program says that it tries again, and what it logs as a warning, ends no run that goes
on; and what only looks like it still does.
"""

from __future__ import annotations

from itertools import product

import pytest

from logdoctor.formats.closing_words import says_all_failed
from logdoctor.model import RunState, ScanResult, Verdict
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

TIME = "2026-11-23 02:34:29,208"
TRACEBACK = """\
Traceback (most recent call last):
  File "/app/client.py", line 11, in post
    return call(i)
ConnectionResetError: [Errno 104] Connection reset by peer
"""
UNCAUGHT = TRACEBACK.replace("11, in post", "40, in <module>")
RETRIED = [
    f"{TIME} {level} reward request 4 failed ({tried}): Connection reset by peer; {then}\n"
    for level, tried, then in product(
        ("WARNING", "ERROR"),
        ("attempt 2/3", "try 1 of 5", "attempt #1/3"),
        ("retrying in 0.1s", "will retry", "trying again"),
    )
]
TASKS = [
    f"(raylet) Task W.gen failed. There {left} remaining, so the task will be retried. Error: The "
    "actor is temporarily unavailable: RpcError: RPC error\n"
    "(raylet) A worker died or was killed while executing a task by an unexpected system error.\n"
    for left in ("are 2 retries", "is 1 retry", "are infinite retries")
]
WENT_ON = (
    f"{TIME} INFO trainer: step 8/100 loss 0.5\n{TIME} INFO trainer: step 9/100 loss 0.5\n",
    f"{TIME} INFO all iterations complete\n",
    f"{TIME} INFO Training finished\n",
    "".join(f"rollout {number} ok\n" for number in range(8)),
)
LAST = f"{TIME} ERROR reward request 4 failed (attempt 3/3): giving up\n"


def roots(result: ScanResult) -> list[object]:
    """What is said to be wrong."""
    return [
        each
        for each in result.findings
        if each.verdict in (Verdict.ROOT_CAUSE, Verdict.INDEPENDENT)
    ]


@pytest.mark.parametrize("record", RETRIED)
@pytest.mark.parametrize("sequel", WENT_ON)
def test_what_is_tried_again_is_outlived(automaton: Automaton, record: str, sequel: str) -> None:
    """With its traceback, once and twice; lines that only do not complain say it of one alone."""
    for times in (1,) if sequel is WENT_ON[-1] else (1, 2):
        text = (record + TRACEBACK) * times + sequel
        assert not roots(scan_text(automaton, text)), text


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("sequel", WENT_ON)
def test_the_companion_of_a_retried_task_is_outlived(
    automaton: Automaton, task: str, sequel: str
) -> None:
    """What Ray says beside it of the same worker."""
    assert not roots(scan_text(automaton, f"rollout 1 ok\n{task}{sequel}"))


@pytest.mark.parametrize("task", TASKS)
def test_what_nothing_follows_is_not_outlived(automaton: Automaton, task: str) -> None:
    """Of a retry that nobody saw nothing is known."""
    assert roots(scan_text(automaton, f"rollout 1 ok\n{task}"))


@pytest.mark.parametrize("record", RETRIED)
def test_who_dies_of_it_in_the_end_did_not_outlive_it(automaton: Automaton, record: str) -> None:
    """The last attempt, and what nobody caught."""
    assert roots(scan_text(automaton, record + TRACEBACK + LAST + UNCAUGHT))
    assert roots(scan_text(automaton, record + TRACEBACK + WENT_ON[0] + UNCAUGHT))
    assert roots(scan_text(automaton, record + TRACEBACK))


@pytest.mark.parametrize(
    "left",
    ["are 0 retries", "are no retries"],
)
def test_a_task_without_retries_is_not_outlived(automaton: Automaton, left: str) -> None:
    """Although the driver writes a few lines more."""
    task = TASKS[0].replace("are 2 retries", left).replace(", so the task will be retried", "")
    assert roots(scan_text(automaton, f"rollout 1 ok\n{task}rollout 2 ok\n"))


@pytest.mark.parametrize(
    "above",
    [
        "WARNING could not warm the cache",
        "WARNING cache: ConnectionResetError while warming",
        "[WARN] 读取缓存失败",
    ],
)
def test_what_is_logged_as_a_warning_stands_behind_what_was_raised(
    automaton: Automaton, above: str
) -> None:
    """The later error, which nobody caught, is the root cause."""
    later = UNCAUGHT.replace(
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "KeyError: 'input_ids'",
    )
    result = scan_text(automaton, f"{TIME} {above}\n{TRACEBACK}{TIME} INFO next\n{later}")
    (root,) = [each for each in result.findings if each.verdict is Verdict.ROOT_CAUSE]
    assert "input_ids" in root.evidence[0].text


@pytest.mark.parametrize("above", ["WARNING the tokenizer is slow", "WARNING using 8 workers"])
def test_a_warning_above_by_chance_says_nothing(automaton: Automaton, above: str) -> None:
    """The first error stays the root cause."""
    result = scan_text(automaton, f"{TIME} {above}\n{UNCAUGHT}")
    assert [each.verdict for each in result.diagnoses] == [Verdict.ROOT_CAUSE]
    assert "logged-as-warning" not in {why.rule for why in result.diagnoses[0].because}


SAMPLE = """\
Traceback (most recent call last):
  File "/app/data.py", line 11, in parse
    return Row.of(text)
{}
"""
RAISED = (
    "ValueError: the row holds no prompt",
    "KeyError: 'answer'",
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "capacity of 79.10 GiB of which 1.19 GiB is free."
    ),
)
PASSED_OVER = (
    f"{TIME} ERROR could not parse sample 17\n",
    f"{TIME} ERROR data: sample 17 failed, skipping\n",
    f"{TIME} WARNING 3 failed, continuing\n",
    "sample 17 failed, skipping it\n",
    "第 17 个样本出错，跳过\n",
)
ENDED = (
    f"{TIME} INFO trainer: finished\n",
    f"{TIME} INFO skipped 1 of 512 samples\n{TIME} INFO run.py:7 - done in 31.2s\n",
    "All done.\nexit status 0\n",
    "训练完成\n",
)


def worked(first: int, lines: int = 8) -> str:
    """What the program writes while nothing is wrong with it."""
    numbers = range(first, first + lines)
    return "".join(f"{TIME} INFO trainer: read sample {number}\n" for number in numbers)


@pytest.mark.parametrize("above", PASSED_OVER)
@pytest.mark.parametrize("raised", RAISED)
def test_what_was_logged_and_passed_over_is_outlived(
    automaton: Automaton, above: str, raised: str
) -> None:
    """Once and three times, where the program wrote on as before and says that it ended well."""
    failed = above + SAMPLE.format(raised)
    for ended, times in product(ENDED, (1, 3)):
        text = "".join(worked(number * 10) + failed for number in range(times)) + worked(90) + ended
        result = scan_text(automaton, text)
        assert (result.ending.state, roots(result)) == (RunState.GOOD_END, []), text


@pytest.mark.parametrize("above", PASSED_OVER)
@pytest.mark.parametrize("raised", RAISED)
def test_what_it_writes_on_may_hold_another_name(
    automaton: Automaton, above: str, raised: str
) -> None:
    """In one word of a line; a line of which more is other is another line."""
    failed = above + SAMPLE.format(raised)
    for line, is_outlived in (("read {} in 0.3s\n", True), ("{} of {}\n", False)):
        names = [f"{TIME} INFO {line.format(name, name)}" for name in ("ann", "bob", "cy", "di")]
        text = "".join((*names[:2], failed, *names[2:], ENDED[0]))
        assert (roots(scan_text(automaton, text)) == []) is is_outlived, text


@pytest.mark.parametrize("above", PASSED_OVER)
@pytest.mark.parametrize("raised", RAISED)
def test_what_only_looks_passed_over_is_not_outlived(
    automaton: Automaton, above: str, raised: str
) -> None:
    """No good end, no line as before, one of another's work, all that was tried in vain."""
    failed = above + SAMPLE.format(raised)
    every = "".join(worked(number, 1) + failed for number in range(5))
    slowly = "".join(worked(number * 3, 3) + failed for number in range(5))
    for text in (
        worked(1) + failed + worked(20),
        worked(1) + failed + worked(20) + f"{TIME} INFO trainer: finished epoch 1/3\n",
        worked(1) + failed + worked(20) + f"{TIME} INFO uploader: finished\n",
        worked(1) + failed + ENDED[0],
        worked(1) + failed + "copying the logs\nremoving the cache\nthe node is free\n" + ENDED[2],
        every + ENDED[0],
        slowly + ENDED[0],
        worked(1) + failed + worked(20) + f"{TIME} INFO skipped 512 of 512 samples\n" + ENDED[0],
        worked(1) + failed + worked(20) + f"{TIME} INFO 0 of 512 samples ok\n" + ENDED[0],
    ):
        assert roots(scan_text(automaton, text)), text


def test_who_dies_of_what_was_passed_over_before_did_not_outlive_it(automaton: Automaton) -> None:
    """And the script that had started it only tells that it is done itself."""
    failed = PASSED_OVER[0] + SAMPLE.format(RAISED[0])
    dead = SAMPLE.format(RAISED[0]).replace("in parse", "in <module>")
    for ended in ENDED:
        assert roots(scan_text(automaton, worked(1) + failed + worked(20) + dead + ended))


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        ("skipped 512 of 512 samples", True),
        ("failed: 3/3", True),
        ("0 of 512 samples ok", True),
        ("all 12 samples were skipped", True),
        ("全部失败", True),
        ("skipped 1 of 512 samples", False),
        ("512 of 512 done, 0 failed", False),
        ("10 of 512 samples ok", False),
        ("all samples done, none failed", False),
        ("failed: 3/30", False),
    ],
)
def test_it_is_told_when_all_that_was_tried_failed(text: str, is_all: bool) -> None:
    assert says_all_failed(text) is is_all
