"""A scan's result as annotations of GitHub Actions: render_github."""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.model import (
    HARMLESS,
    Applies,
    Diagnosis,
    Language,
    RunState,
    ScanResult,
    Severity,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.advice import in_order, setting
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.titles import healthy_lines, title_of
from logdoctor.texts.annotations import annotation
from logdoctor.texts.masking import printable

AT_MOST = 10
"""Annotations of a kind that GitHub shows of a step."""


def render_github(result: ScanResult, language: Language) -> str:
    """An annotation at the line that proves it for the root cause and for what was seen beside it;
    without one a notice of how the run stands, or a warning where it failed and nothing says why.
    """
    pen = Pen(TextStyle(language))
    lines = dict[str, list[str]]()
    for item in _shown(result):
        is_warning = isinstance(item, Diagnosis) and item.signature.severity is Severity.WARNING
        is_error = not is_warning and item is result.root
        kind = "error" if is_error else "warning"
        lines.setdefault(kind, []).append(_annotated(item, kind, pen))
    if result.root is None:
        told = "\n".join(map(printable, healthy_lines(result, pen)))
        kind = "warning" if result.ending.state is RunState.PROBLEM else "notice"
        return annotation(kind, "logdoctor", told, file=None)
    return "".join(line for kind in ("error", "warning") for line in lines.get(kind, ())[:AT_MOST])


def _shown(result: ScanResult) -> Iterator[Diagnosis | UnknownError]:
    """The root cause, then what does not follow from it."""
    if result.root:
        yield result.root
    for each in result.others:
        if each.verdict not in HARMLESS and each.verdict is not Verdict.CONSEQUENCE:
            yield each


def _annotated(item: Diagnosis | UnknownError, kind: str, pen: Pen) -> str:
    evidence = item.evidence[0]
    text = "\n".join(map(printable, (evidence.text, *_advice(item, pen))))
    name, line = evidence.place
    file = None if name.startswith("<") else name
    return annotation(kind, printable(title_of(item, pen)), text, file=file, line=line)


def _advice(item: Diagnosis | UnknownError, pen: Pen) -> Iterator[str]:
    if isinstance(item, UnknownError):
        yield from map(pen.read, item.next_steps)
        return
    yield pen.read(item.cause)
    for remedy in in_order(item.remedies)[:1]:
        if remedy.applies is not Applies.NO:
            yield f"→ {pen.read(remedy.action)}"
            yield from (f"  {setting(*each)}" for each in remedy.settings.items())
    yield f"logdoctor explain {item.signature.id}"
