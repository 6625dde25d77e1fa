"""What a report should say of the sources themselves: source_notes."""

from __future__ import annotations

from collections.abc import Iterable

from logdoctor.model import LocalText, SourceSummary
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.verdict import problem_words


def source_notes(sources: Iterable[SourceSummary], turned: Iterable[str]) -> tuple[LocalText, ...]:
    """Which of them had the newest line first, given as `turned`, and which could not be read to
    their ends.
    """
    return (
        *(phrases.NEWEST_FIRST.fill(source=name) for name in turned),
        *(_unread(each.name, each.lines, each.problem) for each in sources if each.problem),
    )


def _unread(name: str, lines: int, problem: str) -> LocalText:
    """That a source could not be read to its end, and what of it was."""
    end = phrases.TO_ITS_END.fill(lines=lines) if lines else LocalText("", "")
    words = problem_words(problem)
    english, chinese = (
        phrases.UNREADABLE.fill(source=name, what=what, end=text)
        for what, text in ((words.en, end.en), (words.zh, end.zh))
    )
    return LocalText(english.en, chinese.zh)
