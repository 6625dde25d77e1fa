"""The common call without click: plain_scan.

Importing click takes as long as a whole start. So a plain `logdoctor scan` is read here, by a table; whatever is not
plain (help, an abbreviation, a mistake, another command) is left to click, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from logdoctor.cli.scanning import CHOICES, ScanArguments

_FIELDS = {"--format": "form", "--lang": "lang", "--fail-on": "fail_on", "--color": "color"}
_FLAGS: Mapping[str, tuple[str, bool]] = {"--all": ("show_all", True), "--redact": ("redact", True), "--no-redact": ("redact", False)}


def plain_scan(words: Sequence[str]) -> ScanArguments | None:
    """The arguments of a plain scan; None for anything that click should read."""
    if not words or words[0] != "scan":
        return None
    given: dict[str, Any] = {}
    sources = []
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if word in _FLAGS:
            field, is_set = _FLAGS[word]
            given[field] = is_set
        elif name in CHOICES:
            value = value if equals else next(rest, "")
            if value not in CHOICES[name]:
                return None
            given[_FIELDS[name]] = value
        elif word == "--jobs":
            number = next(rest, "")
            if not number.isascii() or not number.isdigit() or int(number) < 1:
                return None
            given["jobs"] = int(number)
        elif word.startswith("-") and word != "-":
            return None
        else:
            sources.append(word)
    return ScanArguments(tuple(sources), **given)
