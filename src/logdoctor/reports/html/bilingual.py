"""Two JSON documents that differ in language only, as one: merged, Shelf."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def merged(english: Any, chinese: Any) -> Any:
    """The English document, with `{"en": …, "zh": …}` wherever the Chinese one has another text.

    Where the two differ in more than texts, the English document stands.
    """
    if english == chinese:
        return english
    if isinstance(english, str) and isinstance(chinese, str):
        return {"en": english, "zh": chinese}
    if isinstance(english, dict) and isinstance(chinese, dict):
        return {key: merged(value, chinese.get(key, value)) for key, value in english.items()}
    if isinstance(english, list) and isinstance(chinese, list) and len(english) == len(chinese):
        return [merged(one, other) for one, other in zip(english, chinese, strict=True)]
    return english


class Shelf:
    """Values that stand in many places of a document, kept once.

    Attributes:
        values: each once, in the order in which they came.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def put(self, value: Any) -> int:
        """The place of the value in `values`, from 0."""
        key = json.dumps(value, ensure_ascii=False, sort_keys=True)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]
