"""What `logdoctor explain` shows of an id: page_of."""

from __future__ import annotations

import click
from rapidfuzz import fuzz, process

from logdoctor.model import Language, SignatureDatabase
from logdoctor.relations.judging import RelationBase
from logdoctor.relations.reading import relations_path
from logdoctor.reports.handbook.rule_page import rule_page
from logdoctor.reports.handbook.signature_page import related, signature_page
from logdoctor.reports.preflight.relation_page import relation_page
from logdoctor.verdict.rules.registry import rules

LEAST_LIKENESS = 60
"""Of 100, of an id to a mistyped one; below, even ids of one component resemble each other."""


def page_of(database: SignatureDatabase, name: str, language: Language) -> str:
    """The page of the signature, the rule or the relation of that id.

    Raises:
        click.BadParameter: there is neither; it names ids that resemble it.
    """
    signature = database.find(name)
    if signature:
        return signature_page(signature, related(database)[signature.id], language)
    known = {each.id: each for each in rules()}
    if name in known:
        return rule_page(known[name], language)
    base = RelationBase(relations_path())
    relations = {each.id: each for part in base.frameworks for each in base.relations(part)}
    if name in relations:
        return relation_page(relations[name], language)
    near = process.extract(
        name,
        [*(each.id for each in database.signatures), *known, *relations],
        scorer=fuzz.ratio,
        score_cutoff=LEAST_LIKENESS,
    )
    hint = (
        f"did you mean {', '.join(each for each, *_ in near)}?"
        if near
        else "logdoctor signatures list shows all signatures"
    )
    raise click.BadParameter(f'no signature, rule or relation "{name}"; {hint}', param_hint="ID")
