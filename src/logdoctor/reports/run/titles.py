"""A finding in one line, and a run without any: title_of, mark_of, healthy_lines, head_facts."""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.model import (
    HARMLESS,
    Diagnosis,
    MatchKind,
    RunContext,
    RunState,
    ScanResult,
    Severity,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.layout import columns, shortened
from logdoctor.reports.run.painting import Pen
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import SEVERITY_NAMES

GUESS = 0.5
"""Confidence up to which a diagnosis is as likely wrong as right, and called a guess."""

VERSION_COLUMNS = 44
"""Columns for versions of packages that are no frameworks."""


def title_of(item: Diagnosis | UnknownError, pen: Pen) -> str:
    """What happened; an answer that is likely wrong is called a guess."""
    if isinstance(item, UnknownError):
        return item.title
    title = pen.read(item.title)
    is_guess = item.verdict is Verdict.ROOT_CAUSE and item.confidence <= GUESS
    return pen.say(phrases.GUESS, title=title) if is_guess else title


def mark_of(item: Diagnosis | UnknownError) -> tuple[str, str]:
    """Its mark and the colour of both."""
    if isinstance(item, UnknownError):
        return "✖", "red"
    return ("!", "yellow") if item.signature.severity is Severity.WARNING else ("✖", "red")


def head_facts(item: Diagnosis | UnknownError, context: RunContext | None, pen: Pen) -> list[str]:
    """What stands below the title: what it is, what the run uses (where there is a context), and
    how far it came.
    """
    if isinstance(item, UnknownError):
        facts = [
            pen.say(phrases.UNKNOWN_ERROR),
            f"{pen.say(phrases.FINGERPRINT)} {item.fingerprint}",
        ]
    else:
        facts = [item.signature.id]
        if item.signature.severity is Severity.WARNING:
            facts.insert(0, pen.read(SEVERITY_NAMES[Severity.WARNING]))
        if item.kind is MatchKind.FUZZY:
            facts.append(pen.say(phrases.FUZZY, score=item.score))
        if item.hang:
            facts.append(pen.say(phrases.HANG_RANKS, **item.captures))
    return [*facts, *_software(context), *_last_step(context, pen)] if context else facts


def memory_of(item: Diagnosis | UnknownError, result: ScanResult, pen: Pen) -> str:
    """What a store of earlier runs knows of it; empty where there is none."""
    known = result.memory.get(item.name)
    if known is None:
        return ""
    told = [pen.say(phrases.SEEN_BEFORE, runs=known.runs)] if known.runs else []
    told += [pen.say(phrases.SINCE, date=known.since)] if known.since else []
    told += [pen.say(phrases.FIXED_BY, what=known.fixed_by)] if known.fixed_by else []
    return pen.say(phrases.LIST_COMMA).join(told)


def state_of(result: ScanResult) -> Phrase:
    """What is said of a scan that has found nothing."""
    if result.ending.state is not RunState.NOTHING_READ:
        return _STATES[result.ending.state]
    return phrases.NOTHING_READ if any(each.problem for each in result.sources) else phrases.EMPTY


_STATES = {
    RunState.PROBLEM: phrases.FAILED_UNSAID,
    RunState.GOOD_END: phrases.HEALTHY,
    RunState.GOING_ON: phrases.GOING_ON,
    RunState.NO_END_SEEN: phrases.NO_END_SEEN,
}


def healthy_lines(result: ScanResult, pen: Pen) -> Iterator[str]:
    """That nothing is wrong, with what was read, or that no end was seen, with the last words;
    that nothing was read, where that is so.
    """
    state = pen.say(state_of(result))
    if result.ending.state is RunState.NOTHING_READ:
        yield pen.paint(f"? {state}", "yellow")
        return
    facts = pen.dim(f" · {' · '.join(_read_facts(result, pen))}")
    if result.ending.state in (RunState.GOOD_END, RunState.GOING_ON):
        yield pen.paint(f"✔ {state}", "green") + facts
        return
    yield pen.paint(f"? {state}", "yellow") + facts
    if result.ending.text and result.context.last_progress is None:
        lead = f"  {pen.say(phrases.LAST_WORDS)}: "
        yield pen.dim(lead + shortened(result.ending.text.strip(), pen.style.width - columns(lead)))


def _read_facts(result: ScanResult, pen: Pen) -> Iterator[str]:
    readable = [each for each in result.sources if each.problem is None or each.lines]
    yield pen.say(phrases.LINES_READ, lines=f"{sum(each.lines for each in readable):,}")
    if len(readable) > 1:
        yield pen.say(phrases.SOURCES, count=len(readable))
    yield from _last_step(result.context, pen)
    harmless = sum(each.verdict in HARMLESS for each in result.others)
    if harmless and not pen.style.lists_harmless:
        yield pen.say(phrases.HARMLESS_SEEN, count=harmless)


def _software(context: RunContext) -> Iterator[str]:
    """The frameworks, then other packages whose versions are known, as many as have room."""
    for name in context.frameworks:
        yield f"{name} {context.versions[name]}" if name in context.versions else name
    room = VERSION_COLUMNS
    for name, version in context.versions.items():
        room -= columns(f"{name} {version} · ")
        if name not in context.frameworks and room >= 0:
            yield f"{name} {version}"


def _last_step(context: RunContext, pen: Pen) -> Iterator[str]:
    progress = context.last_progress
    if progress and progress.step is not None:
        step = f"{progress.step}/{progress.total}" if progress.total else progress.step
        yield pen.say(phrases.LAST_STEP, step=step)
