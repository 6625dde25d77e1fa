"""Signatures that fit one event: which of them holds, once the run's frameworks are known.

One whose framework is the run's own comes first; one of another framework, and one whose text
anybody may print while no framework was seen, is out as soon as there is another answer.
"""

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import islice
from typing import Protocol, TypeVar

from logdoctor.formats.assembled import APPLICATIONS
from logdoctor.model import MatchKind, Role, Signature

OWN_WORDS = 3
"""Words from which on a text is one that not every program may print: `10 % 3 != 0` has none,
`Request failed` two.
"""

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]{2,}")
_OF_PYTHON = re.compile(
    r"\b(?:Assertion|Attribute|EOF|FileNotFound|Import|Index|Key|ModuleNotFound|Name|"
    r"NotImplemented|OS|Overflow|Permission|Runtime|Timeout|Type|Unicode\w*|Value|ZeroDivision|"
    r"Connection\w*)?(?:Error|Exception)\b:?",
    re.IGNORECASE,
)


_SYNTAX = re.compile(r"\(\?P?<\w+>|\\[A-Za-z]|\[[^\]]*\]")


class Home(IntEnum):
    """What a signature is to the run, the better the lower."""

    OWN = 0
    ANY = 1
    OPEN = 2
    ANOTHER = 3


class Recognised(Protocol):
    """What is asked of a match."""

    @property
    def kind(self) -> MatchKind:
        """Whether it fits to the letter."""

    @property
    def is_own_text(self) -> bool:
        """Whether the text is one that not every program may print."""


T = TypeVar("T", bound=Recognised)


def home_of(signature: Signature, frameworks: Iterable[str]) -> Home:
    """What a signature is to a run of these frameworks.

    It is open where none of what a user calls a run was seen.
    """
    seen = frozenset(frameworks)
    if not signature.frameworks:
        return Home.ANY
    if seen & set(signature.frameworks):
        return Home.OWN
    return Home.ANOTHER if seen & set(APPLICATIONS) else Home.OPEN


def chosen(
    found: Sequence[tuple[Signature, T]], frameworks: Iterable[str], packages: Iterable[str] = ()
) -> list[tuple[Signature, T]]:
    """Of what fits an event, the best first, what holds in a run of these frameworks; may be
    empty. Among several of the run's own, one of the packages in whose code it was raised is
    better.
    """
    raised_in = frozenset(packages)
    seen = raised_in.union(frameworks)
    placed = [(home_of(signature, seen), signature, match) for signature, match in found]
    held = [each for each in placed if _holds(*each)]
    held.sort(
        key=lambda each: (
            each[1].is_general,
            each[0] is not Home.OWN,
            not raised_in & set(each[1].frameworks),
        )
    )
    others = [each for each in held if each[0] is not Home.ANOTHER] or held
    return leading((signature, match) for _, signature, match in others)


def _holds(home: Home, signature: Signature, match: Recognised) -> bool:
    if home in (Home.OWN, Home.ANY):
        return True
    return match.is_own_text and not signature.refines


def leading(found: Iterable[tuple[Signature, T]]) -> list[tuple[Signature, T]]:
    """Of what fits, the best first: the best, and after it the best exact cause where that is
    none.
    """
    ordered = list(found)
    if not ordered or ordered[0][0].role is Role.CAUSE:
        return ordered[:1]
    causes = (
        (signature, match)
        for signature, match in ordered[1:]
        if signature.role is Role.CAUSE and match.kind is MatchKind.EXACT
    )
    return [ordered[0], *islice(causes, 1)]


def own_words(text: str, literals: str | None = None) -> int:
    """Words of a recognised text, the types of Python's own exceptions apart; where `literals`
    are given, those that stand in them as well.
    """
    words = _WORD.findall(_OF_PYTHON.sub("", text))
    if literals is None:
        return len(words)
    written = frozenset(_WORD.findall(literals))
    return sum(each in written for each in words)


def literals_of(regex: str) -> str:
    """What a regex has of words that stand in the texts that it fits, and little else."""
    return _SYNTAX.sub(" ", regex)
