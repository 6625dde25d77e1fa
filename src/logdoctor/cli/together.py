"""Whether files named together may be several runs: are_apart."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

LOOKED_AT = 65_536
"""Bytes at each end of a file in which a time is sought."""

APART_S = 3600.0
"""Seconds between the end of one file and the beginning of the next, from which on they are hardly
of one run: its parts, and the files of its processes, follow or overlap each other.
"""

_TIME = re.compile(rb"(20\d\d)[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)")


def are_apart(names: Sequence[str]) -> bool:
    """Whether two of these plain files tell of times that lie apart; false where they tell no
    times.
    """
    spans = sorted(span for each in names if os.path.isfile(each) and (span := _span(each)))
    return any(late[0] - early[1] > APART_S for early, late in pairwise(spans))


def _span(name: str) -> tuple[float, float] | None:
    """The first and the last time in a file, in seconds of an unknown clock."""
    try:
        with open(name, "rb") as file:
            head = file.read(LOOKED_AT)
            file.seek(max(0, os.path.getsize(name) - LOOKED_AT))
            tail = file.read(LOOKED_AT)
    except OSError:
        return None
    times = [time for each in (head, tail) for time in _times(each)]
    return (min(times), max(times)) if times else None


def _times(data: bytes) -> list[float]:
    times = []
    for found in _TIME.findall(data):
        try:
            year, month, day, hour, minute, second = map(int, found)
            # only compared
            time = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001
            times.append(time.timestamp())
        except ValueError:
            continue
    return times
