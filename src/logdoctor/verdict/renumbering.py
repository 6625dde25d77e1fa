"""Findings in a source that was turned round, with the line numbers that the source has:
renumbered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logdoctor.model import Evidence, Findings
from logdoctor.texts.phrases import verdict as phrases


def renumbered(findings: Findings, turned: Mapping[str, Sequence[int]]) -> Findings:
    """The same findings; `turned` gives by source, for each line that was read, its number. Says
    that it was turned round.
    """

    def placed(evidence: Evidence) -> Evidence:
        numbers = turned.get(evidence.source)
        if numbers is None:
            return evidence
        line, end = numbers[evidence.line - 1], numbers[min(evidence.end_line, len(numbers)) - 1]
        context = tuple((numbers[number - 1], text) for number, text in evidence.context)
        return evidence._replace(line=line, end_line=max(line, end), context=context)

    def all_placed(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(map(placed, evidence))

    progress = findings.context.last_progress
    if progress and progress.source in turned:
        progress = progress._replace(line=turned[progress.source][progress.line - 1])
    return findings._replace(
        context=findings.context._replace(last_progress=progress),
        diagnoses=tuple(
            each._replace(evidence=all_placed(each.evidence)) for each in findings.diagnoses
        ),
        unknown_errors=tuple(
            each._replace(evidence=all_placed(each.evidence)) for each in findings.unknown_errors
        ),
        not_seen=(
            *findings.not_seen,
            *(phrases.NEWEST_FIRST.fill(source=source) for source in turned),
        ),
    )
