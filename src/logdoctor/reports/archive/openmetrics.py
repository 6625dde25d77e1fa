"""What judged runs have in common as metrics: render_openmetrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdoctor.reports.archive.structured import Archive, ReadRun
from logdoctor.texts.openmetrics import Gauge, exposition


def render_openmetrics(runs: Iterable[ReadRun], archive: Archive) -> str:
    """All of it. No run is named: there may be thousands of them."""
    problems = sum(len(each.record.problems) for each in runs)
    return exposition(_gauges(archive, problems))


def _gauges(archive: Archive, problems: int) -> Iterator[Gauge]:
    overview = archive.overview
    for name, says, value in (
        ("runs", "Runs that were judged.", overview.runs),
        ("runs_failed", "Runs with a root cause that is no mere warning.", overview.failed),
        ("runs_warned", "Runs of which the worst is a warning.", overview.warned),
        ("runs_unread", "Runs of which no line could be read.", overview.unread),
        (
            "sources_unreadable",
            "Logs that could not be read to their end.",
            problems + len(archive.failures),
        ),
    ):
        yield Gauge(f"logdoctor_archive_{name}", says, [({}, value)])
    yield Gauge(
        "logdoctor_archive_cause_runs",
        "Runs by the signature of their root cause.",
        [({"signature": each.key}, each.runs) for each in overview.causes()],
    )
    yield Gauge(
        "logdoctor_archive_unknown_error_runs",
        "Runs with an error that no signature knows, by fingerprint.",
        [({"fingerprint": each.key}, each.runs) for each in overview.unknown_errors()],
    )
