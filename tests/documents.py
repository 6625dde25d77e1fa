"""What the program prints as JSON, against the schema that it publishes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from jsonschema import Draft202012Validator

from logdoctor.document.schema import kind_schema

KINDS = {
    ("scan", "json"): "scan",
    ("tail", "json"): "scan",
    ("scan", "jsonl"): "line",
    ("tail", "jsonl"): "line",
    ("batch", "json"): "batch",
    ("batch", "jsonl"): "batch_line",
    ("check", "json"): "check",
}


@cache
def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(kind_schema(kind))


def faults(kind: str, document: object) -> Iterator[str]:
    """What of a document its schema does not allow."""
    for error in validator(kind).iter_errors(document):
        yield f"{error.json_path}: {error.message[:200]}"


def assert_as_published(words: Sequence[str], stdout: bytes) -> None:
    """A call's output, where it is a document: whole, or of a kind that is printed by lines."""
    form = next((word for before, word in pairwise(words) if before == "--format"), "")
    kind = KINDS.get((words[0] if words else "", form))
    if kind is None or not stdout:
        return
    texts = stdout.splitlines() if form == "jsonl" else [stdout]
    found = [fault for text in texts for fault in faults(kind, json.loads(text))]
    assert found == []
