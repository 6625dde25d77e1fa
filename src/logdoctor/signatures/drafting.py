"""Occurrences of an error to the draft of a signature: draft_of, template_of.

What the occurrences tell is filled in; what only a person knows is marked, and is a fault of the
signature as long as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from logdoctor.patterns.alignment import SLOT_REGEX, SlotType

TO_WRITE = "TODO"
"""What is left to write begins with it."""

_TOKEN = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[^\W\d_]+|_+|\s+|.", re.DOTALL)
_NUMBER = re.compile(r"\d")
_PATH = re.compile(r"(?<![\w.])(?:/[\w.+@=-]+){2,}/?")


class Sample(NamedTuple):
    """What is known of an error.

    Attributes:
        messages: what it says each time, without prefixes; at least one.
        text: lines of the log that hold it.
        origin: where they come from.
        component: who prints it.
        is_exception: whether it is an exception's line.
        near_miss: a line that is not it, and what it is.
    """

    messages: Sequence[str]
    text: str
    origin: str
    component: str
    is_exception: bool
    near_miss: tuple[str, str]


class Template(NamedTuple):
    """A template as it is written, and what its slots hold in the first message, by their names."""

    text: str
    captures: dict[str, str]


def template_of(messages: Sequence[str]) -> Template:
    """The text that all messages share; what differs between them, numbers and paths are slots
    with the narrowest type that takes all their values.
    """
    first = messages[0]
    varying = _varying(messages)
    text, end = "", 0
    captures: dict[str, str] = {}
    for start, stop in varying:
        value = first[start:stop]
        literal = first[end:start]
        name = _name(text + literal, captures)
        kind = _type_of([value, *_others(messages[1:], first, start, stop)])
        if kind is SlotType.TEXT and (start == 0 or stop == len(first)):
            text, end = text + _escaped(literal), stop  # at an end it would take nothing
            continue
        captures[name] = value
        text += _escaped(literal) + f"{{{name}:{kind.value}}}"
        end = stop
    return Template(text + _escaped(first[end:]), captures)


_HEAD = f"""\
# yaml-language-server: $schema=../schema.json
id: {{id}}
title:
  en: {TO_WRITE} what is seen, in a few words
  zh: {TO_WRITE} 用几个字说明看到的现象
component: {{component}}
severity: error        # fatal: the run ends | error | warning
role: cause            # cause | wrapper | symptom | teardown | benign
maturity: draft        # confirmed once the raise site was read or a real log was seen
patterns:
  - template: {{template}}
    where: {{where}}
cause:
  en: {TO_WRITE} what happened and how one tells.
  zh: {TO_WRITE} 发生了什么，如何判断。
remedies:              # in the order to try; safest first
  - action:
      en: {TO_WRITE} one thing to change, imperative.
      zh: {TO_WRITE} 一项具体的修改。
    risk: safe         # safe | restarts-run | affects-others | loses-data
    check:
      en: {TO_WRITE} how to see that it helped.
      zh: {TO_WRITE} 如何确认已经解决。
examples:
  - text: |-
"""


def draft_of(signature_id: str, sample: Sample) -> str:
    """The file of a signature, with everything marked that a person has to write."""
    template = template_of(sample.messages)
    head = _HEAD.format(
        id=signature_id,
        component=sample.component,
        template=_quoted(template.text),
        where="exception" if sample.is_exception else "message",
    )
    lines = [f"      {line.rstrip()}" for line in sample.text.strip("\n").split("\n")]
    if template.captures:
        values = ", ".join(f"{name}: {_quoted(v)}" for name, v in template.captures.items())
        lines.append(f"    captures: {{{values}}}")
    text, why = sample.near_miss
    lines += [
        f"    origin: {_quoted(sample.origin)}",
        "counterexamples:",
        f"  - text: {_quoted(text)}",
        f"    why: {_quoted(why)}",
        "references:",
        f"  - {TO_WRITE} the URL of the place that raises it",
    ]
    return head + "\n".join(lines) + "\n"


def _varying(messages: Sequence[str]) -> list[tuple[int, int]]:
    """Places in the first message that are slots, ascending and apart."""
    first = messages[0]
    found = [each.span() for each in _PATH.finditer(first)]
    found += [each.span() for each in _TOKEN.finditer(first) if _NUMBER.match(each[0])]
    for other in messages[1:]:
        found += _differing(first, other)
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(each for each in found if each[1] > each[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _differing(first: str, other: str) -> Iterator[tuple[int, int]]:
    one, two = _TOKEN.findall(first), _TOKEN.findall(other)
    starts = [0]
    for token in one:
        starts.append(starts[-1] + len(token))
    for tag, start, stop, _, _ in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag != "equal":
            yield starts[start], starts[stop]


def _others(messages: Sequence[str], first: str, start: int, stop: int) -> Iterator[str]:
    """What the other messages have where the first one has this place."""
    before, after = re.escape(first[:start][-8:]), re.escape(first[stop:][:8])
    for message in messages:
        found = re.search(f"{before}(.*?){after or '$'}", message)
        if found:
            yield found[1]


def _type_of(values: Sequence[str]) -> SlotType:
    for kind in (SlotType.INT, SlotType.NUMBER, SlotType.SIZE):
        if all(re.fullmatch(SLOT_REGEX[kind], value) for value in values):
            return kind
    has_blanks = any(" " in value or not value for value in values)
    return SlotType.TEXT if has_blanks else SlotType.WORD


def _name(before: str, taken: dict[str, str]) -> str:
    """The word before the slot, where that is none yet; else a number."""
    words = re.findall(r"[A-Za-z][A-Za-z_]{2,}", re.sub(r"\{[^}]*\}", " ", before[-40:]))
    name = words[-1].lower().strip("_")[:24] if words else "value"
    return name if name not in taken else f"{name}{len(taken) + 1}"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
