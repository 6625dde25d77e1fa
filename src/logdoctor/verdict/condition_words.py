"""Conditions of remedies in words: compared, value_of, Names.

No reader is shown the name of a capture: a label of its signature stands for it, or the condition
is told without it.
"""

import re
from collections.abc import Mapping, Sequence

from logdoctor.model import LocalText
from logdoctor.signatures import conditions
from logdoctor.texts.filling import placeholders
from logdoctor.texts.phrases import verdict as phrases

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_OR = LocalText(" or ", "或")


class Names:
    """What captures are called, and what they hold."""

    def __init__(self, labels: Mapping[str, LocalText], captures: Mapping[str, str]) -> None:
        self._labels = {**phrases.FACT_NAMES, **labels}
        self._captures = captures

    def of(self, name: str) -> LocalText | None:
        """The label of a capture; None where it has none."""
        return self._labels.get(name)

    def condition(
        self, label: LocalText | None, wanted: Sequence[str], words: Mapping[str, LocalText]
    ) -> LocalText | None:
        """A condition on what has this label; None where that, or a capture that it is compared
        with, has none.
        """
        asked = frozenset[str]().union(*map(placeholders, wanted))
        if label is None or not all(each in self._captures or self.of(each) for each in asked):
            return None
        return compared(label, [self._operands(each) for each in wanted], words)

    def _operands(self, comparison: str) -> LocalText:
        def told(found: re.Match[str], language: str) -> str:
            label = self.of(found[1])
            value = self._captures.get(found[1])
            return value or (str(getattr(label, language)) if label else found[0])

        return LocalText(
            _PLACEHOLDER.sub(lambda found: told(found, "en"), comparison),
            re.sub(
                conditions.SHARE,
                r"\2 的 \1%",
                _PLACEHOLDER.sub(lambda found: told(found, "zh"), comparison),
            ),
        )


def compared(
    name: LocalText, wanted: Sequence[LocalText], words: Mapping[str, LocalText]
) -> LocalText:
    """Comparisons, of which any one is to hold, in both languages (`words` as in
    `COMPARISON_WORDS`).
    """
    return LocalText(
        _OR.en.join(_one(name.en, each.en, words, "en") for each in wanted),
        _OR.zh.join(_one(name.zh, each.zh, words, "zh") for each in wanted),
    )


def plain(name: str, wanted: Sequence[str], words: Mapping[str, LocalText]) -> LocalText:
    """The same of what readers type themselves: a key, a package."""
    return compared(LocalText(name, name), [LocalText(each, each) for each in wanted], words)


def _one(name: str, comparison: str, words: Mapping[str, LocalText], language: str) -> str:
    operator, operand = conditions.split(comparison)
    said: str = getattr(words[operator], language)
    if not name[-1:].isascii():
        said = said.replace("{name} ", "{name}")
    return said.format(name=name, value=operand or getattr(phrases.NO_VALUE, language))
