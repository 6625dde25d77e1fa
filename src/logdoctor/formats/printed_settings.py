"""Printed configuration to keys and values: read_settings.

As YAML and dicts print it (`key: value`), dataclasses and hydra (`key=value`), JSON (`"key":
value`), Megatron's list of arguments (`key ..... value`), rich's tables (`│ key │ value │`), and
command lines (`--key value`, `--key`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_ADVICE = (
    r"(?:\b[Tt]ry (?:to set|setting|passing|adding|using|with)|\b[Ss]et(?:ting)?"
    r"|\b[Pp]ass(?:ing)?|\b[Uu]s(?:e|ing)|\b[Cc]onsider|\b[Ss]pecify(?:ing)?"
    r"|\b[Aa]dd(?:ing)?)"
    r"(?: the)?(?: environment variable| argument| flag| option)?[ `'\"(]{1,3}(?:--)?$"
)
_SECOND_FLAG = r"(?:^|\s)--?[A-Za-z]\w"
_OF_A_PATH = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-"
PATH_LENGTH = 800
"""Characters before a key's name in which its path is looked for."""

_FLAGS_NEEDED = 2
"""Flags in a line from which it is a command line, so that one without a value is switched on."""


def searched_setting(key: str) -> str:
    """A regex, for Hyperscan too, that fits wherever `read_settings` may find a key."""
    name = _flexible(key)
    between = r"[:=-]|[ \t]\.{3}|[ \t]{1,80}(?:\||\xe2\x94\x82|\xe2\x94\x83)"
    as_key = rf"""{name}\b['"]?(?: \([a-z]+\))?[ \t]{{0,8}}(?:{between})"""
    return rf"{as_key}|--[\w.-]{{0,80}}{name}\b"


def read_settings(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Key (with what is printed of its path) and value of each place that says how the run is
    configured; advice does not.

    `name` is the last part of the key's path.
    """
    flat, name = text.replace("-", "_"), name.replace("-", "_")
    place = flat.find(name)
    while place >= 0:
        start, end = place, place + len(name)
        place = flat.find(name, start + 1)
        before = (
            None
            if _is_of_a_word(text[end : end + 1])
            else _before().search(text, _path_start(text, start), start + 1)
        )
        told = before and _value_after(is_flag=before["flag"] is not None).match(text, end)
        if before and told:
            value = told["value"] or told["argument"] or _switched_on(text)
            if value and not re.search(_ADVICE, text[max(0, before.start() - 60) : before.start()]):
                yield (
                    (before["path"] + text[start:end]).lstrip("+-").replace("-", "_"),
                    value.strip("'\""),
                )
            place = flat.find(name, told.end())


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _path_start(text: str, place: int) -> int:
    """Where what may be the path of a name begins that stands there."""
    first = max(0, place - PATH_LENGTH)
    return first + len(text[first:place].rstrip(_OF_A_PATH))


def _switched_on(text: str) -> str | None:
    return "True" if len(re.findall(_SECOND_FLAG, text)) >= _FLAGS_NEEDED else None


@cache
def _before() -> re.Pattern[str]:
    """What stands before the name of a key that may be set, up to its first character. One for
    all keys: they take long to compile.
    """
    return re.compile(
        r"(?<![\w.\[-])(?P<flag>--?(?=[A-Za-z]))?(?P<path>\+{0,2}(?:[\w-]{1,60}\.){0,12})(?s:.)\Z"
    )


@cache
def _value_after(*, is_flag: bool) -> re.Pattern[str]:
    """What follows a key that is set; a flag may also have its value after a blank, or none."""
    value = r"'[^']*'|\"[^\"]*\"|[^\s,'\"}\])│┃|]+"
    argument = rf"[ \t]{{1,8}}(?P<argument>(?!-|\\)(?:{value}))|(?=\s*(?:\\\s*)?$|\s+--)"
    return re.compile(
        r"['\"]?(?: \([a-z]+\))?"
        rf"(?:(?:[ \t]{{0,8}}[:=][ \t]{{0,8}}|[ \t]{{0,8}}->?[ \t]{{1,8}}|[ "
        rf"\t]{{1,60}}\.{{3,80}}[ \t]{{1,8}}|[ \t]{{1,80}}[│┃|][ "
        rf"\t]{{1,8}})(?P<value>{value})"
        rf"|{argument if is_flag else '(?P<argument>(?!))'})"
    )


def _flexible(key: str) -> str:
    return "[_-]".join(map(re.escape, key.split("_")))
