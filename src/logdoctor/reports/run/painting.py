"""How a report for a terminal is written: TextStyle, painted, Pen.

The colours are the eight that every terminal has, by ECMA-48; click would do the same, and its
import takes as long as a whole start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.model import Language, LocalText
from logdoctor.reports.run.layout import wrapped
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases.words import COLON

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36, "bright_white": 97}
_BOLD, _DIM, _RESET = 1, 2, "\x1b[0m"


class TextStyle(NamedTuple):
    """How it is written.

    Attributes:
        width: columns of the terminal.
        colour: whether to use colours.
        show_all: whether everything is shown in full.
        show_why: whether all reasons of everything found are shown, harmless things included.
        height: lines of the terminal, where the report goes to one; a longer report ends with its
            verdict.
    """

    language: Language = Language.EN
    width: int = 100
    colour: bool = False
    show_all: bool = False
    show_why: bool = False
    height: int | None = None

    @property
    def lists_harmless(self) -> bool:
        """Whether harmless things are named, not only counted."""
        return self.show_all or self.show_why


def painted(text: str, colour: str | None, style: TextStyle, *, bold: bool = False) -> str:
    """The text in that colour, where colours are wanted."""
    codes = [_COLOURS[colour]] if colour else []
    return _styled(text, [*codes, *([_BOLD] if bold else [])], style)


class Pen:
    """Writes lines in a style."""

    def __init__(self, style: TextStyle) -> None:
        self.style = style
        self.language = style.language

    def say(self, phrase: Phrase, **values: object) -> str:
        """A text of the program with its names filled in."""
        return phrase.say(self.language, **values)

    def read(self, text: LocalText) -> str:
        """A text in the language of the report."""
        return text.in_language(self.language)

    def label(self, phrase: Phrase) -> str:
        """A text with a colon behind it."""
        return self.say(phrase) + self.say(COLON)

    def heading(self, phrase: Phrase) -> str:
        """What stands above a section, or before it."""
        return self.paint(self.say(phrase), None, bold=True)

    def paint(self, text: str, colour: str | None, *, bold: bool = False) -> str:
        """The text in that colour, where colours are wanted."""
        return painted(text, colour, self.style, bold=bold)

    def dim(self, text: str) -> str:
        """The text as one that matters less."""
        return _styled(text, [_DIM], self.style)

    def prose(
        self, text: str, bullet: str = "", colour: str | None = None, *, dim: bool = False
    ) -> Iterator[str]:
        """The text in lines, two columns from the margin and below what its bullet takes."""
        first, rest = "  " + bullet, "  " + " " * len(bullet)
        for i, line in enumerate(wrapped(text, self.style.width - len(first))):
            yield (first if i == 0 else rest) + (
                self.dim(line) if dim else self.paint(line, colour)
            )


def _styled(text: str, codes: list[int], style: TextStyle) -> str:
    if not style.colour or not codes:
        return text
    return f"\x1b[{';'.join(map(str, codes))}m{text}{_RESET}"
