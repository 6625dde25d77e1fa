"""Whether files named together may be several runs: difference_of."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations, pairwise

from logdoctor.archive.layouts import slurm_jobs
from logdoctor.formats.registry import APPLICATIONS, FOUNDATIONS
from logdoctor.formats.rows import MarkerKind
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import live as phrases

LOOKED_AT = 65_536
"""Bytes at each end of a file in which a time is sought."""

ASKED_FOR_PROGRAMS = 16
"""Files, the first ones, that are asked what programs they tell of: whoever names more of them
names files of one kind.
"""

APART_S = 3600.0
"""Seconds between the end of one file and the beginning of the next, from which on they are hardly
of one run: its parts, and the files of its processes, follow or overlap each other.
"""

_TIME = re.compile(rb"(20\d\d)[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)")


def difference_of(names: Sequence[str]) -> Phrase | None:
    """By what two of these plain files are hardly of one run: jobs in their names, programs that
    they tell of, times that lie apart; None where nothing says so.
    """
    files = [each for each in names if os.path.isfile(each)]
    if len(slurm_jobs([os.path.basename(each) for each in files])) > 1:
        return phrases.JOBS_APART
    spans, programs = [], set()
    for number, each in enumerate(files):
        ends = _ends(each)
        if number < ASKED_FOR_PROGRAMS:
            programs.add(_programs(ends))
        if span := _span(ends):
            spans.append(span)
    if any(_differ(one, other) for one, other in combinations(programs, 2)):
        return phrases.PROGRAMS_APART
    is_apart = any(late[0] - early[1] > APART_S for early, late in pairwise(sorted(spans)))
    return phrases.TIMES_APART if is_apart else None


def _ends(name: str) -> tuple[bytes, bytes]:
    """The beginning and the end of a file; empty where it cannot be read."""
    try:
        with open(name, "rb") as file:
            head = file.read(LOOKED_AT)
            file.seek(max(0, os.path.getsize(name) - LOOKED_AT))
            return head, file.read(LOOKED_AT)
    except OSError:
        return b"", b""


def _programs(ends: tuple[bytes, bytes]) -> frozenset[str]:
    """What a user calls the run, as far as a file tells."""
    text = b"\n".join(ends).decode("utf-8", "replace")
    return frozenset(
        marker.value
        for application in APPLICATIONS
        for marker in application.markers
        if marker.kind is MarkerKind.FRAMEWORK and re.search(marker.pattern, text)
    )


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether no run is both: what the one tells of may be what the other is built on."""
    if not one or not other or one & other:
        return False
    return bool(one - FOUNDATIONS) == bool(other - FOUNDATIONS)


def _span(ends: tuple[bytes, bytes]) -> tuple[float, float] | None:
    """The first and the last time in a file, in seconds of an unknown clock."""
    times = [time for each in ends for time in _times(each)]
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
