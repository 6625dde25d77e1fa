"""A judged run as one row of a table: run_row."""

from __future__ import annotations

from typing import Any

from logdoctor.archive.overview import Document, has_failed, root_of
from logdoctor.archive.records import RunRecord

COLUMNS: dict[str, type] = {
    "run": str,
    "sources": int,
    "lines": int,
    "bytes": int,
    "failed": bool,
    "signature_id": str,
    "fingerprint": str,
    "title": str,
    "severity": str,
    "confidence": float,
    "phase": str,
    "frameworks": str,
    "occurrences": int,
    "source": str,
    "line": int,
    "text": str,
    "time": str,
    "host": str,
    "rank": int,
    "last_step": int,
    "hosts": str,
    "problems": str,
    "written": str,
}
"""Names and types; whatever a run does not have is None. Lists are joined by blanks, problems by
`; `.
"""


def run_row(record: RunRecord, document: Document, written: str | None) -> dict[str, Any]:
    """The row: the run, its verdict, and the line that proves it; bytes are those of the logs,
    unpacked, and `written` is when the last of its files was.
    """
    root: Document = root_of(document) or {}
    evidence = (root.get("evidence") or [{}])[0]
    sources, context = document["sources"], document["context"]
    row = {
        "run": record.run,
        "sources": len(sources),
        "lines": sum(each["lines"] for each in sources),
        "bytes": sum(each["bytes"] for each in sources),
        "failed": has_failed(document),
        "frameworks": " ".join(context["frameworks"]) or None,
        "last_step": (context["last_progress"] or {}).get("step"),
        "written": written,
        "hosts": " ".join(record.hosts) or None,
        "problems": "; ".join(f"{each.source}: {each.what}" for each in record.problems) or None,
    }
    row.update(
        {
            name: root.get(name)
            for name in (
                "signature_id",
                "fingerprint",
                "title",
                "severity",
                "confidence",
                "phase",
                "occurrences",
            )
        }
    )
    row.update(
        {name: evidence.get(name) for name in ("source", "line", "text", "time", "host", "rank")}
    )
    return {name: row[name] for name in COLUMNS}
