"""Scan result for a ticket, signature for a reader: render_markdown, signature_page, signature_index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from logdoctor.model import (
    HARMLESS,
    Applies,
    Diagnosis,
    Evidence,
    JudgedRemedy,
    Language,
    Remedy,
    ScanResult,
    Signature,
    SignatureDatabase,
    UnknownError,
    Verdict,
    When,
)
from logdoctor.phrases import MATURITY_NAMES, PHASE_NAMES, RISK_NAMES, ROLE_NAMES, SEVERITY_NAMES, VERDICT_NAMES, Phrase

_SECTIONS = (
    (Phrase.INDEPENDENT, frozenset({Verdict.INDEPENDENT})),
    (Phrase.FOLLOWED, frozenset({Verdict.CONSEQUENCE})),
    (Phrase.HARMLESS, HARMLESS),
)


def render_markdown(result: ScanResult, language: Language) -> str:
    """The report as Markdown: the answer in full, the rest one line each."""
    return "\n".join(_report(result, language)) + "\n"


def signature_page(signature: Signature, language: Language) -> str:
    """All that a signature says, as Markdown."""
    return "\n".join(_page(signature, language)) + "\n"


def signature_index(database: SignatureDatabase) -> str:
    """All signatures by component with both titles, as Markdown, for the documentation."""
    by_component: dict[str, list[Signature]] = {}
    for signature in database.signatures:
        by_component.setdefault(signature.component, []).append(signature)
    lines = [
        "# Signatures",
        "",
        "Generated from `signatures/` by `scripts/generate`; do not edit. `logdoctor explain ID` shows the whole page of one, in either language.",
        "",
        f"{len(database.signatures)} signatures of {len(by_component)} components.",
    ]
    for component, signatures in sorted(by_component.items()):
        lines += ["", f"## {component}", "", "| id | severity, role | title | 标题 | remedies |", "| --- | --- | --- | --- | --- |"]
        for each in signatures:
            refines = f"<br>refines `{each.refines}` for {', '.join(each.frameworks)}" if each.refines else ""
            title, chinese = _cell(each.title.en), _cell(each.title.zh)
            lines.append(f"| `{each.id}`{refines} | {each.severity.value}, {each.role.value} | {title} | {chinese} | {len(each.remedies)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("{", "\\{")


def _code(text: str) -> str:
    """The text as a code block that no text in it can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def _report(result: ScanResult, language: Language) -> Iterator[str]:
    root, others = result.root, result.others
    if root:
        yield from _root(root, language)
    else:
        yield f"## {Phrase.HEALTHY.say(language)}"
    for heading, verdicts in _SECTIONS:
        members = [each for each in others if each.verdict in verdicts]
        if members:
            yield from ("", f"### {heading.say(language)}", "")
        for each in members:
            title = _inline(each.title.in_language(language) if isinstance(each, Diagnosis) else each.title)
            facts = (VERDICT_NAMES[each.verdict].in_language(language), _place(each.evidence[0]), Phrase.TIMES.say(language, count=each.occurrences))
            yield f"- {title}: {', '.join(facts)}"
    if result.not_seen:
        yield from ("", f"### {Phrase.NOT_SEEN.say(language)}", "")
        yield from (f"- {_inline(each.in_language(language))}" for each in result.not_seen)


def _inline(text: str) -> str:
    return text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace("`", "\\`").replace("*", "\\*").replace("[", "\\[")


def _root(root: Diagnosis | UnknownError, language: Language) -> Iterator[str]:
    if isinstance(root, UnknownError):
        yield f"## {_inline(root.title)}"
        yield from ("", f"{Phrase.UNKNOWN_ERROR.say(language)}, {Phrase.FINGERPRINT.say(language)} `{root.fingerprint}`", "")
        yield from _proof(root.evidence[0])
        return
    yield f"## {_inline(root.title.in_language(language))}"
    severity = SEVERITY_NAMES[root.signature.severity].in_language(language)
    yield from ("", f"`{root.signature.id}`, {severity}, {Phrase.CONFIDENCE.say(language, value=round(100 * root.confidence))}", "")
    yield from _proof(root.evidence[0])
    yield from ("", f"### {Phrase.WHY.say(language)}", "", _inline(root.cause.in_language(language)), "", f"### {Phrase.TRY.say(language)}", "")
    for number, remedy in enumerate(root.remedies, 1):
        yield from _judged(number, remedy, language)
    yield from ("", f"### {Phrase.REFERENCES.say(language)}", "")
    yield from (f"- <{url}>" for url in root.signature.references)


def _place(evidence: Evidence) -> str:
    name = evidence.source.replace("`", "'")  # it would end the code
    return f"`{name}:{evidence.line}`"


def _proof(evidence: Evidence) -> Iterator[str]:
    yield _place(evidence)
    yield ""
    yield _code("\n".join(f"{number}: {text}" for number, text in evidence.context) or evidence.text)


def _judged(number: int, remedy: JudgedRemedy, language: Language) -> Iterator[str]:
    mark = {Applies.YES: "✔", Applies.UNKNOWN: "?", Applies.NO: "✘"}[remedy.applies]
    yield f"{number}. {mark} {_inline(remedy.action.in_language(language))} ({_inline(remedy.why.in_language(language))})"
    yield from _details(
        remedy.settings, remedy.check.in_language(language), RISK_NAMES[remedy.risk].in_language(language), remedy.reference, language
    )


def _details(settings: Mapping[str, str], check: str, risk: str, reference: str | None, language: Language) -> Iterator[str]:
    yield from (f"   - {Phrase.SET.say(language)} `{key}: {value}`" for key, value in settings.items())
    yield f"   - {Phrase.CHECK.say(language)}: {_inline(check)}"
    yield f"   - {Phrase.RISK.say(language)}: {risk}"
    if reference:
        yield f"   - <{reference}>"


def _page(signature: Signature, language: Language) -> Iterator[str]:
    def heading(phrase: Phrase) -> Iterable[str]:
        return ("", f"## {phrase.say(language)}", "")

    yield f"# {signature.title.in_language(language)}"
    facts = [
        f"`{signature.id}`",
        signature.component,
        SEVERITY_NAMES[signature.severity].in_language(language),
        ROLE_NAMES[signature.role].in_language(language),
    ]
    yield from ("", " · ".join([*facts, MATURITY_NAMES[signature.maturity].in_language(language)]))
    links = ((Phrase.FRAMEWORKS, signature.frameworks), (Phrase.REFINES, (signature.refines or "",)), (Phrase.EXPLAINS, signature.explains))
    yield from (f"{phrase.say(language)}: {', '.join(names)}" for phrase, names in links if any(names))
    yield from heading(Phrase.CAUSE)
    yield signature.cause.in_language(language)
    yield from heading(Phrase.REMEDIES)
    for number, remedy in enumerate(signature.remedies, 1):
        yield f"{number}. {remedy.action.in_language(language)}"
        yield f"   - {Phrase.WHEN.say(language)}: {_condition(remedy, language)}"
        check, risk = remedy.check.in_language(language), RISK_NAMES[remedy.risk].in_language(language)
        yield from _details(remedy.settings, check, risk, remedy.reference, language)
    yield from heading(Phrase.EXAMPLES)
    for example in signature.examples:
        yield from (_code(example.text.rstrip()), f"{Phrase.ORIGIN.say(language)}: {example.origin}", "")
    if signature.counterexamples:
        yield from heading(Phrase.COUNTEREXAMPLES)
        for counterexample in signature.counterexamples:
            yield from (_code(counterexample.text.rstrip()), counterexample.why, "")
    yield from heading(Phrase.REFERENCES)
    yield from (f"- {reference}" for reference in signature.references)


def _condition(remedy: Remedy, language: Language) -> str:
    when: When = remedy.when
    parts = [" / ".join(when.frameworks), " / ".join(PHASE_NAMES[each].in_language(language) for each in when.phases)]
    for comparisons in (when.versions, when.config, when.captures):
        parts += [f"`{name} {' / '.join(_written(value) for value in values)}`" for name, values in comparisons.items()]
    return ", ".join(part for part in parts if part) or Phrase.ALWAYS.say(language)


def _written(comparison: str) -> str:
    return comparison if comparison[:1] in "<>!=" else f"== {comparison}"
