"""Signature database to automaton: compile_automaton.

Pieces of all templates, all signature regexes, generic anchors of errors, markers and the
configuration keys that remedies ask for become two Hyperscan databases, so that two passes over the
raw bytes find every line worth reading, and one of them what must not be missed. Which signature it
is, `match` decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import hyperscan

from logdoctor.errors import Fault, SignatureError
from logdoctor.formats import error_lines
from logdoctor.formats.markers import MARKERS, OF_THE_COURSE, MarkerKind
from logdoctor.formats.printed_settings import searched_setting
from logdoctor.model import Anchor, AnchorKind, Part, SignatureDatabase
from logdoctor.search.automaton import Automaton, PartNumber, anchor_code
from logdoctor.search.background import Background
from logdoctor.search.engines import Engine, Engines
from logdoctor.search.pieces import LEAST_PIECE, expected_hits, searched_texts
from logdoctor.search.trait_analysis import traits_of


class _Expression(NamedTuple):
    """What Hyperscan searches, in its syntax and with its flags."""

    pattern: bytes
    flags: int


QUOTE = r"\\?\x22"
"""A quote, which JSON escapes."""

_IN_NO_TEXT = _Expression(rb"\x00\xff\x00\xfe\x00", 0)
"""An engine needs something to search."""


def compile_automaton(database: SignatureDatabase) -> Automaton:
    """Compiles all that is to be searched.

    Raises:
        SignatureError: Hyperscan cannot search a regex.
    """
    return _compiled(database, with_formats=True)


def compile_addition(database: SignatureDatabase) -> Automaton:
    """Compiles what these signatures add to others, which `joined` joins it to.

    Raises:
        SignatureError: Hyperscan cannot search a regex.
    """
    return _compiled(database, with_formats=False)


def _compiled(database: SignatureDatabase, *, with_formats: bool) -> Automaton:
    """`with_formats` says that what all signatures share is to be searched as well."""
    parts = tuple(_all_parts(database))
    settings = tuple(sorted(_setting_keys(database)))
    anchors: dict[_Expression, list[Anchor]] = {}
    formats = _of_formats() if with_formats else ()
    for expression, anchor in (*_of_parts(parts), *formats, *_of_settings(settings)):
        anchors.setdefault(expression, []).append(anchor)
    numbered = list(enumerate(anchors))
    course = {
        expression for expression, owners in anchors.items() if all(map(_is_of_the_course, owners))
    }
    try:
        engines = Engines(
            (Engine(_engine([each for each in numbered if each[1] not in course])),),
            (Engine(_engine([each for each in numbered if each[1] in course])),),
        )
    except hyperscan.error as error:
        faults = tuple(_unsearchable(parts))[::-1]
        raise SignatureError(faults or (Fault(parts[0][1].position, str(error)),)) from error
    once = [
        number
        for number, expression in numbered
        if expression.flags & hyperscan.HS_FLAG_SINGLEMATCH
    ]
    codes = [list(dict.fromkeys(map(anchor_code, owners))) for owners in anchors.values()]
    traits = [
        traits_of(database.signatures[number.signature], number.pattern, part)
        for number, part in parts
    ]
    return Automaton(
        database, [number for number, _ in parts], traits, codes, settings, once, engines
    )


def _engine(expressions: Sequence[tuple[int, _Expression]]) -> hyperscan.Database:
    engine = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    expressions = expressions or [(0, _IN_NO_TEXT)]
    engine.compile(
        expressions=[each.pattern for _, each in expressions],
        ids=[number for number, _ in expressions],
        elements=len(expressions),
        flags=[each.flags for _, each in expressions],
    )
    return engine


def _is_of_the_course(anchor: Anchor) -> bool:
    return anchor.kind is AnchorKind.SETTING or (
        anchor.kind is AnchorKind.MARKER and MARKERS[anchor.owner].kind in OF_THE_COURSE
    )


def _all_parts(database: SignatureDatabase) -> Iterator[tuple[PartNumber, Part]]:
    for i, signature in enumerate(database.signatures):
        for j, pattern in enumerate(signature.patterns):
            for k, part in enumerate(pattern.parts):
                yield PartNumber(i, j, k), part


def _setting_keys(database: SignatureDatabase) -> set[str]:
    keys: set[str] = set()
    for signature in database.signatures:
        for remedy in signature.remedies:
            keys.update(remedy.when.config, remedy.settings)
    return keys


def _of_parts(
    parts: Sequence[tuple[PartNumber, Part]],
) -> Iterator[tuple[_Expression, Anchor]]:
    background = Background.load()
    searched = [searched_texts(part, background) for _, part in parts]
    found_by = _found_by([number for number, _ in parts], searched, background)
    for owner, ((number, part), literals) in enumerate(zip(parts, searched, strict=True)):
        anchor = Anchor(AnchorKind.TEMPLATE if part.template else AnchorKind.REGEX, owner)
        if found_by.get(number[:2]) == number:
            for literal in literals:
                yield _literal(literal), anchor
        if part.regex and number[:2] not in found_by:
            yield _expression(part.regex), anchor


def _of_formats() -> Iterator[tuple[_Expression, Anchor]]:
    for kind, pattern in error_lines.anchors():
        yield _Expression(pattern, hyperscan.HS_FLAG_MULTILINE), Anchor(kind, 0)
    for owner, marker in enumerate(MARKERS):
        expression = _expression(marker.pattern, any_blanks=False)
        if marker.kind is MarkerKind.FRAMEWORK:  # seeing it once in a block is enough
            expression = expression._replace(flags=hyperscan.HS_FLAG_SINGLEMATCH)
        yield expression, Anchor(AnchorKind.MARKER, owner)


def _of_settings(settings: Sequence[str]) -> Iterator[tuple[_Expression, Anchor]]:
    for owner, key in enumerate(settings):
        yield _Expression(_printed_setting(key), 0), Anchor(AnchorKind.SETTING, owner)


def _found_by(
    numbers: Sequence[PartNumber], searched: Sequence[Sequence[str]], background: Background
) -> dict[tuple[int, int], PartNumber]:
    """By signature and pattern, the part whose literals are the rarest: where one part is
    missing, the pattern does not fit.
    """
    found: dict[tuple[int, int], tuple[float, PartNumber]] = {}
    for number, literals in zip(numbers, searched, strict=True):
        if literals:
            hits = expected_hits(literals, background)
            found[number[:2]] = min(found.get(number[:2], (math.inf, number)), (hits, number))
    return {pattern: number for pattern, (_, number) in found.items()}


def _expression(pattern: str, any_blanks: bool = True) -> _Expression:
    """The regex itself, where no literal can be searched in its place.

    Of a repeated end once is enough: Hyperscan tells each place where a match could end.
    """
    return _Expression(
        re.sub(r"(?<=[\w.)\]])\+$", "", searchable_regex(pattern, any_blanks)).encode(),
        hyperscan.HS_FLAG_PREFILTER,
    )


def _literal(text: str) -> _Expression:
    """The text, of which a quote may be escaped: loggers put lines into JSON."""
    found = b"".join(b"\\x%02x" % byte for byte in text.encode())
    return _Expression(found.replace(b"\\x22", QUOTE.encode()), hyperscan.HS_FLAG_CASELESS)


def _printed_setting(key: str) -> bytes:
    """Where a key stands with what separates it from a value: the beginning of what the context
    reads.
    """
    return searched_setting(_searched_key(key)).encode("latin-1")


def _searched_key(key: str) -> str:
    """The end of a dotted key that a log surely prints with it; with its parent where it is too
    short to be searched.
    """
    *parents, last = key.split(".")
    return ".".join((*parents[-1:], last)) if len(last) < LEAST_PIECE else last


def searchable_regex(pattern: str, any_blanks: bool = True) -> str:
    """The pattern for raw bytes of one line: no named groups, nothing crosses a line end; where
    `any_blanks`, a blank may be any run of blanks, and a quote may be escaped.
    """
    pattern = re.sub(r"\(\?P?<([A-Za-z_]\w*)>", "(?:", pattern)
    out, in_class, i = [], False, 0
    while i < len(pattern):
        character = pattern[i]
        if character == "\\":
            pair = pattern[i : i + 2]
            out.append(
                {r"\s": r"[ \t]", r"\D": r"[^\d\r\n]", r"\W": r"[^\w\r\n]"}.get(pair, pair)
                if not in_class
                else pair
            )
            i += 2
            continue
        if in_class:
            in_class = character != "]"
            out.append(character)
        elif character == "[":
            in_class = True
            negated = pattern.startswith("[^", i)
            out.append(r"[^\r\n" if negated else "[")
            i += negated
        elif character in "^$":
            pass  # the text begins behind prefixes and ends before suffixes
        elif character == '"' and any_blanks:
            out.append(QUOTE)
        elif character == " " and any_blanks:
            out.append(r"[ \t]" if pattern[i + 1 : i + 2] in ("+", "*", "?", "{") else r"[ \t]+")
        else:
            out.append(r"[^\r\n]" if character == "." else character)
        i += 1
    return "".join(out)


def _unsearchable(parts: Sequence[tuple[PartNumber, Part]]) -> Iterator[Fault]:
    """The faults of the last file that has one: the user's own files come last, and each regex
    takes as long to compile as many lines to read.
    """
    file = None
    for _, part in reversed(parts):
        if part.regex and file in (None, part.position.file):
            try:
                _engine([(0, _expression(part.regex))])
            except hyperscan.error as error:
                file = part.position.file
                yield Fault(
                    part.position,
                    f'regex "{part.regex}" cannot be searched: {error}',
                    "use simpler constructs, or a template",
                )
