"""What a store of earlier runs knows of errors that were met again: with_memory, existing_store."""

from __future__ import annotations

import os

from logdoctor.archive.overview import times_of
from logdoctor.archive.records import read_document
from logdoctor.archive.store import Store
from logdoctor.cli.terminal import note
from logdoctor.errors import LogdoctorError
from logdoctor.model import Language, ScanResult, SeenBefore

FIXED_BY = "fixed by"
"""How a note begins that says what helped."""


def existing_store(file: str) -> Store:
    """The store in this file, which must be there.

    Raises:
        LogdoctorError: it is not, or cannot be read.
    """
    if not os.path.exists(file):
        raise LogdoctorError(f"{file}: no such store; batch --store makes it")
    return Store(file)


def with_memory(result: ScanResult, file: str) -> ScanResult:
    """The result with what the store knows of its findings; where the store cannot be read that is
    said, and the result is what it was.
    """
    if not result.findings:
        return result
    try:
        found = _found(result, file)
    except LogdoctorError as error:
        note(str(error))
        return result
    return result._replace(memory={name: each for name, each in found.items() if each})


def _found(result: ScanResult, file: str) -> dict[str, SeenBefore | None]:
    store = existing_store(file)
    try:
        return {each.name: _seen_before(store, each.name) for each in result.findings}
    finally:
        for said in store.notes:
            note(said)
        store.close()


def _seen_before(store: Store, error: str) -> SeenBefore | None:
    """In how many runs a signature or fingerprint did harm, since when, and what was noted last;
    None where nothing is known.
    """
    runs, times = 0, []
    for record in store.runs_with(error):
        document = read_document(record, Language.EN)
        runs += 1
        for found in (*document["diagnoses"], *document["unknown_errors"]):
            if error in (found.get("signature_id"), found.get("fingerprint")):
                times += times_of(found, record.run)
    notes = store.team_notes(error)
    if not runs and not notes:
        return None
    last = notes[0].text if notes else None
    if last and last.lower().startswith(FIXED_BY):
        last = last[len(FIXED_BY) :].lstrip(" :")
    return SeenBefore(runs, min(times)[:10] if times else None, last)
