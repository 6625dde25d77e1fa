"""Texts to Markdown that shows them as they are: inline, prose, cell, code_block, numbered,
details.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from logdoctor.model import Language
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import COLON

_CODE = re.compile(r"`[^`\n]+`")
_SPECIAL = re.compile(r"[\\*\[\]~$|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def inline(text: str) -> str:
    """Text of a log within a line: nothing in it is markup."""
    return (
        text.replace("\\", "\\\\")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace("`", "\\`")
        .replace("*", "\\*")
        .replace("[", "\\[")
    )


def prose(text: str) -> str:
    """A text of a signature: what it has between backticks is code, nothing else is markup."""
    pieces, end = [], 0
    for code in _CODE.finditer(text):
        pieces += [_escaped(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*pieces, _escaped(text[end:])])


def _escaped(text: str) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace("`", "\\`")


def cell(text: str) -> str:
    """A text of a signature in a cell of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", prose(text)).replace("\n", " ")


def code_block(text: str) -> str:
    """The text as a code block that no text in it can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def details(
    settings: Mapping[str, str], check: str, risk: str, reference: str | None, language: Language
) -> Iterator[str]:
    """What belongs to a remedy, an item each; `check` is Markdown already."""
    colon = COLON.say(language)
    yield from (f"{phrases.SET.say(language)} `{key}: {value}`" for key, value in settings.items())
    yield f"{phrases.CHECK.say(language)}{colon}{check}"
    yield f"{phrases.RISK.say(language)}{colon}{risk}"
    if reference:
        yield f"<{reference}>"


def numbered(number: int, text: str, items: Iterable[str]) -> Iterator[str]:
    """An item of a numbered list, with a list below it."""
    yield f"{number}. {text}"
    yield from (f"{' ' * len(f'{number}. ')}- {item}" for item in items)
