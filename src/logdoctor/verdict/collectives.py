"""Reports of ranks about a collective that timed out, and who is the odd one out: CollectiveReader.

Torch's watchdog says on each rank which operation it waits for (sequence number, type, size) and
which it enqueued and completed last (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp). A rank
whose last enqueued operation is its last completed one never launched the operation that the others
wait for.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from logdoctor.model import LocalText, LogLine
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.ranks import ranks_text

REPORTS_LIMIT = 20_000
"""Reports of ranks that are kept."""

NAMED_LIMIT = 8
"""Stretches of ranks that are told."""

_OF_ALL = ("", "0", "0 PG GUID 0(default_pg)")
"""What reports call the process group of all ranks."""

_HINTS = ("seqnum=", "last enqueued", "fingerprint(sequencenumber")
_GROUP_AND_RANK = r"\[(?:PG (?:ID )?(?P<group>[^\]]*?) ?)?Rank (?P<rank>\d+)\]"
_OPERATION = r"SeqNum=(?P<number>\d+), OpType=(?P<kind>\w+)(?:, NumelIn=(?P<size>\d+))?"
_LAST = (
    r"(?i)last enqueued(?: NCCL)? work: (?P<enqueued>-?\d+), last completed(?: NCCL)? work: "
    r"(?P<completed>-?\d+)"
)
_MISMATCH = (
    r"Rank (?P<rank>\d+) is running collective: CollectiveFingerPrint\(SequenceNumber=(?P<number>"
    r"\d+), OpType=(?P<kind>\w+)"
)


class _Report(NamedTuple):
    """What one rank said of one process group."""

    number: int | None = None
    kind: str | None = None
    size: int | None = None
    enqueued: int | None = None
    completed: int | None = None

    def updated(self, newer: "_Report") -> "_Report":
        """What this report says, and what a newer one adds."""
        return _Report(
            self.number if newer.number is None else newer.number,
            newer.kind or self.kind,
            self.size if newer.size is None else newer.size,
            self.enqueued if newer.enqueued is None else newer.enqueued,
            self.completed if newer.completed is None else newer.completed,
        )

    @property
    def operation(self) -> str | None:
        if self.kind is None:
            return None
        size = f" ({self.size:,})" if self.size is not None else ""
        return f"#{self.number} {self.kind}{size}"


class Comparison(NamedTuple):
    """What the reports of the ranks of a process group show, side by side.

    Attributes:
        shows: which kind of thing; a key of `phrases.RANKS_SHOW`.
        ranks: who stands apart, as text; where nobody does, all that reported.
        operation: what the others wait for; empty where no report says it.
        text: the same in a sentence.
    """

    shows: str
    ranks: str
    operation: str
    text: LocalText

    @property
    def is_odd(self) -> bool:
        """Whether a rank stands apart."""
        return self.shows not in (_SOME_WAIT, _ALL_WAIT)

    @property
    def facts(self) -> dict[str, str]:
        """What texts and conditions of signatures may ask for."""
        return {"ranks_show": self.shows, "odd_ranks": self.ranks, "waited_for": self.operation}


_SOME_WAIT, _ALL_WAIT = "some-wait", "all-wait"


class CollectiveReader:
    """Takes the lines of failures; then says which rank stands apart."""

    def __init__(self) -> None:
        self._reports: dict[str, dict[int, _Report]] = {}  # by process group and rank
        self._count = 0

    def feed_event(self, lines: Sequence[LogLine]) -> bool:
        """Takes the lines of a failure; whether there was such a report among them."""
        return (
            _may_report("\n".join([line.text for line in lines])) and sum(map(self.feed, lines)) > 0
        )

    def feed(self, line: LogLine) -> bool:
        """Takes a line; whether it was such a report."""
        if not _may_report(line.text) or self._count >= REPORTS_LIMIT:
            return False
        before = self._count
        for found in re.finditer(_MISMATCH, line.text):
            self._note("", int(found["rank"]), _Report(int(found["number"]), found["kind"]))
        who = re.search(_GROUP_AND_RANK, line.text)
        rank = line.lane.rank if line.lane.rank is not None else int(who["rank"]) if who else None
        if rank is None:
            return self._count > before
        group = (who["group"] or "") if who else ""
        operation, last = re.search(_OPERATION, line.text), re.search(_LAST, line.text)
        if operation:
            size = operation["size"]
            self._note(
                group,
                rank,
                _Report(int(operation["number"]), operation["kind"], int(size) if size else None),
            )
        if last:
            self._note(
                group,
                rank,
                _Report(enqueued=int(last["enqueued"]), completed=int(last["completed"])),
            )
        return self._count > before

    def comparison(self, world_size: int | None = None) -> Comparison | None:
        """What the reports show, of the first process group where a rank stands apart, else of the
        first that waits; None where nobody reported.

        `world_size` is how many ranks there are: in the group of them all, one that reports nothing
        did not arrive, and where all report nobody is missing.
        """
        compared = [
            _compared(reports, world_size if group in _OF_ALL else None)
            for group, reports in self._reports.items()
        ]
        found = [each for each in compared if each]
        return next((each for each in found if each.is_odd), next(iter(found), None))

    def _note(self, group: str, rank: int, report: _Report) -> None:
        reports = self._reports.setdefault(group, {})
        reports[rank] = reports[rank].updated(report) if rank in reports else report
        self._count += 1


def _told(ranks: set[int]) -> str:
    return ranks_text(ranks, NAMED_LIMIT)


def _may_report(text: str) -> bool:
    folded = text.lower()
    return any(hint in folded for hint in _HINTS)


def _compared(reports: Mapping[int, _Report], world_size: int | None) -> Comparison | None:
    """What the reports of one group show."""
    odd = _never_launched(reports) or _of_other_operation(reports) or _behind(reports)
    operation = next((each.operation for each in reports.values() if each.operation), None)
    if odd or operation is None:
        return odd
    everybody = set(range(world_size or 0))
    silent = everybody - set(reports)
    if silent and len(silent) < len(reports) and max(reports) < len(everybody):
        text = phrases.SILENT.fill(ranks=_told(silent), count=world_size, operation=operation)
        return Comparison("silent", _told(silent), operation, text)
    waiting = {rank for rank, each in reports.items() if each.operation}
    if waiting == everybody:
        text = phrases.ALL_WAIT.fill(count=world_size, operation=operation)
        return Comparison(_ALL_WAIT, _told(waiting), operation, text)
    text = phrases.SOME_WAIT.fill(ranks=_told(waiting), operation=operation)
    return Comparison(_SOME_WAIT, _told(waiting), operation, text)


def _never_launched(reports: Mapping[int, _Report]) -> Comparison | None:
    """Ranks that completed all that they enqueued, and wait for nothing."""
    waited = max(
        (each.number for each in reports.values() if each.number is not None), default=None
    )
    never = {
        rank
        for rank, each in reports.items()
        if each.enqueued is not None
        and each.enqueued == each.completed
        and waited is not None
        and each.enqueued < waited
        and each.number is None
    }
    if not never or len(never) == len(reports):
        return None
    last = reports[min(never)].enqueued
    text = phrases.NEVER_LAUNCHED.fill(ranks=_told(never), number=waited, last=last)
    return Comparison("never-launched", _told(never), f"#{waited}", text)


def _of_other_operation(reports: Mapping[int, _Report]) -> Comparison | None:
    """Ranks that wait for something else than most."""
    other = _minority(reports, lambda each: each.operation)
    if not other:
        return None
    told = Counter(each.operation for each in reports.values() if each.operation)
    ((usual, _),) = told.most_common(1)
    first = reports[min(other)]
    of_usual = next(each for each in reports.values() if each.operation == usual)
    is_late = first.kind == of_usual.kind and (first.number or 0) < (of_usual.number or 0)
    shows, phrase = (
        ("behind", phrases.RANK_AT_EARLIER)
        if is_late
        else ("other-operation", phrases.OTHER_OPERATION)
    )
    text = phrase.fill(ranks=_told(other), operation=first.operation, usual=usual)
    return Comparison(shows, _told(other), usual or "", text)


def _behind(reports: Mapping[int, _Report]) -> Comparison | None:
    """Ranks that completed less than most."""
    behind = _minority(reports, lambda each: each.completed, is_least=True)
    if not behind:
        return None
    furthest = max(each.completed for each in reports.values() if each.completed is not None)
    text = phrases.RANK_BEHIND.fill(
        ranks=_told(behind), last=reports[min(behind)].completed, furthest=furthest
    )
    return Comparison("behind", _told(behind), f"#{furthest}", text)


def _minority(
    reports: Mapping[int, _Report], value: Callable[[_Report], object], *, is_least: bool = False
) -> set[int]:
    """The ranks that differ from most; where two halves differ, and the values are counted,
    those that are behind.
    """
    values = {rank: told for rank, each in reports.items() if (told := value(each)) is not None}
    counts = Counter(values.values())
    if len(counts) <= 1:
        return set()
    (usual, often), *_ = counts.most_common()
    rare = {rank for rank, told in values.items() if told != usual}
    if is_least:
        least = min(told for told in values.values() if isinstance(told, int))
        rare = {rank for rank, told in values.items() if told == least}
        return rare if 2 * len(rare) <= len(values) else set()
    return rare if len(rare) <= often else set()
