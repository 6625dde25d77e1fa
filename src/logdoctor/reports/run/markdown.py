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
    ScanResult,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.markup import code_block, details, inline, numbered
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import (
    COLON,
    REFERENCES,
    RISK_NAMES,
    SEVERITY_NAMES,
    VERDICT_NAMES,
)

_SECTIONS = (
    (phrases.INDEPENDENT, frozenset({Verdict.INDEPENDENT})),
    (phrases.FOLLOWED, frozenset({Verdict.CONSEQUENCE})),
    (phrases.HARMLESS, HARMLESS),
)


def render_markdown(result: ScanResult, language: Language, *, show_why: bool = False) -> str:
    """The report as Markdown: the answer in full, the rest one line each, both with their reasons:
    the deciding one, or all with `show_why`.
    """
    return "\n".join(_report(result, language, None if show_why else 1)) + "\n"


def _report(result: ScanResult, language: Language, reasons: int | None) -> Iterator[str]:
    root, others = result.root, result.others
    if root:
        yield from _root(root, language, reasons)
    else:
        yield f"## {phrases.HEALTHY.say(language)}"
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


def _root(root: Diagnosis | UnknownError, language: Language, reasons: int | None) -> Iterator[str]:
    if isinstance(root, Diagnosis):
        title = root.title.in_language(language)
        severity = SEVERITY_NAMES[root.signature.severity].in_language(language)
        confidence = phrases.CONFIDENCE.say(language, value=round(100 * root.confidence))
        facts = f"`{root.signature.id}`, {severity}, {confidence}"
        rest = _advice(root, language)
    else:
        title = root.title
        fingerprint = f"{phrases.FINGERPRINT.say(language)} `{root.fingerprint}`"
        facts = f"{phrases.UNKNOWN_ERROR.say(language)}, {fingerprint}"
        rest = _next_steps(root, language)
    yield f"## {inline(title)}"
    for paragraph in (facts, *_because(root, language, reasons)):
        yield from ("", paragraph)
    yield ""
    yield from _proof(root.evidence[0])
    yield from rest


def _next_steps(error: UnknownError, language: Language) -> Iterator[str]:
    yield from ("", f"### {phrases.LOOK_NEXT.say(language)}", "")
    yield from (f"- {inline(step.in_language(language))}" for step in error.next_steps)


def _advice(diagnosis: Diagnosis, language: Language) -> Iterator[str]:
    yield from ("", f"### {phrases.WHY.say(language)}", "")
    yield inline(diagnosis.cause.in_language(language))
    yield from ("", f"### {phrases.TRY.say(language)}", "")
    for number, remedy in enumerate(diagnosis.remedies, 1):
        yield from _judged(number, remedy, language)
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


def _judged(number: int, remedy: JudgedRemedy, language: Language) -> Iterator[str]:
    mark = {Applies.YES: "✔ ", Applies.UNKNOWN: "? ", Applies.NO: "✘ "}.get(remedy.applies, "")
    text = f"{mark}{inline(remedy.action.in_language(language))}"
    if mark:
        text += f" ({inline(remedy.why.in_language(language))})"
    check, risk = (
        inline(remedy.check.in_language(language)),
        RISK_NAMES[remedy.risk].in_language(language),
    )
    yield from numbered(
        number, text, details(remedy.settings, check, risk, remedy.reference, language)
    )
