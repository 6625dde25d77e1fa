"""What a message itself advises is quoted, before anything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.formats.advice_words import ADVICE_ROWS, AdviceRow, advice_of
from logdoctor.formats.refused_values import REFUSED_ROWS, RefusedRow, refused_though_allowed
from logdoctor.formats.setting_effects import SETTING_EFFECTS, SettingEffect, settings_shown
from logdoctor.model import Applies, JudgedRemedy, Language
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from tests.test_events import events_of

SAMPLES = [(row, sample) for row in ADVICE_ROWS for sample in row.samples]
ORDERS = [sample for row, sample in SAMPLES if row.is_order]
NOISE = [
    "The shard of rank 3 has 7 rows.",
    "Loading took 3.2 s.",
    "Please report this to the maintainers.",
    "For more information see https://example.org/x.",
    "It is 12 GiB large.",
    "第 3 个分片为空。",
]
TYPES = ["ValueError", "oddlib.errors.OddShardError", "RuntimeError"]


@pytest.mark.parametrize(("row", "sample"), SAMPLES, ids=lambda value: str(value)[:40])
def test_each_sample_is_advice(row: AdviceRow, sample: str) -> None:
    assert re.search(row.expression, sample)
    assert advice_of(f"ValueError: {sample}") is not None


@pytest.mark.parametrize(
    ("row", "near_miss"), [(row, each) for row in ADVICE_ROWS for each in row.near_misses]
)
def test_each_near_miss_is_none(row: AdviceRow, near_miss: str) -> None:
    assert re.search(row.expression, near_miss) is None or advice_of(near_miss) is None


@given(
    st.sampled_from(TYPES),
    st.lists(st.sampled_from(NOISE), max_size=3),
    st.sampled_from(ORDERS),
    st.lists(st.sampled_from(NOISE), max_size=3),
)
def test_it_is_found_among_other_sentences(
    exception: str, above: list[str], order: str, below: list[str]
) -> None:
    """And quoted as a whole sentence, without the others."""
    sentence = order if order.endswith((".", "?", "。")) else f"{order}."
    advice = advice_of(f"{exception}: {' '.join([*above, sentence, *below])}")
    assert advice is not None
    assert advice.is_order
    assert advice.text.rstrip(".?。") in sentence or sentence.rstrip(".?。") in advice.text
    assert not [each for each in NOISE[:2] if each in advice.text]


@given(st.sampled_from(TYPES), st.lists(st.sampled_from(NOISE), max_size=4))
def test_other_sentences_are_none(exception: str, sentences: list[str]) -> None:
    assert advice_of(f"{exception}: {' '.join(sentences)}") is None


FRAMES = (
    'Traceback (most recent call last):\n  File "/home/me/job/train.py", line 31, in main\n'
    "    shard = fold(rows)\n"
)


@pytest.mark.parametrize("order", ORDERS)
def test_an_unknown_error_begins_with_it(automaton: Automaton, order: str) -> None:
    text = f"{FRAMES}oddlib.OddShardError: {order}\n"
    result = scan_text(automaton, text)
    (error,) = result.unknown_errors
    assert error.next_steps[0].en.startswith("The message itself says what to do: “")
    assert "`shard = fold(rows)`" in " ".join(each.en for each in error.next_steps)
    assert "报错信息自己给出了办法" in render_text(result, TextStyle(Language.ZH))


def test_a_general_signature_says_it_first(automaton: Automaton) -> None:
    """With the line of the run's own code that came there."""
    text = f"{FRAMES}AttributeError: 'Shard' object has no attribute 'rws'. Please use rows.\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    first = diagnosis.remedies[0]
    assert first.applies is Applies.YES
    assert "“Please use rows.”" in first.action.en
    assert "main (/home/me/job/train.py:31): `shard = fold(rows)`" in first.action.en


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("OSError: [Errno 22] Invalid argument: '/store/x'", "errno 22 means that the system does"),
        ("train.py exited with code 124", "Exit code 124 (timeout)"),
        ("NotImplementedError: fold of odd shards", "NotImplementedError means that the code has"),
    ],
)
def test_what_is_known_of_its_type_is_said(automaton: Automaton, line: str, said: str) -> None:
    (error,) = scan_text(automaton, f"step 3\n{line}\n").unknown_errors
    assert any(each.en.startswith(said) for each in error.next_steps)


def test_a_stack_that_an_alarm_printed_says_where_it_stood(automaton: Automaton) -> None:
    text = (
        "step 40\nTimeout (0:00:10)!\nThread 0x00007f5f63c49b80 (most recent call first):\n"
        '  File "/usr/lib/python3.11/queue.py", line 171 in get\n'
        '  File "/home/me/job/train.py", line 10 in consume\n'
        '  File "/home/me/job/train.py", line 13 in <module>\n'
    )
    (error,) = scan_text(automaton, text).unknown_errors
    (step,) = error.next_steps
    assert "stood in consume (/home/me/job/train.py:10), inside get (" in step.en


STACK = (
    "Current thread 0x00007efddce2db80 (most recent call first):\n"
    '  File "/job/fold.py", line 12 in fold\n  File "/job/train.py", line 40 in <module>\n'
)
CRASHES = {
    "Segmentation fault": 1,
    "Floating point exception": 1,
    "Aborted": 0,
    "Bus error": 0,
    "Illegal instruction": 0,
}
"""Crashes, and how many of the answer's remedies ask for their stack where the log has none."""


def asking(automaton: Automaton, text: str) -> list[JudgedRemedy]:
    """Remedies of the answer that want the stack of a crash."""
    root = scan_text(automaton, text).root
    return [each for each in getattr(root, "remedies", ()) if "PYTHONFAULTHANDLER" in each.settings]


@pytest.mark.parametrize("crash", CRASHES)
@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "(Worker pid=711, ip=10.0.0.4) "])
def test_what_asks_for_a_stack_that_the_log_holds_is_refuted(
    automaton: Automaton, crash: str, prefix: str
) -> None:
    lines = f"Fatal Python error: {crash}\n\n{STACK}".splitlines()
    text = "step 3 loss 0.9\n" + "".join(f"{prefix}{each}\n" for each in lines)
    found = asking(automaton, text)
    assert [each.applies for each in found] == [Applies.NO] * CRASHES[crash]
    assert all("PYTHONFAULTHANDLER=1 prints" in each.why.en for each in found)


@pytest.mark.parametrize(
    ("crash", "is_held"),
    [
        ("python: /build/layout.cpp:208: Value store(int): Assertion `rank == 2' failed.", False),
        ("free(): invalid pointer", False),
        ("run.sh: line 12: 31337 Segmentation fault      (core dumped) python train.py", False),
        (f"free(): invalid pointer\nFatal Python error: Aborted\n\n{STACK}", True),
        ("free(): invalid pointer\nFatal Python error: Aborted\n\n<no Python frame>", False),
        # of a process that was only looked at
        (f"free(): invalid pointer\nTimeout (0:05:00)!\n{STACK}", False),
    ],
)
def test_without_a_stack_of_the_crash_it_is_asked_for(
    automaton: Automaton, crash: str, is_held: bool
) -> None:
    found = asking(automaton, f"step 3 loss 0.9\n{crash}\n")
    assert found
    assert all((each.applies is Applies.NO) == is_held for each in found)


@pytest.mark.parametrize("effect", SETTING_EFFECTS, ids=lambda effect: effect.key)
def test_each_effect_of_a_setting_shows_it(automaton: Automaton, effect: SettingEffect) -> None:
    near_misses: list[tuple[tuple[str, ...], dict[str, str]]] = [
        (each, {}) for each in effect.near_misses
    ]
    for lines, shown in ((effect.sample, {effect.key: effect.value}), *near_misses):
        events = events_of(automaton, "\n".join((*lines, "")))
        assert events
        assert [settings_shown(event) for event in events] == [shown] * len(events)


def test_what_one_process_prints_says_nothing_of_the_setting_of_another(
    automaton: Automaton,
) -> None:
    """Each file is of a process of its own."""
    run = Scan(automaton)
    run.read("rank0.log", ["\n".join(("step 3", *SETTING_EFFECTS[0].sample, "")).encode()])
    run.read("rank1.log", [b"step 3\ndouble free or corruption (out)\n"])
    (found,) = (each for each in run.result().diagnoses if each.evidence[0].source == "rank1.log")
    asked = [each for each in found.remedies if "PYTHONFAULTHANDLER" in each.settings]
    assert asked
    assert all(each.applies is not Applies.NO for each in asked)


@pytest.mark.parametrize("row", REFUSED_ROWS, ids=lambda row: row.name)
def test_a_value_that_is_refused_and_allowed_is_found(row: RefusedRow) -> None:
    """And one that is only refused, or a number that is no choice, is not."""
    assert [each for each in row.samples if not refused_though_allowed(each)] == []
    assert [each for each in row.near_misses if refused_though_allowed(each)] == []


def raised_by_library(message: str, package: str = "oddlib") -> str:
    return (
        'Traceback (most recent call last):\n  File "/home/u/train.py", line 10, in <module>\n'
        "    main()\n"
        f'  File "/usr/lib/python3.11/site-packages/{package}/core.py", line 50, in setup\n'
        f"    check(mode)\nValueError: {message}\n"
    )


def test_what_contradicts_itself_asks_for_nothing(automaton: Automaton) -> None:
    """An error that no signature knows is told so, with the package to look at."""
    text = raised_by_library("mode must be either 'a' or 'b', got 'a'.")
    (error,) = scan_text(automaton, text).unknown_errors
    said = " ".join(each.en for each in error.next_steps)
    assert "So the value is hardly what is wrong" in said
    assert "Try the release of oddlib before or after" in said
    assert "says what it needs" not in said
    text = raised_by_library("mode must be either 'a' or 'b', got 'c'.")
    (error,) = scan_text(automaton, text).unknown_errors
    said = " ".join(each.en for each in error.next_steps)
    assert "says what it needs" in said
    assert "So the value is hardly what is wrong" not in said


def test_of_a_known_error_that_contradicts_itself_nothing_else_is_proven(
    automaton: Automaton,
) -> None:
    """What would set the value to another one is not ticked."""
    message = "vllm_mode must be either 'server' or 'colocate', got '{}'."
    (diagnosis,) = scan_text(
        automaton, raised_by_library(message.format("server"), "trl")
    ).diagnoses
    first, *others = diagnosis.remedies
    assert "refuses “server”" in first.action.en
    assert first.applies is Applies.YES
    assert [each for each in others if each.applies is Applies.YES] == []
    (diagnosis,) = scan_text(automaton, raised_by_library(message.format("none"), "trl")).diagnoses
    assert "refuses" not in diagnosis.remedies[0].action.en
