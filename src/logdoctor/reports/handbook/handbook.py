"""Signature database to a handbook of Markdown pages: handbook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from logdoctor.formats.markers import FRAMEWORK_ORDER
from logdoctor.model import Language, Phase, Signature, SignatureDatabase
from logdoctor.reports.handbook.signature_page import handbook_page, related
from logdoctor.reports.run.markup import cell
from logdoctor.signatures.coverage import (
    ProblemClass,
    advised_frameworks,
    class_of,
    frameworks_of,
    phases_of,
)
from logdoctor.texts.filling import outline
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import handbook as phrases
from logdoctor.texts.phrases.words import (
    COLON,
    PHASE_NAMES,
    ROLE_NAMES,
    SEVERITY,
    SEVERITY_NAMES,
    WITH_COUNT,
)

APPLICATION_COMPONENTS = ("nemo_rl", "llamafactory", "swift")
"""Components that are no frameworks to the program, and yet what a user calls the run."""

_ORDER = (*FRAMEWORK_ORDER[:8], *APPLICATION_COMPONENTS, *FRAMEWORK_ORDER[8:])


def handbook(database: SignatureDatabase) -> Iterator[tuple[str, str]]:
    """Paths of all pages below the folder of the handbook, and their texts; README.md first."""
    yield "README.md", _entrance(database)
    links = related(database)
    for language in Language:
        yield f"{language.value}/README.md", _lines(_by_component(database, language))
        yield f"{language.value}/frameworks.md", _lines(_by_framework(database, language))
        yield f"{language.value}/coverage.md", _lines(_coverage(database, language))
        for signature in database.signatures:
            yield (
                f"{language.value}/{signature.component}/{signature.id}.md",
                handbook_page(signature, links[signature.id], language),
            )


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _entrance(database: SignatureDatabase) -> str:
    lines = ["# Signatures · 签名手册", ""]
    pages = (
        ("README.md", phrases.BY_COMPONENT),
        ("frameworks.md", phrases.BY_FRAMEWORK),
        ("coverage.md", phrases.COVERAGE),
    )
    for language, name in ((Language.EN, "English"), (Language.ZH, "中文")):
        links = " · ".join(
            f"[{phrase.say(language)}]({language.value}/{page})" for page, phrase in pages
        )
        lines.append(f"- **{name}**{COLON.say(language)}{links}")
    for language in Language:
        lines += ["", _counted(database, language), phrases.GENERATED.say(language)]
    lines += [
        "",
        (
            "What fires where nothing is wrong is counted in [healthy.md](../healthy.md). "
            "[signatures/README.md](../../signatures/README.md) says how to write one."
        ),
    ]
    return _lines(lines)


def _counted(database: SignatureDatabase, language: Language) -> str:
    components = {each.component for each in database.signatures}
    return phrases.COUNTED.say(
        language, signatures=len(database.signatures), components=len(components)
    )


def _head(phrase: Phrase, page: str, language: Language) -> Iterator[str]:
    """Title of an index, and where the others are."""
    yield from (
        f"# {phrases.HANDBOOK.say(language)}{COLON.say(language)}{phrase.say(language)}",
        "",
    )
    pages = (
        ("README.md", phrases.BY_COMPONENT),
        ("frameworks.md", phrases.BY_FRAMEWORK),
        ("coverage.md", phrases.COVERAGE),
    )
    links = [f"[{other.say(language)}]({name})" for name, other in pages if name != page]
    abroad = Language.ZH if language is Language.EN else Language.EN
    yield " · ".join(
        [*links, f"[{phrases.OTHER_LANGUAGE.say(language)}](../{abroad.value}/{page})"]
    )


def _by_component(database: SignatureDatabase, language: Language) -> Iterator[str]:
    yield from _head(phrases.BY_COMPONENT, "README.md", language)
    yield from ("", _counted(database, language), phrases.GENERATED.say(language), "")
    groups: dict[str, list[Signature]] = {}
    for signature in database.signatures:
        groups.setdefault(signature.component, []).append(signature)
    yield " · ".join(f"[{name}](#{name}) {len(groups[name])}" for name in sorted(groups))
    for name in sorted(groups):
        yield from ("", f"## {name}", "", *_table(groups[name], language))


def _table(signatures: Iterable[Signature], language: Language) -> Iterator[str]:
    yield _row(
        [
            phrases.SIGNATURE.say(language),
            "id",
            SEVERITY.say(language),
            phrases.ROLE.say(language),
        ]
    )
    yield _row(["---"] * 4)
    for each in signatures:
        severity, role = (
            SEVERITY_NAMES[each.severity].in_language(language),
            ROLE_NAMES[each.role].in_language(language),
        )
        yield _row([_link(each, language), f"`{each.id}`", severity, role])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _link(signature: Signature, language: Language) -> str:
    return (
        f"[{cell(outline(signature.title.in_language(language)))}]({signature.component}/"
        f"{signature.id}.md)"
    )


def _owned(database: SignatureDatabase, framework: str | None) -> list[Signature]:
    """Signatures that belong to a framework; those of none where it is None."""
    applications = frozenset(APPLICATION_COMPONENTS)
    owners = ((each, frameworks_of(each, applications)) for each in database.signatures)
    return [each for each, names in owners if (framework in names if framework else not names)]


def _advised(database: SignatureDatabase, framework: str) -> list[Signature]:
    """Signatures of others with a remedy for a framework."""
    own = {each.id for each in _owned(database, framework)}
    return [
        each
        for each in database.signatures
        if each.id not in own and not each.refines and framework in advised_frameworks(each)
    ]


def _by_framework(database: SignatureDatabase, language: Language) -> Iterator[str]:
    yield from _head(phrases.BY_FRAMEWORK, "frameworks.md", language)
    yield ""
    yield " · ".join(f"[{name}](#{name})" for name in _ORDER)
    for name in _ORDER:
        yield from ("", f"## {name}")
        for phrase, signatures in (
            (phrases.ITS_OWN, _owned(database, name)),
            (phrases.WITH_ADVICE, _advised(database, name)),
        ):
            if signatures:
                what = phrase.say(language)
                yield from (
                    "",
                    f"### {WITH_COUNT.say(language, what=what, count=len(signatures))}",
                    "",
                    *_table(signatures, language),
                )


def _coverage(database: SignatureDatabase, language: Language) -> Iterator[str]:
    yield from _head(phrases.COVERAGE, "coverage.md", language)
    yield from ("", phrases.HOW_COVERED.say(language), "", phrases.HOW_CLASSED.say(language), "")
    names = [each.value.in_language(language) for each in ProblemClass]
    yield _row(
        [
            phrases.FRAMEWORK.say(language),
            phrases.PHASE_HEAD.say(language),
            *(f"[{name}](#{_anchor(name)})" for name in names),
        ]
    )
    yield _row(["---", "---", *["---:"] * len(names)])
    for framework in (*_ORDER, None):
        yield from _covered(database, framework, language)
    for kind, name in zip(ProblemClass, names, strict=True):
        signatures = [each for each in database.signatures if class_of(each) is kind]
        yield from ("", f"## {name}", "", *_table(signatures, language))


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _covered(
    database: SignatureDatabase, framework: str | None, language: Language
) -> Iterator[str]:
    own, advised = _owned(database, framework), _advised(database, framework) if framework else []
    phases: tuple[Phase | None, ...] = (*Phase, None)
    shown = framework or phrases.ANY_FRAMEWORK.say(language)
    yield _row(
        [
            f"**{shown}**",
            phrases.ALL_PHASES.say(language),
            *(_count(own, advised, kind) for kind in ProblemClass),
        ]
    )
    for phase in phases:
        here = [each for each in own if _happens_in(phase, phases_of(each))]
        there = [each for each in advised if _happens_in(phase, phases_of(each, framework))]
        if here or there:
            name = (
                PHASE_NAMES[phase].in_language(language)
                if phase
                else phrases.ANY_PHASE.say(language)
            )
            yield _row([shown, name, *(_count(here, there, kind) for kind in ProblemClass)])


def _happens_in(phase: Phase | None, phases: Sequence[Phase]) -> bool:
    return phase in phases if phase else not phases


def _count(own: Sequence[Signature], advised: Sequence[Signature], kind: ProblemClass) -> str:
    of_own, of_others = (sum(class_of(each) is kind for each in some) for some in (own, advised))
    return " ".join([str(of_own)] * bool(of_own) + [f"+{of_others}"] * bool(of_others))
