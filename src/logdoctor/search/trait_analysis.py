"""Parts of patterns to what is known of them before any text is seen: traits_of."""

import math
import re
from collections.abc import Iterable

from logdoctor.model import Part, Signature, Where
from logdoctor.patterns.digits import has_digits
from logdoctor.patterns.regex_trees import longest_match, mandatory_literals
from logdoctor.patterns.templates import EDIT_COST, ascii_literals, grams, parse_template
from logdoctor.search.traits import REGEX_WEIGHT_LIMIT, Need, TextNeed, Traits, as_text

TEMPLATE_SHARE, REGEX_SHARE = 0.5, 0.9
"""Share of a pattern's grams that a line worth reading has; a regex fits to the letter."""

DAMAGED_SHARE = 0.1
"""Share of a template's literal characters that may be damaged, each in another gram: as many as
are ever guaranteed.
"""

WRAPPED_SHARE = 0.25
"""A line with this share is worth reading where the pattern may go on in the next."""

REACH_FACTOR, REACH_LEAST = 2, 64
"""Bytes of a line that a character of its comparable text may take, and how many more: colours,
blanks, letters of more than one byte.
"""

LEAST_LITERAL = 2
"""Characters of a literal of a regex that is looked for: shorter ones are in every text."""

_NO_DIGIT = re.compile(r"\D+")


def traits_of(signature: Signature, pattern: int, part: Part) -> Traits:
    """The traits of a part of the signature's pattern with that number, from 0."""
    template = parse_template(part.template) if part.template else None
    return Traits(
        line=_line_need(signature, pattern, part),
        text=_text_need(part),
        weight=template.length if template else REGEX_WEIGHT_LIMIT,
        can_be_damaged=bool(template and template.allowance),
        is_regex=template is None,
        is_digit_blind=not any(map(has_digits, (part, *signature.excludes))),
    )


def _line_need(signature: Signature, pattern: int, part: Part) -> Need:
    need = _template_need(part.template) if part.template else _regex_need(part)
    if len(signature.patterns[pattern].parts) > 1:
        return need._replace(most=math.inf)
    is_plain = not (signature.is_general or signature.excludes or signature.refines)
    return need._replace(outdoes=need.most + EDIT_COST if is_plain and need.text else 0)


def _regex_need(part: Part) -> Need:
    literals, choices = mandatory_literals(part.regex or "")
    found = _as_texts(grams(each.lower() for each in literals))
    choices = () if part.where is Where.FRAME else choices  # a frame has two lines
    return Need(
        found,
        REGEX_SHARE * len(found),
        WRAPPED_SHARE * len(found),
        choices=tuple(_as_texts(map(str.lower, each)) for each in choices),
        reach=_reach(longest_match(part.regex or "")),
    )


def _template_need(text: str) -> Need:
    template = parse_template(text)
    damaged = max(1, int(DAMAGED_SHARE * template.length))
    found = _as_texts(grams(template.literals))
    # short words: with what stands between them there are more
    if TEMPLATE_SHARE * len(found) > len(found) - damaged:
        found = _as_texts(
            run[i : i + 3]
            for literal in template.literals
            for run in _NO_DIGIT.findall(literal)
            for i in range(0, len(run) - 2, 3)
        )
    whole = None if template.slots else as_text(template.literals[0].encode())
    least = min(TEMPLATE_SHARE * len(found), len(found) - damaged)
    return Need(
        found,
        least,
        WRAPPED_SHARE * len(found),
        whole,
        most=template.length - EDIT_COST,
        reach=_reach(template.longest),
    )


def _reach(characters: float) -> float:
    """Bytes within which so many characters stand in a line."""
    return REACH_FACTOR * characters + REACH_LEAST


def _as_texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(as_text(each.encode()) for each in texts))


def _text_need(part: Part) -> TextNeed:
    if part.template:
        return TextNeed(
            part.where.value, ascii_literals(parse_template(part.template).literals), ()
        )
    literals, choices = mandatory_literals(part.regex or "")
    told = tuple(
        tuple(each.lower() for each in choice)
        for choice in choices
        if all(map(str.isascii, choice))
    )
    return TextNeed(
        part.where.value,
        tuple(each for each in ascii_literals(literals) if len(each) >= LEAST_LITERAL),
        told,
    )
