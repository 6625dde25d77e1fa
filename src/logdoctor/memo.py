"""What was found out once and is asked for again: Memo."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V]):
    """A dict that never holds more than `limit` entries: before one more comes in, all are
    forgotten.

    What is asked for again is mostly what was asked for lately, so that little is found out anew.
    It belongs to an object, whose knowledge its values depend on; what depends on its arguments
    alone is remembered by the `lru_cache` of its function.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._limit and key not in self:
            self.clear()
        super().__setitem__(key, value)

    def __copy__(self) -> Memo[K, V]:
        memo: Memo[K, V] = Memo(self._limit)
        dict.update(memo, self)
        return memo
