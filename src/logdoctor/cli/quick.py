"""The common calls without click: plain_scan, plain_run.

Importing click takes as long as a whole start. So a plain `logdoctor scan` and a plain `logdoctor
run` are read here, by a table; whatever is not plain (help, an abbreviation, a mistake, another
command) is left to click, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logdoctor.cli.arguments import CHOICES, FAIL_FAST, RunArguments, ScanArguments, SideArguments

_FIELDS = {"--format": "form", "--lang": "lang", "--fail-on": "fail_on", "--color": "color"}
_FLAGS: Mapping[str, tuple[str, bool]] = {
    "--all": ("show_all", True),
    "--why": ("why", True),
    "--redact": ("redact", True),
    "--no-redact": ("redact", False),
}


def plain_scan(words: Sequence[str]) -> ScanArguments | None:
    """The arguments of a plain scan; None for anything that click should read."""
    if not words or words[0] != "scan":
        return None
    given: dict[str, Any] = {}
    sources = []
    rest = iter(words[1:])
    for word in rest:
        if _read_shared(word, rest, given):
            continue
        if word == "--jobs":
            number = next(rest, "")
            if not number.isascii() or not number.isdigit() or int(number) < 1:
                return None
            given["jobs"] = int(number)
        elif word.startswith("-") and word != "-":
            return None
        else:
            sources.append(word)
    return ScanArguments(tuple(sources), **given)


def plain_run(words: Sequence[str]) -> RunArguments | None:
    """The arguments of a plain run, whose command stands behind `--`; None for anything that
    click should read.
    """
    if not words or words[0] != "run" or "--" not in words[:-1]:
        return None
    begin = words.index("--")
    given: dict[str, Any] = {}
    log, fail_fast = None, FAIL_FAST[-1]
    rest = iter(words[1:begin])
    for word in rest:
        if _read_shared(word, rest, given):
            continue
        name, equals, value = word.partition("=")
        value = value if equals else next(rest, "")
        if name == "--log" and value:
            log = value
        elif name == "--fail-fast" and value in FAIL_FAST:
            fail_fast = value
        else:
            return None
    return RunArguments(
        tuple(words[begin + 1 :]), SideArguments(ScanArguments(**given), fail_fast), log
    )


def _read_shared(word: str, rest: Iterator[str], given: dict[str, Any]) -> bool:
    """Reads an option that both have, with its value; False where the word is none, or its value
    is unknown.
    """
    if word in _FLAGS:
        field, is_set = _FLAGS[word]
        given[field] = is_set
        return True
    name, equals, value = word.partition("=")
    if name not in CHOICES:
        return False
    value = value if equals else next(rest, "")
    given[_FIELDS[name]] = value
    return value in CHOICES[name]
