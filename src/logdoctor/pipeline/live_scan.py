"""A run that is still writing: LiveScan.

The same stages as a scan, with as many sources at once as there are; what stands complete is judged
while it is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from logdoctor.context.metric_state import Streak
from logdoctor.model import (
    HARMLESS,
    Diagnosis,
    Progress,
    RunContext,
    ScanOptions,
    ScanResult,
    Signature,
    SourceSummary,
    UnknownError,
)
from logdoctor.pipeline.examination import Examination
from logdoctor.pipeline.scan import TAIL_BYTES, Scan
from logdoctor.scanning.scanner import Scanner
from logdoctor.search.automaton import Automaton
from logdoctor.search.engines import Search

UNKNOWN_TOLD = 50
"""Errors without a signature that are told one by one; more are only counted, until the whole
verdict.
"""


class News(NamedTuple):
    """What a settling found.

    Attributes:
        diagnoses, unknown_errors: those not told before.
        root: what is held for the root cause now, where that has changed from something that was
            told to be it.
        instead_of: what was held for it until then.
        recovered: those told before that the run has survived meanwhile.
    """

    diagnoses: tuple[Diagnosis, ...] = ()
    unknown_errors: tuple[UnknownError, ...] = ()
    root: Diagnosis | UnknownError | None = None
    instead_of: Diagnosis | UnknownError | None = None
    recovered: tuple[Diagnosis | UnknownError, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.diagnoses or self.unknown_errors or self.root or self.recovered)


class _Live:
    """A source that is being read."""

    def __init__(self, number: int, name: str, scanner: Scanner) -> None:
        self.number = number
        self.name = name
        self.scanner = scanner
        self.problem: str | None = None
        self.unsettled = 0  # settlings until all that came was seen
        self.tail = b""  # the last bytes
        self.told_lines = 0  # as of the last settling
        self.whole_lines = 0  # if it ended there between two events

    def summary(self) -> SourceSummary:
        return SourceSummary(self.name, self.scanner.lines, self.scanner.bytes, self.problem)


class LiveScan(Scan):
    """One run that is still writing: feed its sources as they grow, and settle several times a
    second.
    """

    def __init__(
        self,
        automaton: Automaton,
        options: ScanOptions | None = None,
        told: Iterable[str] = (),
        lines: Mapping[str, int] | None = None,
        streaks: Sequence[Streak] = (),
    ) -> None:
        """`told` are ids and fingerprints that need not be told again, `lines` how many were
        read earlier, by source, `streaks` how metrics stood.
        """
        super().__init__(automaton, options)
        self._search = Search(automaton.engines)
        self._live: dict[str, _Live] = {}
        self._told = dict.fromkeys(told)
        self._lines_before = dict(lines or {})
        self._streaks_before = tuple(streaks)
        self._different = 0
        self._root: Diagnosis | UnknownError | None = None
        self._unknown_told = 0
        self._open: set[str] = set()  # what was told, and did harm when it was last looked at
        self._judged_at: Progress | None = None

    @property
    def told_keys(self) -> tuple[str, ...]:
        """Ids and fingerprints of what was told."""
        return tuple(self._told)

    @property
    def streaks(self) -> tuple[Streak, ...]:
        """How the metrics stand that were read so far; a later scan that is given them may read
        the last lines again.
        """
        return self._examination.streaks if self._examination else self._streaks_before

    def feed(self, name: str, data: bytes) -> None:
        """Takes the next bytes of a source; ends of lines, if they are to be told by and by."""
        live = self._of(name)
        live.problem, live.unsettled = None, 2
        live.tail = (live.tail + data[-TAIL_BYTES:])[-TAIL_BYTES:]
        for region in live.scanner.feed(data):
            self._examine(live).take(name, region)

    def take_lines(self) -> None:
        """Takes what lit up in whole lines so far, as settling does, but tells nothing."""
        for live in self._live.values():
            for region in live.scanner.settle():
                self._examine(live).take(live.name, region)

    def lines_of(self, name: str) -> int:
        """Lines read of a source."""
        return self._of(name).scanner.lines

    def told_until(self, name: str) -> tuple[int, int]:
        """Of a source, as of the last settling: lines of which all was told, and lines read; 0
        for these where they end inside an event.
        """
        live = self._of(name)
        return live.told_lines, live.whole_lines

    def note_problem(self, name: str, problem: str) -> None:
        """Takes note that a source cannot be read now."""
        self._of(name).problem = problem

    def settle(self) -> News:
        """What can be said now and was not said before."""
        for live in self._live.values():
            if live.unsettled:
                live.unsettled -= 1
                for region in live.scanner.settle():
                    self._examine(live).take(live.name, region)
                if self._examination:
                    self._examine(live).settle()
                first, is_inside = (
                    self._examine(live).waiting if self._examination else (None, False)
                )
                live.told_lines = live.scanner.lines if first is None else first - 1
                live.whole_lines = 0 if is_inside else live.scanner.lines
        if self._examination is None:
            return News()
        may_recover = bool(self._open) and self.progress != self._judged_at
        if self._examination.different == self._different and not may_recover:
            return News()
        self._different, self._judged_at = self._examination.different, self.progress
        return self._news(self.result())

    @property
    def is_unsettled(self) -> bool:
        """Whether something was read that another settling may tell."""
        return any(live.unsettled for live in self._live.values())

    def last_news(self, result: ScanResult) -> News:
        """What of the whole verdict was not told before."""
        return self._news(result)

    def end(self) -> None:
        """Takes what is still open in all sources; nothing is fed after it."""
        for live in self._live.values():
            for region in live.scanner.flush():
                self._examine(live).take(live.name, region)
            if self._examination:
                self._examine(live).end_source(live.name, live.scanner.lines, live.tail)

    def result(self) -> ScanResult:
        """The verdict over everything read so far."""
        self._sources = [live.summary() for live in self._live.values()]
        return super().result()

    @property
    def context(self) -> RunContext:
        """What the log says about the run so far."""
        return self._examination.context if self._examination else RunContext()

    @property
    def progress(self) -> Progress | None:
        """The last step reported."""
        return self._examination.last_progress if self._examination else None

    @property
    def has_ended(self) -> bool:
        """Whether a source has told of its run's end and of no step since."""
        return self._examination is not None and self._examination.has_ended

    @property
    def is_being_ended(self) -> bool:
        """Whether a source has told that its run is being ended from outside; steps may come all
        the same, until it has saved.
        """
        return self._examination is not None and self._examination.is_being_ended

    def known_hangs(self) -> tuple[Signature, ...]:
        """What makes a run like this one stand still, the likeliest first."""
        from logdoctor.signatures.coverage import hangs  # noqa: PLC0415  # hardly any run is silent

        return hangs(
            self._automaton.database.signatures, self.context.frameworks, self.context.last_phase
        )

    def _of(self, name: str) -> _Live:
        if name not in self._live:
            scanner = Scanner(
                self._automaton, search=self._search, first_line=1 + self._lines_before.get(name, 0)
            )
            self._live[name] = _Live(len(self._live), name, scanner)
        return self._live[name]

    def _examine(self, live: _Live) -> Examination:
        is_new = self._examination is None
        examination = self._examined()
        if is_new:
            examination.go_on_from(self._streaks_before)
        examination.begin_source(live.number)
        return examination

    def _news(self, result: ScanResult) -> News:
        diagnoses = tuple(
            each
            for each in result.diagnoses
            if each.verdict not in HARMLESS and _key(each) not in self._told
        )
        unknown = tuple(
            each
            for each in result.unknown_errors
            if each.verdict not in HARMLESS and _key(each) not in self._told
        )
        root = result.root
        shown = unknown[: max(0, UNKNOWN_TOLD - self._unknown_told)]
        self._unknown_told += len(unknown)
        is_upgrade = root is not None and self._root is not None and _key(root) != _key(self._root)
        everything: tuple[Diagnosis | UnknownError, ...] = (
            *result.diagnoses,
            *result.unknown_errors,
        )
        recovered = tuple(
            each for each in everything if each.verdict in HARMLESS and _key(each) in self._open
        )
        news = News(
            diagnoses,
            shown,
            root if is_upgrade else None,
            self._root if is_upgrade else None,
            recovered,
        )
        self._open -= {_key(each) for each in recovered}
        self._open.update([*map(_key, diagnoses), *map(_key, shown)])
        self._told.update(dict.fromkeys([*map(_key, diagnoses), *map(_key, unknown)]))
        self._root = root or self._root
        return news


def _key(item: Diagnosis | UnknownError) -> str:
    return (
        item.signature.refines or item.signature.id
        if isinstance(item, Diagnosis)
        else item.fingerprint
    )
