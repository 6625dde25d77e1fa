"""Where a finding stands and what proves it, for a terminal: proof_part, reason_lines, place_of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logdoctor.formats.message_shapes import STACK
from logdoctor.model import Diagnosis, Evidence, UnknownError
from logdoctor.reports.run.fitting import Part
from logdoctor.reports.run.layout import Span, columns, found_spans, in_lines, shortened, wrapped
from logdoctor.reports.run.painting import Pen
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import PHASE_NAMES

SHORT_EVIDENCE_LINES, EVIDENCE_LINES = 3, 4
"""Screen lines that the proving line may take: where there is little room, and at most."""


def reason_lines(item: Diagnosis | UnknownError, pen: Pen, indent: str) -> Iterator[str]:
    """Why it has its verdict: the deciding reason, or all of them with their rules. A line of the
    source where it stands itself needs no name.
    """
    show_why = pen.style.show_why
    for reason in item.because if show_why else item.because[:1]:
        facts = [pen.label(phrases.BECAUSE) + pen.read(reason.text)]
        if reason.source != item.evidence[0].source:
            facts.append(f"{reason.source}:{reason.line}")
        if show_why:
            facts.append(pen.say(phrases.BY_RULE, rule=reason.rule))
        room = pen.style.width - len(indent) - 2
        for i, line in enumerate(wrapped(" · ".join(facts), room)):
            yield pen.dim(f"{indent}{'  ' if i else ''}{line}")


def proof_part(item: Diagnosis | UnknownError, pen: Pen, turn: int) -> Part:
    """The place and the line that proves it; then with the lines below that go on with it, then
    with the line before, then with all around.
    """
    evidence = item.evidence[0]
    facts = [place_of(evidence), *_facts(evidence, item, pen)]
    word = pen.say(phrases.WHERE)
    first, *more = in_lines(facts, pen.style.width - columns(word) - 2)
    head = ("", f"{pen.heading(phrases.WHERE)}  {first}", *(f"    {line}" for line in more))
    context = evidence.context or ((evidence.line, evidence.text),)
    at = next((i for i, line in enumerate(context) if line == (evidence.line, evidence.text)), 0)
    digits = max(len(str(number)) for number, _ in context)
    beside = [_beside(number, text, pen, digits) for number, text in context]
    own = at + 1 + sum(_goes_on(each, evidence) for each in context[at + 1 :])
    proving = [tuple(_proving(item, pen, digits, most)) for most in _sizes(item, pen, digits)]
    return Part(
        [
            *((*head, *each) for each in proving),
            (*head, *proving[-1], *beside[at + 1 : own]),
            (*head, *beside[max(at - 1, 0) : at], *proving[-1], *beside[at + 1 : own]),
            (*head, *beside[:at], *proving[-1], *beside[at + 1 :]),
        ],
        turn,
    )


def _goes_on(line: tuple[int, str], evidence: Evidence) -> bool:
    """Whether a line below the proving one is of the same message, and not of a C++ stack."""
    number, text = line
    return number <= evidence.end_line and not re.search(STACK, text)


def _sizes(item: Diagnosis | UnknownError, pen: Pen, digits: int) -> range:
    """Screen lines that the proving line may take: at least so many that no capture is cut out."""
    text = item.evidence[0].text
    room = pen.style.width - digits - 7
    spans = _kept(item)
    least = next(
        (
            most
            for most in range(SHORT_EVIDENCE_LINES, EVIDENCE_LINES)
            if all(
                text[first:end] in shortened(text, most * room, item.evidence[0].focus, spans)
                for first, end in spans
            )
        ),
        EVIDENCE_LINES,
    )
    return range(least, EVIDENCE_LINES + 1)


def _kept(item: Diagnosis | UnknownError) -> tuple[Span, ...]:
    evidence = item.evidence[0]
    values = item.captures.values() if isinstance(item, Diagnosis) else ()
    return found_spans(evidence.text, values, evidence.focus)


def place_of(evidence: Evidence) -> str:
    """The file and line, as editors take them."""
    file, line = evidence.place
    return f"{file}:{line}"


def _proving(item: Diagnosis | UnknownError, pen: Pen, digits: int, most: int) -> Iterator[str]:
    evidence = item.evidence[0]
    room = pen.style.width - digits - 7
    text = shortened(evidence.text, most * room, evidence.focus, _kept(item))
    for i, part in enumerate(wrapped(text, room)):
        margin = f"  ▶ {evidence.line:>{digits}} │ " if i == 0 else f"    {'':>{digits}} │ "
        yield pen.paint(margin + part, "bright_white", bold=True)


def _beside(number: int, text: str, pen: Pen, digits: int) -> str:
    room = pen.style.width - digits - 7
    return pen.dim(f"    {number:>{digits}} │ {shortened(text, room)}")


def _facts(evidence: Evidence, item: Diagnosis | UnknownError, pen: Pen) -> Iterator[str]:
    lane = evidence.lane
    if evidence.stands_at:
        yield pen.say(phrases.LINE_IN_ALL, line=evidence.line)
    ranks = item.ranks or ((lane.rank,) if lane.rank is not None else ())
    if ranks:
        yield pen.say(phrases.RANK, ranks=ranges(ranks))
    if lane.host:
        yield pen.say(phrases.HOST, host=lane.host)
    if lane.actor:
        yield pen.say(phrases.ACTOR, actor=lane.actor)
    if isinstance(item, Diagnosis) and item.phase:
        phrase = phrases.PHASE_TOLD if pen.style.lists_harmless else phrases.PHASE
        phase = pen.read(PHASE_NAMES[item.phase])
        yield pen.say(phrase, phase=phase, by=item.phase_told_by)
    if evidence.time:
        yield _clock(evidence.time)
    if item.occurrences > 1:
        yield pen.say(phrases.TIMES, count=item.occurrences)
    if item.lanes > 1:
        yield pen.say(phrases.LANES, count=item.lanes)


def _clock(time: str) -> str:
    """A time as people write it: without the marks of what is missing, and at most to the
    millisecond.
    """
    date_and_time, _, fraction = (
        time.removeprefix("--").removeprefix("T").replace("T", " ").partition(".")
    )
    return f"{date_and_time}.{fraction[:3]}" if fraction else date_and_time


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers with runs folded: `0-3, 8`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
