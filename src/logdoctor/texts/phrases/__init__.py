"""What logdoctor itself says, in both languages: a module for each who speaks.

Texts of signatures are in their YAML; everything else that a person reads is here. Names in braces
are filled in.
"""

from __future__ import annotations

from collections.abc import Mapping

from logdoctor.model import Language, LocalText


class Phrase(LocalText):
    """A text of the program, in both languages."""

    __slots__ = ()

    def fill(self, **values: object) -> LocalText:
        """The text with its names filled in, in both languages: by a value that is in both, each
        in its own.
        """
        return LocalText(
            self.en.format(**_in(Language.EN, values)), self.zh.format(**_in(Language.ZH, values))
        )

    def say(self, language: Language, **values: object) -> str:
        """The text in one language with its names filled in."""
        return self.fill(**values).in_language(language)


def _in(language: Language, values: Mapping[str, object]) -> Mapping[str, object]:
    return {
        name: each.in_language(language) if isinstance(each, LocalText) else each
        for name, each in values.items()
    }
