"""What is left of a sentence when a clause goes out of it: clause_findings.

A clause `[[ … ]]` goes where one of its captures is missing. What stands around it has to be a
sentence with it and without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdoctor.checks.finding import Finding, Kind
from logdoctor.errors import Fault
from logdoctor.model import LocalText, Signature
from logdoctor.texts.filling import clauses, fill, take_apart

QUOTED = 30
"""Characters that a fault quotes on either side of the place."""

_FILLED = "X"
_BREAKS = (
    ("two blanks", r"(?<=\S)  +(?=\S)"),
    ("a blank before a mark", r" [,.;:!?)\]](?![.\w/*-])|[(\[] "),
    ("nothing in quotes or brackets", r"(?<![\w.\]])\(\)|\"\"|``|“”|（）|「」"),
    (
        "a word that leads nowhere",
        r"\b(?:of|and|or|the|an?|into|between|than|as)(?:[,;:)]|\.(?=\s|$)|$)",
    ),
    ("a verb without its noun", r"(?:\b(?:of|the|an?|into)|[,:]) (?:is|are|was|were|has|have)\b"),
    ("a particle without its noun", r"[是为成于在到从把] [的中](?=[\u4e00-\u9fff])"),
    ("two marks", r"[,;] ?[,.;:](?!\.)|(?<!\.)\.\.(?!\.)|[，。；：、][，。；：、]"),
    ("a blank at its edge", r"^\s|\s$"),
)


def clause_findings(signature: Signature, texts: Iterator[LocalText]) -> Iterator[Finding]:
    """Texts that break where all their clauses, or one of them, are left out: doubled blanks and
    marks, empty quotes, a preposition without its noun, a sentence that begins with a small letter.
    """
    for text in dict.fromkeys(said for each in texts for said in each):
        for what, where in dict(_broken(text)).items():
            fault = f'without a clause "{text[:QUOTED]} …" has {what}: "{where}"'
            hint = "take what belongs to the capture into the clause"
            yield Finding(
                Kind.BROKEN_SENTENCE, signature.id, Fault(signature.position, fault, hint)
            )


def _broken(text: str) -> Iterator[tuple[str, str]]:
    needed, optional, _ = take_apart(text)
    if not optional - needed:
        return
    whole = fill(text, dict.fromkeys(needed | optional, _FILLED))
    for gone in (optional, *clauses(text)):
        said = fill(text, dict.fromkeys((needed | optional) - (gone - needed), _FILLED))
        for what, pattern in _BREAKS:
            places = [*re.finditer(pattern, said)]
            if len(places) > len(re.findall(pattern, whole)):
                start = max(0, places[0].start() - QUOTED)
                yield what, said[start : places[0].end() + QUOTED]
        if text.startswith("[[") and re.match(r"[a-z]+ [!-~]", said) and not whole[0].islower():
            yield "a small letter first", said[:QUOTED]
