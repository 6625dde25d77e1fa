"""Judged runs to JSON, version 1 of batch's document, to JSON lines and CSV, piece by piece:
render_json and others.

Nothing in them differs from one call to the next as long as the runs are the same.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from logdoctor.archive.comparison import Comparison
from logdoctor.archive.judging import Problem
from logdoctor.archive.overview import Document, Group, Overview, root_of
from logdoctor.archive.records import RunRecord
from logdoctor.archive.store import TeamNote
from logdoctor.document.document import SCHEMA_VERSION
from logdoctor.reports.archive.rows import COLUMNS, run_row

Json = dict[str, Any]


class ReadRun(NamedTuple):
    """A run of the report.

    Attributes:
        root: that it was found under, as given; None where there is but one.
        record: as stored.
        document: as scan prints it.
        written: when its files were (see `JudgedRun`).
    """

    root: str | None
    record: RunRecord
    document: Document
    written: str | None = None


class Archive(NamedTuple):
    """What a report on an archive needs, once all its runs went by.

    Attributes:
        failures: what could not be read of no run in particular.
        new: signature ids and fingerprints that no earlier call has seen; None where there was
            none.
        comparison: of two folders, where it was asked for.
        notes: what the store has noted of errors, the latest first.
    """

    overview: Overview
    failures: Sequence[Problem]
    new: frozenset[str] | None = None
    comparison: Comparison | None = None
    notes: Sequence[TeamNote] = ()


def render_json(runs: Iterable[ReadRun], archive: Archive) -> Iterator[str]:
    """The document in pieces; `archive` is looked at after the last run."""
    yield f'{{"schema_version": {SCHEMA_VERSION},\n "runs": ['
    failed_to_read: list[Json] = []
    separator = "\n  "
    for each in runs:
        yield separator + _dump(_run(each))
        failed_to_read += map(_problem, each.record.problems)
        separator = ",\n  "
    yield "]"
    for name, value in _summary(archive, failed_to_read).items():
        yield f',\n "{name}": {_dump(value)}'
    yield "}\n"


def render_jsonl(runs: Iterable[ReadRun], archive: Archive) -> Iterator[str]:
    """One run per line, then a line with the rest of the document as `summary`."""
    failed_to_read: list[Json] = []
    for each in runs:
        yield _dump(_run(each)) + "\n"
        failed_to_read += map(_problem, each.record.problems)
    yield (
        _dump({"summary": {"schema_version": SCHEMA_VERSION, **_summary(archive, failed_to_read)}})
        + "\n"
    )


# as the others
def render_csv(runs: Iterable[ReadRun], archive: Archive) -> Iterator[str]:  # noqa: ARG001
    """A head, then one run per line (RFC 4180); a spreadsheet does not take any cell for a
    formula.
    """
    yield _csv_line(list(COLUMNS))
    for each in runs:
        yield _csv_line(
            [_cell(value) for value in run_row(each.record, each.document, each.written).values()]
        )


def _run(run: ReadRun) -> Json:
    document = run.document
    return {
        **({"root": run.root} if run.root is not None else {}),
        "run": run.record.run,
        "sources": len(document["sources"]),
        "written": run.written,
        "verdict": root_of(document),
        "ending": document["ending"],
        "diagnoses": document["diagnoses"],
        "problems": list(map(_problem, run.record.problems)),
    }


def _summary(archive: Archive, failed_to_read: Sequence[Json]) -> Json:
    overview = archive.overview
    summary: Json = {
        "causes": [{"signature_id": each.key, **_group(each)} for each in overview.causes()],
        "unknown_errors": [
            {
                "fingerprint": each.key,
                **_group(each),
                "evidence": each.example["evidence"][:1],
                "nearest": each.example["nearest"],
                "next_steps": each.example["next_steps"],
            }
            for each in overview.unknown_errors()
        ],
        "frameworks": [each._asdict() for each in overview.frameworks()],
        "without_signature": {"runs": overview.unknown, "failed": overview.failed},
        "notes": [each._asdict() for each in archive.notes],
        "weeks": [each._asdict() for each in overview.weeks()],
        "nodes": [each._asdict() for each in overview.failing_nodes()],
        "failed_to_read": [*map(_problem, archive.failures), *failed_to_read],
    }
    if archive.comparison:
        summary["comparison"] = archive.comparison.document()
    return summary


def _group(group: Group) -> Json:
    return {
        "title": group.title,
        "runs": group.runs,
        "occurrences": group.occurrences,
        "first_seen": group.first_seen,
        "last_seen": group.last_seen,
        "by_file_time": group.by_file_time,
        "frameworks": group.frameworks,
        "phases": group.phases,
        "weeks": group.weeks,
        "example": group.run,
    }


def _problem(problem: Problem) -> Json:
    return {"source": problem.source, "problem": problem.what}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _csv_line(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cell(value: object) -> object:
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )
