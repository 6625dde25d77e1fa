"""How many findings of each kind a signature may still have: all_findings, over_budget, lowered.

The budget only falls: `lowered` never raises it. What is not in it is a fault, and so is every
finding of a kind that has been worked off.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from logdoctor.checks.finding import Finding, Kind
from logdoctor.checks.proofs import rivals_of
from logdoctor.checks.renderings import rendering_findings
from logdoctor.checks.rivals import rival_findings
from logdoctor.checks.wordings import foreign_keys, wording_findings
from logdoctor.errors import Fault
from logdoctor.model import Signature
from logdoctor.search.automaton import Automaton

BUDGET_FILE = "budget.json"
"""Beside the signatures: `{kind: {signature id: findings left}}`."""

WITH_BUDGET = frozenset({Kind.NO_EXAMPLE, Kind.PROSE_CONDITION})
"""Kinds of which some are still left; a finding of any other is a fault whatever the file says."""

Budget = Mapping[str, Mapping[str, int]]


def all_findings(automaton: Automaton, only: frozenset[str] | None = None) -> tuple[Finding, ...]:
    """Those of the signatures with these ids (all where None), by kind, then in the order of
    ids.
    """
    database = automaton.database
    among = rivals_of(automaton, only)
    found = [*rival_findings(automaton, among)]
    if only is None or any("." in key for each in among for key in _own_keys(each, only)):
        found += foreign_keys(database)
    for signature in among:
        if only is None or signature.id in only:
            found += wording_findings(signature, database)
            found += rendering_findings(signature, automaton)
    wanted = [each for each in found if only is None or each.signature_id in only]
    return tuple(sorted(wanted, key=lambda each: (each.kind.value, each.signature_id)))


def _own_keys(signature: Signature, only: frozenset[str]) -> Iterator[str]:
    """The keys that it sets, where it is one of these."""
    for remedy in signature.remedies if signature.id in only else ():
        yield from remedy.settings


def read_budget(folder: Path) -> Budget:
    """The budget of a folder of signatures; empty where it has none."""
    file = folder / BUDGET_FILE
    if not file.is_file():
        return {}
    budget: Budget = json.loads(file.read_text(encoding="utf-8"))
    return budget


def over_budget(findings: Iterable[Finding], budget: Budget) -> tuple[Fault, ...]:
    """The findings of signatures that have more of a kind than they may, in their order."""
    found = tuple(findings)
    counts = _counts(found)
    return tuple(
        each.fault
        for each in found
        if each.kind not in WITH_BUDGET
        or counts[each.kind.value, each.signature_id]
        > budget.get(each.kind.value, {}).get(each.signature_id, 0)
    )


def lowered(findings: Iterable[Finding], budget: Budget) -> Budget:
    """The budget without what is no longer found."""
    counts = _counts(findings)
    rows = {
        kind: {
            signature_id: min(left, counts[kind, signature_id])
            for signature_id, left in sorted(of_kind.items())
            if counts[kind, signature_id]
        }
        for kind, of_kind in sorted(budget.items())
    }
    return {kind: of_kind for kind, of_kind in rows.items() if of_kind}


def counted(findings: Iterable[Finding]) -> Budget:
    """The budget that these would just keep."""
    rows: dict[str, dict[str, int]] = {}
    for (kind, signature_id), count in sorted(_counts(findings).items()):
        rows.setdefault(kind, {})[signature_id] = count
    return rows


def _counts(findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
    return Counter((each.kind.value, each.signature_id) for each in findings)
