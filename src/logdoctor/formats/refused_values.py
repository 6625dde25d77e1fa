"""Messages that refuse a value which they allow: refused_though_allowed.

Who reads such a message changes the setting back and forth: it is the check that is wrong, or the
value is another one than it looks.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MESSAGE_LIMIT = 4000
"""Characters of a message that are read."""

_QUOTED = r"(?:'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|“[^”\n]{1,80}”)"
_VALUE = rf"(?:{_QUOTED}|(?<![\w.])[\w./+-]{{1,80}}(?<!\.)(?=[\s.,;:)!]|$))"
_SEPARATOR = r"(?:,? (?:or|and) |, ?| ?[/|] ?|、|和|或)"


class RefusedRow(NamedTuple):
    """One way to say which value is refused, as the group `value`."""

    name: str
    expression: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...] = ()


ALLOWED = (
    r"(?P<is_choice>(?i:\bone of|\bchoose from|\bchoices(?: are)?|\beither|\bamong))"
    r"(?P<said>[^'\"`“\[({\n]{0,60})"
    rf"(?:[\[({{](?P<list>[^\])}}\n]{{1,600}})[\])}}]|(?P<items>{_QUOTED}(?:{_SEPARATOR}{_QUOTED})*))"
    r"|(?i:\b(?:must|should|has to|needs to) be\b|\bin\b"
    r"|\b(?:supported|allowed|available|valid|possible|known|expected|accepted|options)\b"
    r"|必须是|应为|可选|支持|允许)(?P<also_said>[^'\"`“\[({\n]{0,60})"
    rf"(?:[\[({{](?P<quoted_list>{_QUOTED}[^\])}}\n]{{0,600}})[\])}}]"
    rf"|(?P<quoted_items>{_QUOTED}(?:{_SEPARATOR}{_QUOTED})*))"
)
"""The values that a message allows; without quotes, and numbers, only where it says that one of
them is to be chosen: `in (0, 1]` and `(2, 3)` are no choice.
"""

REFUSED_ROWS = (
    RefusedRow(
        "what came",
        (
            r"(?i:\b(?:got|received|found|given|provided|passed|specified)\b)(?: (?:the )?value)?"
            rf"(?: instead)?[:=]? {{0,2}}(?P<value>{_VALUE})"
            rf"|(?i:\bbut (?:it )?(?:is|was)\b)[:=]? {{0,2}}(?P<also_value>{_QUOTED})"
            rf"|(?:但|而)?(?:得到|收到|传入|给出)(?:的是|了)?[:：]? {{0,2}}(?P<zh_value>{_VALUE})"
        ),
        (
            "ValueError: mode must be one of ['a', 'b'], got 'a'.",
            "vllm_mode must be either 'server' or 'colocate', got 'server'.",
            "precision should be one of [8, 16], but got 16",
            "Expected one of ('fsdp', 'ddp') but received fsdp",
            "mode 必须是 'a' 或 'b'，但得到 'a'",
        ),
        (
            "ValueError: mode must be one of ['a', 'b'], got 'c'.",
            "mode must be one of ['a', 'b'], got 'a '.",
            "expected shape (2, 3) but got 2",
            "p must be in (0, 1], got 1",
            "expected 3 values but got 3 more",
            "must be one of ['a.b', 'c'], got a",
        ),
    ),
    RefusedRow(
        "what is not one of them",
        (
            rf"(?P<value>{_QUOTED}),? (?:(?i:is|was) )?(?i:not (?:a |an |one |in |among "
            r"|found|valid|supported|allowed|available|recognized|known)|invalid|unsupported|unknown"
            r"|不(?:是|在|支持))"
            r"|(?i:\b(?:invalid|unsupported|unknown|unrecognized|illegal)) (?:[a-z_]+ ){0,3}?"
            rf"(?:[a-z_]+: ?)?(?P<also_value>{_QUOTED})"
        ),
        (
            "'sdpa' is not a valid backend; choose from ['eager', 'sdpa']",
            "argument --mode: invalid choice: 'a' (choose from 'a', 'b')",
            "Unknown backend 'nccl', available backends: ['gloo', 'nccl']",
        ),
        (
            "argument --mode: invalid choice: 'c' (choose from 'a', 'b')",
            "Unknown key 'data.size' in ['data', 'size']",
        ),
    ),
)


def refused_though_allowed(message: str) -> str | None:
    """The value that a message refuses, and names among those that it allows; None without."""
    text = message[:MESSAGE_LIMIT]
    for found in re.finditer(ALLOWED, text):
        told = (found[name] for name in ("list", "items", "quoted_list", "quoted_items"))
        allowed = {*_items(next(each for each in told if each))}
        rest = f"{text[: found.start()]}\n{text[found.end() :]}"
        for value in _refused(rest):
            if value in allowed:
                return value
    return None


def _refused(text: str) -> Iterator[str]:
    for row in REFUSED_ROWS:
        for found in re.finditer(row.expression, text):
            value = next(each for each in found.groupdict().values() if each)
            yield _bare(value)


def _items(told: str) -> Iterator[str]:
    quoted = re.findall(_QUOTED, told)
    yield from map(_bare, quoted or (each.strip() for each in re.split(_SEPARATOR, told)))


def _bare(value: str) -> str:
    return value[1:-1] if re.fullmatch(_QUOTED, value) else value
