"""What a scan finds, told while it reads: FoundRows, the objects of `scan --format jsonl`."""

from __future__ import annotations

import json

from logdoctor.document.document import Json, diagnosis_row, document, unknown_error_row
from logdoctor.model import HARMLESS, Diagnosis, Language, ScanResult, UnknownError


class FoundRows:
    """Remembers what it has told; later rows say what has changed meanwhile."""

    def __init__(self, language: Language, version: str) -> None:
        self._language, self._version = language, version
        self._told: set[str] = set()
        self._harmful: set[str] = set()  # of those told
        self._root: Diagnosis | UnknownError | None = None

    def now(self, result: ScanResult) -> str:
        """Lines for what has done harm so far and was not told."""
        return _lines(self._rows(result, is_last=False))

    def last(self, result: ScanResult) -> str:
        """Lines for everything that was not told, then the whole document as `summary`."""
        return _lines(
            [
                *self._rows(result, is_last=True),
                {"summary": document(result, self._language, self._version)},
            ]
        )

    def _rows(self, result: ScanResult, *, is_last: bool) -> list[Json]:
        found: tuple[Diagnosis | UnknownError, ...] = (*result.diagnoses, *result.unknown_errors)
        new = [
            each
            for each in found
            if _key(each) not in self._told and (is_last or each.verdict not in HARMLESS)
        ]
        rows: list[Json] = [
            diagnosis_row(each, self._language)
            if isinstance(each, Diagnosis)
            else {"unknown_error": unknown_error_row(each, self._language)}
            for each in new
        ]
        root = result.root
        if root is not None and self._root is not None and _key(root) != _key(self._root):
            rows.append({"root_cause": _name(root), "instead_of": _name(self._root)})
        rows += [
            {"recovered": _name(each)}
            for each in found
            if _key(each) in self._harmful and each.verdict in HARMLESS
        ]
        self._root = root or self._root
        self._told.update(map(_key, new))
        self._harmful = {
            _key(each)
            for each in found
            if _key(each) in self._told and each.verdict not in HARMLESS
        }
        return rows


def _key(found: Diagnosis | UnknownError) -> str:
    return (
        found.signature.refines or found.signature.id
        if isinstance(found, Diagnosis)
        else found.fingerprint
    )


def _name(found: Diagnosis | UnknownError) -> str:
    return found.signature.id if isinstance(found, Diagnosis) else found.fingerprint


def _lines(rows: list[Json]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
