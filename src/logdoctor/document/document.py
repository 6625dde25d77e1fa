"""Scan result to JSON, version 1 of the document: render_json."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from logdoctor.model import (
    Diagnosis,
    Evidence,
    JudgedRemedy,
    Language,
    Reason,
    ScanResult,
    UnknownError,
)

SCHEMA_VERSION = 1

Json = dict[str, Any]


def render_json(result: ScanResult, language: Language, version: str) -> str:
    """The document, indented, with a line end."""
    return json.dumps(document(result, language, version), ensure_ascii=False, indent=2) + "\n"


def document(result: ScanResult, language: Language, version: str) -> Json:
    """The document as plain data; always the same keys."""
    context, answer = result.context, result.answer
    progress = context.last_progress
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "logdoctor",
            "version": version,
            "signatures": result.signatures,
            "database": result.database,
        },
        "sources": [
            {"name": each.name, "lines": each.lines, "bytes": each.bytes, "problem": each.problem}
            for each in result.sources
        ],
        "context": {
            "frameworks": list(context.frameworks),
            "versions": dict(context.versions),
            "last_phase": context.last_phase.value if context.last_phase else None,
            "last_progress": progress._asdict() if progress else None,
        },
        "ending": {
            "state": result.ending.state.value,
            "source": result.ending.source,
            "line": result.ending.line,
            "text": result.ending.text,
        },
        "answer": {"in": answer.kind.value, "index": answer.index} if answer else None,
        "diagnoses": [
            diagnosis_row(each, language) | _memory(result, each) for each in result.diagnoses
        ],
        "unknown_errors": [
            unknown_error_row(each, language) | _memory(result, each)
            for each in result.unknown_errors
        ],
        "not_seen": [each.in_language(language) for each in result.not_seen],
    }


def _memory(result: ScanResult, item: Diagnosis | UnknownError) -> Json:
    known = result.memory.get(item.name)
    return {"seen_before": known._asdict()} if known else {}


def diagnosis_row(diagnosis: Diagnosis, language: Language) -> Json:
    """A diagnosis as it stands in the document; that of a hang has its `ranks`, that of numbers
    its `series`.
    """
    signature, hang = diagnosis.signature, diagnosis.hang
    return {
        "signature_id": signature.id,
        "title": diagnosis.title.in_language(language),
        "component": signature.component,
        "severity": signature.severity.value,
        "role": signature.role.value,
        "verdict": diagnosis.verdict.value,
        "confidence": diagnosis.confidence,
        "match": {"kind": diagnosis.kind.value, "score": diagnosis.score},
        "captures": dict(diagnosis.captures),
        "phase": diagnosis.phase.value if diagnosis.phase else None,
        "phase_told_by": diagnosis.phase_told_by,
        "cause": diagnosis.cause.in_language(language),
        "remedies": [_remedy(each, language) for each in diagnosis.remedies],
        "occurrences": diagnosis.occurrences,
        "lanes": diagnosis.lanes,
        "explained_by": diagnosis.explained_by,
        "because": _because(diagnosis.because, language),
        "evidence": _evidence(diagnosis.evidence),
        "references": list(signature.references),
        **({"ranks": {name: list(each) for name, each in hang._asdict().items()}} if hang else {}),
        **({"series": _series(diagnosis.captures)} if signature.metrics else {}),
    }


def _series(captures: Mapping[str, str]) -> Json:
    """The metric as it was printed, the step where it left its course, what it was like before
    and the last value; null where that is not known, or is no finite number.
    """
    step = captures.get("onset") or captures.get("step")
    before = captures.get("median") or captures.get("start")
    return {
        "name": captures.get("metric"),
        "onset_step": int(step) if step else None,
        "then": _finite(before),
        "now": _finite(captures.get("now")),
    }


def _finite(number: str | None) -> float | None:
    value = float(number) if number else math.nan
    return value if math.isfinite(value) else None


def _remedy(remedy: JudgedRemedy, language: Language) -> Json:
    settings: Mapping[str, str] = remedy.settings
    return {
        "action": remedy.action.in_language(language),
        "applies": remedy.applies.value,
        "why": remedy.why.in_language(language),
        "set": dict(settings),
        "risk": remedy.risk.value,
        "check": remedy.check.in_language(language),
        "reference": remedy.reference,
        "changes": [
            {
                "key": each.key,
                "current": each.current,
                "value": each.value,
                "where": str(each.where) if each.where else None,
            }
            for each in remedy.changes
        ],
    }


def unknown_error_row(error: UnknownError, language: Language) -> Json:
    """An unknown error as it stands in the document."""
    return {
        "fingerprint": error.fingerprint,
        "title": error.title,
        "occurrences": error.occurrences,
        "lanes": error.lanes,
        "verdict": error.verdict.value,
        "explained_by": error.explained_by,
        "because": _because(error.because, language),
        "evidence": _evidence(error.evidence),
        "nearest": [
            {"signature_id": signature_id, "score": score} for signature_id, score in error.nearest
        ],
        "next_steps": [each.in_language(language) for each in error.next_steps],
        "package": error.package,
    }


def _because(reasons: Iterable[Reason], language: Language) -> list[Json]:
    return [
        {
            "rule": each.rule,
            "text": each.text.in_language(language),
            "source": each.source,
            "line": each.line,
        }
        for each in reasons
    ]


def _stands_at(file: str, line: int) -> Json:
    return {"file": file, "line": line}


def _evidence(evidence: Iterable[Evidence]) -> list[Json]:
    return [
        {
            "source": each.source,
            "line": each.line,
            "end_line": each.end_line,
            "text": each.text,
            "time": each.time,
            "host": each.lane.host,
            "rank": each.lane.rank,
            "pid": each.lane.pid,
            "actor": each.lane.actor,
            **({"stands_at": _stands_at(*each.stands_at)} if each.stands_at else {}),
        }
        for each in evidence
    ]
