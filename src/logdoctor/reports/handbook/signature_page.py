"""Signature to a page for a reader: signature_page, and the part of a handbook: handbook_page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.model import Example, Language, LocalText, Remedy, Signature, SignatureDatabase, When
from logdoctor.reports.run.markup import code_block, details, numbered, prose
from logdoctor.signatures import conditions
from logdoctor.signatures.settings import as_text
from logdoctor.texts.filling import outline, placeholders
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import handbook as phrases
from logdoctor.texts.phrases.words import (
    COLON,
    COMPARISON_WORDS,
    FRAMEWORKS,
    MATURITY_NAMES,
    PHASE_NAMES,
    REFERENCES,
    RISK_NAMES,
    ROLE_NAMES,
    SEVERITY_NAMES,
    VERSION_WORDS,
    WITH_COUNT,
)

FOLDED_ABOVE = 8
"""Related signatures of a kind that are shown; more are folded, or only counted in a terminal."""


class Related(NamedTuple):
    """Signatures by what they have to do with one, each in the order of ids."""

    refined: tuple[Signature, ...]
    refinements: tuple[Signature, ...]
    effects: tuple[Signature, ...]
    causes: tuple[Signature, ...]


def related(database: SignatureDatabase) -> Mapping[str, Related]:
    """What each signature has to do with the others, by id."""
    causes: dict[str, list[Signature]] = {}
    effects: dict[str, tuple[Signature, ...]] = {}
    for signature in database.signatures:
        effects[signature.id] = _known(database, sorted(signature.explains))
        for effect in effects[signature.id]:
            causes.setdefault(effect.id, []).append(signature)
    return {
        each.id: Related(
            _known(database, [each.refines] if each.refines else []),
            database.refinements(each.id),
            effects[each.id],
            tuple(causes.get(each.id, ())),
        )
        for each in database.signatures
    }


def _known(database: SignatureDatabase, ids: Iterable[str]) -> tuple[Signature, ...]:
    return tuple(found for name in ids if (found := database.find(name)))


def signature_page(signature: Signature, links: Related, language: Language) -> str:
    """All that a signature says, as Markdown to be read as it is."""
    return _joined(_Page(signature, links, language, is_rendered=False).lines())


def handbook_page(signature: Signature, links: Related, language: Language) -> str:
    """The same for a folder `LANGUAGE/COMPONENT/` of pages, with links between them and long
    lists folded.
    """
    return _joined(_Page(signature, links, language, is_rendered=True).lines())


def _joined(lines: Iterable[str]) -> str:
    """The lines with one empty line where there are several."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


class _Page:
    """One page; `is_rendered` says that a reader sees it rendered, with links and folded lists."""

    def __init__(
        self, signature: Signature, links: Related, language: Language, *, is_rendered: bool
    ) -> None:
        self._signature = signature
        self._links = links
        self._language = language
        self._is_rendered = is_rendered
        self._mark: Callable[[str], str] = prose if is_rendered else str
        self._colon = COLON.say(language)

    def lines(self) -> Iterator[str]:
        signature = self._signature
        yield f"# {self._text(signature.title)}"
        yield from self._facts()
        if self._is_rendered:
            yield from self._seen()
        yield from self._heading(phrases.CAUSE)
        yield self._text(signature.cause)
        for pattern in signature.patterns:
            for text in (pattern.title, pattern.cause):
                if text:
                    yield from (
                        "",
                        f"- {self._mark(pattern.name or '')}{self._colon}{self._text(text)}",
                    )
        yield from self._heading(phrases.REMEDIES)
        for number, remedy in enumerate(signature.remedies, 1):
            yield from self._remedy(number, remedy)
        if self._has_names():
            yield from ("", self._mark(phrases.FILLED_IN.say(self._language)))
        if not self._is_rendered:  # who asks for it by its id has seen it
            yield from self._seen()
        yield from self._related()
        yield from self._not_this()
        yield from self._heading(REFERENCES)
        yield from (f"- <{reference}>" for reference in signature.references)

    def _facts(self) -> Iterator[str]:
        signature, language = self._signature, self._language
        names = (
            SEVERITY_NAMES[signature.severity],
            ROLE_NAMES[signature.role],
            MATURITY_NAMES[signature.maturity],
        )
        facts = [
            f"`{signature.id}`",
            self._mark(signature.component),
            *(name.in_language(language) for name in names),
        ]
        if signature.frameworks:
            facts.append(
                f"{FRAMEWORKS.say(language)}{self._colon}"
                f"{self._mark(', '.join(signature.frameworks))}"
            )
        yield from ("", " · ".join(facts))
        if self._is_rendered:
            index, name = phrases.ALL_SIGNATURES.say(language), phrases.OTHER_LANGUAGE.say(language)
            other = Language.ZH if language is Language.EN else Language.EN
            yield from (
                "",
                (
                    f"[{index}](../README.md) · [{name}](../../{other.value}/"
                    f"{signature.component}/{signature.id}.md)"
                ),
            )

    def _heading(self, phrase: Phrase) -> Iterable[str]:
        return ("", f"## {phrase.say(self._language)}", "")

    def _counted(self, phrase: Phrase, count: int) -> str:
        return WITH_COUNT.say(self._language, what=phrase.say(self._language), count=count)

    def _folded(self, summary: str, lines: Sequence[str]) -> Iterator[str]:
        if lines and self._is_rendered:
            yield from ("", f"<details><summary>{summary}</summary>", "", *lines, "", "</details>")
        elif lines:
            yield from ("", f"{summary}{self._colon.rstrip()}", "", *lines)

    def _example(self, example: Example) -> Iterator[str]:
        yield from (code_block(example.text.rstrip()), "")
        is_url = example.origin.startswith("https://") and " " not in example.origin
        yield (
            f"{phrases.ORIGIN.say(self._language)}{self._colon}"
            f"{f'<{example.origin}>' if is_url else self._mark(example.origin)}"
        )
        yield ""

    def _remedy(self, number: int, remedy: Remedy) -> Iterator[str]:
        condition = condition_in_words(remedy.when, self._language)
        conditions = (
            [f"{phrases.WHEN.say(self._language)}{self._colon}{self._mark(condition)}"]
            if condition
            else []
        )
        needed = ", ".join(f"{name} {' / '.join(each)}" for name, each in remedy.needs.items())
        if needed:
            conditions.append(f"{phrases.NEEDS.say(self._language)}{self._colon}{needed}")
        settings = {
            key: as_text(setting, outline(setting.text)) for key, setting in remedy.settings.items()
        }
        risk = RISK_NAMES[remedy.risk].in_language(self._language)
        items = details(settings, self._text(remedy.check), risk, remedy.reference, self._language)
        yield from numbered(number, self._text(remedy.action), [*conditions, *items])

    def _related(self) -> Iterator[str]:
        links = self._links
        rows = (
            (phrases.REFINES, links.refined),
            (phrases.REFINED_BY, links.refinements),
            (phrases.EXPLAINS, links.effects),
            (phrases.EXPLAINED_BY, links.causes),
        )
        if any(signatures for _, signatures in rows):
            yield from self._heading(phrases.RELATED)
        for phrase, signatures in rows:
            shown = [f"- {self._link(each)}" for each in signatures]
            if len(shown) > FOLDED_ABOVE and self._is_rendered:
                yield from self._folded(self._counted(phrase, len(shown)), shown)
            elif shown:
                rest = (
                    [phrases.AND_MORE.say(self._language, count=len(shown) - FOLDED_ABOVE)]
                    if len(shown) > FOLDED_ABOVE
                    else []
                )
                yield from (
                    "",
                    f"{phrase.say(self._language)}{self._colon.rstrip()}",
                    "",
                    *shown[:FOLDED_ABOVE],
                    *rest,
                    "",
                )

    def _link(self, signature: Signature) -> str:
        title = self._text(signature.title)
        link = (
            f"[{title}](../{signature.component}/{signature.id}.md)"
            if self._is_rendered
            else f"{signature.id}: {title}"
        )
        return (
            f"{link} · {self._mark(', '.join(signature.frameworks))}" if signature.refines else link
        )

    def _not_this(self) -> Iterator[str]:
        counterexamples = self._signature.counterexamples
        if counterexamples:
            yield from self._heading(phrases.COUNTEREXAMPLES)
        for counterexample in counterexamples:
            yield code_block(counterexample.text.rstrip())
            # the reasons are written for authors, in English only
            if self._language is Language.EN:
                yield from ("", self._mark(counterexample.why))
            yield ""

    def _text(self, text: LocalText) -> str:
        return self._mark(outline(text.in_language(self._language)))

    def _seen(self) -> Iterator[str]:
        first, *more = self._signature.examples
        yield from self._heading(phrases.SEEN)
        yield from self._example(first)
        yield from self._folded(
            self._counted(phrases.MORE_EXAMPLES, len(more)),
            [line for each in more for line in self._example(each)],
        )

    def _has_names(self) -> bool:
        signature = self._signature
        texts = [
            signature.title,
            signature.cause,
            *(each for remedy in signature.remedies for each in (remedy.action, remedy.check)),
        ]
        return any(placeholders(text.in_language(self._language)) for text in texts)


def condition_in_words(when: When, language: Language) -> str:
    """The conditions of a remedy as a sentence; empty where there are none."""
    parts = []
    if when.frameworks:
        parts.append(phrases.RUN_USES.say(language, value=_any_of(when.frameworks, language)))
    if when.phases:
        parts.append(
            phrases.FAILED_IN.say(
                language,
                value=_any_of(
                    [PHASE_NAMES[each].in_language(language) for each in when.phases], language
                ),
            )
        )
    if when.patterns:
        names = _any_of([f"`{each}`" for each in when.patterns], language)
        parts.append(phrases.MESSAGE_IS.say(language, value=names))
    if when.seen:
        names = _any_of([f"`{each}`" for each in when.seen], language)
        parts.append(phrases.SEEN_BESIDE.say(language, value=names))
    for name, wanted in when.versions.items():
        parts.append(_compared(name, wanted, VERSION_WORDS, language))
    for name, wanted in when.config.items():
        parts.append(_compared(f"`{name}`", wanted, COMPARISON_WORDS, language))
    for name, wanted in when.captures.items():
        parts.append(
            _compared(
                phrases.IN_MESSAGE.say(language, name=name), wanted, COMPARISON_WORDS, language
            )
        )
    return phrases.ALL_OF.say(language).join(parts)


def _compared(
    name: str, wanted: Sequence[str], words: Mapping[str, LocalText], language: Language
) -> str:
    pairs = [conditions.split(each) for each in wanted]
    if len({operator for operator, _ in pairs}) == 1:  # `is a or b`
        values = _any_of([_value(operand, language) for _, operand in pairs], language)
        return (
            words[pairs[0][0]]
            .in_language(language)
            .format(name=name, value=values)
            .replace("  ", " ")
        )
    said = [
        words[operator].in_language(language).format(name=name, value=_value(operand, language))
        for operator, operand in pairs
    ]
    return _any_of(said, language).replace("  ", " ")


def _value(operand: str, language: Language) -> str:
    return (
        outline(operand).replace("<", "`").replace(">", "`")
        if placeholders(operand)
        else operand or phrases.EMPTY.say(language)
    )


def _any_of(values: Sequence[str], language: Language) -> str:
    return phrases.ANY_OF.say(language).join(values)
