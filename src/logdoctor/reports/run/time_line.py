"""Where in a long log the root, what followed, and the steps stand: time_line."""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.model import HARMLESS, Diagnosis, ScanResult, UnknownError
from logdoctor.reports.run.layout import columns, shortened, spread, wrapped
from logdoctor.reports.run.painting import Pen
from logdoctor.reports.run.proof import ranges
from logdoctor.texts.phrases import reports as phrases

LONG_RUN_LINES = 1000
"""Lines from which a log has a time line."""

ROWS_SHOWN, LABEL_COLUMNS, RANKS_COLUMNS = 8, 30, 20
"""Rows of a time line, and the columns of its names and ranks."""


def time_line(result: ScanResult, pen: Pen) -> Iterator[str]:
    """A heading and a row for each, which says its ranks; nothing of a short log, nor where there
    is one finding only.
    """
    root = result.root
    if root is None:
        return
    source = root.evidence[0].source
    lines = max((each.lines for each in result.sources if each.name == source), default=0)
    harmful = [
        each
        for each in (root, *result.others)
        if each.verdict not in HARMLESS and each.evidence[0].source == source
    ]
    steps = result.context.steps.get(source, ())
    if lines < LONG_RUN_LINES or (len(harmful) == 1 and not steps):
        return
    heading = pen.say(phrases.TIME_LINE)
    said = pen.say(phrases.LINES_OF, source=source, lines=f"{lines:,}")
    first, *more = wrapped(said, pen.style.width - columns(heading) - 2)
    yield f"{pen.heading(phrases.TIME_LINE)}  {pen.dim(first)}"
    yield from (pen.dim(f"    {line}") for line in more)
    names = [
        (each.signature.id if isinstance(each, Diagnosis) else each.title, each)
        for each in sorted(harmful[:ROWS_SHOWN], key=_first_spot)
    ]
    label = min(LABEL_COLUMNS, max(columns(name) for name, _ in names))
    bar = max(10, pen.style.width - label - RANKS_COLUMNS - 8)
    if steps:
        yield _row(pen.say(phrases.STEPS), label, _span(spread(steps, lines, bar)), "", pen)
    for name, each in names:
        marks = spread(each.spots, lines, bar)
        if each is root:
            at = min(bar - 1, (root.evidence[0].line - 1) * bar // lines)
            marks = marks[:at] + "✖" + marks[at + 1 :]
        ranks = pen.say(phrases.RANK, ranks=ranges(each.ranks)) if each.ranks else ""
        yield _row(name, label, marks, ranks, pen)


def _row(name: str, label: int, marks: str, ranks: str, pen: Pen) -> str:
    name = shortened(name, label) if columns(name) > label else name
    return (
        f"  {name}{' ' * (label - columns(name))} │{marks}│ "
        f"{pen.dim(shortened(ranks, RANKS_COLUMNS))}"
    ).rstrip()


def _span(marks: str) -> str:
    """From the first mark to the last: between them only some of many are known."""
    first, last = len(marks) - len(marks.lstrip()), len(marks.rstrip())
    return f"{' ' * first}{'─' * (last - first)}{' ' * (len(marks) - last)}"


def _first_spot(item: Diagnosis | UnknownError) -> int:
    return min((item.evidence[0].line, *item.spots))
