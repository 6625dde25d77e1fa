"""What an option is: Option, the ways to make one, and how the texts of the command line are read.

Nothing here knows click, whose import takes as long as a whole start.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

Read = Callable[[str], T]
"""Makes a value of a text; raises ValueError with what was expected."""


class Option(Generic[T]):
    """A row of the table of options; on Arguments, the value that the user gave.

    Attributes:
        names: as the user writes it, the long name last.
        commands: those that have it.
        says: one sentence of help.
        default: the value where the user gives none.
        read: makes the value of one text; None for a flag, which takes none.
        metavar: how help names that text; empty for a flag.
        words: the texts that there are, where they are few.
        off: what switches a flag off; empty where nothing does.
        texts: how many texts make the value.
        is_repeatable: whether each time adds one value; else the last counts.
        is_required: whether a call without it is a mistake.
    """

    def __init__(
        self,
        names: str,
        commands: Sequence[str],
        says: str,
        default: Any,
        read: Read[Any] | None = None,
        **more: Any,
    ) -> None:
        self.names = tuple(names.split())
        self.commands = tuple(commands)
        self.says = says
        self.default = default
        self.read = read
        self.metavar: str = more.get("metavar", "")
        self.words: tuple[str, ...] = more.get("words", ())
        self.off: str = more.get("off", "")
        self.texts: int = more.get("texts", 1)
        self.is_repeatable: bool = more.get("is_repeatable", False)
        self.is_required: bool = more.get("is_required", False)
        self.field = ""

    def __set_name__(self, _: type, field: str) -> None:
        self.field = field

    @overload
    def __get__(self, arguments: None, _: type) -> Option[T]: ...
    @overload
    def __get__(self, arguments: Any, _: type) -> T: ...
    def __get__(self, arguments: Any, _: type) -> Option[T] | T:
        if arguments is None:
            return self
        value: T = arguments.given.get(self.field, self.default)
        return value


def flag(
    name: str, commands: Sequence[str], says: str, *, default: bool = False, off: str = ""
) -> Option[bool]:
    """An option that takes no text."""
    return Option(name, commands, says, default, off=off)


def choice(
    name: str, commands: Sequence[str], words: tuple[str, ...], default: str, says: str
) -> Option[str]:
    """An option that takes one of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f'"{text}"; expected one of {", ".join(words)}')
        return text

    return Option(name, commands, says, default, read, words=words, metavar=f"[{'|'.join(words)}]")


def value(
    name: str, commands: Sequence[str], metavar: str, read: Read[T], says: str
) -> Option[T | None]:
    """An option that takes a text."""
    return Option(name, commands, says, None, read, metavar=metavar)


def value_or(
    name: str, commands: Sequence[str], metavar: str, read: Read[T], says: str, *, default: T
) -> Option[T]:
    """An option that takes a text, with the value that is taken where none is given."""
    return Option(name, commands, says, default, read, metavar=metavar)


def required(
    name: str, commands: Sequence[str], metavar: str, read: Read[T], says: str
) -> Option[T]:
    """An option that must be given."""
    return Option(name, commands, says, None, read, metavar=metavar, is_required=True)


def values(
    name: str, commands: Sequence[str], metavar: str, read: Read[T], says: str
) -> Option[tuple[T, ...]]:
    """An option that takes a text each time that it is given."""
    return Option(name, commands, says, (), read, metavar=metavar, is_repeatable=True)


def pair(
    name: str, commands: Sequence[str], metavar: str, read: Read[T], says: str
) -> Option[tuple[T, T] | None]:
    """An option that takes two texts."""
    return Option(name, commands, says, None, read, metavar=metavar, texts=2)


def text(given: str) -> str:
    """Any text but an empty one, which comes of a variable of the shell that is not set."""
    if not given:
        raise ValueError("an empty text; leave the option out, or say what it is")
    return given


def file(given: str) -> str:
    """The name of a file to be written: of no folder."""
    if os.path.isdir(text(given)):
        raise ValueError(f'"{given}" is a folder; expected a file')
    return given


def url(given: str) -> str:
    """An address of the web."""
    if not given.startswith(("http://", "https://")):
        raise ValueError(f'"{given}" is no URL; expected http://… or https://…')
    from urllib.parse import urlsplit  # noqa: PLC0415  # hardly ever asked

    try:
        is_whole = bool(urlsplit(given).hostname) and urlsplit(given).port != 0
    except ValueError:
        is_whole = False
    if not is_whole:  # what it is might show a password
        raise ValueError("no URL: its host or its port cannot be read")
    return given


def receiver(given: str) -> str:
    """The address of a chat, or where it is kept: `env:NAME`, `file:PATH`."""
    if given.startswith(("env:", "file:")) and given.partition(":")[2]:
        return given
    if "://" not in given:  # what it is might be a token
        raise ValueError(
            "no address of a chat; expected SERVICE://…, https://…, env:NAME, file:PATH"
        )
    return given


def known_framework(given: str) -> str:
    """A framework that is known, in any letter case."""
    from logdoctor.formats.markers import FRAMEWORK_ORDER  # noqa: PLC0415  # hardly ever asked

    if given.lower() not in FRAMEWORK_ORDER:
        raise ValueError(f'"{given}" is unknown; expected one of {", ".join(FRAMEWORK_ORDER)}')
    return given.lower()


def framework_release(given: str) -> tuple[str, str | None]:
    """The name of a framework, and its release where one is given: `verl==0.9.1`."""
    name, equals, release = text(given).partition("==")
    if equals and not re.match(r"\d", release):
        raise ValueError(f'"{given}"; expected a name, or a name and its release as verl==0.9.1')
    return name.lower(), release or None


def gibibytes(given: str) -> float:
    """A number of GiB above 0."""
    found = _number(given.lower().removesuffix("gib").removesuffix("gb"), "GiB, as 80", 1e6)
    if not found:
        raise ValueError(f'"{given}"; expected GiB, as 80')
    return found


def count(given: str) -> int:
    """A whole number from 1."""
    if not re.fullmatch(r"[0-9]+", given) or not int(given):
        raise ValueError(f'"{given}"; expected a whole number, at least 1')
    return int(given)


def seconds(given: str) -> float:
    """A number of seconds, from 0."""
    return _number(given, "a number of seconds, at least 0", float("inf"))


def some_seconds(given: str) -> float:
    """A number of seconds above 0."""
    found = seconds(given)
    if not found:
        raise ValueError(f'"{given}"; expected a number of seconds above 0')
    return found


def share(given: str) -> float:
    """A number from 0 to 1."""
    return _number(given, "a number from 0 to 1", 1.0)


def size(given: str) -> int:
    """Bytes, in units that are powers of 1000."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)B?", given, re.IGNORECASE)
    if not found:
        raise ValueError(f'"{given}"; expected a number of bytes, as 500M, 20G or 1.5T')
    return int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " "))


def _number(given: str, expected: str, most: float) -> float:
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not 0 <= found <= most:  # what is not a number is neither
        raise ValueError(f'"{given}"; expected {expected}')
    return found
