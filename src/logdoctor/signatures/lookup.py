"""Words as people type them to signatures: Lookup."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from rapidfuzz import fuzz, process

from logdoctor.model import Signature

_WORD = re.compile(r"[A-Za-z_][\w]*|\d+(?:\.\d+)*|[\u4e00-\u9fff]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SLOT = re.compile(r"\{(\w+)(?::\w+)?\}|\(\?P<(\w+)>|\\[a-zA-Z]")
_ESCAPE = re.compile(r"\\([^a-zA-Z0-9])")

SAID = {
    "oom": ("out", "of", "memory"),
    "segfault": ("segmentation", "fault"),
    "ib": ("infiniband",),
    "ckpt": ("checkpoint",),
    "fa": ("flash", "attn"),
    "fa2": ("flash", "attn"),
    "显存不足": ("out", "of", "memory", "gpu", "显存"),
    "爆显存": ("out", "of", "memory", "gpu", "显存"),
}
"""What people say, and the words of the messages."""

WEIGHTS = (4.0, 3.0, 1.0, 0.5)
"""What a word counts for in id and title, in a pattern, in an example, in the cause."""

FOREIGN = 0.3
"""What a signature loses that belongs to a framework which was not asked for."""

LIKENESS = 86
"""Of 100, of a mistyped word to a known one."""

LEAST_SHARE = 0.55
"""Of the weight of all words asked for, what a signature must have of them."""


SURE = 0.99
"""Share from which a signature has all the words."""

TELLING = 6.0
"""Weight of words that are not everybody's: that of two which one signature in twenty has."""


class Found(NamedTuple):
    """A signature that fits.

    Attributes:
        share: of the weight of all words, what it has, from 0 to 1.
        worth: how well it fits, by where it has them; 0 to 5.
    """

    signature: Signature
    share: float
    worth: float


class Lookup:
    """Which signatures fit a few words; each look goes through all of them."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self._signatures = signatures
        self._refined = Counter(each.refines for each in signatures)
        self._fields = [tuple(map(frozenset, _fields(each))) for each in signatures]
        counts = Counter(word for fields in self._fields for word in frozenset().union(*fields))
        self._rarity: Mapping[str, float] = {
            word: math.log(1 + len(signatures) / count) for word, count in counts.items()
        }

    def find(self, text: str, most: int = 8) -> list[Found]:
        """Those that fit the words best, the best first; none where too few of them fit."""
        groups = [self._known(word) for word in _typed(text)]
        asked = [(group, self._weight(group)) for group in groups]
        whole = sum(weight for _, weight in asked)
        found = []
        for signature, fields in zip(self._signatures, self._fields, strict=True):
            share = points = 0.0
            for group, weight in asked:
                hits = [_worth(word, fields) for word in group]
                share += weight * sum(map(bool, hits)) / max(1, len(hits))
                points += weight * sum(hits) / max(1, len(hits))
            if share and share >= LEAST_SHARE * whole:
                points += whole * self._nearness(signature, {word for g in groups for word in g})
                found.append((points, Found(signature, share / whole, points / whole)))
        found.sort(
            key=lambda each: (
                -round(each[1].share, 2),
                -each[0],
                -self._refined[each[1].signature.id],  # what has most forms is asked for most
                each[1].signature.id,
            )
        )
        return [each for _, each in found[:most]]

    def _nearness(self, signature: Signature, words: AbstractSet[str]) -> float:
        """How much of its id is asked for, from 0 to 1; less where it is of a framework that is
        not.
        """
        own = frozenset(_words(signature.id))
        is_foreign = signature.frameworks and not words & frozenset(signature.frameworks)
        return len(own & words) / max(1, len(own)) - FOREIGN * bool(is_foreign)

    def guess(self, text: str) -> list[Found]:
        """Those that have all the words, and in their titles and patterns, where the words are not
        everybody's; the best first, usually none.
        """
        if sum(self._weight(self._known(word)) for word in _typed(text)) < TELLING:
            return []
        return [each for each in self.find(text) if each.share > SURE and each.worth >= WEIGHTS[1]]

    def _known(self, word: str) -> tuple[str, ...]:
        """The word as signatures have it: itself, its parts, or the nearest to it."""
        if word in SAID:
            return tuple(each for each in SAID[word] if each in self._rarity)
        if word in self._rarity:
            return (word,)
        if len(word) < 4 or not word.isascii():  # noqa: PLR2004  # too short to be mistyped
            return ()
        near = process.extractOne(
            word, self._rarity.keys(), scorer=fuzz.ratio, score_cutoff=LIKENESS
        )
        return (near[0],) if near else ()

    def _weight(self, group: Sequence[str]) -> float:
        """What a word counts for; one that no signature has, as much as the rarest."""
        if not group:
            return math.log(1 + len(self._signatures))
        return sum(self._rarity[word] for word in group)


def _worth(word: str, fields: Sequence[frozenset[str]]) -> float:
    """What a word counts for by the first field that has it; 0 where none has."""
    return next((w for w, field in zip(WEIGHTS, fields, strict=True) if word in field), 0.0)


def _typed(text: str) -> Iterator[str]:
    """The words of what was typed; names of several words in parts."""
    for said in SAID:
        if not said.isascii() and said in text:
            yield said
            text = text.replace(said, " ")
    yield from dict.fromkeys(_words(text))


def _fields(signature: Signature) -> Iterator[Iterable[str]]:
    """The words of id and title, of the patterns, of the examples, of the cause."""
    titles = (signature.title.en, signature.title.zh)
    yield _words(" ".join((signature.id, *signature.aliases, *titles, *signature.frameworks)))
    parts = [part for pattern in signature.patterns for part in pattern.parts]
    yield _words(
        " ".join(
            _ESCAPE.sub(r"\1", _SLOT.sub(" ", part.template or part.regex or "")) for part in parts
        )
    )
    yield _words(" ".join(each.text for each in signature.examples))
    yield _words(f"{signature.cause.en} {signature.cause.zh}")


def _words(text: str) -> Iterator[str]:
    """Lower-case words; names in snake case and camel case as their parts, Chinese as pairs of
    characters.
    """
    for word in _WORD.findall(text):
        if word[0].isdigit():
            continue
        if not word.isascii():
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
            continue
        yield from (part.lower() for part in _PART.findall(word) if len(part) > 1)
