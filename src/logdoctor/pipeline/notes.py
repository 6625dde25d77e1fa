"""What a report should say of the sources themselves: source_notes."""

from __future__ import annotations

from collections.abc import Iterable

from logdoctor.model import LocalText, SourceSummary
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.verdict import problem_words


def source_notes(
    sources: Iterable[SourceSummary], turned: Iterable[str], quiet: int
) -> tuple[LocalText, ...]:
    """Which of them had the newest line first, given as `turned`, which could not be read to their
    ends, and that dumps, `quiet` of them, show nobody who holds up others.
    """
    return (
        *(phrases.NEWEST_FIRST.fill(source=name) for name in turned),
        *(_unread(each.name, each.lines, each.problem) for each in sources if each.problem),
        *((phrases.NO_RANK_HOLDS_UP.fill(count=quiet),) if quiet else ()),
    )


def _unread(name: str, lines: int, problem: str) -> LocalText:
    """That a source could not be read to its end, and what of it was."""
    end = phrases.TO_ITS_END.fill(lines=lines) if lines else LocalText("", "")
    return phrases.UNREADABLE.fill(source=name, what=problem_words(problem), end=end)
