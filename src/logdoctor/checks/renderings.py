"""What readers would see of a signature: rendering_findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from logdoctor.checks.captured import value_findings
from logdoctor.checks.clauses import clause_findings
from logdoctor.checks.finding import Finding, Kind
from logdoctor.errors import Fault
from logdoctor.model import Diagnosis, LocalText, Pattern, Position, Signature
from logdoctor.patterns.extracts import capture_names
from logdoctor.patterns.regex_trees import Tree, parse_regex
from logdoctor.pipeline.scan import ScanOptions, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.texts.filling import can_fill, leads, leaves_gap, placeholders

_IN_ANGLES = re.compile(r"<([A-Za-z_]\w*)>")


def rendering_findings(signature: Signature, automaton: Automaton) -> Iterator[Finding]:
    """Texts that name a capture which an example, or a pattern without its optional captures,
    does not give: a cause whose first sentence goes with it is one; names of captures in angle
    brackets, as if a reader had to fill them in; sentences that a clause breaks when it goes;
    conditions that cannot be told in words; and captures that hold more than they are called after.
    """
    captures = {
        name
        for pattern in signature.patterns
        for part in pattern.parts
        for name in capture_names(part.template, part.regex)
    }
    for text in _all_texts(signature):
        for name in sorted(set(_IN_ANGLES.findall(text.en + text.zh)) & captures):
            what = f'"<{name}>" in "{text.en[:60]}" is a capture'
            yield _finding(signature, signature.position, what, f"write {{{name}}}")
    yield from clause_findings(signature, _all_texts(signature))
    yield from _unlabelled(signature)
    for pattern in signature.patterns:
        sure = dict.fromkeys(_sure_names(pattern), "x")
        where = f'"{(pattern.parts[-1].template or pattern.parts[-1].regex or "")[:60]}"'
        for gap in _gaps(signature, [pattern], sure):
            what = f"{gap} where {where} fits without its optional captures"
            yield _finding(signature, pattern.parts[0].position, what)
    for number, example in enumerate(signature.examples, 1):
        found = scan_text(automaton, example.text, ScanOptions(redact=False)).diagnoses
        if found and found[0].signature.id == signature.id:
            for gap in _shown_gaps(found[0]):
                what = f'{gap} in example {number} of "{signature.id}"'
                yield _finding(signature, example.position, what)
            where = f'example {number} of "{signature.id}"'
            yield from value_findings(signature, found[0].captures, example.position, where)


def _unlabelled(signature: Signature) -> Iterator[Finding]:
    """Captures that a condition asks for, which extracts may not find, and which have no label:
    readers would not be told what the condition is.
    """
    extracts = {
        name for each in signature.extracts for name in capture_names(each.template, each.regex)
    }
    told: set[str] = set()
    for remedy in signature.remedies:
        for name, wanted in remedy.when.captures.items():
            asked = {name}.union(*map(placeholders, wanted))
            told |= asked if asked & extracts else set()
    for name in sorted(told - set(signature.labels)):
        what = f'a condition asks for "{name}", which may be missing and has no label'
        hint = f"write labels: {{{name}: {{en: ..., zh: ...}}}}"
        yield Finding(Kind.UNLABELLED, signature.id, Fault(signature.position, what, hint))


def _finding(signature: Signature, position: Position, what: str, hint: str = "") -> Finding:
    hint = hint or "put it into a [[clause]], or give the pattern a text of its own"
    return Finding(Kind.UNFILLED, signature.id, Fault(position, what, hint))


def _all_texts(signature: Signature) -> Iterator[LocalText]:
    yield from (signature.title, signature.cause)
    for pattern in signature.patterns:
        yield from (each for each in (pattern.title, pattern.cause) if each)
    for remedy in signature.remedies:
        yield from (remedy.action, remedy.check)


def _gaps(
    signature: Signature, patterns: Iterable[Pattern], captures: Mapping[str, str]
) -> Iterator[str]:
    """What is missing in the title and the cause that are shown where these patterns fit."""
    titles = [each.title for each in patterns if each.title]
    causes = [each.cause for each in patterns if each.cause]
    for title in (*titles, signature.title)[0]:
        if not can_fill(title, captures):
            yield f'the title "{title[:60]}" has {_missing(title, captures)}'
    for cause in (*causes, signature.cause)[0]:
        if not leads(cause, captures):
            yield f'the cause "{cause[:60]}" has {_missing(cause, captures)}'


def _missing(text: str, captures: Mapping[str, str]) -> str:
    names = sorted(name for name in placeholders(text) if not captures.get(name))
    return "no " + ", ".join(f"{{{name}}}" for name in names)


def _shown_gaps(diagnosis: Diagnosis) -> Iterator[str]:
    signature, captures = diagnosis.signature, diagnosis.captures
    named = {each.name: each for each in signature.patterns if each.name}
    yield from _gaps(
        signature, [named[each] for each in diagnosis.patterns if each in named], captures
    )
    for remedy in signature.remedies:
        if all(can_fill(text, captures) for text in remedy.action):
            for text in remedy.check:
                if leaves_gap(text, captures):
                    yield f'the check "{text[:60]}" has {_missing(text, captures)}'


def _sure_names(pattern: Pattern) -> frozenset[str]:
    names: set[str] = set()
    for part in pattern.parts:
        if part.template is not None:
            names |= capture_names(part.template, None)
        else:
            names |= _sure_groups(part.regex or "")
    return frozenset(names)


def _sure_groups(regex: str) -> frozenset[str]:
    """Names of the groups that every match has; all, where only the package regex knows its
    syntax.
    """
    tree = parse_regex(regex)
    state = getattr(tree, "state", None)
    if state is None:
        return capture_names(None, regex)
    numbers = _groups(tree)
    return frozenset(name for name, number in state.groupdict.items() if number in numbers)


def _groups(tree: Tree) -> frozenset[int]:
    found: frozenset[int] = frozenset()
    for operation, argument in tree:
        name = str(operation)
        if name == "SUBPATTERN":
            found |= _groups(argument[-1]) | ({argument[0]} if argument[0] else set())
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] >= 1:
            found |= _groups(argument[2])
        elif name == "ATOMIC_GROUP":
            found |= _groups(argument)
        elif name == "BRANCH":
            found |= frozenset.intersection(*map(_groups, argument[1]))
        elif name == "ASSERT":
            found |= _groups(argument[1])
    return found
