"""A finding in a few lines: notice, render_notice.

What it is, where, the line that proves it, the first thing to do, and where more is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.model import Applies, Diagnosis, ScanResult, UnknownError
from logdoctor.reports.run.advice import setting
from logdoctor.reports.run.layout import LEAD, found_spans, in_lines, shortened, wrapped
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.proof import place_of
from logdoctor.reports.run.titles import healthy_lines, mark_of, title_of
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import PHASE_NAMES

TITLE_LINES, EVIDENCE_LINES = 3, 2
"""Screen lines that a title and the proving line may take."""


def render_notice(result: ScanResult, style: TextStyle) -> str:
    """The verdict of a scan as a notice with a line end; a line or two where nothing is wrong."""
    lines = notice(result.root, style) if result.root else healthy_lines(result, Pen(style))
    return "\n".join(lines) + "\n"


def notice(item: Diagnosis | UnknownError, style: TextStyle, time: str = "") -> Iterator[str]:
    """Its lines; the first one begins with the time where there is one."""
    pen = Pen(style)
    indent = " " * (len(time) + 1 if time else 2)
    room = style.width - len(indent) - 2
    mark, colour = mark_of(item)
    title = shortened(f"{mark} {title_of(item, pen)}", TITLE_LINES * (style.width - len(indent)))
    for i, line in enumerate(wrapped(title, style.width - len(indent))):
        lead = indent if i else f"{time} " if time else ""
        yield lead + pen.paint(line, colour, bold=isinstance(item, Diagnosis))
    yield from (indent + line for line in in_lines(_facts(item, pen), room))
    if isinstance(item, UnknownError):
        first = item.next_steps[0] if item.next_steps else None
    else:
        evidence = item.evidence[0]
        kept = found_spans(evidence.text, item.captures.values(), evidence.focus)
        text = shortened(evidence.text, EVIDENCE_LINES * room, evidence.focus, kept, LEAD)
        yield from (f"{indent}│ {line}" for line in wrapped(text, room))
        remedy = next((each for each in item.remedies if each.applies is not Applies.NO), None)
        first = remedy.action if remedy else None
    if first:
        for i, line in enumerate(wrapped(pen.read(first), room)):
            yield f"{indent}{' ' if i else '→'} {line}"
    if isinstance(item, Diagnosis):
        for key, value in remedy.settings.items() if remedy else ():
            yield f"{indent}  {setting(key, value)}"
        yield f"{indent}logdoctor explain {item.signature.id}"


def _facts(item: Diagnosis | UnknownError, pen: Pen) -> Iterator[str]:
    evidence = item.evidence[0]
    if isinstance(item, UnknownError):
        yield pen.say(phrases.UNKNOWN_ERROR)
    yield place_of(evidence)
    if evidence.lane.rank is not None:
        yield pen.say(phrases.RANK, ranks=evidence.lane.rank)
    if isinstance(item, Diagnosis) and item.phase:
        yield pen.say(phrases.PHASE, phase=pen.read(PHASE_NAMES[item.phase]))
