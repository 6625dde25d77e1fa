"""Words and numbers in texts that should be others: wording_findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from operator import ge, le
from typing import Any

import yaml

from logdoctor.checks.finding import Finding, Kind
from logdoctor.errors import Fault
from logdoctor.formats.markers import APPLICATIONS, FRAMEWORK_ORDER
from logdoctor.model import LocalText, Remedy, Risk, Signature, SignatureDatabase, When
from logdoctor.patterns.templates import parse_template
from logdoctor.verdict.frames import FACTS

QUOTED = 70
"""Characters of a text that a fault quotes."""

_RISKS = tuple(Risk)
_FIRST = r"(?<![\d.:/'\"\w-])(\d+)[)\]]?,? "
_SECOND = r"\D{0,60}?(\d+)\b(?!\.\d|[)\]]? ?(?:[*x×+/]|times))"
_NOT_DIVISIBLE = re.compile(
    _FIRST
    + r"(?:is |must be |should be |has to be |are )?(?:not )?(?:an? )?(?:evenly |exactly )?"
    + r"(?:multiple of|divisible by)"
    + _SECOND
)
_REMAINDER = re.compile(r"(?<![\d.])(\d+) ?% ?(\d+) ?!= ?0")
_LESS = re.compile(_FIRST + r"(?:is|was) (?:smaller|less|lower|shorter|fewer) than" + _SECOND)
_MORE = re.compile(
    _FIRST + r"(?:(?:is|was) (?:greater|larger|more|higher|longer) than|exceeds)" + _SECOND
)
_OF_A_SUM = re.compile(r"[+*/×][^.;]{0,25}$")


def wording_findings(signature: Signature, database: SignatureDatabase) -> Iterator[Finding]:
    """What is found in the texts of a signature, those that it inherits apart."""
    yield from _template_findings(signature)
    yield from _english_findings(signature, own_remedies(signature, database))
    for remedy in own_remedies(signature, database):
        yield from _remedy_findings(signature, remedy)
    yield from _example_findings(signature)


def own_remedies(signature: Signature, database: SignatureDatabase) -> tuple[Remedy, ...]:
    """Its remedies without those of the signature that it refines."""
    general = database.find(signature.refines) if signature.refines else None
    inherited = general.remedies if general else ()
    return tuple(each for each in signature.remedies if each not in inherited)


def foreign_keys(database: SignatureDatabase) -> Iterator[Finding]:
    """Remedies for any run that set a key which others set for one framework only."""
    owners: dict[str, set[str]] = {}
    general: list[tuple[Signature, str]] = []
    for signature in database.signatures:
        for remedy in own_remedies(signature, database):
            home = {signature.component} & set(FRAMEWORK_ORDER)
            mine = set(remedy.when.frameworks or signature.frameworks or home)
            for key in (each for each in remedy.settings if "." in each):
                root = key.partition(".")[0].lstrip("+")
                if mine:
                    owners.setdefault(root, set()).update(mine & set(APPLICATIONS))
                else:
                    general.append((signature, key))
    for signature, key in general:
        found = sorted(owners.get(key.partition(".")[0].lstrip("+"), ()))
        if found:
            what = f'"{signature.id}" sets "{key}", a key of {", ".join(found)}, for any run'
            yield _finding(Kind.FOREIGN_KEY, signature, what, "give it when: {framework: …}")


@cache
def _tables() -> Any:
    text = files("logdoctor.checks").joinpath("wordings.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


def _finding(kind: Kind, signature: Signature, what: str, hint: str = "") -> Finding:
    return Finding(kind, signature.id, Fault(signature.position, what, hint))


def _template_findings(signature: Signature) -> Iterator[Finding]:
    is_regex = re.compile(_tables()["regex_in_template"])
    for pattern in signature.patterns:
        for part in pattern.parts:
            for literal in parse_template(part.template).elements if part.template else ():
                found = is_regex.search(literal) if isinstance(literal, str) else None
                if found:
                    what = f'"{found[0]}" in the template "{part.template}"'
                    fault = Fault(part.position, what, "a template is literal: use slots, or regex")
                    yield Finding(Kind.REGEX_IN_TEMPLATE, signature.id, fault)


def _english_findings(signature: Signature, remedies: tuple[Remedy, ...]) -> Iterator[Finding]:
    texts: list[LocalText] = [signature.title, signature.cause]
    texts += [each for one in signature.patterns for each in (one.title, one.cause) if each]
    texts += [each for one in remedies for each in (one.action, one.check)]
    for text in texts:
        for row in _tables()["english"]:
            found = re.search(row["regex"], text.en)
            if found:
                what = f'"{found[0]}" in "{text.en[:QUOTED]}"'
                yield _finding(Kind.ENGLISH, signature, what, f"better: {row['instead']}")


def _remedy_findings(signature: Signature, remedy: Remedy) -> Iterator[Finding]:
    tables = _tables()
    shown = f'"{remedy.action.en[:QUOTED]}"'
    begins = tables["prose_conditions"]
    if remedy.when == When() and (
        re.match(begins["en"], remedy.action.en) or re.match(begins["zh"], remedy.action.zh)
    ):
        what = f"the action {shown} begins with a condition, and there is no when"
        yield _finding(Kind.PROSE_CONDITION, signature, what, "say it in when: pattern, captures …")
    joining = tables["joining_words"]
    if re.match(joining["en"], remedy.action.en) or re.match(joining["zh"], remedy.action.zh):
        what = f"the action {shown} begins as if it stood below another"
        yield _finding(Kind.JOINING_WORD, signature, what, "begin with what to do")
    asked = re.match(tables["unasked_capture"], remedy.action.en)
    if asked and not remedy.when.patterns and not set(remedy.when.captures) - set(FACTS):
        what = f"the action {shown} begins with a condition on {{{asked[1]}}}, and no when asks it"
        yield _finding(Kind.UNASKED_CAPTURE, signature, what, "say it in when: pattern, captures …")
    settings = " ".join(f"{key}={value.text}" for key, value in remedy.settings.items())
    least = [
        Risk(row["risk"])
        for row in tables["risks"]
        if re.search(row["en"], f"{remedy.action.en} {settings}")
        or re.search(row["zh"], remedy.action.zh)
    ]
    if least and _RISKS.index(remedy.risk) < _RISKS.index(least[-1]):
        what = f"the risk of {shown} is {remedy.risk.value}"
        yield _finding(Kind.LOW_RISK, signature, what, f"expected {least[-1].value}")
    if any(re.fullmatch(each, remedy.check.en) for each in tables["idle_checks"]):
        what = f'the check "{remedy.check.en[:QUOTED]}" only says that it worked'
        yield _finding(Kind.IDLE_CHECK, signature, what, "say what to look at")


def _example_findings(signature: Signature) -> Iterator[Finding]:
    for number, example in enumerate(signature.examples, 1):
        name = f'example {number} of "{signature.id}"'
        for each in _tables()["fillers"]:
            found = re.search(each, example.text)
            if found:
                fault = Fault(example.position, f'"{found[0]}" in {name}', "no program prints that")
                yield Finding(Kind.FILLER, signature.id, fault)
        for said in _untrue(example.text):
            fault = Fault(example.position, f'"{said}" in {name} is not so', "use real numbers")
            yield Finding(Kind.ARITHMETIC, signature.id, fault)


def _untrue(text: str) -> Iterator[str]:
    """What a message says of two numbers, of which neither is part of a sum, and is not so."""
    flat = " ".join(text.split())
    for pattern, is_untrue in _CLAIMS:
        for found in pattern.finditer(flat):
            left, right = int(found[1]), int(found[2])
            if is_untrue(left, right) and not _OF_A_SUM.search(flat, 0, found.start()):
                yield found[0][:QUOTED]


def _divides(left: int, right: int) -> bool:
    return right != 0 and left % right == 0


_CLAIMS = ((_NOT_DIVISIBLE, _divides), (_REMAINDER, _divides), (_LESS, ge), (_MORE, le))
