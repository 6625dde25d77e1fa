"""How much is quick: drawn, in_turn.

What is quick (`pytest`) draws a quarter of what `pytest -m ''` draws, which `.ci/run` runs: a
fault that only one text in many shows is found there, or by one of the many quick runs. Where one
fact is tested on all of many logs, a quarter of these is quick too.
"""

from __future__ import annotations

from zlib import crc32

import pytest
from hypothesis import settings

QUICK, THOROUGH = 25, 100
"""Of what hypothesis draws for a test without a number of its own, and so of a hundred."""


def draw(*, is_quick: bool) -> None:
    """Decides it for all tests of this process."""
    name = "quick" if is_quick else "thorough"
    settings.register_profile(name, settings.default, max_examples=QUICK if is_quick else THOROUGH)
    settings.load_profile(name)


def in_turn(name: str) -> tuple[pytest.MarkDecorator, ...]:
    """The mark of one of many cases of a test: three of four are slow, always the same."""
    return () if crc32(name.encode()) % (THOROUGH // QUICK) == 0 else (pytest.mark.slow,)


def drawn(count: int) -> int:
    """How many a test draws which draws so many where all is run; at least one."""
    assert settings.default is not None
    return max(1, count * settings.default.max_examples // THOROUGH)
