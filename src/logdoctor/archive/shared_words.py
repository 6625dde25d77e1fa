"""What texts of one kind have in common: shared_words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from logdoctor.texts.filling import LEFT_OUT

_WORD = re.compile(r"\s*(?:[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]|[!-\u2fff]+)")
"""With the blanks before it; Chinese has none between words, so each character counts as one."""


def shared_words(one: str, other: str) -> str:
    """The words of both in their order, and `LEFT_OUT` in place of those that differ; the first as
    it is where less than half of its words are in the other too.
    """
    words, others = _WORD.findall(one), _WORD.findall(other)
    said, shared = "", 0
    for tag, start, stop, begin, end in SequenceMatcher(None, words, others, False).get_opcodes():
        if tag == "equal":
            said += "".join(words[start:stop])
            shared += stop - start
        elif not said.endswith(LEFT_OUT):
            gone = words[start:stop] or others[begin:end]
            said += f" {LEFT_OUT}" if gone[0][0].isspace() else LEFT_OUT
    return said if 2 * shared >= len(words) else one
