"""Printed configuration to keys and values: read_settings.

As YAML and dicts print it (`key: value`), dataclasses and hydra (`key=value`), JSON (`"key": value`), Megatron's list of
arguments (`key ..... value`), rich's tables (`│ key │ value │`), and command lines (`--key value`, `--key`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_ADVICE = (
    r"(?:\b[Tt]ry (?:to set|setting|passing|adding|using|with)|\b[Ss]et(?:ting)?|\b[Pp]ass(?:ing)?|\b[Uu]s(?:e|ing)|\b[Cc]onsider|\b[Ss]pecify(?:ing)?|\b[Aa]dd(?:ing)?)"
    r"(?: the)?(?: environment variable| argument| flag| option)?[ `'\"(]{1,3}(?:--)?$"
)
_SECOND_FLAG = r"(?:^|\s)--?[A-Za-z]\w"
_FLAGS_NEEDED = 2
"""Flags in a line from which it is a command line, so that one without a value is switched on."""


def searched_setting(key: str) -> str:
    """A regex, for Hyperscan too, that fits wherever `read_settings` may find a key."""
    name = _flexible(key)
    return (
        rf"""{name}\b['"]?(?: \([a-z]+\))?[ \t]{{0,8}}(?:[:=-]|[ \t]\.{{3}}|[ \t]{{1,80}}(?:\||\xe2\x94\x82|\xe2\x94\x83))|--[\w.-]{{0,80}}{name}\b"""
    )


def setting_regex(key: str) -> re.Pattern[str]:
    """What a key, by the last part of its path, is found by in a line; whether a value follows, `read_settings` sees."""
    return re.compile(rf"(?<![\w.\[-])(?P<flag>--?(?=[A-Za-z]))?(?P<key>\+{{0,2}}(?:[\w-]{{1,60}}\.){{0,12}}{_flexible(key.rsplit('.', 1)[-1])})\b")


def read_settings(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Key (with what is printed of its path) and value of each place that says how the run is configured; advice does not."""
    found = pattern.search(text)
    while found:
        told = _value_after(is_flag=found["flag"] is not None).match(text, found.end())
        if told:
            value = told["value"] or told["argument"] or _switched_on(text)
            if value and not re.search(_ADVICE, text[max(0, found.start() - 60) : found.start()]):
                yield found["key"].lstrip("+-").replace("-", "_"), value.strip("'\"")
        found = pattern.search(text, told.end() if told else found.start() + 1)


def _switched_on(text: str) -> str | None:
    return "True" if len(re.findall(_SECOND_FLAG, text)) >= _FLAGS_NEEDED else None


@cache
def _value_after(*, is_flag: bool) -> re.Pattern[str]:
    """What follows a key that is set; a flag may also have its value after a blank, or none. One for all keys: they take long to compile."""
    value = r"'[^']*'|\"[^\"]*\"|[^\s,'\"}\])│┃|]+"
    argument = rf"[ \t]{{1,8}}(?P<argument>(?!-|\\)(?:{value}))|(?=\s*(?:\\\s*)?$|\s+--)"
    return re.compile(
        r"['\"]?(?: \([a-z]+\))?"
        rf"(?:(?:[ \t]{{0,8}}[:=][ \t]{{0,8}}|[ \t]{{0,8}}->?[ \t]{{1,8}}|[ \t]{{1,60}}\.{{3,80}}[ \t]{{1,8}}|[ \t]{{1,80}}[│┃|][ \t]{{1,8}})(?P<value>{value})"
        rf"|{argument if is_flag else '(?P<argument>(?!))'})"
    )


def _flexible(key: str) -> str:
    return "[_-]".join(map(re.escape, key.split("_")))
