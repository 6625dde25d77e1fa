"""Signatures and rules as plain data, in one language: signature_row, rule_row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from logdoctor.model import Language, Remedy, Signature
from logdoctor.verdict.rule import Rule


def signature_row(signature: Signature, language: Language) -> dict[str, Any]:
    """All that a signature tells a reader; names in braces are captures, filled in by a scan."""
    return {
        "signature_id": signature.id,
        "title": signature.title.in_language(language),
        "component": signature.component,
        "severity": signature.severity.value,
        "role": signature.role.value,
        "maturity": signature.maturity.value,
        "aliases": list(signature.aliases),
        "refines": signature.refines,
        "frameworks": list(signature.frameworks),
        "explains": list(signature.explains),
        "cause": signature.cause.in_language(language),
        "remedies": [_remedy_row(each, language) for each in signature.remedies],
        "examples": [{"text": each.text, "origin": each.origin} for each in signature.examples],
        "references": list(signature.references),
    }


def rule_row(rule: Rule, language: Language) -> dict[str, Any]:
    """What a rule of the verdict says, and why."""
    return {
        "rule_id": rule.id,
        "says": rule.says.in_language(language),
        "meaning": rule.meaning,
    }


def _comparisons(wanted: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {name: list(each) for name, each in wanted.items()}


def _remedy_row(remedy: Remedy, language: Language) -> dict[str, Any]:
    when = remedy.when
    conditions = {
        "framework": list(when.frameworks),
        "phase": [each.value for each in when.phases],
        "versions": _comparisons(when.versions),
        "config": _comparisons(when.config),
        "captures": _comparisons(when.captures),
        "pattern": list(when.patterns),
        "seen": list(when.seen),
    }
    return {
        "when": {name: wanted for name, wanted in conditions.items() if wanted},
        "action": remedy.action.in_language(language),
        "set": dict(remedy.settings),
        "risk": remedy.risk.value,
        "check": remedy.check.in_language(language),
        "reference": remedy.reference,
        **({"needs": _comparisons(remedy.needs)} if remedy.needs else {}),
    }
