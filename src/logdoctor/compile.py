"""Signature database to automaton: compile_automaton.

Pieces of all templates, all signature regexes, generic anchors of errors, markers and the configuration keys that
remedies ask for become one Hyperscan database, so that one pass over the raw bytes finds every line worth reading.

A template with k damaged characters still holds one of any k+1 disjoint pieces unharmed, so that searching the pieces
finds every text within k edits; which it is, `match` decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import hyperscan

from logdoctor.errors import Fault, SignatureError
from logdoctor.automaton import Automaton, CompiledPart
from logdoctor.markers import MARKERS
from logdoctor.model import Anchor, AnchorKind, SignatureDatabase
from logdoctor.templates import EXACT_ONLY_BELOW, Template, parse_template

GUARANTEED_SHARE = 0.10
"""Share of a template's literal characters that may be damaged and the template is surely found."""

PIECE_LENGTHS = range(5, 13)
"""Lengths of pieces in characters: shorter ones are everywhere, longer ones gain nothing."""

# Share of each character in console logs, in 1/1000, measured over this project's healthy sample logs; others count as 1.
_FREQUENCY = {
    character: share
    for share, characters in ((90, " e"), (55, "0taoinrs1"), (35, "l2dc:.,_-/"), (20, "mpuf345'gh"), (12, "6789b\"y()v[]=k"), (5, "wxz|jq"))
    for character in characters
}
_ERROR_EXPRESSIONS = (
    (AnchorKind.TRACEBACK, r"Traceback \(most recent|recent call last\):"),
    (AnchorKind.FRAME, r"\", line [0-9]+"),
    (AnchorKind.ERROR, r"[A-Za-z_](?:Error|Exception|Interrupt|Exit)\b"),
    (AnchorKind.ERROR, r"\b(?:FATAL|CRITICAL)\b|Fatal Python error|terminate called after throwing"),
    (AnchorKind.ERROR, r"[Ss]egmentation fault|Bus error|core dumped|\*\*\* SIG[A-Z]{3,4} "),
)


def compile_automaton(database: SignatureDatabase) -> Automaton:
    """Compiles all that is to be searched.

    Raises:
        SignatureError: Hyperscan cannot search a regex.
    """
    parts = tuple(_compiled_parts(database))
    settings = tuple(sorted(_setting_keys(database)))
    expressions: dict[tuple[bytes, int], list[Anchor]] = {}
    for expression, flags, anchor in _all_expressions(parts, settings):
        expressions.setdefault((expression, flags), []).append(anchor)
    patterns = [expression for expression, _ in expressions]
    engine = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        engine.compile(expressions=patterns, ids=list(range(len(patterns))), elements=len(patterns), flags=[flags for _, flags in expressions])
    except hyperscan.error as error:
        raise SignatureError(tuple(_unsearchable(parts)) or (Fault(parts[0].part.position, str(error)),)) from error
    return Automaton(database, parts, tuple(map(tuple, expressions.values())), settings, engine)


def _compiled_parts(database: SignatureDatabase) -> Iterator[CompiledPart]:
    for i, signature in enumerate(database.signatures):
        for j, pattern in enumerate(signature.patterns):
            for k, part in enumerate(pattern.parts):
                yield CompiledPart(i, j, k, part, parse_template(part.template) if part.template else None)


def _setting_keys(database: SignatureDatabase) -> set[str]:
    keys: set[str] = set()
    for signature in database.signatures:
        for remedy in signature.remedies:
            keys.update(remedy.when.config, remedy.settings)
    return keys


def _all_expressions(parts: Sequence[CompiledPart], settings: Sequence[str]) -> Iterator[tuple[bytes, int, Anchor]]:
    caseless, exact, prefilter = hyperscan.HS_FLAG_CASELESS, 0, hyperscan.HS_FLAG_PREFILTER
    for number, part in enumerate(parts):
        if part.template:
            for piece in choose_pieces(part.template):
                yield _literal(piece), caseless, Anchor(AnchorKind.TEMPLATE, number)
        elif part.part.regex:
            yield searchable_regex(part.part.regex).encode(), prefilter, Anchor(AnchorKind.REGEX, number)
    for kind, pattern in _ERROR_EXPRESSIONS:
        yield pattern.encode(), exact, Anchor(kind, 0)
    for number, marker in enumerate(MARKERS):
        yield searchable_regex(marker.pattern).encode(), exact, Anchor(AnchorKind.MARKER, number)
    for number, key in enumerate(settings):
        yield rf"\b{re.escape(key.rsplit('.', 1)[-1])}['\"]?(?: \([a-z]+\))?[ \t]{{0,8}}[:=-]".encode(), exact, Anchor(AnchorKind.SETTING, number)


def _literal(piece: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in piece.encode())


def choose_pieces(template: Template) -> tuple[str, ...]:
    """k+1 disjoint pieces of a template's literals, rare ones; fewer where the literals are too short for them."""
    damage = 0 if template.length < EXACT_ONLY_BELOW else max(1, int(template.length * GUARANTEED_SHARE))
    for count in range(damage + 1, 0, -1):
        pieces = _cheapest(template.literals, count)
        if pieces:
            return pieces
    return (max(template.literals, key=len).strip(),)


def guaranteed_edits(template: Template) -> int:
    """How many damaged characters a text may have and its line is surely looked at."""
    return len(choose_pieces(template)) - 1


def _cheapest(literals: Sequence[str], count: int) -> tuple[str, ...] | None:
    """The `count` disjoint pieces with the least expected hits, by dynamic programming over the characters."""
    text = "\n".join(literals)
    infinite = float("inf")
    costs: list[list[tuple[float, int]]] = [[(0.0, 0)] * (len(text) + 1)]
    for _ in range(count):
        above, row = costs[-1], [(infinite, 0)]
        for end in range(1, len(text) + 1):
            best = (row[end - 1][0], 0)
            for length in PIECE_LENGTHS:
                start = end - length
                if start < 0 or "\n" in text[start:end]:
                    break
                cost = above[start][0] + _expected_hits(text[start:end])
                if cost < best[0]:
                    best = (cost, length)
            row.append(best)
        costs.append(row)
    if costs[-1][-1][0] == infinite:
        return None
    pieces, end = [], len(text)
    for row in reversed(costs[1:]):
        while row[end][1] == 0:
            end -= 1
        pieces.append(text[end - row[end][1] : end])
        end -= row[end][1]
    return tuple(reversed(pieces))


def _expected_hits(piece: str) -> float:
    """Hits per megabyte if characters were independent, plus a little for every piece."""
    hits = 1e6
    for character in piece:
        hits *= _FREQUENCY.get(character, 1) / 1000
    return hits + 0.01


def searchable_regex(pattern: str) -> str:
    """The pattern for raw bytes of one line: no named groups, blanks may be any run of blanks, nothing crosses a line end."""
    pattern = re.sub(r"\(\?P?<([A-Za-z_]\w*)>", "(?:", pattern)
    out, in_class, i = [], False, 0
    while i < len(pattern):
        character = pattern[i]
        if character == "\\":
            pair = pattern[i : i + 2]
            out.append({r"\s": r"[ \t]", r"\D": r"[^\d\r\n]", r"\W": r"[^\w\r\n]"}.get(pair, pair) if not in_class else pair)
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
        elif character == " ":
            out.append(r"[ \t]" if pattern[i + 1 : i + 2] in ("+", "*", "?", "{") else r"[ \t]+")
        else:
            out.append(r"[^\r\n]" if character == "." else character)
        i += 1
    return "".join(out)


def _unsearchable(parts: Sequence[CompiledPart]) -> Iterator[Fault]:
    for part in parts:
        if part.part.regex:
            try:
                engine = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
                engine.compile(expressions=[searchable_regex(part.part.regex).encode()], ids=[0], elements=1, flags=[hyperscan.HS_FLAG_PREFILTER])
            except hyperscan.error as error:
                yield Fault(part.part.position, f'regex "{part.part.regex}" cannot be searched: {error}', "use simpler constructs, or a template")
