"""A judged run as it is kept: RunRecord, which holds scan's own JSON documents in both
languages, and what pages show beside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from logdoctor.archive.judging import JudgedRun, Problem
from logdoctor.document.document import document
from logdoctor.document.places import places_beside
from logdoctor.model import HARMLESS, Language
from logdoctor.sources.zstd import zstd

LEVEL = 3
"""Of zstd: the documents of a run become about a tenth of their size in a millisecond."""

_SAID_LATER: Mapping[str, Mapping[str, Any]] = {
    "diagnoses": {"because": [], "phase_told_by": None},
    "unknown_errors": {"because": [], "next_steps": [], "package": None},
}
"""Keys that documents have had only since 0.2.0 or later, by the list of their rows."""


_UNTOLD = dict.fromkeys(("state", "source", "line", "text"))
"""The ending of a run that an older logdoctor has judged."""


class RunRecord(NamedTuple):
    """A run and its verdict.

    Attributes:
        run: its path below the root.
        plan: path of the plan that it came from: itself, or the archive that holds it.
        verdict: signature id or fingerprint of its root cause; None for a healthy run.
        errors: signature ids and fingerprints of everything in it that is not harmless, sorted.
        hosts: that its log names, sorted.
        problems: what of it could not be read.
        documents: compressed; see `read_document` and `read_places`.
    """

    run: str
    plan: str
    verdict: str | None
    errors: tuple[str, ...]
    hosts: tuple[str, ...]
    problems: tuple[Problem, ...]
    documents: bytes


def make_record(judged: JudgedRun, plan: str, version: str) -> RunRecord:
    """The record of a run; `version` is the program's."""
    result = judged.result
    documents = [
        *(document(result, language, version) for language in Language),
        {**places_beside(result), "written": judged.written},
    ]
    data = json.dumps(documents, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "backslashreplace"
    )
    return RunRecord(
        run=judged.run,
        plan=plan,
        verdict=result.root.name if result.root else None,
        errors=tuple(
            sorted({each.name for each in result.findings if each.verdict not in HARMLESS})
        ),
        hosts=judged.hosts,
        problems=judged.problems,
        documents=zstd.compress(data, LEVEL),
    )


def read_document(record: RunRecord, language: Language) -> dict[str, Any]:
    """The JSON document that `scan` would print for the run; what an older logdoctor did not yet
    say in it is empty.
    """
    return read_dated(record, language)[0]


def read_dated(record: RunRecord, language: Language) -> tuple[dict[str, Any], str | None]:
    """The same, and when the run was last written (see `JudgedRun`), read at once."""
    documents = _documents(record)
    document = {"ending": _UNTOLD} | documents[list(Language).index(language)]
    beside = documents[len(Language)] if len(documents) > len(Language) else {}
    return document | {
        kind: [{**later, **each} for each in document[kind]] for kind, later in _SAID_LATER.items()
    }, beside.get("written")


def read_places(record: RunRecord) -> dict[str, Any] | None:
    """What the run has beside its document (see `places_beside`); None where an older logdoctor
    kept the record.
    """
    documents = _documents(record)
    return dict(documents[len(Language)]) if len(documents) > len(Language) else None


def _documents(record: RunRecord) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(zstd.decompress(record.documents))
    return found
