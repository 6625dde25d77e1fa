"""Ranks as a text: ranks_text."""

from collections.abc import Iterable


def ranks_text(ranks: Iterable[int], most: int | None = None) -> str:
    """`0-3, 7`; `none` where there are none. Of more than `most` stretches the first are told, and
    how many ranks are left.
    """
    stretches: list[list[int]] = []
    for rank in sorted(ranks):
        if stretches and stretches[-1][-1] == rank - 1:
            stretches[-1].append(rank)
        else:
            stretches.append([rank])
    parts = [_stretch(each) for each in stretches[:most]]
    left = sum(map(len, stretches[len(parts) :]))
    return ", ".join([*parts, f"+{left}"] if left else parts) or "none"


def _stretch(ranks: list[int]) -> str:
    low, high = ranks[0], ranks[-1]
    return f"{low}-{high}" if high > low + 1 else ", ".join(map(str, ranks))
