"""Regions to what they tell: SourceReader, which puts lines and events of one source into the order
in which they are judged.

Region ─▶ LineReader ─LogLine▶ EventGrouper ─▶ lines that tell about the run, and events
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdoctor.events.appended_runs import Rerun, RerunReader
from logdoctor.events.grouper import EventGrouper
from logdoctor.events.line_reader import LineReader
from logdoctor.formats.file_names import lane_of_source
from logdoctor.formats.progress_bars import BAR
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, Lane, LogEvent, LogLine, Region
from logdoctor.scanning.scanner import BEFORE
from logdoctor.search.automaton import Automaton

KINDS_LIMIT = 5000
"""Sets of expressions of which it is remembered what they are."""

Told = LogLine | LogEvent | Rerun
"""A line that tells about the run (a marker, a setting, a progress bar, why a call failed), an
event, or where another run begins.
"""

_ABOUT_THE_RUN = frozenset({AnchorKind.MARKER, AnchorKind.SETTING, AnchorKind.REASON})


class SourceReader:
    """Takes the regions of one source, or of one of its sections, in order."""

    def __init__(
        self, automaton: Automaton, source: str, head: bytes, *, is_first: bool = True
    ) -> None:
        """`head` are the first bytes of the source; `is_first` says that what is read begins with
        them.
        """
        self._automaton = automaton
        # by expressions
        self._kinds: Memo[tuple[int, ...], frozenset[AnchorKind]] = Memo(KINDS_LIMIT)
        self._lines = LineReader(source, automaton.expressions_in, self._kinds_of)
        self._grouper = EventGrouper()
        self._reruns = RerunReader(head, is_first=is_first)
        self._writer = lane_of_source(source)
        self._last = 0  # number of the last line that an event may go on below

    def read(self, region: Region) -> Iterator[Told]:
        """What the region tells, and events of earlier ones that it ends."""
        for line in self._placed(self._lines.read(region)):
            if line.kinds & _ABOUT_THE_RUN or BAR in line.raw:
                yield line
            rerun = self._reruns.start(line) or (
                None if region.is_marked_only else self._reruns.feed(line)
            )
            if rerun:
                yield Rerun(line.source, rerun)
            if not region.is_marked_only:
                self._last = max(self._last, line.number, line.end)
                yield from self._grouper.feed(line)

    @property
    def standing(self) -> list[LogEvent]:
        """Events that are complete, though they may go on."""
        return self._grouper.standing

    @property
    def first_awaited(self) -> int | None:
        """The number of the first line of events that are not complete, if any."""
        return self._grouper.first_awaited

    @property
    def is_inside(self) -> bool:
        """Whether the end of a traceback is still to come."""
        return self._grouper.is_inside

    def ended(self, lines: int) -> list[LogEvent]:
        """What nothing can be added to, because so many lines of the source have been scanned."""
        return self._grouper.flush() if lines - self._last > BEFORE + 1 else []

    def flush(self, last: int) -> list[LogEvent]:
        """Takes the end; what is still open. `last` is the number of the last line, or 0 where
        the source goes on.
        """
        return self._grouper.flush(last)

    def _placed(self, lines: Iterable[LogLine]) -> Iterable[LogLine]:
        """The lines with what the name of the source tells about their writer, where their
        prefixes do not.
        """
        return lines if self._writer == Lane() else map(self._with_writer, lines)

    def _with_writer(self, line: LogLine) -> LogLine:
        told, own = self._writer, line.lane
        rank, pid = (
            told.rank if own.rank is None else own.rank,
            told.pid if own.pid is None else own.pid,
        )
        return line._replace(lane=Lane(own.host or told.host, rank, pid, own.actor or told.actor))

    def _kinds_of(self, expressions: tuple[int, ...]) -> frozenset[AnchorKind]:
        kinds = self._kinds.get(expressions)
        if kinds is None:
            kinds = self._kinds[expressions] = self._automaton.kinds(expressions)
        return kinds


def renumbered(told: Told, lines: int) -> Told:
    """The same, so many lines further down its source."""
    if isinstance(told, LogLine):
        return _moved(told, lines)
    if isinstance(told, Rerun):
        return told._replace(number=told.number + lines)
    moved = [
        tuple(_moved(line, lines) for line in part)
        for part in (told.lines, told.before, told.after)
    ]
    return told._replace(lines=moved[0], before=moved[1], after=moved[2])


def _moved(line: LogLine, lines: int) -> LogLine:
    return line._replace(number=line.number + lines, end=line.end + lines if line.end else 0)
