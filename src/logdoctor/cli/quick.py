"""The common calls without click: plain_arguments.

Importing click takes as long as a whole start. So a plain `logdoctor scan`, `check` or `run` is
read here, by the table of options; whatever is not plain (help, an abbreviation, a mistake, another
command) is left to click, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from logdoctor.cli.kinds import Option
from logdoctor.cli.options import Arguments, options_of


def plain_arguments(command: str, words: Sequence[str]) -> Arguments | None:
    """The arguments of a plain call of `scan` or `check`, or of `run` with its command behind
    `--`; None for anything that click should read.
    """
    if list(words[:1]) != [command]:
        return None
    own, behind = words[1:], None
    if command == "run":
        if "--" not in words[:-1]:
            return None
        begin = words.index("--")
        own, behind = words[1:begin], tuple(words[begin + 1 :])
    options = {name: each for each in options_of(command) for name in (*each.names, each.off)}
    given: dict[str, Any] = {}
    operands = []
    rest = iter(own)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        try:
            _read(word, rest, options, given)
        except (ValueError, LookupError):
            return None
    if behind is not None and operands:
        return None
    return Arguments(tuple(operands) if behind is None else behind, **given)


def _read(
    word: str, rest: Iterator[str], options: dict[str, Option[Any]], given: dict[str, Any]
) -> None:
    """Reads an option with the texts that it takes.

    Raises:
        ValueError, LookupError: it is unknown, or not as its row says.
    """
    name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
    option = options[name]
    if option.read is None:
        if equals:
            raise ValueError(word)
        given[option.field] = name != option.off
        return
    texts = [text] if equals else []
    texts += [next(rest, "") for _ in range(option.texts - len(texts))]
    read = tuple(map(option.read, texts))
    if option.is_repeatable:
        given[option.field] = (*given.get(option.field, ()), *read)
    else:
        given[option.field] = read if option.texts > 1 else read[0]
