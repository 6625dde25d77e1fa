"""What the titles of many runs have in common."""

from __future__ import annotations

import pytest

from logdoctor.archive.shared_words import shared_words


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Rank 1 never launched #5", "Rank 1 never launched #5", "Rank 1 never launched #5"),
        ("Rank 1 never launched #5", "Rank 0, 2 never launched #8", "Rank … never launched …"),
        (
            "A file does not exist: /a/x",
            "A file does not exist: /b/y z",
            "A file does not exist: …",
        ),
        ("8 ranks wait for rank 3", "4 ranks wait for rank 3", "… ranks wait for rank 3"),
        ("GPU memory is full", "GPU memory is full (verl)", "GPU memory is full …"),
        ("GPU memory is full (verl)", "GPU memory is full", "GPU memory is full …"),
        ("Rank … never launched …", "Rank 3 never launched #9", "Rank … never launched …"),
        ("文件不存在：/data/x1", "文件不存在：/data/x2", "文件不存在：…"),
        ("显存已满（verl）", "显存已满", "显存已满…"),
        ("no word in common", "of all these here", "no word in common"),
        ("", "of all these here", "…"),
    ],
)
def test_words_that_differ_are_left_out(one: str, other: str, shared: str) -> None:
    assert shared_words(one, other) == shared
