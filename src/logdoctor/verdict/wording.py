"""A match to what is said of it: captures_of, Wording, wording_of."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from logdoctor.model import LocalText, LogEvent, Match, Signature
from logdoctor.patterns.extracts import extracted
from logdoctor.texts.filling import fill_both, tell_both

Cleaner = Callable[[Mapping[str, str], LogEvent], Mapping[str, str]]
"""Makes captures of an event fit to be shown."""


def captures_of(signature: Signature, match: Match, clean: Cleaner) -> Mapping[str, str]:
    """Values of a match, extracted ones among them."""
    return clean({**extracted(signature.extracts, match.event), **match.captures}, match.event)


class Wording(NamedTuple):
    """Captures, extracted ones among them, and title and cause with them filled in."""

    captures: Mapping[str, str]
    title: LocalText
    cause: LocalText


def wording_of(
    signature: Signature,
    matched: Signature,
    match: Match,
    facts: Mapping[str, str],
    clean: Cleaner,
) -> Wording:
    """What is said of a match of `matched`, in the place of which `signature` is shown; `facts`
    are what else is known of its event, and fill texts beside its captures.

    A title or cause of the best fitting pattern that has one goes before the signature's, unless a
    refinement has one of its own.
    """
    captures = captures_of(signature, match, clean)
    known = {**facts, **captures}
    named = {each.name: each for each in matched.patterns}
    fitting = [named[name] for name in match.patterns if name in named]
    titles = [each.title for each in fitting if each.title and signature.title == matched.title]
    causes = [each.cause for each in fitting if each.cause and signature.cause == matched.cause]
    return Wording(
        captures,
        fill_both((*titles, signature.title)[0], known),
        tell_both((*causes, signature.cause)[0], known),
    )
