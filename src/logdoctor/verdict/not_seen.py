"""What a log does not show, and where it may stand: NotSeen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from logdoctor.formats.markers import APPLICATIONS
from logdoctor.model import AnchorKind, LocalText, LogEvent, Role, RunContext
from logdoctor.model.history import Histories
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line

HEADLESS_LINES = 2
"""First lines of a source in which a traceback without a header shows that the source was cut."""


class NotSeen:
    """Takes note of what every error lacks."""

    def __init__(self, histories: Histories, own_number: Callable[[str, int], int]) -> None:
        """`own_number` gives the number that a line has in its source."""
        self._histories = histories
        self._own_number = own_number
        self._is_deduplicated = False
        self._lacks_error_file = False
        self._has_workers = False
        self._headless: set[str] = set()
        self._ends_open: set[str] = set()

    def feed(self, event: LogEvent) -> None:
        """Takes the next error."""
        first = event.lines[0]
        if (
            event.is_traceback
            and first.number <= HEADLESS_LINES
            and AnchorKind.TRACEBACK not in first.kinds
        ):
            self._headless.add(first.source)
        if event.is_cut:
            self._ends_open.add(first.source)
        self._has_workers |= first.stream.pid is not None
        for line in event.lines:
            self._is_deduplicated |= line.repeats > 1
        for line in (*event.lines, *event.after):
            self._lacks_error_file |= "error_file: <N/A>" in line.text

    def told(
        self, root: Failure | None, context: RunContext, clean: Callable[[str], str]
    ) -> Iterator[LocalText]:
        """What a person should know of it; `clean` makes names fit to be shown."""
        if root:
            yield from self._beside(root, context.frameworks)
            for source in self._cut_sources():
                yield phrases.CUT_OFF.fill(source=clean(source))
        for source in sorted(self._ends_open):
            yield phrases.ENDS_OPEN.fill(source=clean(source))
        if not root and set(context.frameworks) & set(APPLICATIONS) and not context.last_progress:
            yield from (
                phrases.NO_STEP.fill(source=clean(each.name))
                for each in self._histories.values()
                if each.end
            )
        if root and self._lacks_error_file:
            yield phrases.NO_ERROR_FILE.fill()

    def _beside(self, root: Failure, frameworks: Collection[str]) -> Iterator[LocalText]:
        """What is missing beside the root."""
        if root.role is Role.WRAPPER and not root.is_cancel:
            yield phrases.WRAPPER_ONLY.fill()
            if "ray" in frameworks and not self._has_workers:
                yield phrases.DRIVER_ONLY.fill()
        if root.is_symptom or (root.is_cancel and not (root.signature and root.role is Role.CAUSE)):
            if root.is_cancel and (sender := self._sender(root)):
                number = self._own_number(sender.source, sender.number)
                yield phrases.STOPPED_BY.fill(line=f"{number:,}", source=sender.source)
            else:
                yield (phrases.STOPPED if root.is_cancel else phrases.SYMPTOM_ONLY).fill()
        if self._is_deduplicated:
            yield phrases.DEDUPLICATED.fill()

    def _sender(self, root: Failure) -> Line | None:
        """Where the log says who ended the run."""
        told = [
            Line(history.name, line)
            for history in self._histories.values()
            for line in (*history.given_up, *history.sent.values())
            if Line(history.name, line) != root.at
        ]
        return min(told, key=lambda line: line.number, default=None)

    def _cut_sources(self) -> list[str]:
        """Sources that say that they were cut, or begin within a traceback."""
        return sorted(
            {*(each.name for each in self._histories.values() if each.is_cut), *self._headless}
        )
