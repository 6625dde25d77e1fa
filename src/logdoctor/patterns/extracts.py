"""Values read anywhere in an event, whatever recognised it: extracted, capture_names."""

import re
from collections.abc import Iterable, Mapping

from logdoctor.model import Extract, LogEvent
from logdoctor.patterns.templates import parse_template
from logdoctor.patterns.timed_search import prepare_search
from logdoctor.texts.masking import comparable

EXTRACT_LIMIT = 20000
"""Characters of a text that values are read in."""

EXTRACT_TIMEOUT_S = 0.2
"""Seconds after which a value that was not found yet counts as missing."""

_GROUP = re.compile(r"\(\?P?<([A-Za-z_]\w*)>")


def capture_names(template: str | None, regex: str | None) -> frozenset[str]:
    """Names of the slots of a template, or of the groups of a regex."""
    if template is not None:
        return frozenset(slot.name for slot in parse_template(template).slots)
    return frozenset(_GROUP.findall(regex or ""))


def extracted(extracts: Iterable[Extract], event: LogEvent) -> Mapping[str, str]:
    """The values that an event has, by name: each the first that is found in the message, else in
    all its lines, else where the message goes on below them.
    """
    values: dict[str, str] = {}
    texts = tuple(_texts(event))
    for each in extracts:
        for text, below in texts:
            found = _found(each, text)
            if found and not (below and _found(each, below)):
                values = {**found, **values}
                break
    return values


def _texts(event: LogEvent) -> Iterable[tuple[str, str]]:
    """Texts in comparable form, and what in each belongs to other lines by itself."""
    yield _comparable(event.message), ""
    yield _comparable(" ".join(line.text for line in event.lines)), ""
    if event.after and not event.is_traceback:
        below = " ".join(line.text.strip() for line in event.after)
        yield _comparable(f"{event.message} {below}"), _comparable(below)


def _comparable(text: str) -> str:
    return comparable(text[:EXTRACT_LIMIT])


def _found(extract: Extract, text: str) -> Mapping[str, str]:
    """To the letter: a value read from damaged words would be a guess. Of a text that is too long
    for the regex its beginning is read, where the message stands.
    """
    if extract.template is not None:
        comparison = parse_template(extract.template).compare(text, is_exact=True)
        return comparison.captures if comparison else {}
    pattern = extract.regex or ""
    is_ascii = text.isascii()
    if is_ascii and extract.soon:
        text = text[: extract.soon]
    length = len(text) if is_ascii else 0
    found, _ = prepare_search(pattern, length, extract.soon)(text, EXTRACT_TIMEOUT_S)
    return {name: value for name, value in found.groupdict().items() if value} if found else {}
