"""What logdoctor itself says, in both languages: a module for each who speaks.

Texts of signatures are in their YAML; everything else that a person reads is here. Names in braces
are filled in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from logdoctor.model import Language, LocalText

_SEAM_BEFORE = re.compile(r"(?<=[\u4e00-\u9fff])(?=\{(\w+)\})")
_SEAM_BEHIND = re.compile(r"(?<=\{)(\w+)\}(?=[\u4e00-\u9fff])")


class Phrase(LocalText):
    """A text of the program, in both languages."""

    __slots__ = ()

    def fill(self, **values: object) -> LocalText:
        """The text with its names filled in, in both languages: by a value that is in both, each
        in its own. A blank stands between a Chinese character of the text and a Latin word or a
        number that is filled in beside it.
        """
        chinese = _in(Language.ZH, values)
        return LocalText(
            self.en.format(**_in(Language.EN, values)), _spaced(self.zh, chinese).format(**chinese)
        )

    def say(self, language: Language, **values: object) -> str:
        """The text in one language with its names filled in."""
        return self.fill(**values).in_language(language)


def _in(language: Language, values: Mapping[str, object]) -> Mapping[str, object]:
    return {
        name: each.in_language(language) if isinstance(each, LocalText) else each
        for name, each in values.items()
    }


def _spaced(chinese: str, values: Mapping[str, object]) -> str:
    """A Chinese template with the blanks that these values need beside its own characters."""

    def before(seam: re.Match[str]) -> str:
        return " " if _is_latin(str(values.get(seam[1], ""))[:1]) else ""

    def behind(seam: re.Match[str]) -> str:
        return seam[0] + (" " if _is_latin(str(values.get(seam[1], ""))[-1:]) else "")

    return _SEAM_BEHIND.sub(behind, _SEAM_BEFORE.sub(before, chinese))


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalnum()
