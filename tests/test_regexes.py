"""Which regexes are left to Python's `re`, which cannot be stopped: those that both packages understand alike and that surely end soon."""

from __future__ import annotations

import math
import re
import time

import pytest
import regex

from logdoctor.matching.matcher import REGEX_TIMEOUT_S
from logdoctor.patterns.regex_costs import LONGEST_TEXT, STEPS_LIMIT, longest_soon, most_steps
from logdoctor.patterns.timed_search import prepare_search
from logdoctor.search.automaton import Automaton
from logdoctor.texts.masking import comparable

RUNAWAYS = [
    r"(a|aa)+$",
    r"(a+)+x",
    r"(?:aa?){60}x",
    r"(?:a?){40}x",
    r".*.*.*x",
    r".*?.*?.*?x",
    r"[^x]*?[^y]*?[^z]*?x",
    r"(?i)\w*A*\w*\w*x",
    r"(?:\w+,? ?){0,8}x",
    r"(?=(?:a+)+x).",
    r"(?:a|[a-c]|.){20}x",
    r"a.*?a.*?a.*?a.*?\b[x!]*\b(?!a)",
    r"(?:(?:a+)+b)?",
]
SLOWEST = [
    r"(?:aa?){11}x",
    r"(?:a|aa){0,10}x",
    r"(?:a|[a-b]|.){10}x",
    r"a{0,40}?a{0,40}?x",
    r"(?:aaab?)*a*x",
    r"\w*(?=\w*\d)\w*x",
]


@pytest.mark.parametrize("pattern", RUNAWAYS)
def test_what_may_run_away_can_be_stopped(pattern: str) -> None:
    """Such a regex goes to the package that has a time limit."""
    assert most_steps(pattern, 256) > STEPS_LIMIT
    start = time.thread_time()
    prepare_search(pattern, 256)("a" * 200, 0.02)
    assert time.thread_time() - start < REGEX_TIMEOUT_S


@pytest.mark.parametrize("pattern", SLOWEST)
def test_what_cannot_be_stopped_ends_soon(pattern: str) -> None:
    """As slow as it can be made, it takes less than a regex may take that is watched."""
    length = next(
        length
        for length in (1024, 512, 256, 128, 64, 32)
        if most_steps(pattern, length) <= STEPS_LIMIT
    )
    search = prepare_search(pattern, length)
    start = time.thread_time()
    search("a" * length, REGEX_TIMEOUT_S)
    assert time.thread_time() - start < REGEX_TIMEOUT_S


@pytest.mark.parametrize("pattern", [*RUNAWAYS, *SLOWEST])
def test_the_longest_text_that_is_searched_soon(pattern: str) -> None:
    """Twice as long, it would take too long."""
    longest = longest_soon(pattern)
    assert 0 < longest < LONGEST_TEXT
    assert most_steps(pattern, longest) <= STEPS_LIMIT < most_steps(pattern, 2 * longest)


def test_what_ends_soon_in_no_text_or_in_all() -> None:
    """Where the packages differ, nothing is known; what has few characters is never long."""
    assert (longest_soon(r"(?:timeout){e<=1}"), longest_soon(r"rank \d failed")) == (
        0,
        LONGEST_TEXT,
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:timeout){e<=1}",
        r"(?:timeout){1<=e<=2}",
        r"[[:alpha:]]+",
        r"\p{Lu}x",
        r"(a)\1",
        r"(?<name>a)",
        r"(?<=a+)b",
        r"(a)?(?(1)b|c)",
    ],
)
def test_what_the_packages_understand_differently_is_left_to_regex(pattern: str) -> None:
    """So is what would have to be looked at more closely."""
    assert most_steps(pattern, 32) == math.inf


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"exit code: (?P<code>\d+)\b", 5_000),
        (r"rank (\d+) of (\d+), ([a-z_]+) on ([\w.-]+): failed", 30_000),
        (r"\bMemoryError(?:: |$)", 3_000),
        (r"Command '(?P<words>[^']*)' (?:returned (?P<code>-?\d+)|died)", 10_000),
        (r"(?P<library>\w+\.so(?:\.\d+)*): undefined symbol: (?P<symbol>_Z\w+)", 5_000_000),
    ],
)
def test_what_the_next_character_decides_costs_little(pattern: str, most: int) -> None:
    """Most regexes of messages are of that kind."""
    assert most_steps(pattern, 128) <= most


def test_a_search_gives_what_the_package_gives() -> None:
    """Also where only one that can be stopped may search."""
    pattern = r"(?i)(?P<file>(?:trl/\w+/|verl/[\w/]+)\w+\.py).*?\w+.*? (?:Raise |assert\b)"
    assert most_steps(pattern, 128) > STEPS_LIMIT
    search = prepare_search(pattern, 128)
    for text in (
        "in TRL/train/x.py, line 3 raise it",
        "in trl/train/x.py, line 3 ends",
        "in roll/x.py raise it",
        "verl/a/b.py _ ASSERT",
    ):
        assert _found(search(text, 1)[0]) == _found(regex.search(pattern, text))


def test_both_packages_find_the_same(automaton: Automaton) -> None:
    """Each regex of the database in its own examples and counterexamples, whole and by line."""
    different = []
    for signature in automaton.database.signatures:
        texts = [
            *(each.text for each in signature.examples),
            *(each.text for each in signature.counterexamples),
        ]
        lines = {comparable(line) for text in texts for line in (text, *text.splitlines())}
        for part in (
            *signature.excludes,
            *(part for pattern in signature.patterns for part in pattern.parts),
        ):
            if part.regex and most_steps(part.regex, 1) < math.inf:
                one, other = re.compile(part.regex), regex.compile(part.regex)
                different += [
                    (part.regex, line)
                    for line in lines
                    if line.isascii() and _found(one.search(line)) != _found(other.search(line))
                ]
    assert different == []


def _found(match: re.Match[str] | regex.Match[str] | None) -> object:
    return match and (match.span(), match.groupdict())
