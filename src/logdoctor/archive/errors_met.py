"""What a store has of one error that no signature knows: error_met."""

from __future__ import annotations

from typing import Any, NamedTuple

from logdoctor.archive.overview import times_of
from logdoctor.archive.records import read_document
from logdoctor.archive.store import Store, TeamNote
from logdoctor.model import Language


class ErrorMet(NamedTuple):
    """An error without a signature, in all runs of a store that have it.

    Attributes:
        since: date of the earliest, ISO 8601; None where none tells it.
        runs: their names, sorted; never empty.
        source: of the first run, as `line` and `text` are: where it stands, and what.
        next_steps: what to look at, in the language that was asked for.
        nearest: ids of signatures that come near, the nearest first.
        notes: what people noted of it, the latest first.
    """

    fingerprint: str
    title: str
    package: str | None
    since: str | None
    runs: tuple[str, ...]
    source: str
    line: int
    text: str
    next_steps: tuple[str, ...]
    nearest: tuple[str, ...]
    notes: tuple[TeamNote, ...]


def error_met(store: Store, fingerprint: str, language: Language) -> ErrorMet | None:
    """The error of this fingerprint; None where no run of the store has it."""
    met = [
        (record.run, found)
        for record in store.runs_with(fingerprint)
        for found in read_document(record, language)["unknown_errors"]
        if found["fingerprint"] == fingerprint
    ]
    if not met:
        return None
    times = [time for run, found in met for time in times_of(found, run)]
    return _told(met[0][1])._replace(
        since=min(times)[:10] if times else None,
        runs=tuple(run for run, _ in met),
        notes=store.team_notes(fingerprint),
    )


def _told(found: dict[str, Any]) -> ErrorMet:
    shown = found["evidence"][0]
    return ErrorMet(
        found["fingerprint"],
        found["title"],
        found["package"],
        None,
        (),
        shown["source"],
        shown["line"],
        shown["text"],
        tuple(found["next_steps"]),
        tuple(each["signature_id"] for each in found["nearest"]),
        (),
    )
