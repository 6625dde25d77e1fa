"""Templates and how texts are compared with them: Template.

A template is literal text with typed slots. The distance of a text from it is the least number of
characters that must be inserted, deleted or replaced so that some part of the text reads like the
template, where a slot takes any run of its characters for free. Letter case does not count.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from logdoctor.patterns.alignment import Slot, SlotType, align, as_regex
from logdoctor.texts.masking import comparable, folded

EXACT_ONLY_BELOW = 12
"""Templates with fewer literal characters are never matched fuzzily: too much resembles them."""

ACCEPTED_SHARE = 0.15
"""Share of the literal characters that may differ. Rewordings and typing errors of a tenth stay
below it.
"""

TEXT_LIMIT = 4000
"""Characters of a text that are compared fuzzily; longer messages are dumps."""


SLOT_WIDTH = 60
"""Characters that a slot other than of type text is reckoned with where a text is damaged; exact
matches know no limit.
"""


QUOTE_LENGTH = 60
"""Characters of the fitting text that are given back."""


EDIT_COST = 2
"""What each character that differs takes off a template's value, which is its length where none
does.
"""

CUT_SHARE, CUT_SHARE_UNMARKED, CUT_LEAST, CUT_BEGINNING = 0.5, 0.75, 24, 8
"""A message may be cut off at the end of its text: so large a share of the literal characters, and
so many of them, are then there, and more where neither dots nor half a word say that it was cut.
Looked for by its first so many characters.
"""


FEW_TRIES, SHORT_TEXT = 50, 600
"""So often, and with texts of so many characters, a template is compared without a package whose
import takes as long as a scan.
"""


GRAM, LEAST_GRAMS = 3, 2
"""Letters of a gram, and how many must be in a window for it to be worth looking for them first."""

WINDOWS_TOGETHER = 8
"""Windows that are compared as one first: where too much is missing in all of them, it is in
each.
"""


_WORD = re.compile(r"[^\W\d]{3,}")
_TOKEN = re.compile(r"\{\{|\{(?P<name>[A-Za-z_]\w*)(?::(?P<type>\w*))?\}|\}\}|[{}]|[^{}]+")


class Comparison(NamedTuple):
    """How a text compares with a template: characters that differ (0 is exact), the values of
    the slots, its beginning, and how many literal characters are cut off at its end.
    """

    edits: int
    captures: Mapping[str, str]
    quote: str = ""
    cut_off: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and (*self[:2], self.cut_off) == (
            *other[:2],
            other.cut_off,
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.edits)


class Template:
    """A parsed template; literals and slots in order."""

    def __init__(self, elements: tuple[str | Slot, ...]) -> None:
        self.elements = elements
        self._tries = 0  # fuzzy comparisons so far

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Its literal texts in lower case, in order."""
        return tuple(each.lower() for each in self.elements if isinstance(each, str))

    @cached_property
    def _ascii_literals(self) -> tuple[str, ...]:
        return tuple(filter(str.isascii, self.literals))

    @cached_property
    def length(self) -> int:
        """Number of its literal characters."""
        return sum(map(len, self.literals))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Its slots in order."""
        return tuple(each for each in self.elements if isinstance(each, Slot))

    @cached_property
    def allowance(self) -> int:
        """How many characters of a text may differ."""
        return 0 if self.length < EXACT_ONLY_BELOW else int(self.length * ACCEPTED_SHARE)

    @property
    def longest(self) -> float:
        """Characters of the longest text that fits; infinite where a slot takes words or texts,
        which have any length.
        """
        if any(slot.type in (SlotType.WORD, SlotType.TEXT) for slot in self.slots):
            return math.inf
        return self.length + self.allowance + SLOT_WIDTH * len(self.slots)

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        last = len(self.elements) - 1
        return re.compile(
            "".join(as_regex(each, i == last) for i, each in enumerate(self.elements)),
            re.IGNORECASE,
        )

    @cached_property
    def _stretches(self) -> tuple["_Stretch", ...]:
        """The template cut at its slots of type text, each with how far it can reach."""
        stretches = []
        literals: list[str] = []
        slots = 0
        for each in (*self.elements, Slot("", SlotType.TEXT)):
            if isinstance(each, str):
                literals.append(each.lower())
            elif each.type is not SlotType.TEXT:
                slots += 1
            elif literals:
                literal = "".join(literals)
                stretches.append(
                    _Stretch(
                        literal,
                        len(literal) + self.allowance + slots * SLOT_WIDTH,
                        grams(literals),
                        _letters(literal),
                    )
                )
                literals, slots = [], 0
        return tuple(stretches)

    def compare(self, text: str, *, is_exact: bool = False) -> Comparison | None:
        """Compares with the best fitting part of a comparable text; None where more than
        `allowance` (or anything) differs.
        """
        found = self.compare_exactly(text, folded(text))
        return found if found or is_exact else self.compare_damaged(text)

    def compare_exactly(self, text: str, lower: str | None) -> Comparison | None:
        """The same where nothing may differ; `lower` is the text `folded`. Hardly a template
        needs its regex, which takes long to compile.
        """
        if lower is not None and not all(
            map(lower.__contains__, self.literals if lower.isascii() else self._ascii_literals)
        ):
            return None
        found = self._exact.search(text)
        return Comparison(0, found.groupdict(), found[0][:QUOTE_LENGTH]) if found else None

    def compare_damaged(self, text: str) -> Comparison | None:
        """The same for a text that is known not to hold it to the letter."""
        text = text[:TEXT_LIMIT]
        lower = text.lower()
        if not self.allowance or len(lower) != len(text):
            return None
        return self._compare_whole(text, lower) or self._compare_cut_off(text, lower)

    def _compare_whole(self, text: str, folded: str) -> Comparison | None:
        self._tries += 1
        in_common = (
            _in_common
            if self._tries <= FEW_TRIES and len(folded) <= SHORT_TEXT
            else _in_common_quickly
        )
        spans = [
            span
            for stretch in self._stretches
            if (span := stretch.candidates(folded, self.allowance, in_common))
        ]
        if (
            len(spans) < len(self._stretches)
            or sum(missing for missing, _, _ in spans) > self.allowance
        ):
            return None
        start, end = spans[0][1], spans[-1][2]
        found_part = align(self.elements, text[start:end], self.allowance)
        if found_part is None:
            return None
        begin = start + found_part.begin
        return Comparison(found_part.edits, found_part.captures, text[begin : begin + QUOTE_LENGTH])

    def _compare_cut_off(self, text: str, folded: str) -> Comparison | None:
        """Compares the template's beginning, to the letter, with the end of a text."""
        end = len(folded.rstrip(" .\u2026"))
        if self.length * CUT_SHARE < CUT_LEAST or self.literals[0][:CUT_BEGINNING] not in folded:
            return None
        said = 0
        for number, element in enumerate(self.elements):
            if isinstance(element, Slot):
                continue
            literal = element.lower()
            most = len(literal) - 1 if number == len(self.elements) - 1 else len(literal)
            there = next(
                (
                    length
                    for length in range(most, 0, -1)
                    if folded.endswith(literal[:length], 0, end)
                ),
                0,
            )
            if self._is_cut_there(text[end:], literal, there, said + there):
                beginning = "".join(
                    as_regex(each, is_last=False) for each in self.elements[:number]
                )
                found = (
                    re.search(rf"{beginning}\Z", text[: end - there], re.IGNORECASE)
                    if beginning
                    else None
                )
                if found or not beginning:
                    begin = found.start() if found else end - there
                    captures = found.groupdict() if found else {}
                    return Comparison(
                        0,
                        captures,
                        text[begin : begin + QUOTE_LENGTH],
                        cut_off=self.length - said - there,
                    )
            said += len(literal)
        return None

    def _is_cut_there(self, mark: str, literal: str, there: int, said: int) -> bool:
        """Whether enough was said before a text that ends with so much of a literal was cut off."""
        is_evident = bool(mark.strip()) or literal[max(0, there - 1) : there + 1].isalpha()
        return there > 0 and said >= max(
            CUT_LEAST, self.length * (CUT_SHARE if is_evident else CUT_SHARE_UNMARKED)
        )


class _Stretch(NamedTuple):
    """Literal text between two slots of type text, other slots left out, how many characters it
    can span, its grams, and how many of each letter it has.
    """

    literal: str
    reach: int
    grams: tuple[str, ...]
    letters: tuple[tuple[str, int], ...]

    def candidates(
        self, folded: str, allowance: int, in_common: Callable[[str, str, int], int]
    ) -> tuple[int, int, int] | None:
        """Least characters missing in any window of the text, and the span of the windows that miss
        no more than allowed.

        A window holds whatever it is compared with, so that nothing within the allowance is lost.
        `in_common` gives the length of the longest common subsequence, or less where that is less
        than a third argument.
        """
        ranges = self._promising(folded, allowance)
        needed = max(0, len(self.literal) - allowance)
        if not ranges or in_common(self.literal, folded, needed) < needed:
            return None
        step = max(1, self.reach // 4)
        least, first, last = allowance + 1, -1, -1
        for low, high in ranges:
            starts = range(low, max(low + 1, high - self.reach + step), step)
            for number in range(0, len(starts), WINDOWS_TOGETHER):
                group = starts[number : number + WINDOWS_TOGETHER]
                together = folded[group[0] : group[-1] + self.reach + step]
                is_part = len(group) > 1 and len(together) < len(folded)
                if is_part and in_common(self.literal, together, needed) < needed:
                    continue
                for start in group:
                    end = start + self.reach + step
                    missing = len(self.literal) - in_common(self.literal, folded[start:end], needed)
                    if missing <= allowance:
                        least, first, last = min(least, missing), start if first < 0 else first, end
        return (least, first, last) if first >= 0 else None

    def _lacks_letters(self, folded: str, allowance: int) -> bool:
        """Whether a text has too few of the literal's characters, in whatever order."""
        return (
            len(self.literal)
            - sum(min(count, folded.count(letter)) for letter, count in self.letters)
            > allowance
        )

    def _stand_together(self, folded: str, needed: int) -> bool:
        """Whether so many grams stand in one of the parts that hold everything within reach."""
        wide = 2 * self.reach + GRAM
        return any(
            sum(map(folded[low : low + wide].__contains__, self.grams)) >= needed
            for low in range(0, len(folded), self.reach)
        )

    def _promising(self, folded: str, allowance: int) -> list[tuple[int, int]]:
        """Ranges of a text, ascending and apart, outside of which too many grams are missing."""
        needed = len(self.grams) - allowance
        if sum(map(folded.__contains__, self.grams)) < needed or self._lacks_letters(
            folded, allowance
        ):
            return []
        if needed < LEAST_GRAMS or len(folded) <= 2 * self.reach:
            return [(0, len(folded))]
        if not self._stand_together(folded, needed):
            return []
        places = sorted(
            (place, number)
            for number, gram in enumerate(self.grams)
            for place in _places(folded, gram)
        )
        counts = [0] * len(self.grams)
        ranges: list[tuple[int, int]] = []
        first = different = 0
        for place, number in places:
            counts[number] += 1
            different += counts[number] == 1
            while place - places[first][0] > self.reach:
                counts[places[first][1]] -= 1
                different -= counts[places[first][1]] == 0
                first += 1
            if different >= needed:
                low, high = max(0, place - self.reach), place + self.reach
                if ranges and low <= ranges[-1][1]:
                    low, _ = ranges.pop()
                ranges.append((low, high))
        return ranges


def _in_common(one: str, other: str, _needed: int) -> int:
    """Length of the longest sequence of characters that both have in this order, whatever stands
    between them.

    H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): a bit for each character of
    `one`, unset for each of the sequence.
    """
    places: dict[str, int] = {}
    for number, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << number
    rest = everything = (1 << len(one)) - 1
    for character in other:
        fitting = rest & places.get(character, 0)
        rest = (rest + fitting) | (rest - fitting)
    return len(one) - (rest & everything).bit_count()


def _in_common_quickly(one: str, other: str, needed: int) -> int:
    """The same, or 0 where it is less than `needed`, by a package whose import takes as long as
    a thousand such comparisons.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415

    return LCSseq.similarity(one, other, score_cutoff=needed)


def ascii_literals(texts: Iterable[str]) -> tuple[str, ...]:
    """Those of the texts that are ASCII, in lower case, the longest first: what `folded` texts
    can be searched for.
    """
    return tuple(sorted((each.lower() for each in texts if each.isascii()), key=len, reverse=True))


def _letters(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((letter, text.count(letter)) for letter in sorted(set(text)))


def _places(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def grams(texts: Iterable[str]) -> tuple[str, ...]:
    """The words of the texts cut into disjoint runs of three letters, each once, so that a
    damaged character spoils one.
    """
    words = [word for text in texts for word in _WORD.findall(text)]
    return tuple(
        dict.fromkeys(
            word[i : i + GRAM] for word in words for i in range(0, len(word) - GRAM + 1, GRAM)
        )
    )


def parse_template(text: str) -> Template:
    """Reads the notation of signature files.

    Raises:
        ValueError: an unknown slot type, a slot name given twice, a lone brace, or no literal text
            at all.
    """
    elements: list[str | Slot] = []
    names: set[str] = set()
    literal = ""
    for token in _TOKEN.finditer(text):
        name, kind = token["name"], token["type"] or SlotType.WORD.value
        if token[0] in "{}":
            raise ValueError("a lone brace; write {{ or }} for the character itself")
        if not name:
            literal += token[0][0] if token[0] in ("{{", "}}") else token[0]
            continue
        if kind not in [each.value for each in SlotType]:
            raise ValueError(
                f'unknown slot type "{kind}"; expected one of '
                f"{', '.join(each.value for each in SlotType)}"
            )
        if name in names:
            raise ValueError(f'slot "{name}" is given twice')
        names.add(name)
        _add_literal(elements, literal, is_last=False)
        elements.append(Slot(name, SlotType(kind)))
        literal = ""
    _add_literal(elements, literal, is_last=True)
    if not any(isinstance(each, str) and each.strip() for each in elements):
        raise ValueError("a template needs literal text")
    for end in (elements[0], elements[-1]):
        if isinstance(end, Slot) and end.type is SlotType.TEXT:
            raise ValueError(
                f'slot "{end.name}" of type text stands at an end of the template, where it '
                f"takes nothing"
            )
    return Template(tuple(elements))


def _add_literal(elements: list[str | Slot], literal: str, *, is_last: bool) -> None:
    """Adds literal text with its white space reduced; blanks beside a slot stay."""
    squeezed = comparable(literal)
    if elements and literal[:1].isspace():
        squeezed = " " + squeezed
    if not is_last and literal[-1:].isspace() and squeezed.strip():
        squeezed += " "
    if squeezed:
        elements.append(squeezed)
