"""What is remembered stays within its limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logdoctor.memo import Memo


@given(st.lists(st.integers(0, 20)), st.integers(1, 10))
def test_a_memo_holds_what_came_last_and_no_more_than_its_limit(
    keys: list[int], limit: int
) -> None:
    """Whatever comes."""
    memo: Memo[int, int] = Memo(limit)
    for key in keys:
        memo[key] = key
        assert memo[key] == key
        assert len(memo) <= limit


def test_a_full_memo_forgets_all_for_a_new_entry_and_nothing_for_a_known_one() -> None:
    """A known one takes no room."""
    memo: Memo[str, int] = Memo(2)
    memo["a"], memo["b"] = 1, 2
    memo["a"] = 3
    assert memo == {"a": 3, "b": 2}
    memo["c"] = 4
    assert memo == {"c": 4}
