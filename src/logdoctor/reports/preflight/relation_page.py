"""A relation to its page: relation_page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdoctor.model import Language
from logdoctor.relations.relation import Example, Relation
from logdoctor.relations.wording import shown, written
from logdoctor.texts.phrases import preflight as phrases


def relation_page(relation: Relation, language: Language) -> str:
    """What must hold, why, where the framework has it, and what breaks and what fits, as
    Markdown.
    """
    return "\n".join(_lines(relation, language)) + "\n"


def relation_row(relation: Relation, language: Language) -> dict[str, Any]:
    """A relation as plain data."""
    origin = relation.origin
    return {
        "relation_id": relation.id,
        "framework": relation.framework,
        "title": relation.title.in_language(language),
        "severity": relation.severity.value,
        "maturity": relation.maturity.value,
        "when": written(relation.when) if relation.when else None,
        "holds": written(relation.holds),
        "why": relation.why.in_language(language),
        "error": relation.error,
        "signature_id": relation.signature_id,
        "source": {"version": origin.version, "file": origin.file, "line": origin.line},
        "references": list(relation.references),
    }


def _lines(relation: Relation, language: Language) -> Iterator[str]:
    yield f"# {relation.id}\n"
    yield f"{relation.title.in_language(language)}\n"
    yield f"    {written(relation.holds)}\n"
    if relation.when:
        yield f"{phrases.COUNTS_WHEN.say(language)}\n\n    {written(relation.when)}\n"
    yield f"{relation.why.in_language(language)}\n"
    if relation.error:
        yield f"{phrases.STOPS.say(language, error=relation.error)}\n"
    else:
        yield f"{phrases.SILENT.say(language)}\n"
    origin = relation.origin
    yield f"- {phrases.ORIGIN.say(language)}: {origin.file}:{origin.line} ({origin.version})"
    for phrase, examples in ((phrases.BREAKS, relation.breaks), (phrases.FITS, relation.fits)):
        yield from (f"- {phrase.say(language)}: {_settings(each)}" for each in examples)
    if relation.signature_id:
        yield f"- {phrases.EXPLAINED.say(language, id=relation.signature_id)}"
    yield from (f"- {each}" for each in relation.references)


def _settings(example: Example) -> str:
    return ", ".join(f"{key}={shown(value)}" for key, value in example.settings.items())
