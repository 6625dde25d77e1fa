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

    def finding(self, world_size: int | None = None) -> LocalText | None:
        """What the comparison shows, of the first process group where it shows something; None
        where nobody reported.

        `world_size` is how many ranks there are: in the group of them all, one that reports nothing
        did not arrive.
        """
        findings = [
            _compared(reports, world_size if group in _OF_ALL else None)
            for group, reports in self._reports.items()
        ]
        odd = [finding for finding, is_odd in findings if is_odd]
        return next(iter(odd), None) or next((finding for finding, _ in findings if finding), None)

    def _note(self, group: str, rank: int, report: _Report) -> None:
        reports = self._reports.setdefault(group, {})
        reports[rank] = reports[rank].updated(report) if rank in reports else report
        self._count += 1


def _told(ranks: set[int]) -> str:
    return ranks_text(ranks, NAMED_LIMIT)


def _may_report(text: str) -> bool:
    folded = text.lower()
    return any(hint in folded for hint in _HINTS)


def _compared(
    reports: Mapping[int, _Report], world_size: int | None
) -> tuple[LocalText | None, bool]:
    """What the reports of one group show, and whether a rank stands apart."""
    odd = _never_launched(reports) or _of_other_operation(reports) or _behind(reports)
    if odd:
        return odd, True
    operation = next((each.operation for each in reports.values() if each.operation), None)
    if operation is None:
        return None, False
    silent = set(range(world_size or 0)) - set(reports)
    if silent and len(silent) < len(reports) and max(reports) < (world_size or 0):
        return phrases.SILENT.fill(ranks=_told(silent), count=world_size, operation=operation), True
    waiting = {rank for rank, each in reports.items() if each.operation}
    return phrases.ALL_WAIT.fill(ranks=_told(waiting), operation=operation), False


def _never_launched(reports: Mapping[int, _Report]) -> LocalText | None:
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
    return phrases.NEVER_LAUNCHED.fill(ranks=_told(never), number=waited, last=last)


def _of_other_operation(reports: Mapping[int, _Report]) -> LocalText | None:
    """Ranks that wait for something else than most."""
    other = _minority(reports, lambda each: each.operation)
    if not other:
        return None
    told = Counter(each.operation for each in reports.values() if each.operation)
    ((usual, _),) = told.most_common(1)
    return phrases.OTHER_OPERATION.fill(
        ranks=_told(other), operation=reports[min(other)].operation, usual=usual
    )


def _behind(reports: Mapping[int, _Report]) -> LocalText | None:
    """Ranks that completed less than most."""
    behind = _minority(reports, lambda each: each.completed, is_least=True)
    if not behind:
        return None
    furthest = max(each.completed for each in reports.values() if each.completed is not None)
    return phrases.RANK_BEHIND.fill(
        ranks=_told(behind), last=reports[min(behind)].completed, furthest=furthest
    )


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
