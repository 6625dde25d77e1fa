"""An unknown message to the signatures that resemble it: Resemblance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from logdoctor.formats.error_lines import MAY_BE_TYPED
from logdoctor.model import Signature, SignatureDatabase, Wording
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


def wording_of(signature: Signature) -> Wording:
    """What a signature says, as messages are compared with it."""
    templates = dict.fromkeys(
        part.template for pattern in signature.patterns for part in pattern.parts if part.template
    )
    return Wording(
        signature.id,
        tuple((each, masked(" ".join(parse_template(each).literals))) for each in templates),
    )


class Resemblance:
    """Compares messages with the templates of a database."""

    def __init__(self, database: SignatureDatabase) -> None:
        self._database = database
        self._choices: dict[frozenset[str], dict[tuple[str, str], str]] = {}  # by components

    def _choices_of(self, components: frozenset[str]) -> dict[tuple[str, str], str]:
        """Texts by id and template, of all signatures of these components in their order."""
        if components not in self._choices:
            database, by = self._database, self._database.directory.components
            wordings = (
                database.wordings[each]
                if database.wordings
                else wording_of(database.signatures[each])
                for each in sorted(chain.from_iterable(by.get(each, ()) for each in components))
            )
            self._choices[components] = {
                (id_, template): text for id_, texts in wordings for template, text in texts
            }
        return self._choices[components]

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

        wanted = ANYBODYS.union(each.replace("-", "_").lower() for each in components)
        text, choices = masked(said).lower(), self._choices_of(wanted)
        found = process.extract(
            text, choices, scorer=fuzz.token_set_ratio, score_cutoff=LEAST_SCORE, limit=20
        )
        best: dict[str, float] = {}
        for _, score, (signature_id, _) in found:
            best.setdefault(signature_id, round(score / 100, 3))
        return tuple(best.items())[:NEAREST_KEPT]
