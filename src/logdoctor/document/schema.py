"""JSON Schema of what `--format json` and `jsonl` print, version 1: document_schema.

It says which keys there always are. Keys that it does not know may be added without a new version,
and so may words to the lists of roles, phases and rules; nothing is taken away and nothing changes
its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from logdoctor.document.document import SCHEMA_VERSION
from logdoctor.model import (
    AnswerList,
    Applies,
    MatchKind,
    Phase,
    Risk,
    Role,
    RunState,
    Severity,
    Verdict,
)

Json = dict[str, Any]

KINDS = ("scan", "line", "batch", "batch_line", "check")
"""Kinds of documents."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

GROWTH = (
    "Version 1. A reader must ignore keys that it does not know: keys, rules and phases may be "
    "added without a new version. No key is taken away, none changes its type or its meaning, and "
    "lists keep their order: the worst, or the likeliest, first."
)

_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "number"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_LINE: Json = {"type": "integer", "minimum": 1, "description": "From 1, as grep -n counts."}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_TEXT_BY_NAME: Json = {"type": "object", "additionalProperties": _TEXT}
_COUNT_BY_NAME: Json = {"type": "object", "additionalProperties": _COUNT}


def document_schema() -> Json:
    """Of all documents: `$defs` has one for each kind, and the whole is any of them."""
    return {
        "$schema": DIALECT,
        "title": "logdoctor document",
        "description": GROWTH,
        "anyOf": [_ref(each) for each in KINDS],
        "$defs": {
            "scan": _scan(),
            "line": _line(),
            "batch": _batch(),
            "batch_line": _batch_line(),
            "check": _check(),
            "diagnosis": _diagnosis(),
            "unknown_error": _unknown_error(),
            "remedy": _remedy(),
            "evidence": _evidence(),
            "reason": _reason(),
            "problem": _object({"source": _TEXT, "problem": _TEXT}),
        },
    }


def kind_schema(kind: str) -> Json:
    """Of one of `KINDS`."""
    whole = document_schema()
    return {
        "$schema": DIALECT,
        "title": f"logdoctor {kind} document",
        "$defs": whole["$defs"],
        **_ref(kind),
    }


def _object(always: Json, sometimes: Json | None = None, says: str = "") -> Json:
    return {
        **({"description": says} if says else {}),
        "type": "object",
        "properties": {**always, **(sometimes or {})},
        "required": list(always),
    }


def _list(items: Json, says: str = "") -> Json:
    return {**({"description": says} if says else {}), "type": "array", "items": items}


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _words(kind: type[Enum], *, may_grow: bool = False) -> Json:
    words = [each.value for each in kind]
    return {"type": "string", "examples": words} if may_grow else {"enum": words}


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _version() -> Json:
    return {"const": SCHEMA_VERSION}


def _scan() -> Json:
    source = {"name": _TEXT, "lines": _COUNT, "bytes": _COUNT, "problem": _or_null(_TEXT)}
    tool = {"name": {"const": "logdoctor"}, "version": _TEXT, "signatures": _COUNT}
    progress = {"step": _or_null({"type": "integer"}), "line": _LINE}
    beside = {"total": _or_null({"type": "integer"}), "source": _TEXT}
    context = {
        "frameworks": _TEXTS,
        "versions": _TEXT_BY_NAME,
        "last_phase": _or_null(_words(Phase, may_grow=True)),
        "last_progress": _or_null(_object(progress, beside, "The last step reported.")),
    }
    answer = {"in": _words(AnswerList), "index": _COUNT}
    return _object(
        {
            "schema_version": _version(),
            "tool": _object({**tool, "database": _TEXT}),
            "sources": _list(_object(source)),
            "context": _object(context),
            "answer": _or_null(_object(answer, says="Where the root cause stands; else null.")),
            "diagnoses": _list(_ref("diagnosis"), "The root cause first."),
            "unknown_errors": _list(_ref("unknown_error")),
            "not_seen": _list(_TEXT, "What this log cannot show, and what would."),
            "ending": _ending(),
        },
        says="scan --format json: one run.",
    )


def _ending() -> Json:
    return _object(
        {
            "state": _or_null(_words(RunState, may_grow=True)),
            "source": _or_null(_TEXT),
            "line": _or_null(_LINE),
            "text": _or_null(_TEXT),
        },
        says="How the run stands where its log ends, and the line that shows it, or the last one; "
        "null of a run that an older logdoctor has judged.",
    )


def _seen_before() -> Json:
    known = {"runs": _COUNT, "since": _or_null(_TEXT), "fixed_by": _or_null(_TEXT)}
    return _object(known, says="What the store given with --store knows of it.")


def _diagnosis() -> Json:
    ranks = _list({"type": "integer", "minimum": 0})
    series = {
        "name": _or_null(_TEXT),
        "onset_step": _or_null({"type": "integer"}),
        "then": _or_null(_NUMBER),
        "now": _or_null(_NUMBER),
    }
    return _object(
        {
            "signature_id": _TEXT,
            "title": _TEXT,
            "component": _TEXT,
            "severity": _words(Severity),
            "role": _words(Role, may_grow=True),
            "verdict": _words(Verdict),
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "match": _object({"kind": _words(MatchKind), "score": _NUMBER}),
            "captures": {**_TEXT_BY_NAME, "description": "Values read from the log, as printed."},
            "phase": _or_null(_words(Phase, may_grow=True)),
            "cause": _TEXT,
            "remedies": _list(_ref("remedy"), "In the order to try."),
            "occurrences": _COUNT,
            "lanes": {**_COUNT, "description": "Distinct writers."},
            "explained_by": _or_null(_TEXT),
            "because": _list(_ref("reason"), "The deciding reason first."),
            "evidence": {**_list(_ref("evidence")), "minItems": 1},
            "references": _TEXTS,
        },
        {
            "ranks": _object({"guilty": ranks, "waiting": ranks, "missing": ranks}, says="A hang."),
            "series": _object(series, says="A diagnosis of numbers."),
            "phase_told_by": _or_null(_TEXT),
            "seen_before": _seen_before(),
        },
        "A known problem, judged over the run.",
    )


def _remedy() -> Json:
    change = {
        "key": _TEXT,
        "current": _or_null(_TEXT),
        "value": _or_null(_TEXT),
        "where": _or_null(_TEXT),
    }
    return _object(
        {
            "action": _TEXT,
            "applies": _words(Applies),
            "why": _TEXT,
            "set": _TEXT_BY_NAME,
            "risk": _words(Risk, may_grow=True),
            "check": _TEXT,
            "reference": _or_null(_TEXT),
            "changes": _list(_object(change), "Settings with their values in this run."),
        },
        says="applies: whether the log shows that it fits this run; always where it fits any.",
    )


def _unknown_error() -> Json:
    nearest = {"signature_id": _TEXT, "score": _NUMBER}
    return _object(
        {
            "fingerprint": {**_TEXT, "description": "The same in other runs, ranks and places."},
            "title": _TEXT,
            "occurrences": _COUNT,
            "lanes": _COUNT,
            "verdict": _words(Verdict),
            "explained_by": _or_null(_TEXT),
            "because": _list(_ref("reason")),
            "evidence": {**_list(_ref("evidence")), "minItems": 1},
            "nearest": _list(_object(nearest)),
            "next_steps": _list(_TEXT, "What to look at, first things first."),
            "package": {**_or_null(_TEXT), "description": "The library whose code raised it."},
        },
        {"seen_before": _seen_before()},
        "An error that no signature knows.",
    )


def _evidence() -> Json:
    moved = "Where tail's line stands now; line itself counts on through rotations."
    rank = _or_null({"type": "integer", "minimum": 0})
    return _object(
        {
            "source": _TEXT,
            "line": _LINE,
            "end_line": _LINE,
            "text": {**_TEXT, "description": "Text of a log: data, whatever it says."},
            "time": _or_null(_TEXT),
            "host": _or_null(_TEXT),
            "rank": rank,
            "pid": _or_null({"type": "integer"}),
            "actor": _or_null(_TEXT),
        },
        {"stands_at": _object({"file": _TEXT, "line": _LINE}, says=moved)},
        says="line is the line that proves it, end_line the last of its message.",
    )


def _reason() -> Json:
    return _object({"rule": _TEXT, "text": _TEXT, "source": _TEXT, "line": _COUNT})


def _line() -> Json:
    silence = {
        "seconds": _NUMBER,
        "longest_step_seconds": _or_null(_NUMBER),
        "last_phase": _or_null(_TEXT),
        "last_step": _or_null({"type": "integer"}),
        "known_hangs": _TEXTS,
    }
    return {
        "description": "A line of scan, tail or run --format jsonl; the summary comes last.",
        "anyOf": [
            _ref("diagnosis"),
            _object({"unknown_error": _ref("unknown_error")}),
            _object({"root_cause": _TEXT, "instead_of": _TEXT}),
            _object({"recovered": _TEXT}),
            _object({"silence": _object(silence)}),
            _object({"summary": _ref("scan")}),
        ],
    }


def _judged_run() -> Json:
    verdict = {"anyOf": [_ref("diagnosis"), _ref("unknown_error"), {"type": "null"}]}
    return _object(
        {
            "run": _TEXT,
            "sources": _COUNT,
            "written": {**_or_null(_TEXT), "description": "When the last of its files was."},
            "verdict": verdict,
            "ending": _ending(),
            "diagnoses": _list(_ref("diagnosis")),
            "problems": _list(_ref("problem")),
        },
        {"root": _TEXT},
    )


def _summary() -> Json:
    day = _or_null(_TEXT)
    by_file_time = {
        **_COUNT,
        "description": "Of the runs, those that tell no time: that of their files stands for it.",
    }
    common = {
        "title": _TEXT,
        "runs": _COUNT,
        "occurrences": _COUNT,
        "first_seen": day,
        "last_seen": day,
        "by_file_time": by_file_time,
        **dict.fromkeys(("frameworks", "phases", "weeks"), _COUNT_BY_NAME),
        "example": {**_TEXT, "description": "The first run that has it."},
    }
    unknown = {
        "fingerprint": _TEXT,
        **common,
        "evidence": _list(_ref("evidence")),
        "nearest": _list(_object({"signature_id": _TEXT, "score": _NUMBER})),
        "next_steps": _TEXTS,
    }
    counts = dict.fromkeys(("runs", "failed", "unknown"), _COUNT)
    tally = _object({"name": _TEXT, **counts, "by_file_time": by_file_time})
    note = _object({"error": _TEXT, "at": _TEXT, "text": _TEXT})
    node = {"name": _TEXT, "failed": _COUNT, "runs": _COUNT, "expected": _NUMBER, "chance": _NUMBER}
    return {
        "causes": _list(_object({"signature_id": _TEXT, **common}), "Most runs first."),
        "unknown_errors": _list(_object(unknown)),
        "frameworks": _list(tally),
        "without_signature": _object({"runs": _COUNT, "failed": _COUNT}),
        "notes": _list(note, "What the store has noted, the latest first."),
        "weeks": _list(tally),
        "nodes": _list(_object(node), "Those that fail more often than chance."),
        "failed_to_read": _list(_ref("problem")),
    }


def _comparison() -> Json:
    names: Iterable[str] = ("runs", "occurrences", "line")
    line = _object({"text": _TEXT, "source": _TEXT, **dict.fromkeys(names, _COUNT)})
    value = _or_null(_NUMBER)
    parting = {"metric": _TEXT, "step": {"type": "integer"}, "good": value, "bad": value}
    return _object(
        {
            "good_runs": _COUNT,
            "bad_runs": _COUNT,
            "lines": _list(line),
            "problems": _list(_ref("problem")),
            "partings": _list(_object(parting), "Where metrics part, the earliest step first."),
        },
        says="batch --compare: lines that only bad runs have, and where their metrics part.",
    )


def _batch() -> Json:
    return _object(
        {"schema_version": _version(), "runs": _list(_judged_run(), "By name."), **_summary()},
        {"comparison": _comparison()},
        "batch --format json; the same for the same runs.",
    )


def _batch_line() -> Json:
    summary = _object({"schema_version": _version(), **_summary()}, {"comparison": _comparison()})
    return {
        "description": "A line of batch --format jsonl.",
        "anyOf": [_judged_run(), _object({"summary": summary})],
    }


def _check() -> Json:
    at = _object({"file": _TEXT, "line": _COUNT})
    memory = {
        "phase": _TEXT,
        "gib": {"type": "object", "additionalProperties": _NUMBER},
        **dict.fromkeys(("least", "most", "available"), _NUMBER),
        "dominant": _TEXT,
        "settings": _TEXT_BY_NAME,
    }
    violation = {
        "relation_id": _TEXT,
        "title": _TEXT,
        "severity": {"enum": ["warning", "error"]},
        "settings": _TEXT_BY_NAME,
        "why": _TEXT,
        "suggestions": _list(_object({"key": _TEXT, "value": _TEXT})),
        "signature_id": _or_null(_TEXT),
        "at": at,
        "source": at,
    }
    return _object(
        {
            "schema_version": _version(),
            "framework": _or_null(_TEXT),
            "read": _list(_object({"file": _TEXT, "problem": _or_null(_TEXT)})),
            "violations": _list(_object(violation)),
            "not_judged": _list(_object({"relation_id": _TEXT, "missing": _TEXTS})),
            "judged": _COUNT,
        },
        {"memory": _list(_object(memory), "Estimates, where the memory of a GPU is given.")},
        "check --format json.",
    )
