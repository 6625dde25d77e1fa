"""The database proves itself: check_signatures, and what is worth knowing beside it:
template_reports.

Every example is recognised as its own signature first of all, no counterexample is, no pattern
stands for a text that another signature always takes, every text has captures that its patterns
give, references are URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.checks.near_duplicates import near_duplicates
from logdoctor.context.metrics import METRIC_CAPTURES
from logdoctor.errors import Fault
from logdoctor.events.grouper import EventGrouper
from logdoctor.events.line_reader import LineReader
from logdoctor.formats.markers import FRAMEWORK_ORDER
from logdoctor.model import (
    AnchorKind,
    Diagnosis,
    LocalText,
    LogEvent,
    Part,
    Pattern,
    Remedy,
    Role,
    ScanResult,
    Signature,
    SignatureDatabase,
    Verdict,
)
from logdoctor.patterns.extracts import capture_names
from logdoctor.patterns.templates import EXACT_ONLY_BELOW, parse_template
from logdoctor.pipeline.scan import ScanOptions, scan_text
from logdoctor.scanning.scanner import Scanner
from logdoctor.search.automaton import Automaton
from logdoctor.search.background import Background
from logdoctor.search.pieces import (
    LEAST_PIECE,
    choose_pieces,
    desired_edits,
    expected_hits,
    searched_texts,
)
from logdoctor.signatures.drafting import TO_WRITE
from logdoctor.texts.filling import placeholders
from logdoctor.verdict.frames import FACTS

TOO_OFTEN = 30
"""Hits per megabyte of healthy text above which each would cost all logs more than one signature
is worth: some 10 µs for each (November 2026).
"""

_URL = re.compile(r"https?://[^\s<>\"]+\.[^\s<>\"]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class TemplateReport(NamedTuple):
    """How a template is searched.

    Attributes:
        edits: damaged characters that a text may have and is surely looked at.
        desired_edits: how many they would be if its pieces were long and rare enough.
        pieces: each with its expected hits per megabyte of healthy text, the costliest first.
    """

    signature_id: str
    template: str
    edits: int
    desired_edits: int
    pieces: tuple[tuple[str, float], ...]


def check_signatures(automaton: Automaton, only: frozenset[str] | None = None) -> tuple[Fault, ...]:
    """All faults of the signatures with these ids (all where None): patterns that others take,
    then by signature in the order of ids.
    """
    faults: list[Fault] = []
    background = Background.load()
    among = rivals_of(automaton, only)
    for near in near_duplicates(SignatureDatabase(among, "")):
        if near.is_taken and (only is None or near.signature_id in only):
            what = (
                f'"{near.template}" of "{near.signature_id}" is always recognised as '
                f'"{near.other_id}"'
            )
            faults.append(
                Fault(
                    near.position,
                    what,
                    "leave it out in one of them, or add words that only one prints",
                )
            )
    for signature in among:
        if only is None or signature.id in only:
            faults += _text_faults(signature, automaton.database)
            faults += _framework_faults(signature)
            faults += _pattern_faults(signature, background)
            faults += _example_faults(signature, automaton)
            faults += _counterexample_faults(signature, automaton)
    return tuple(faults)


def rivals_of(automaton: Automaton, only: frozenset[str] | None) -> Sequence[Signature]:
    """The signatures with these ids, and those of which a piece stands in one of their texts; all
    where None.
    """
    database = automaton.database
    if only is None:
        return database.signatures
    found = {database.directory.numbers[each] for each in only}
    for signature in [database.signatures[number] for number in found]:
        for text in (each.text for each in signature.examples):
            for expression in automaton.expressions_in(text.encode()):
                found.update(
                    automaton.parts[anchor.owner].signature
                    for anchor in automaton.anchors_of(expression)
                    if anchor.kind in (AnchorKind.TEMPLATE, AnchorKind.REGEX)
                )
    return sorted((database.signatures[number] for number in found), key=lambda each: each.id)


def template_reports(
    automaton: Automaton, only: frozenset[str] | None = None
) -> tuple[TemplateReport, ...]:
    """How each template of the signatures with these ids (all where None) is searched, in the
    order of signatures.
    """
    background, directory = Background.load(), automaton.database.directory
    wanted = None if only is None else {directory.numbers[each] for each in only}
    reports = []
    for number in automaton.parts:
        if wanted is not None and number.signature not in wanted:
            continue
        text = automaton.part(number).template
        if text:
            template = parse_template(text)
            pieces = choose_pieces(template, background)
            costs = sorted(
                ((piece, background.expected_hits(piece)) for piece in pieces),
                key=lambda each: -each[1],
            )
            signature_id = automaton.database.signatures[number.signature].id
            reports.append(
                TemplateReport(
                    signature_id, text, len(pieces) - 1, desired_edits(template), tuple(costs)
                )
            )
    return tuple(reports)


def events_of(automaton: Automaton, text: str) -> Iterator[LogEvent]:
    """The events that a scan finds in a text."""
    scanner, reader, grouper = (
        Scanner(automaton),
        LineReader("<text>", automaton.expressions_in, automaton.kinds),
        EventGrouper(),
    )
    for region in (*scanner.feed(text.encode()), *scanner.flush()):
        for line in reader.read(region):
            yield from grouper.feed(line)
    yield from grouper.flush()


def _text_faults(signature: Signature, database: SignatureDatabase) -> Iterator[Fault]:
    yield from _unwritten_faults(signature)
    yield from _reference_faults(signature)
    general = database.find(signature.refines) if signature.refines else None
    given = _capture_names(signature) | (_capture_names(general) if general else frozenset())
    given |= frozenset(FACTS)
    for text in _texts(signature):
        yield from _language_faults(signature, text)
        for name in sorted((placeholders(text.en) | placeholders(text.zh)) - given):
            yield Fault(
                signature.position,
                f'a text of "{signature.id}" uses "{{{name}}}"',
                "no pattern captures that",
            )
        for one in text:
            if one.count("{{") != one.count("}}"):
                yield Fault(
                    signature.position,
                    f'the text "{one[:60]}" of "{signature.id}" has unequal braces',
                    "write each as {{ or }}",
                )
    for name in sorted(
        {name for remedy in signature.remedies for name in _asked_for(remedy)} - given
    ):
        yield Fault(
            signature.position,
            f'a condition of "{signature.id}" asks for "{name}"',
            "no pattern captures that",
        )


def _asked_for(remedy: Remedy) -> Iterator[str]:
    """Names of captures in its conditions and in what it sets."""
    yield from remedy.when.captures
    for wanted in (*remedy.when.captures.values(), *remedy.when.config.values()):
        for operand in wanted:
            yield from placeholders(operand)
    for setting in remedy.settings.values():
        yield from placeholders(setting.text)


def _unwritten_faults(signature: Signature) -> Iterator[Fault]:
    """What a draft has left to write."""
    near = (text for each in signature.counterexamples for text in (each.text, each.why))
    said = (text for each in _texts(signature) for text in each)
    for text in (*said, *near):
        if text.startswith(TO_WRITE):
            yield Fault(
                signature.position,
                f'"{text[:60]}" of "{signature.id}" is left to write',
                "a draft marks it so",
            )


def _reference_faults(signature: Signature) -> Iterator[Fault]:
    references = [
        *signature.references,
        *(remedy.reference for remedy in signature.remedies if remedy.reference),
    ]
    for reference in dict.fromkeys(references):
        if not _URL.fullmatch(reference):
            yield Fault(
                signature.position,
                f'reference "{reference}" of "{signature.id}" is no URL',
                "expected https://…",
            )


def _language_faults(signature: Signature, text: LocalText) -> Iterator[Fault]:
    if not _CHINESE.search(text.zh):
        what = f'the zh text "{text.zh[:60]}" of "{signature.id}" is not Chinese'
        yield Fault(signature.position, what)
    if _CHINESE.search(text.en):
        what = f'the en text "{text.en[:60]}" of "{signature.id}" is not English'
        yield Fault(signature.position, what)


def _framework_faults(signature: Signature) -> Iterator[Fault]:
    named = [
        *signature.frameworks,
        *(name for remedy in signature.remedies for name in remedy.when.frameworks),
    ]
    for name in dict.fromkeys(named):
        if name not in FRAMEWORK_ORDER:
            expected = f"expected one of {', '.join(FRAMEWORK_ORDER)}"
            yield Fault(
                signature.position,
                f'framework "{name}" of "{signature.id}" is never recognised',
                expected,
            )
    if signature.stalls and signature.role in (Role.BENIGN, Role.TEARDOWN):
        yield Fault(
            signature.position,
            f'stalls of "{signature.id}", whose role is {signature.role.value}',
            "expected a role that does harm",
        )


def _texts(signature: Signature) -> Iterator[LocalText]:
    yield signature.title
    yield signature.cause
    for pattern in signature.patterns:
        yield from (each for each in (pattern.title, pattern.cause) if each)
    for remedy in signature.remedies:
        yield remedy.action
        yield remedy.check


def _capture_names(signature: Signature) -> frozenset[str]:
    names: set[str] = set()
    for part in _parts(signature):
        names |= capture_names(part.template, part.regex)
    for extract in signature.extracts:
        names |= capture_names(extract.template, extract.regex)
    if signature.metrics:
        names.update(METRIC_CAPTURES)
    return frozenset(names)


def _parts(signature: Signature) -> Sequence[Part]:
    return [part for pattern in signature.patterns for part in pattern.parts]


def _pattern_faults(signature: Signature, background: Background) -> Iterator[Fault]:
    for pattern in signature.patterns:
        yield from _search_faults(pattern, background)
        templates = [parse_template(part.template) for part in pattern.parts if part.template]
        if (
            templates
            and not any(part.regex for part in pattern.parts)
            and max(each.length for each in templates) < EXACT_ONLY_BELOW
        ):
            position = pattern.parts[0].position
            yield Fault(
                position,
                f"the template has fewer than {EXACT_ONLY_BELOW} literal characters",
                "too much resembles it; add words",
            )
        for part, template in zip(
            (part for part in pattern.parts if part.template), templates, strict=True
        ):
            if (
                max(map(len, choose_pieces(template, background))) < LEAST_PIECE
                and len(pattern.parts) == 1
            ):
                yield Fault(
                    part.position,
                    f'no {LEAST_PIECE} literal characters of "{part.template}" stand together',
                    "use a regex",
                )


def _search_faults(pattern: Pattern, background: Background) -> Iterator[Fault]:
    """Nothing can be searched for the pattern, or it stands everywhere."""
    texts = min(
        (searched_texts(part, background) for part in pattern.parts),
        key=lambda each: expected_hits(each, background),
    )
    shown = pattern.parts[0].template or pattern.parts[0].regex
    if not texts:
        hint = f"give it a text of at least {LEAST_PIECE} characters that every match holds"
        yield Fault(pattern.parts[0].position, f'nothing fixed in "{shown}" can be searched', hint)
    elif expected_hits(texts, background) > TOO_OFTEN:
        commonest = max(texts, key=background.expected_hits)
        what = (
            f'what is searched for "{shown}" stands {expected_hits(texts, background):.0f} times '
            f'in a megabyte of healthy text, above all "{commonest}"'
        )
        yield Fault(
            pattern.parts[0].position,
            what,
            (
                f"expected at most {TOO_OFTEN}: give it a rarer text that every match holds, or "
                f"each branch its own"
            ),
        )


def _example_faults(signature: Signature, automaton: Automaton) -> Iterator[Fault]:
    for number, example in enumerate(signature.examples, 1):
        result = scan_text(automaton, example.text, ScanOptions(redact=False))
        first = _first(result)
        name = f'example {number} of "{signature.id}"'
        if first is None or first.signature.id != signature.id:
            instead = f'as "{first.signature.id}" instead' if first else "by no pattern"
            yield Fault(
                example.position,
                f"{name} is recognised {instead}",
                "correct a pattern, add excludes, or show the framework",
            )
            continue
        for key, value in example.captures.items():
            if first.captures.get(key) != value:
                yield Fault(
                    example.position,
                    f'{name} captures {key} "{first.captures.get(key)}"',
                    f'expected "{value}"',
                )


def _first(result: ScanResult) -> Diagnosis | None:
    """The answer, or what stands first where everything is harmless."""
    return result.diagnoses[0] if result.diagnoses else None


def _counterexample_faults(signature: Signature, automaton: Automaton) -> Iterator[Fault]:
    for number, counterexample in enumerate(signature.counterexamples, 1):
        result = scan_text(automaton, counterexample.text, ScanOptions(redact=False))
        hit = next(
            (
                each
                for each in result.diagnoses
                if each.signature.id == signature.id and each.verdict is not Verdict.RECOVERED
            ),
            None,
        )
        if hit:
            yield Fault(
                counterexample.position,
                (
                    f'counterexample {number} of "{signature.id}" is recognised '
                    f"({hit.kind.value}, score {hit.score})"
                ),
                "narrow the patterns or add excludes",
            )
