"""Hits to those worth reading: Screen.

A piece of a template, or a literal of a regex, says only that its pattern may be meant. Before a line is taken apart, its
bytes are compared with what the pattern needs. What a line was found to be, one that differs in digits alone is as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.automaton import Automaton
from logdoctor.marked_lines import without_digits
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind, Part, Where
from logdoctor.regex_trees import Tree, parse_regex
from logdoctor.templates import grams, parse_template

TEMPLATE_SHARE, REGEX_SHARE = 0.5, 0.9
"""Share of a pattern's grams that a line worth reading has; a regex fits to the letter."""

DAMAGED_SHARE = 0.1
"""Share of a template's literal characters that may be damaged, each in another gram: as many as are ever guaranteed."""

WRAPPED_SHARE, EDGE, EDGE_GRAMS, TIP = 0.25, 24, 3, 4
"""A line with this share is worth reading where the pattern may go on in the next: among so many bytes at one of its ends
stand so many of its grams, and of a pattern without slots the outermost so many bytes, or those next to them, which leaves
room for a damaged one. So it is with lines that were wrapped or cut off.
"""

LEAST_CHOICE = 3
"""Characters of an alternative of a regex that is looked for."""

REMEMBERED_LIMIT = 8192
"""Lines that are remembered, digits apart."""

REMEMBERED_LENGTH = 1024
"""Bytes of a line beyond which it is read without asking."""

VALUES_LIMIT = 200
"""Surroundings in which a configuration key is read; one that is printed in more is a measurement."""

_AROUND_BEFORE, _AROUND_AFTER = 48, 24  # bytes around the separator behind a key: its parents, and the value
_PATTERNS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX})
_NO_DIGIT = re.compile(r"\D+")


class ReadSettings(NamedTuple):
    """Configuration that was read: by key (an expression) what stands around it, and keys that are measurements."""

    around: Mapping[int, frozenset[bytes]] = MappingProxyType({})
    muted: frozenset[int] = frozenset()


class Screen:
    """Decides which hits in the sources of one run are worth reading."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._worth: Memo[tuple[bytes, tuple[int, ...]], tuple[int, ...]] = Memo(REMEMBERED_LIMIT)
        self._needs: dict[int, tuple[_Need, ...]] = {}  # by expression
        self._known: set[int] = set()  # expressions of which it is known what they are
        self._settings: set[int] = set()
        self.markers: set[int] = set()  # expressions seen so far that are nothing but markers
        self._muted: set[int] = set()  # settings that are measurements
        self._around: dict[int, set[bytes]] = {}  # surroundings already read, by expression

    @property
    def settings(self) -> ReadSettings:
        """The configuration read so far."""
        return ReadSettings({number: frozenset(around) for number, around in self._around.items()}, frozenset(self._muted))

    def with_settings(self, settings: ReadSettings) -> Screen:
        """A screen beside this one, to which other configuration has been read; what lines are worth, both remember together."""
        screen = Screen.__new__(Screen)
        screen.__dict__.update(self.__dict__)
        screen._around = {number: set(around) for number, around in settings.around.items()}  # noqa: SLF001  # its own class
        screen._muted = set(settings.muted)  # noqa: SLF001
        return screen

    def sort_out(self, block: bytes, hits: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Hits of a block on lines of events, and those that only tell about the run, both in order.

        Left out is configuration that was read already: the same key with the same value.
        """
        numbers = {number for _, number in hits}
        for number in numbers - self._known:
            self._known.add(number)
            kinds = self._automaton.kinds((number,))
            if kinds == {AnchorKind.SETTING}:
                self._settings.add(number)
            elif kinds == {AnchorKind.MARKER}:
                self.markers.add(number)
        events = [hit for hit in hits if hit[1] not in self.markers and hit[1] not in self._settings]
        quiet = [hit for hit in hits if hit[1] in self.markers or (hit[1] in self._settings and self._is_new(block, *hit))]
        return events, quiet

    def worth_reading(self, line: bytes, expressions: tuple[int, ...]) -> tuple[int, ...]:
        """Those of a line's expressions, ascending, that it is worth reading for; empty where there are none."""
        if len(line) > REMEMBERED_LENGTH:
            return expressions
        key = (without_digits(line), expressions)
        worth = self._worth.get(key)
        if worth is None:
            folded = line.lower()
            worth = tuple(number for number in expressions if any(need.is_met_by(folded) for need in self._needs_of(number)))
            self._worth[key] = worth
        return worth

    def _is_new(self, block: bytes, end: int, number: int) -> bool:
        if number in self._muted:
            return False
        known = self._around.setdefault(number, set())
        start = block.rfind(b"\n", max(0, end - _AROUND_BEFORE), end) + 1 or max(0, end - _AROUND_BEFORE)
        around = block[start : end + _AROUND_AFTER].partition(b"\n")[0]
        if around in known:
            return False
        known.add(around)
        if len(known) > VALUES_LIMIT:
            self._muted.add(number)
            known.clear()
        return True

    def _needs_of(self, expression: int) -> tuple[_Need, ...]:
        needs = self._needs.get(expression)
        if needs is None:
            anchors = self._automaton.anchors_of(expression)
            owners = [anchor.owner for anchor in anchors if anchor.kind in _PATTERNS]
            needs = tuple(_need(self._automaton.part(self._automaton.parts[owner])) for owner in owners)
            self._needs[expression] = needs = needs if len(owners) == len(anchors) else (*needs, _NOTHING)
        return needs


class _Need(NamedTuple):
    """Grams of which a line must hold `least`, or `least_wrapped` where the pattern may go on in the next one.

    `text` is all that the pattern says, where that is known; of each of `choices` a whole line holds one.
    """

    grams: tuple[bytes, ...]
    least: float
    least_wrapped: float
    text: bytes | None = None
    choices: tuple[tuple[bytes, ...], ...] = ()

    def is_met_by(self, line: bytes) -> bool:
        found = sum(map(line.__contains__, self.grams))
        if found >= self.least and all(any(map(line.__contains__, choice)) for choice in self.choices):
            return True
        if found < self.least_wrapped:
            return False
        head, tail = line.lstrip()[:EDGE], line.rstrip()[-EDGE:]
        return self._goes_on(head, head[:TIP], head[TIP : 2 * TIP]) or self._goes_on(tail, tail[-TIP:], tail[-2 * TIP : -TIP])

    def _goes_on(self, edge: bytes, *tips: bytes) -> bool:
        is_of_text = self.text is None or any(tip in self.text for tip in tips)
        return is_of_text and sum(map(edge.__contains__, self.grams)) >= EDGE_GRAMS


_NOTHING = _Need((), 0, 0)


def _need(part: Part) -> _Need:
    if not part.template:
        literals, choices = mandatory_literals(part.regex or "")
        found = _encoded(grams(each.lower() for each in literals))
        choices = () if part.where is Where.FRAME else choices  # a frame has two lines
        return _Need(found, REGEX_SHARE * len(found), WRAPPED_SHARE * len(found), choices=tuple(_encoded(map(str.lower, each)) for each in choices))
    template = parse_template(part.template)
    damaged = max(1, int(DAMAGED_SHARE * template.length))
    found = _encoded(grams(template.literals))
    if TEMPLATE_SHARE * len(found) > len(found) - damaged:  # short words: with what stands between them there are more
        found = _encoded(run[i : i + 3] for text in template.literals for run in _NO_DIGIT.findall(text) for i in range(0, len(run) - 2, 3))
    text = None if template.slots else template.literals[0].encode()
    return _Need(found, min(TEMPLATE_SHARE * len(found), len(found) - damaged), WRAPPED_SHARE * len(found), text)


def _encoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(each.encode() for each in texts))


@lru_cache(maxsize=REMEMBERED_LIMIT)
def mandatory_literals(pattern: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Texts that every match of the regex holds, in order, and alternatives of which it holds one; empty where it is written in the syntax of the package regex."""
    found = list(_literals(parse_regex(pattern)))
    return tuple(each for each in found if isinstance(each, str)), tuple(each for each in found if isinstance(each, tuple))


def _literals(tree: Tree) -> Iterator[str | tuple[str, ...]]:
    run = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
            continue
        yield run
        run = ""
        if name == "SUBPATTERN":
            yield from _literals(argument[-1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] >= 1:
            yield from _literals(argument[2])
        elif name == "BRANCH":
            yield from _choice(argument[1])
    yield run


def _choice(branches: Iterable[Tree]) -> Iterator[tuple[str, ...]]:
    """The longest word of each branch, where all have one that is long enough to tell anything."""
    longest = tuple(
        max((word for each in _literals(branch) if isinstance(each, str) for word in each.split()), key=len, default="") for branch in branches
    )
    if min(map(len, longest)) >= LEAST_CHOICE:
        yield longest
