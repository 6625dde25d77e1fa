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
    ScanResult,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.markup import code_block, details, inline, numbered
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import REFERENCES, RISK_NAMES, SEVERITY_NAMES, VERDICT_NAMES

_SECTIONS = (
    (phrases.INDEPENDENT, frozenset({Verdict.INDEPENDENT})),
    (phrases.FOLLOWED, frozenset({Verdict.CONSEQUENCE})),
    (phrases.HARMLESS, HARMLESS),
)


def render_markdown(result: ScanResult, language: Language) -> str:
    """The report as Markdown: the answer in full, the rest one line each."""
    return "\n".join(_report(result, language)) + "\n"


def _report(result: ScanResult, language: Language) -> Iterator[str]:
    root, others = result.root, result.others
    if root:
        yield from _root(root, language)
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
    if result.not_seen:
        yield from ("", f"### {phrases.NOT_SEEN.say(language)}", "")
        yield from (f"- {inline(each.in_language(language))}" for each in result.not_seen)


def _root(root: Diagnosis | UnknownError, language: Language) -> Iterator[str]:
    if isinstance(root, UnknownError):
        yield f"## {inline(root.title)}"
        yield from (
            "",
            (
                f"{phrases.UNKNOWN_ERROR.say(language)}, {phrases.FINGERPRINT.say(language)} "
                f"`{root.fingerprint}`"
            ),
            "",
        )
        yield from _proof(root.evidence[0])
        yield from ("", f"### {phrases.LOOK_NEXT.say(language)}", "")
        yield from (f"- {inline(step.in_language(language))}" for step in root.next_steps)
        return
    yield f"## {inline(root.title.in_language(language))}"
    severity = SEVERITY_NAMES[root.signature.severity].in_language(language)
    yield from (
        "",
        (
            f"`{root.signature.id}`, {severity},"
            f" {phrases.CONFIDENCE.say(language, value=round(100 * root.confidence))}"
        ),
        "",
    )
    yield from _proof(root.evidence[0])
    yield from (
        "",
        f"### {phrases.WHY.say(language)}",
        "",
        inline(root.cause.in_language(language)),
        "",
        f"### {phrases.TRY.say(language)}",
        "",
    )
    for number, remedy in enumerate(root.remedies, 1):
        yield from _judged(number, remedy, language)
    yield from ("", f"### {REFERENCES.say(language)}", "")
    yield from (f"- <{url}>" for url in root.signature.references)


def _place(evidence: Evidence) -> str:
    name = evidence.source.replace("`", "'")  # it would end the code
    return f"`{name}:{evidence.line}`"


def _proof(evidence: Evidence) -> Iterator[str]:
    yield _place(evidence)
    yield ""
    yield code_block(
        "\n".join(f"{number}: {text}" for number, text in evidence.context) or evidence.text
    )


def _judged(number: int, remedy: JudgedRemedy, language: Language) -> Iterator[str]:
    mark = {Applies.YES: "✔", Applies.UNKNOWN: "?", Applies.NO: "✘"}[remedy.applies]
    text = (
        f"{mark} {inline(remedy.action.in_language(language))} "
        f"({inline(remedy.why.in_language(language))})"
    )
    check, risk = (
        inline(remedy.check.in_language(language)),
        RISK_NAMES[remedy.risk].in_language(language),
    )
    yield from numbered(
        number, text, details(remedy.settings, check, risk, remedy.reference, language)
    )
