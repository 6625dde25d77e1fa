"""Hits to those worth reading: Screen.

A piece of a template, or a literal of a regex, says only that its pattern may be meant. Before a
line is taken apart, its bytes are compared with what the pattern needs. What a line was found to
be, one that differs in digits alone is as well.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.formats.markers import MARKERS
from logdoctor.formats.rows import MarkerKind
from logdoctor.memo import Memo
from logdoctor.model import AnchorKind
from logdoctor.search.automaton import Automaton
from logdoctor.search.traits import Need, as_text
from logdoctor.texts.digits import bytes_without_digits

LINES_LIMIT = 4096
"""Lines that are remembered, digits apart."""

REMEMBERED_LENGTH = 1024
"""Bytes of a line beyond which it is not remembered, and only what stands near its hits counts."""

ESCAPED = '\\"'
"""A quote in JSON."""

VALUES_LIMIT = 200
"""Surroundings in which a configuration key is read; one that is printed in more is a
measurement.
"""

# bytes around the separator behind a key: its parents, and the value
_AROUND_BEFORE, _AROUND_AFTER = 48, 24
_PATTERNS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX})
_OTHER = -1  # in place of a part of a pattern
_NOTHING = Need((), 0, 0)


class ReadSettings(NamedTuple):
    """Configuration that was read: by key (an expression) what stands around it, and keys that
    are measurements.
    """

    around: Mapping[int, frozenset[bytes]] = MappingProxyType({})
    muted: frozenset[int] = frozenset()


class Screen:
    """Decides which hits in the sources of one run are worth reading."""

    def __init__(self, automaton: Automaton, *, takes_all_steps: bool = False) -> None:
        """`takes_all_steps` says that no line of the run's course may be left out."""
        self._automaton = automaton
        self.takes_all_steps = takes_all_steps
        self._worth: Memo[tuple[bytes, tuple[int, ...]], tuple[int, ...]] = Memo(LINES_LIMIT)
        self._owners: dict[int, tuple[int, ...]] = {}  # by expression
        self._needs: dict[int, Need] = {}  # by owner
        self._known: set[int] = set()  # expressions of which it is known what they are
        self._settings: set[int] = set()
        self.markers: set[int] = set()  # expressions seen so far that are nothing but markers
        self.rows: set[int] = set()  # those of them that stand in each row of a table of metrics
        self._muted: set[int] = set()  # settings that are measurements
        self._around: dict[int, set[bytes]] = {}  # surroundings already read, by expression

    @property
    def settings(self) -> ReadSettings:
        """The configuration read so far."""
        return ReadSettings(
            {number: frozenset(around) for number, around in self._around.items()},
            frozenset(self._muted),
        )

    def with_settings(self, settings: ReadSettings) -> "Screen":
        """A screen beside this one, to which other configuration has been read; what lines are
        worth, both remember together.
        """
        screen = Screen.__new__(Screen)
        screen.__dict__.update(self.__dict__)
        # its own class
        screen._around = {number: set(around) for number, around in settings.around.items()}  # noqa: SLF001
        screen._muted = set(settings.muted)  # noqa: SLF001
        return screen

    def sort_out(
        self, block: bytes, hits: list[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Hits of a block on lines of events, and those that only tell about the run, both in
        order.

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
                if self._is_row(number):
                    self.rows.add(number)
        events = [
            hit for hit in hits if hit[1] not in self.markers and hit[1] not in self._settings
        ]
        quiet = [
            hit
            for hit in hits
            if hit[1] in self.markers or (hit[1] in self._settings and self._is_new(block, *hit))
        ]
        return events, quiet

    def _is_row(self, number: int) -> bool:
        owners = [each.owner for each in self._automaton.anchors_of(number)]
        return all(MARKERS[owner].kind is MarkerKind.METRIC for owner in owners)

    def worth_reading(
        self, line: bytes, expressions: tuple[int, ...], hits: Sequence[tuple[int, int]], start: int
    ) -> tuple[int, ...]:
        """Those of a line's expressions, ascending, that it is worth reading for; empty where
        there are none. `hits` are where they end, in a text in which the line begins at `start`.
        """
        if len(line) > REMEMBERED_LENGTH:
            ends = [(end - start, number) for end, number in hits]
            text, ends = _unescaped(as_text(line.lower()), ends)
            return self._best(text, expressions, self._met_near(text, ends))
        key = (bytes_without_digits(line), expressions)
        worth = self._worth.get(key)
        if worth is None:
            text, _ = _unescaped(as_text(line.lower()), [])
            met = {
                owner: need
                for number in expressions
                for owner in self._owners_of(number)
                if (need := self._need_of(owner)).is_met_by(text)
            }
            worth = self._worth[key] = self._best(text, expressions, met)
        return worth

    def _met_near(self, line: str, hits: Sequence[tuple[int, int]]) -> dict[int, Need]:
        """The needs that are met where the hits end, by their owner."""
        near: dict[int, list[int]] = {}
        for end, number in hits:
            for owner in self._owners_of(number):
                near.setdefault(owner, []).append(end)
        return {
            owner: need
            for owner, ends in near.items()
            if (need := self._need_of(owner)).is_met_near(line, ends)
        }

    def _best(
        self, line: str, expressions: tuple[int, ...], met: Mapping[int, Need]
    ) -> tuple[int, ...]:
        """Those whose needs are met; where a pattern is there to the letter, as it is for
        `match`, no shorter template with damage.
        """
        exact = max(
            (
                need.outdoes
                for need in met.values()
                if need.outdoes and need.text and need.text in line
            ),
            default=0,
        )
        fitting = {
            owner for owner, need in met.items() if need.most > exact or need.is_whole_in(line)
        }
        return tuple(
            number for number in expressions if not fitting.isdisjoint(self._owners_of(number))
        )

    def _is_new(self, block: bytes, end: int, number: int) -> bool:
        if number in self._muted:
            return False
        known = self._around.setdefault(number, set())
        start = block.rfind(b"\n", max(0, end - _AROUND_BEFORE), end) + 1 or max(
            0, end - _AROUND_BEFORE
        )
        around = block[start : end + _AROUND_AFTER].partition(b"\n")[0]
        if around in known:
            return False
        known.add(around)
        if len(known) > VALUES_LIMIT:
            self._muted.add(number)
            known.clear()
        return True

    def _owners_of(self, expression: int) -> tuple[int, ...]:
        """The parts of patterns that an expression is searched for, and `_OTHER` where it is
        searched for something else as well.
        """
        owners = self._owners.get(expression)
        if owners is None:
            anchors = self._automaton.anchors_of(expression)
            owners = tuple(
                dict.fromkeys(
                    anchor.owner if anchor.kind in _PATTERNS else _OTHER for anchor in anchors
                )
            )
            self._owners[expression] = owners
        return owners

    def _need_of(self, owner: int) -> Need:
        need = self._needs.get(owner)
        if need is None:
            need = self._needs[owner] = (
                _NOTHING if owner == _OTHER else self._automaton.traits[owner].line
            )
        return need


def _unescaped(line: str, hits: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """A line that may have been put into JSON, with its quotes as they were, and where its hits
    end in that.
    """
    if ESCAPED not in line:
        return line, hits
    places = [found.start() for found in re.finditer(re.escape(ESCAPED), line)]
    moved = [(end - bisect_left(places, end), number) for end, number in hits]
    return line.replace(ESCAPED, '"'), moved
