"""Printed configuration to keys and values: read_settings.

As YAML and dicts print it (`key: value`), dataclasses and hydra (`key=value`), JSON (`"key": value`), Megatron's list of
arguments (`key ..... value`), rich's tables (`│ key │ value │`), and command lines (`--key value`, `--key`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ADVICE = re.compile(
    r"(?:\b[Tt]ry (?:to set|setting|passing|adding|using|with)|\b[Ss]et(?:ting)?|\b[Pp]ass(?:ing)?|\b[Uu]s(?:e|ing)|\b[Cc]onsider|\b[Ss]pecify(?:ing)?|\b[Aa]dd(?:ing)?)"
    r"(?: the)?(?: environment variable| argument| flag| option)?[ `'\"(]{1,3}(?:--)?$"
)
_SECOND_FLAG = re.compile(r"(?:^|\s)--?[A-Za-z]\w")
_FLAGS_NEEDED = 2
"""Flags in a line from which it is a command line, so that one without a value is switched on."""


def searched_setting(key: str) -> str:
    """A regex, for Hyperscan too, that fits wherever `read_settings` may find a key."""
    name = _flexible(key)
    return (
        rf"""{name}\b['"]?(?: \([a-z]+\))?[ \t]{{0,8}}(?:[:=-]|[ \t]\.{{3}}|[ \t]{{1,80}}(?:\||\xe2\x94\x82|\xe2\x94\x83))|--[\w.-]{{0,80}}{name}\b"""
    )


def setting_regex(key: str) -> re.Pattern[str]:
    """What a key, by the last part of its path, is found by in a line."""
    name = _flexible(key.rsplit(".", 1)[-1])
    value = r"'[^']*'|\"[^\"]*\"|[^\s,'\"}\])│┃|]+"
    return re.compile(
        rf"(?<![\w.\[-])(?P<flag>--?(?=[A-Za-z]))?(?P<key>\+{{0,2}}(?:[\w-]{{1,60}}\.){{0,12}}{name})\b['\"]?(?: \([a-z]+\))?"
        rf"(?:(?:[ \t]{{0,8}}[:=][ \t]{{0,8}}|[ \t]{{0,8}}->?[ \t]{{1,8}}|[ \t]{{1,60}}\.{{3,80}}[ \t]{{1,8}}|[ \t]{{1,80}}[│┃|][ \t]{{1,8}})(?P<value>{value})"
        rf"|(?(flag)[ \t]{{1,8}}(?P<argument>(?!-|\\)(?:{value}))|(?!))|(?(flag)(?P<switch>(?=\s*(?:\\\s*)?$|\s+--))|(?!)))"
    )


def read_settings(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Key (with what is printed of its path) and value of each place that says how the run is configured; advice does not."""
    for found in pattern.finditer(text):
        value = found["value"] or found["argument"]
        if value is None:
            if len(_SECOND_FLAG.findall(text)) < _FLAGS_NEEDED:
                continue
            value = "True"
        if not _ADVICE.search(text[max(0, found.start() - 60) : found.start()]):
            yield found["key"].lstrip("+-").replace("-", "_"), value.strip("'\"")


def _flexible(key: str) -> str:
    return "[_-]".join(map(re.escape, key.split("_")))
