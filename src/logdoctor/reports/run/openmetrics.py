"""What is known of one run as metrics: RunFigures, figures_of, render_openmetrics.

Names and labels are the same in every language, and hold no text of a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.model import (
    HARMLESS,
    Diagnosis,
    RunState,
    ScanResult,
    Severity,
    UnknownError,
    Verdict,
)
from logdoctor.texts.openmetrics import Gauge, exposition


class RunFigures(NamedTuple):
    """A run at one moment.

    Attributes:
        name: as the user named it.
        findings: all that was found, harmless things included.
        has_failed: whether one of them is a root cause that is no mere warning, or the log ends in
            a failure that says no more.
        lines: read of all sources; None where nobody counted.
        unreadable: sources that could not be read to their end.
        step: the last that was reported; None where there is none.
        written: when its log last grew, in seconds of the epoch; None where that is not known.
        silence_s: seconds of silence that the run's own pace does not explain, 0 where all is
            well; None where nobody watches.
    """

    name: str = ""
    findings: Sequence[Diagnosis | UnknownError] = ()
    has_failed: bool = False
    lines: int | None = None
    unreadable: int = 0
    step: int | None = None
    written: float | None = None
    silence_s: float | None = None


def figures_of(result: ScanResult, name: str, written: float | None = None) -> RunFigures:
    """Those of a result."""
    progress, root = result.context.last_progress, result.root
    return RunFigures(
        name,
        result.findings,
        is_failure(root) or result.ending.state is RunState.PROBLEM,
        lines=sum(each.lines for each in result.sources),
        unreadable=sum(each.problem is not None for each in result.sources),
        step=progress.step if progress else None,
        written=written,
    )


def is_failure(root: Diagnosis | UnknownError | None) -> bool:
    """Whether a run with this root cause has failed."""
    if isinstance(root, Diagnosis):
        return root.signature.severity is not Severity.WARNING
    return root is not None


def render_openmetrics(figures: RunFigures) -> str:
    """All of it; a value that is not known has no sample."""
    return exposition(_gauges(figures))


def _gauges(figures: RunFigures) -> Iterator[Gauge]:
    run = {"run": figures.name}
    yield Gauge("logdoctor_runs", "Runs that were judged.", [(run, 1)])
    yield Gauge(
        "logdoctor_runs_failed",
        "Runs with a root cause that is no mere warning.",
        [(run, int(figures.has_failed))],
    )
    yield Gauge(
        "logdoctor_causes",
        "Diagnoses that are neither harmless nor consequences, by signature.",
        [
            (
                {
                    **run,
                    "signature": each.signature.id,
                    "severity": each.signature.severity.value,
                    "verdict": each.verdict.value,
                },
                each.occurrences,
            )
            for each in figures.findings
            if isinstance(each, Diagnosis) and _counts(each)
        ],
    )
    yield Gauge(
        "logdoctor_unknown_errors",
        "Errors that no signature knows, neither harmless nor consequences, by fingerprint.",
        [
            (
                {**run, "fingerprint": each.fingerprint, "verdict": each.verdict.value},
                each.occurrences,
            )
            for each in figures.findings
            if isinstance(each, UnknownError) and _counts(each)
        ],
    )
    yield from _values(figures, run)


def _values(figures: RunFigures, run: Mapping[str, str]) -> Iterator[Gauge]:
    for name, says, value in (
        ("lines_read", "Lines that were read.", figures.lines),
        ("sources_unreadable", "Logs that could not be read to their end.", figures.unreadable),
        ("last_step", "The last training step that was reported.", figures.step),
        (
            "last_write_timestamp_seconds",
            "When the log last grew; time() minus this is its silence.",
            figures.written,
        ),
        (
            "silence_seconds",
            "Silence that the run's own pace does not explain; 0 while all is well.",
            figures.silence_s,
        ),
    ):
        yield Gauge(f"logdoctor_{name}", says, [] if value is None else [(run, value)])


def _counts(item: Diagnosis | UnknownError) -> bool:
    return item.verdict not in HARMLESS and item.verdict is not Verdict.CONSEQUENCE
