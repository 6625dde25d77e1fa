"""Metrics of one run, as `scan` prints them once and `tail` keeps them in a file: run_metrics,
LiveMetrics.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import write_metrics
from logdoctor.model import Diagnosis, ScanResult, UnknownError, Verdict
from logdoctor.pipeline.news import News
from logdoctor.reports.run.openmetrics import (
    RunFigures,
    figures_of,
    is_failure,
    render_openmetrics,
)

WRITTEN_EVERY_S = 15.0
"""Seconds between two writings, where nothing new is found: as often as Prometheus looks at
most.
"""


def run_metrics(result: ScanResult, words: Sequence[str]) -> str:
    """Those of a scan of these words of the command line."""
    written = _last_written([each.name for each in result.sources])
    return render_openmetrics(figures_of(result, _name(words), written))


def _last_written(names: Sequence[str]) -> float | None:
    """When the newest of those that are files was written, in seconds of the epoch."""
    return max((os.path.getmtime(each) for each in names if os.path.isfile(each)), default=None)


class LiveMetrics:
    """What is known of a run while it goes on, in the file that the user asked for."""

    def __init__(self, arguments: Arguments) -> None:
        self._file = arguments.metrics_file
        self._words = arguments.words
        self._findings: dict[str, Diagnosis | UnknownError] = {}
        self._due = 0.0

    def take(self, news: News) -> None:
        """Remembers what was found; the next `keep` writes it."""
        found: tuple[Diagnosis | UnknownError, ...] = (*news.diagnoses, *news.unknown_errors)
        self._findings.update({each.key: each for each in found})
        if news.instead_of and news.instead_of.key in self._findings:
            self._findings[news.instead_of.key] = news.instead_of._replace(
                verdict=Verdict.CONSEQUENCE
            )
        if news.root:
            self._findings[news.root.key] = news.root
        for each in news.recovered:
            self._findings.pop(each.key, None)
        self._due = 0.0

    def keep(self, now: float, figures: RunFigures) -> None:
        """Writes the file, if there is one and it is time to; `now` in seconds of any clock.

        Raises:
            LogdoctorError: it cannot be written.
        """
        if self._file is None or now < self._due:
            return
        self._due = now + WRITTEN_EVERY_S
        written = figures.written or _last_written(self._words)
        findings = tuple(self._findings.values())
        has_failed = any(
            each.verdict is Verdict.ROOT_CAUSE and is_failure(each) for each in findings
        )
        write_metrics(
            render_openmetrics(
                figures._replace(
                    name=_name(self._words),
                    findings=findings,
                    has_failed=has_failed,
                    written=written,
                )
            ),
            self._file,
        )


def _name(words: Sequence[str]) -> str:
    return " ".join(words) or "-"
