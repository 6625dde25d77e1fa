"""An unknown message to the signatures that resemble it: Resemblance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from logdoctor.formats.error_lines import MAY_BE_TYPED
from logdoctor.model import SignatureDatabase
from logdoctor.patterns.templates import parse_template
from logdoctor.texts.masking import masked

NEAREST_KEPT = 3
"""How many are named."""

LEAST_SCORE = 65
"""Percent; below, nothing is gained by naming it."""


ANYBODYS = frozenset({"python", "system", "kernel"})
"""Components whose messages any program may pass on."""


LEAST_WORDS = 2
"""Words behind the type of an exception, by which a message resembles another."""

_WORD = r"[^\W\d_]{2,}"
_OF_THE_SYSTEM = r"\[Errno -?\d+\][^:'\"\n]*"
"""What the C library says of an error number: words that many unrelated messages have."""


class Resemblance:
    """Compares messages with the templates of a database."""

    def __init__(self, database: SignatureDatabase) -> None:
        self._database = database

    @cached_property
    def _choices(self) -> dict[tuple[str, str, str], str]:
        """Literal text by component, id and template; read when the first message is compared,
        for that takes longer than a scan.
        """
        return {
            (signature.component, signature.id, part.template): masked(
                " ".join(parse_template(part.template).literals)
            )
            for signature in self._database.signatures
            for pattern in signature.patterns
            for part in pattern.parts
            if part.template
        }

    def nearest(self, message: str, components: Iterable[str]) -> tuple[tuple[str, float], ...]:
        """Ids and scores in (0, 1] of the signatures of these components, and of those of nobody's
        own, whose templates share most words with the message, best first. What the system says
        of an error number does not count.
        """
        said = re.sub(_OF_THE_SYSTEM, " ", message[:1000])
        if len(re.findall(_WORD, re.sub(rf"^{MAY_BE_TYPED}", "", said))) < LEAST_WORDS:
            return ()
        # only unknown errors need it, and its import takes as long as a scan
        from rapidfuzz import fuzz, process  # noqa: PLC0415

        wanted = {each.replace("-", "_").lower() for each in components} | ANYBODYS
        choices = {key: text for key, text in self._choices.items() if key[0] in wanted}
        text = masked(said).lower()
        found = process.extract(
            text, choices, scorer=fuzz.token_set_ratio, score_cutoff=LEAST_SCORE, limit=20
        )
        best: dict[str, float] = {}
        for _, score, (_, signature_id, _) in found:
            best.setdefault(signature_id, round(score / 100, 3))
        return tuple(best.items())[:NEAREST_KEPT]
