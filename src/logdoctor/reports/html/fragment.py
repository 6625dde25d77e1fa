"""Scan result to a piece of HTML for a notebook: run_fragment.

The page's rules hold: whatever comes of a log is text, there is no script and nothing is fetched;
and because it stands within somebody else's page, it brings no style either.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from logdoctor.model import Diagnosis, Language, ScanResult, UnknownError
from logdoctor.reports.run.advice import in_order, setting
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.proof import place_of
from logdoctor.reports.run.titles import head_facts, healthy_lines, mark_of, title_of
from logdoctor.texts.masking import printable
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import REFERENCES

REMEDIES_SHOWN = 3


def run_fragment(result: ScanResult) -> str:
    """The answer in English, and folded below it in Chinese."""
    english, chinese = ("".join(_parts(result, each)) for each in (Language.EN, Language.ZH))
    return f"<div>{english}<details><summary>中文</summary>{chinese}</details></div>"


def _parts(result: ScanResult, language: Language) -> Iterator[str]:
    pen, root = Pen(TextStyle(language)), result.root
    if root is None:
        yield "".join(f"<p>{_text(each)}</p>" for each in healthy_lines(result, pen))
        yield from _listed(phrases.NOT_SEEN.say(language), map(pen.read, result.not_seen))
        return
    facts = " · ".join(head_facts(root, result.context, pen))
    mark, _ = mark_of(root)
    yield f"<p><b>{mark} {_text(title_of(root, pen))}</b><br><small>{_text(facts)}</small></p>"
    yield from _proof(root)
    if isinstance(root, Diagnosis):
        yield f"<p>{_text(pen.read(root.cause))}</p>"
        yield from _advice(root, pen)
    else:
        yield from _listed(pen.say(phrases.LOOK_NEXT), map(pen.read, root.next_steps))
    others = len(result.others)
    if others:
        yield f"<p><small>{_text(pen.say(phrases.OTHERS_LEFT, count=others))}</small></p>"


def _proof(item: Diagnosis | UnknownError) -> Iterator[str]:
    evidence = item.evidence[0]
    lines = evidence.context or ((evidence.line, evidence.text),)
    shown = "\n".join(
        f"{'▶' if number == evidence.line else ' '} {number} │ {text}" for number, text in lines
    )
    yield f"<p><code>{_text(place_of(evidence))}</code></p>"
    yield f"<pre>{_text(shown)}</pre>"


def _advice(diagnosis: Diagnosis, pen: Pen) -> Iterator[str]:
    yield f"<p><b>{_text(pen.say(phrases.TRY))}</b></p><ol>"
    for remedy in in_order(diagnosis.remedies)[:REMEDIES_SHOWN]:
        settings = "".join(f"\n{setting(*each)}" for each in remedy.settings.items())
        shown = f"<pre>{_text(settings.strip())}</pre>" if settings else ""
        yield f"<li>{_text(pen.read(remedy.action))}{shown}</li>"
    yield "</ol>"
    links = [each for each in diagnosis.signature.references if each.startswith("https://")]
    told = ", ".join(
        f'<a href="{escape(each)}" rel="noreferrer">{_text(each)}</a>' for each in links
    )
    yield f"<p><small>{_text(REFERENCES.say(pen.language))}: {told}</small></p>" if told else ""


def _listed(title: str, texts: Iterator[str]) -> Iterator[str]:
    items = "".join(f"<li>{_text(each)}</li>" for each in texts)
    if items:
        yield f"<p><b>{_text(title)}</b></p><ul>{items}</ul>"


def _text(text: str) -> str:
    return escape(printable(text))
