"""Rule of the verdict to a page for a reader: rule_page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logdoctor.model import Language, Verdict
from logdoctor.reports.run.markup import code_block
from logdoctor.texts.filling import outline
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import handbook as phrases
from logdoctor.texts.phrases.words import VERDICT_NAMES
from logdoctor.verdict.proof import Priority
from logdoctor.verdict.rule import Rule

PRIORITY_NAMES = {
    Priority.FATAL: phrases.AS_FATAL,
    Priority.CAUSE: phrases.AS_CAUSE,
    Priority.HANDLED: phrases.AS_HANDLED,
    Priority.SYMPTOM: phrases.AS_SYMPTOM,
    Priority.PASSED_ON: phrases.AS_PASSED_ON,
    Priority.WRAPPER: phrases.AS_WRAPPER,
    Priority.NOTICE: phrases.AS_NOTICE,
}
"""What a failure counts for among the candidates for the root cause, by its priority."""


def rule_page(rule: Rule, language: Language) -> str:
    """All that a rule says, as Markdown to be read as it is: its sentence, why, where its
    thresholds come from, logs on which it holds and near misses.
    """
    return "\n".join(_lines(rule, language)) + "\n"


def _lines(rule: Rule, language: Language) -> Iterator[str]:
    yield f"# {rule.id}"
    yield from ("", f"{phrases.RULE.say(language)} · {_proves(rule, language)}")
    yield from _heading(phrases.RULE_SAYS, language)
    yield outline(rule.says.in_language(language))
    yield from ("", phrases.RULE_FILLED_IN.say(language))
    yield from _heading(phrases.RULE_MEANS, language)
    yield rule.meaning.strip()
    yield from _samples(phrases.RULE_FIRES, rule.fires, language)
    yield from _samples(phrases.RULE_SILENT, rule.silent, language)


def _proves(rule: Rule, language: Language) -> str:
    if isinstance(rule.proves, Verdict):
        return VERDICT_NAMES[rule.proves].in_language(language)
    return PRIORITY_NAMES[rule.proves].say(language)


def _heading(phrase: Phrase, language: Language) -> Sequence[str]:
    return "", f"## {phrase.say(language)}", ""


def _samples(phrase: Phrase, samples: Sequence[str], language: Language) -> Iterator[str]:
    yield from _heading(phrase, language)
    yield "\n\n".join(code_block(sample.rstrip()) for sample in samples)
