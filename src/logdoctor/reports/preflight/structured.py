"""Judgements to JSON: render_json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from logdoctor.model import Language, Severity
from logdoctor.relations.relation import Judgement, PhaseMemory, Violation
from logdoctor.relations.wording import shown
from logdoctor.reports.preflight.text import Checked, bounds
from logdoctor.settings.configuration import Problem
from logdoctor.texts.secrets import redacted

SCHEMA_VERSION = 1


def render_json(
    checked: Sequence[Checked], unreadable: Sequence[Problem], language: Language
) -> str:
    """One document for all configurations, indented, with a line end."""
    judgements = [each.judgement for each in checked]
    frameworks = {each.framework for each in judgements if each.framework}
    document = {
        "schema_version": SCHEMA_VERSION,
        "framework": frameworks.pop() if len(frameworks) == 1 else None,
        "read": _read(checked, unreadable),
        "violations": [
            _violation(violation, each, language)
            for each in judgements
            for violation in each.violations
        ],
        "not_judged": [
            {"relation_id": unjudged.relation.id, "missing": list(unjudged.missing)}
            for each in judgements
            for unjudged in each.not_judged
        ],
        "judged": sum(each.judged for each in judgements),
    }
    memory = [_memory(each) for judgement in judgements for each in judgement.memory]
    if memory:
        document["memory"] = memory
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _read(checked: Sequence[Checked], unreadable: Sequence[Problem]) -> list[dict[str, Any]]:
    problems: dict[str, str | None] = {}
    for each in checked:
        told = [
            f"line {problem.place.line}: {problem.what}" if problem.place.line else problem.what
            for problem in each.configuration.problems
        ]
        problems[each.configuration.name] = "; ".join(dict.fromkeys(told)) or None
    for problem in unreadable:
        problems[problem.place.source] = problem.what
    return [{"file": name, "problem": problem} for name, problem in problems.items()]


def _memory(memory: PhaseMemory) -> dict[str, Any]:
    least, most = bounds(memory)
    return {
        "phase": memory.phase,
        "gib": {name.lstrip("@"): round(each, 2) for name, each in memory.gib.items()},
        "least": round(least, 2),
        "most": round(most, 2),
        "available": memory.there,
        "dominant": memory.most.lstrip("@"),
        "settings": {each.key: redacted(shown(each.value)) for each in memory.settings},
    }


def _violation(violation: Violation, judgement: Judgement, language: Language) -> dict[str, Any]:
    relation, at = violation.relation, violation.at
    return {
        "relation_id": relation.id,
        "title": relation.title.in_language(language),
        "severity": "warning" if relation.severity is Severity.WARNING else "error",
        "settings": {each.key: redacted(shown(each.value)) for each in violation.settings},
        "why": redacted(
            f"{violation.because.in_language(language)}. {relation.why.in_language(language)}"
        ),
        "suggestions": [
            {"key": each.key, "value": shown(each.value)} for each in violation.suggestions
        ],
        "signature_id": relation.signature_id,
        "at": {"file": at.source if at else judgement.name, "line": at.line if at else 0},
        "source": {"file": relation.origin.file, "line": relation.origin.line},
    }
