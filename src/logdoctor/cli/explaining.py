"""What `logdoctor explain` shows of an id, or of words as people type them: explained."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

import click
from rapidfuzz import fuzz, process

from logdoctor.archive.errors_met import error_met
from logdoctor.cli.options import Arguments
from logdoctor.cli.remembering import existing_store
from logdoctor.cli.terminal import height, note, wants_colour, width, write
from logdoctor.errors import LogdoctorError
from logdoctor.model import Diagnosis, Language, Signature, SignatureDatabase
from logdoctor.pipeline.scan import scan_text
from logdoctor.relations.judging import RelationBase
from logdoctor.relations.reading import relations_path
from logdoctor.relations.relation import Relation
from logdoctor.reports.handbook.error_page import error_page, error_row
from logdoctor.reports.handbook.rule_page import rule_page
from logdoctor.reports.handbook.signature_page import related, signature_page
from logdoctor.reports.handbook.signature_rows import rule_row, signature_row
from logdoctor.reports.handbook.styled import styled
from logdoctor.reports.preflight.relation_page import relation_page, relation_row
from logdoctor.reports.run.fits import fits_text
from logdoctor.reports.run.painting import TextStyle
from logdoctor.search.automaton import Automaton
from logdoctor.signatures.lookup import Lookup
from logdoctor.texts.masking import FINGERPRINT, printable
from logdoctor.verdict.rules.registry import rules

LEAST_LIKENESS = 60
"""Of 100, of an id to a mistyped one; below, even ids of one component resemble each other."""

_ID = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)+")


def explain(automaton: Automaton, arguments: Arguments) -> None:
    """Shows the page of the signature, the rule or the relation of that id, or lists the
    signatures that fit the words.

    Raises:
        click.BadParameter: nothing fits; it names ids that resemble what was asked for.
        LogdoctorError: an error is asked for by its fingerprint, and the store has it not.
    """
    name, language = " ".join(arguments.words), Language(arguments.lang)
    if arguments.known_in and FINGERPRINT.fullmatch(name):
        _explain_error(name, arguments)
        return
    database = automaton.database
    plain = re.sub(r"[\s_]+", "-", name.strip().lower())
    signature = database.find(name) or database.find(plain)
    rule = next((each for each in rules() if each.id == plain), None)
    relation = None if signature or rule else _relations().get(plain)
    style = TextStyle(language, width(), wants_colour("auto"))
    if arguments.page_form == "json":
        if signature or rule or relation:
            row = signature_row(signature, language) if signature else None
            row = rule_row(rule, language) if rule else row
            row = relation_row(relation, language) if relation else row
        else:
            fitting = _fitting(automaton, name)
            row = {"signatures": [signature_row(each, language) for each in fitting]}
        write(json.dumps(row, ensure_ascii=False, indent=2) + "\n")
        return
    if signature or rule or relation:
        page = _page(database, signature, language) if signature else ""
        page = rule_page(rule, language) if rule else page
        page = relation_page(relation, language) if relation else page
        _show(printable(page), style, is_markdown=arguments.page_form == "markdown")
        return
    write(printable(fits_text(_fitting(automaton, name), style)))


def _explain_error(fingerprint: str, arguments: Arguments) -> None:
    """Shows what a store has of an error without a signature.

    Raises:
        LogdoctorError: there is no such store, it cannot be read, or no run in it has the error.
    """
    file, language = arguments.known_in or "", Language(arguments.lang)
    store = existing_store(file)
    error = error_met(store, fingerprint, language)
    for said in store.notes:
        note(said)
    store.close()
    if error is None:
        raise LogdoctorError(f"{file}: no run in it has the error {fingerprint}")
    if arguments.page_form == "json":
        write(json.dumps(error_row(error), ensure_ascii=False, indent=2) + "\n")
        return
    style = TextStyle(language, width(), wants_colour("auto"))
    is_markdown = arguments.page_form == "markdown"
    _show(printable(error_page(error, language)), style, is_markdown=is_markdown)


def _relations() -> dict[str, Relation]:
    base = RelationBase(relations_path())
    return {each.id: each for part in base.frameworks for each in base.relations(part)}


def _page(database: SignatureDatabase, signature: Signature, language: Language) -> str:
    return signature_page(signature, related(database)[signature.id], language)


def _show(page: str, style: TextStyle, *, is_markdown: bool) -> None:
    """Styled where a person reads it at a terminal, a screen at a time; else Markdown."""
    lines = height()
    if lines is None or is_markdown:
        write(page)
        return
    text = styled(page, style)
    if text.count("\n") < lines:
        write(text)
        return
    os.environ.setdefault("LESS", "-FRX")  # as git does: colours stay, and so does the text
    click.echo_via_pager(text, color=style.colour)


def _fitting(automaton: Automaton, name: str) -> Sequence[Signature]:
    """The signature that recognises the words as a message, then those that have the words.

    Raises:
        click.BadParameter: there is none.
    """
    if FINGERPRINT.fullmatch(name):
        raise click.BadParameter(
            f"{name} is the fingerprint of an error that no signature knows; with --store FILE its "
            "page is shown, from the runs that batch --store has kept",
            param_hint="ID",
        )
    if _ID.fullmatch(name):
        raise _unknown(automaton.database, name)
    root = scan_text(automaton, f"{name}\n").root
    known = [root.signature] if isinstance(root, Diagnosis) else []
    looked_up = [each.signature for each in Lookup(automaton.database.signatures).find(name)]
    found = list({each.id: each for each in (*known, *looked_up)}.values())
    if not found:
        raise _unknown(automaton.database, name)
    return found


def _unknown(database: SignatureDatabase, name: str) -> click.BadParameter:
    what = f'no signature, rule or relation "{name}"'
    return click.BadParameter(f"{what}; {_hint(database, name)}", param_hint="ID")


def _hint(database: SignatureDatabase, name: str) -> str:
    near = process.extract(
        name.lower(),
        [*(each.id for each in database.signatures), *(each.id for each in rules()), *_relations()],
        scorer=fuzz.ratio,
        score_cutoff=LEAST_LIKENESS,
    )
    if near:
        return f"did you mean {', '.join(each for each, *_ in near)}?"
    return "logdoctor signatures list shows all signatures"
