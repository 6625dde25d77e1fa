"""Judgements to text, Markdown and annotations: render_text, render_markdown, render_github."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.model import Language, Place, Severity
from logdoctor.relations.relation import Judgement, NotJudged, PhaseMemory, Violation
from logdoctor.relations.wording import shown, suggested
from logdoctor.reports.run.layout import columns, wrapped
from logdoctor.settings.configuration import Configuration
from logdoctor.texts.annotations import annotation
from logdoctor.texts.masking import printable
from logdoctor.texts.phrases import preflight as phrases
from logdoctor.texts.secrets import redacted

FIRST_UNKNOWN = 3
"""Relations that could not be judged and are named without --all."""


class Checked(NamedTuple):
    """A configuration and what the relations say of it."""

    configuration: Configuration
    judgement: Judgement


def render_text(
    checked: Sequence[Checked],
    language: Language,
    *,
    show_all: bool = False,
    width: int | None = None,
) -> str:
    """The report for a person; empty where nothing was checked. `width` is that of the terminal,
    None where lines stay whole, for other programs.
    """
    lines = (_clean(line) for each in checked for line in _text(each, language, show_all))
    return "".join(f"{part}\n" for line in lines for part in _folded(line, width))


def _folded(line: str, width: int | None) -> Iterator[str]:
    """The line in parts that fit, those behind the first two columns further right."""
    if width is None or columns(line) <= width:
        yield line
        return
    margin = len(line) - len(line.lstrip())
    for i, part in enumerate(wrapped(line.lstrip(), width - margin - 2)):
        yield " " * (margin + (2 if i else 0)) + part


def _clean(text: str) -> str:
    return redacted(printable(text))


def _text(checked: Checked, language: Language, show_all: bool) -> Iterator[str]:
    judgement = checked.judgement
    for each in judgement.violations:
        mark = "✖" if each.relation.severity is not Severity.WARNING else "!"
        yield f"{mark} {each.because.in_language(language)}    {place_of(each.at, judgement.name)}"
        for line in _about(each, language):
            yield f"  {line}"
    for problem in checked.configuration.problems:
        yield f"! {_at(problem.place)}: {problem.what}"
    for opening in checked.configuration.openings[:FIRST_UNKNOWN]:
        text = phrases.OPENING.say(language, what=opening.text, why=opening.why)
        yield f"? {_at(opening.place)}: {text}" if opening.place else f"? {text}"
    unknown = judgement.not_judged
    for unjudged in unknown if show_all else unknown[:FIRST_UNKNOWN]:
        yield f"? {_unknown(unjudged, language)}"
    if len(unknown) > FIRST_UNKNOWN and not show_all:
        more = len(unknown) - FIRST_UNKNOWN
        yield f"? {phrases.MORE_UNKNOWN.say(language, count=more)}"
    yield from memory_lines(checked, language)
    yield summary(judgement, language)


def memory_lines(checked: Checked, language: Language) -> Iterator[str]:
    """What phases of the run are estimated to take, and which settings move it."""
    for each in checked.judgement.memory:
        least, most = bounds(each)
        parts = sorted(each.gib, key=lambda part: -each.gib[part])
        told = ", ".join(
            f"{phrases.PARTS[part].say(language)} {each.gib[part]:.1f}"
            for part in parts
            if each.gib[part]
        )
        text = phrases.MEMORY.say(
            language,
            phase=phrases.PHASE_WORDS[each.phase].say(language),
            least=f"{least:.0f}",
            most=f"{most:.0f}",
            there=f"{each.there:g}",
            parts=told,
        )
        if each.settings:
            settings = ", ".join(f"{one.key} {shown(one.value)}" for one in each.settings)
            part = phrases.PARTS[each.most].say(language)
            text += phrases.MOST_OF_IT.say(language, part=part, settings=settings)
        yield text


def bounds(memory: PhaseMemory) -> tuple[float, float]:
    """The estimate less and more its error, in GiB: the first part is known."""
    known, *others = memory.gib.values()
    return known + sum(others) * (1 - memory.error), known + sum(others) * (1 + memory.error)


def _about(violation: Violation, language: Language) -> Iterator[str]:
    relation = violation.relation
    if relation.severity is Severity.WARNING or relation.error is None:
        yield relation.title.in_language(language)
    yield relation.why.in_language(language)
    if violation.suggestions:
        yield suggested(violation).in_language(language)
    yield (
        phrases.STOPS.say(language, error=relation.error)
        if relation.error
        else phrases.SILENT.say(language)
    )
    explained = relation.signature_id or relation.id
    origin = f"{relation.origin.file}:{relation.origin.line} ({relation.origin.version})"
    yield f"{relation.id}, {origin}, {phrases.EXPLAINED.say(language, id=explained)}"


def _unknown(each: NotJudged, language: Language) -> str:
    names = [
        phrases.FACT_NAMES[name].say(language) if name in phrases.FACT_NAMES else name
        for name in each.missing
    ]
    return phrases.NOT_KNOWN.say(
        language, title=each.relation.title.in_language(language), names=", ".join(names)
    )


def summary(judgement: Judgement, language: Language) -> str:
    """What was read, and how many relations were judged."""
    if judgement.framework is None:
        return phrases.NO_FRAMEWORK.say(language, name=judgement.name)
    release = (
        phrases.RELEASE.say(language, framework=judgement.framework, version=judgement.version)
        if judgement.version
        else phrases.ANY_RELEASE.say(language, framework=judgement.framework)
    )
    counts = phrases.COUNTS.say(
        language,
        judged=judgement.judged,
        broken=len(judgement.violations),
        unknown=len(judgement.not_judged),
    )
    return f"{phrases.READ.say(language, name=judgement.name, framework=release)} · {counts}"


def place_of(place: Place | None, name: str) -> str:
    """Where a violation is shown: `file:line`, or the file alone."""
    return _at(place) if place else name


def _at(place: Place) -> str:
    return f"{place.source}:{place.line}" if place.line else place.source


def render_markdown(checked: Sequence[Checked], language: Language) -> str:
    """The report for a ticket or a pull request."""
    lines = [f"## {phrases.HEADING.say(language)}", ""]
    for each in checked:
        for violation in each.judgement.violations:
            at = place_of(violation.at, each.judgement.name)
            lines.append(f"- **{_md(violation.because.in_language(language))}** (`{at}`)")
            lines += [f"  - {_md(line)}" for line in _about(violation, language)]
        lines += [f"- {_md(line)}" for line in memory_lines(each, language)]
        lines += ["", _md(summary(each.judgement, language)), ""]
    return "\n".join(map(_clean, lines))


def _md(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_[]<>|" else each for each in text)


def render_github(checked: Sequence[Checked], language: Language) -> str:
    """Workflow commands of GitHub Actions: an annotation for each violation."""
    lines = []
    for each in checked:
        for violation in each.judgement.violations:
            relation = violation.relation
            kind = "warning" if relation.severity is Severity.WARNING else "error"
            place = violation.at or Place(each.judgement.name, 0)
            text = f"{violation.because.in_language(language)}\n" + "\n".join(
                _about(violation, language)
            )
            title, (file, line) = relation.title.in_language(language), place
            lines.append(annotation(kind, title, redacted(text), file=file, line=line))
    return "".join(lines)
