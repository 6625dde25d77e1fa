"""What to change, for a terminal: remedy_parts, all_remedies, setting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logdoctor.model import Applies, Diagnosis, JudgedRemedy, Risk
from logdoctor.reports.run.fitting import Lines, Part
from logdoctor.reports.run.layout import columns, sentences, wrapped
from logdoctor.reports.run.painting import Pen
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import COLON, IN_BRACKETS, RISK_NAMES

REMEDIES_SHOWN = 3
"""Remedies that a person gets to see at once; a longer list is not tried from its top."""

_EXPECTED = (Risk.SAFE, Risk.RESTARTS_RUN)
"""What trying a remedy takes anyway, once the run has failed."""

_INDENT = " " * 7
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_COMPARED = ("<", ">", "=", "!")
_WORD = re.compile(r"[^\s<>=!][^\s]*")


def is_judged(remedy: JudgedRemedy) -> bool:
    """Whether it has a condition that the log could decide, and a mark that says how."""
    return remedy.applies is not Applies.ALWAYS


def mark(remedy: JudgedRemedy) -> str:
    """A tick or a cross where the log decides it, a question mark where it leaves it open."""
    if not is_judged(remedy):
        return ""
    return {Applies.YES: "✔ ", Applies.UNKNOWN: "? ", Applies.NO: "✘ "}[remedy.applies]


def in_order(remedies: Sequence[JudgedRemedy]) -> list[JudgedRemedy]:
    """Those that do not fit left out, those that the log leaves open last."""
    fitting = [each for each in remedies if each.applies is not Applies.NO]
    return sorted(fitting, key=lambda each: each.applies is Applies.UNKNOWN)


def action_of(remedy: JudgedRemedy, pen: Pen) -> str:
    """What to do, behind the condition that the log leaves open."""
    return _with_condition(pen.read(remedy.action), remedy, pen)


def remedy_parts(diagnosis: Diagnosis, pen: Pen, turn: int) -> Iterator[Part]:
    """The first remedies, those that the log leaves open last: the first one in full, the others
    with the beginning of their first sentence, with all of it, then in full.
    """
    for number, remedy in enumerate(in_order(diagnosis.remedies)[:REMEDIES_SHOWN], 1):
        brief = [_brief(number, remedy, pen, most) for most in (1, 2, 3)]
        whole = [tuple(_whole(number, remedy, pen, has_why=has_why)) for has_why in (False, True)]
        yield Part(whole if number == 1 else [*brief, *whole], turn + number)


def count_left(diagnosis: Diagnosis) -> int:
    """Remedies that `remedy_parts` leaves out, though they may fit."""
    return max(0, len(in_order(diagnosis.remedies)) - REMEDIES_SHOWN)


def all_remedies(remedies: Sequence[JudgedRemedy], pen: Pen) -> Iterator[str]:
    """All of them, with everything there is to say."""
    for number, remedy in enumerate(remedies, 1):
        yield from pen.prose(
            pen.read(remedy.action), bullet=f"{number}. {mark(remedy)}", colour=_colour(remedy)
        )
        if is_judged(remedy):
            why = pen.say(IN_BRACKETS, text=pen.read(remedy.why))
            yield from pen.prose(why, bullet=_INDENT, dim=True)
        yield from _settings(remedy, pen)
        if remedy.risk is not Risk.SAFE:
            yield (
                f"  {_INDENT}{pen.dim(pen.label(phrases.RISK))}{pen.read(RISK_NAMES[remedy.risk])}"
            )
        check = pen.label(phrases.CHECK) + pen.read(remedy.check)
        yield from pen.prose(check, bullet=_INDENT, dim=True)
        if remedy.reference:
            yield f"  {_INDENT}{pen.dim(remedy.reference)}"


def setting(key: str, value: str) -> str:
    """A setting as it is typed: `export NAME=value` for the environment, `--flag value`, else
    `key=value`; `key: words` and `key > 4` where the value is not one to type.
    """
    if not _WORD.fullmatch(value):
        return f"{key}{' ' if value.startswith(_COMPARED) else ': '}{value}"
    if key.startswith("-"):
        return f"{key} {value}"
    return f"export {key}={value}" if _VARIABLE.fullmatch(key) else f"{key}={value}"


def _settings(remedy: JudgedRemedy, pen: Pen) -> Iterator[str]:
    for key, value in remedy.settings.items():
        now = pen.say(phrases.NOW, value=remedy.current[key]) if key in remedy.current else ""
        comment = pen.dim(f"  # {now}") if now else ""
        yield f"  {_INDENT}{pen.paint(setting(key, value), 'cyan')}{comment}"


def _whole(number: int, remedy: JudgedRemedy, pen: Pen, *, has_why: bool) -> Iterator[str]:
    """Its action with what the log decided, what it risks, and what to set."""
    decided = has_why and remedy.applies is Applies.YES and is_judged(remedy)
    said = [pen.read(remedy.why)] if decided else []
    if remedy.risk not in _EXPECTED:
        said.append(pen.label(phrases.RISK) + pen.read(RISK_NAMES[remedy.risk]))
    behind = f" {pen.say(IN_BRACKETS, text='; '.join(said))}" if said else ""
    text = _with_condition(pen.read(remedy.action) + behind, remedy, pen)
    yield from pen.prose(text, bullet=_bullet(number, remedy), colour=_colour(remedy))
    yield from _settings(remedy, pen)


def _brief(number: int, remedy: JudgedRemedy, pen: Pen, most: int) -> Lines:
    """Its first sentence, in at most so many lines."""
    first, *more = sentences(pen.read(remedy.action))
    bullet = _bullet(number, remedy)
    room = pen.style.width - columns(bullet) - 4
    lines = wrapped(_with_condition(first.rstrip(), remedy, pen), room)
    is_cut = len(lines) > most or bool(more or remedy.settings)
    text = "\n".join(lines[:most]) + (" …" if is_cut else "")
    return tuple(pen.prose(text, bullet=bullet, colour=_colour(remedy)))


def _with_condition(text: str, remedy: JudgedRemedy, pen: Pen) -> str:
    if remedy.applies is not Applies.UNKNOWN or not is_judged(remedy):
        return text
    why = pen.read(remedy.why)
    return f"{why[0].upper()}{why[1:]}{pen.say(COLON)}{text}"


def _bullet(number: int, remedy: JudgedRemedy) -> str:
    return f"{number}. {mark(remedy)}"


def _colour(remedy: JudgedRemedy) -> str | None:
    if not is_judged(remedy):
        return None
    return {Applies.YES: "green", Applies.UNKNOWN: "yellow", Applies.NO: None}[remedy.applies]
