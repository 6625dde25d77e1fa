"""What the runs of an archive have in common: Overview, a push machine that is fed one run after
the other.

It keeps counters only: its size depends on how many different errors, weeks and nodes there are,
not on the runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from math import exp, lgamma, log, log1p
from typing import Any, NamedTuple

from logdoctor.archive.records import RunRecord
from logdoctor.archive.shared_words import shared_words
from logdoctor.model import HARMLESS, RunState, Severity

Document = Mapping[str, Any]
"""As `scan --format json` prints it."""

LEAST_FAILURES, CHANCE = 3, 0.01
"""A node is named where so many runs failed on it, and chance alone would do that to any of the
nodes this rarely.
"""

_DATE = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?:\D|$)")
NO_END_SEEN = RunState.NO_END_SEEN.value
_HARMLESS = {verdict.value for verdict in HARMLESS}


class Group(NamedTuple):
    """A cause, or an error without a signature, over all runs.

    Attributes:
        key: signature id or fingerprint.
        title: what their titles have in common, with `…` for what differs.
        runs: in how many it is (a cause: as the verdict).
        occurrences: in all of them together.
        first_seen, last_seen: the earliest and latest date or time, ISO 8601, that the logs or the
            names of the runs tell, else the times of their files.
        by_file_time: of the runs, those that tell no time, where that of their files stands for
            it.
        frameworks, phases, weeks: runs by each; a run can have several frameworks.
        example: as in scan's document, of the first run that has it.
        run: the name of that run.
    """

    key: str
    title: str
    runs: int
    occurrences: int
    first_seen: str | None
    last_seen: str | None
    by_file_time: int
    frameworks: Mapping[str, int]
    phases: Mapping[str, int]
    weeks: Mapping[str, int]
    example: Document
    run: str


class Tally(NamedTuple):
    """Runs, how many of them failed, and how many of these without a signature, by a framework or
    a week (`2026-W12`); and how many of the runs have their time from their files.
    """

    name: str
    runs: int
    failed: int
    unknown: int
    by_file_time: int


class FailingNode(NamedTuple):
    """A node that fails more often than chance.

    Attributes:
        failed: failed runs of which the first error was on this node.
        runs: failed runs that it took part in, together with at least one other node.
        expected: how many would have failed on it if each node of a run were as likely as the
            others.
        chance: of at least so many by luck, for any of the nodes (binomial, times the number of
            nodes), at most 1.
    """

    name: str
    failed: int
    runs: int
    expected: float
    chance: float


class When(NamedTuple):
    """Full times, ascending; empty where none is known."""

    times: list[str]
    is_of_files: bool


class _State(NamedTuple):
    """What a tally counts of a run."""

    has_failed: bool
    is_unknown: bool
    has_file_time: bool


class _Counts:
    def __init__(self, key: str, run: str, example: Document) -> None:
        self.key, self.run, self.example = key, run, example
        self.title = str(example["title"])
        self.runs = self.occurrences = self.by_file_time = 0
        self.first: str | None = None
        self.last: str | None = None
        self.frameworks: Counter[str] = Counter()
        self.phases: Counter[str] = Counter()
        self.weeks: Counter[str] = Counter()

    def add(self, found: Document, document: Document, when: When) -> None:
        self.runs += 1
        if found["title"] != self.title:
            self.title = shared_words(self.title, found["title"])
        self.occurrences += found["occurrences"]
        self.frameworks.update(document["context"]["frameworks"])
        self.phases.update([found["phase"]] if found.get("phase") else [])
        times = when.times
        self.by_file_time += when.is_of_files
        self.weeks.update([week] if times and (week := _week(times[-1])) else [])
        self.first = min((each for each in (self.first, *times) if each), default=None)
        self.last = max((each for each in (self.last, *times) if each), default=None)

    def group(self) -> Group:
        frameworks, phases, weeks = (
            dict(sorted(each.items())) for each in (self.frameworks, self.phases, self.weeks)
        )
        return Group(
            self.key,
            self.title,
            self.runs,
            self.occurrences,
            self.first,
            self.last,
            self.by_file_time,
            frameworks,
            phases,
            weeks,
            self.example,
            self.run,
        )


class Overview:
    """Counts over runs; ask after all were fed. Lists are sorted by runs, then occurrences, largest
    first, then by key.

    Attributes:
        runs, failed: runs fed, and those with a root cause that is no mere warning.
        unknown: failed runs of which no signature knows the root cause.
        warned: runs of which the worst is a warning.
        unread: runs of which no line could be read; whether they failed, nobody knows.
        unended: runs without a finding and without any sign of an end.
        by_file_time: runs that tell no time, where that of their files stands for it.
    """

    def __init__(self) -> None:
        self.runs = self.failed = self.unknown = self.warned = self.unread = self.unended = 0
        self.by_file_time = 0
        self._causes: dict[str, _Counts] = {}
        self._unknown: dict[str, _Counts] = {}
        self._frameworks: Counter[tuple[str, _State]] = Counter()
        self._weeks: Counter[tuple[str, _State]] = Counter()
        self._blamed: Counter[str] = Counter()
        # of each node in the failed runs that it took part in
        self._shares: dict[str, list[float]] = {}

    def feed(self, record: RunRecord, document: Document, written: str | None = None) -> None:
        """Takes the next run; `written` is when its files were (see `JudgedRun`)."""
        root = root_of(document)
        self.runs += 1
        failed = has_failed(document)
        self.failed += failed
        is_unknown = root is not None and "fingerprint" in root
        self.unknown += is_unknown
        self.warned += root is not None and not failed
        is_unread = (
            root is None
            and not any(source["lines"] for source in document["sources"])
            and bool(record.problems)
        )
        self.unread += is_unread
        self.unended += root is None and document["ending"]["state"] == NO_END_SEEN
        if root is not None and "signature_id" in root:
            when = when_of(root, record.run, written)
            self._count(self._causes, root, record, document, when)
        for found in document["unknown_errors"]:
            if found["verdict"] not in _HARMLESS:
                when = when_of(found, record.run, written)
                self._count(self._unknown, found, record, document, when)
        when = when_of(root or {"evidence": []}, record.run, None if is_unread else written)
        self.by_file_time += when.is_of_files
        state = _State(failed, is_unknown, when.is_of_files)
        self._frameworks.update((name, state) for name in document["context"]["frameworks"])
        week = _week(when.times[-1]) if when.times else None
        self._weeks.update([(week, state)] if week else [])
        blamed = root["evidence"][0]["host"] if failed and root and root["evidence"] else None
        if blamed and len(record.hosts) > 1:
            self._blamed[blamed] += 1
            for host in record.hosts:
                self._shares.setdefault(host, []).append(1 / len(record.hosts))

    def _count(
        self,
        into: dict[str, _Counts],
        found: Document,
        record: RunRecord,
        document: Document,
        when: When,
    ) -> None:
        key = found.get("signature_id") or found["fingerprint"]
        if key not in into:
            into[key] = _Counts(key, record.run, found)
        into[key].add(found, document, when)

    def causes(self) -> list[Group]:
        """Signatures that are the verdict of a run."""
        return _sorted(self._causes.values())

    def unknown_errors(self) -> list[Group]:
        """Errors without a signature that did harm: the work queue for new signatures."""
        return _sorted(self._unknown.values())

    def frameworks(self) -> list[Tally]:
        """Runs by framework, most runs first."""
        return sorted(_tallies(self._frameworks), key=lambda each: (-each.runs, each.name))

    def weeks(self) -> list[Tally]:
        """Runs by week, oldest first; those of which the week is known."""
        return sorted(_tallies(self._weeks))

    def failing_nodes(self) -> list[FailingNode]:
        """Nodes that fail more often than chance, the least likely ones first."""
        nodes = []
        for name, shares in self._shares.items():
            failed, expected = self._blamed[name], sum(shares)
            chance = min(
                1.0, len(self._shares) * binomial_tail(failed, len(shares), expected / len(shares))
            )
            if failed >= LEAST_FAILURES and chance < CHANCE:
                nodes.append(FailingNode(name, failed, len(shares), expected, chance))
        return sorted(nodes, key=lambda each: (each.chance, each.name))


def root_of(document: Document) -> Document | None:
    """The diagnosis or unknown error that the document's answer points at."""
    answer = document["answer"]
    return None if answer is None else document[answer["in"]][answer["index"]]


def has_failed(document: Document) -> bool:
    """Whether the run's verdict is more than a warning."""
    root = root_of(document)
    return root is not None and root.get("severity") != Severity.WARNING.value


def binomial_tail(least: int, trials: int, share: float) -> float:
    """The chance of at least so many successes in so many trials, each succeeding with
    probability `share` (above 0, at most 1).
    """
    if share >= 1:
        return 1.0
    return sum(
        exp(_log_comb(trials, count) + count * log(share) + (trials - count) * log1p(-share))
        for count in range(least, trials + 1)
    )


def _log_comb(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def when_of(found: Document, run: str, written: str | None) -> When:
    """The times of something found; those of the run's files where nothing else tells one."""
    times = times_of(found, run)
    if times or not written or not _week(written):
        return When(times, is_of_files=False)
    return When([written], is_of_files=True)


def times_of(found: Document, run: str) -> list[str]:
    """Full times of the evidence, ascending; where there are none, the date in the name of the
    run.
    """
    times = sorted(
        each["time"] for each in found["evidence"] if each["time"] and _DATE.match(each["time"])
    )
    if not times and (named := _DATE.search(run)):
        times = ["-".join(named.groups())]
    return [each for each in times if _week(each)]


def _week(time: str) -> str | None:
    try:
        year, week, _ = date.fromisoformat(time[:10]).isocalendar()
    except ValueError:
        return None
    return f"{year}-W{week:02}"


def _tallies(counts: Counter[tuple[str, _State]]) -> Iterable[Tally]:
    sums: dict[str, list[int]] = {}
    for (name, state), count in counts.items():
        told = sums.setdefault(name, [0, 0, 0, 0])
        for number, is_so in enumerate((True, *state)):
            told[number] += count * is_so
    return (Tally(name, *told) for name, told in sums.items())


def _sorted(counts: Iterable[_Counts]) -> list[Group]:
    return sorted(
        (each.group() for each in counts),
        key=lambda group: (-group.runs, -group.occurrences, group.key),
    )
