"""Scan result for a ticket: render_markdown."""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.model import (
    HARMLESS,
    Applies,
    Diagnosis,
    Evidence,
    JudgedRemedy,
    Language,
    Reason,
    RunState,
    ScanResult,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.advice import action_of, in_order, is_judged, mark
from logdoctor.reports.run.markup import code_block, details, inline, numbered
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.titles import head_facts, state_of, title_of
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import (
    COLON,
    REFERENCES,
    RISK_NAMES,
    VERDICT_NAMES,
)

_SECTIONS = (
    (phrases.INDEPENDENT, frozenset({Verdict.INDEPENDENT})),
    (phrases.FOLLOWED, frozenset({Verdict.CONSEQUENCE})),
    (phrases.HARMLESS, HARMLESS),
)


def render_markdown(
    result: ScanResult, language: Language, *, show_why: bool = False, show_all: bool = False
) -> str:
    """The report as Markdown: the answer in full, the rest one line each, both with their reasons:
    the deciding one, or all with `show_why`. Remedies that do not fit this run, and the details of
    those that the log leaves open, are in it with `show_all` only.
    """
    return "\n".join(_report(result, language, None if show_why else 1, show_all)) + "\n"


def _report(
    result: ScanResult,
    language: Language,
    reasons: int | None,
    show_all: bool,  # handed on
) -> Iterator[str]:
    root, others = result.root, result.others
    if root:
        pen = Pen(TextStyle(language, show_all=show_all))
        yield from _root(root, result, pen, reasons)
    else:
        yield f"## {state_of(result).say(language)}"
        if result.ending.state is RunState.NO_END_SEEN and result.ending.text:
            words = inline(result.ending.text.strip())
            yield from ("", f"{phrases.LAST_WORDS.say(language)}: {words}")
    for heading, verdicts in _SECTIONS:
        members = [each for each in others if each.verdict in verdicts]
        if members:
            yield from ("", f"### {heading.say(language)}", "")
        for each in members:
            title = inline(
                each.title.in_language(language) if isinstance(each, Diagnosis) else each.title
            )
            facts = (
                VERDICT_NAMES[each.verdict].in_language(language),
                _place(each.evidence[0]),
                phrases.TIMES.say(language, count=each.occurrences),
            )
            yield f"- {title}: {', '.join(facts)}"
            yield from (f"  - {text}" for text in _because(each, language, reasons))
    if result.not_seen:
        yield from ("", f"### {phrases.NOT_SEEN.say(language)}", "")
        yield from (f"- {inline(each.in_language(language))}" for each in result.not_seen)


def _root(
    root: Diagnosis | UnknownError, result: ScanResult, pen: Pen, reasons: int | None
) -> Iterator[str]:
    name, *facts = head_facts(root, result.context, pen)
    known = isinstance(root, Diagnosis)
    yield f"## {inline(title_of(root, pen))}"
    for paragraph in (
        " · ".join((f"`{name}`" if known else name, *map(inline, facts))),
        *_because(root, pen.language, reasons),
    ):
        yield from ("", paragraph)
    yield ""
    yield from _proof(root.evidence[0])
    yield from (
        _advice(root, pen) if isinstance(root, Diagnosis) else _next_steps(root, pen.language)
    )


def _next_steps(error: UnknownError, language: Language) -> Iterator[str]:
    yield from ("", f"### {phrases.LOOK_NEXT.say(language)}", "")
    yield from (f"- {inline(step.in_language(language))}" for step in error.next_steps)


def _advice(diagnosis: Diagnosis, pen: Pen) -> Iterator[str]:
    language = pen.language
    yield from ("", f"### {phrases.WHY.say(language)}", "")
    yield inline(diagnosis.cause.in_language(language))
    remedies = diagnosis.remedies if pen.style.show_all else in_order(diagnosis.remedies)
    if remedies:
        yield from ("", f"### {phrases.TRY.say(language)}", "")
    for number, remedy in enumerate(remedies, 1):
        yield from _judged(number, remedy, pen)
    yield from ("", f"### {REFERENCES.say(language)}", "")
    yield from (f"- <{url}>" for url in diagnosis.signature.references)


def _because(item: Diagnosis | UnknownError, language: Language, most: int | None) -> Iterator[str]:
    for reason in item.because[:most]:
        text = phrases.BECAUSE.say(language) + COLON.say(language)
        text += inline(reason.text.in_language(language))
        yield f"{text} ({_place(reason)}, `{reason.rule}`)"


def _place(proof: Evidence | Reason) -> str:
    name = proof.source.replace("`", "'")  # it would end the code
    return f"`{name}:{proof.line}`"


def _proof(evidence: Evidence) -> Iterator[str]:
    yield _place(evidence)
    yield ""
    yield code_block(
        "\n".join(f"{number}: {text}" for number, text in evidence.context) or evidence.text
    )


def _judged(number: int, remedy: JudgedRemedy, pen: Pen) -> Iterator[str]:
    text = inline(action_of(remedy, pen))
    if remedy.applies in {Applies.YES, Applies.NO} and is_judged(remedy):
        text += f" ({inline(pen.read(remedy.why))})"
    is_open = remedy.applies is Applies.UNKNOWN and not pen.style.show_all
    yield from numbered(
        number,
        mark(remedy) + text,
        ()
        if is_open
        else details(
            remedy.settings,
            inline(pen.read(remedy.check)),
            pen.read(RISK_NAMES[remedy.risk]),
            remedy.reference,
            pen.language,
        ),
    )
