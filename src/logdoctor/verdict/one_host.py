"""Whether an error is one host's alone among the ranks of a run: only_host."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from logdoctor.model import Lane, LocalText
from logdoctor.texts.phrases import verdict as phrases

LEAST_RANKS = 2
"""Ranks of the host that print it, and ranks of other hosts that print something else: one rank
alone may fail by chance wherever it runs.
"""


def only_host(lanes: AbstractSet[Lane], others: Iterable[AbstractSet[Lane]]) -> LocalText | None:
    """That all ranks which print an error are of one host, where ranks of other hosts print other
    errors only; None where that is not so, or is not known.

    `lanes` wrote the error, each of `others` another one.
    """
    of_ranks = {(each.host, each.rank) for each in lanes if each.rank is not None}
    hosts = {host for host, _ in of_ranks}
    (host, *more) = hosts or {None}
    if more or host is None or len(of_ranks) < LEAST_RANKS:
        return None
    elsewhere = {
        (each.host, each.rank)
        for written in others
        for each in written
        if each.rank is not None and each.host not in (None, host)
    }
    if len(elsewhere) < LEAST_RANKS:
        return None
    return phrases.ONLY_HOST.fill(host=host, count=len({name for name, _ in elsewhere}))
