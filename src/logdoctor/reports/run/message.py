"""What a chat is told of each thing found: messages."""

from __future__ import annotations

from collections.abc import Iterator

from logdoctor.live.chat import Message
from logdoctor.model import Diagnosis, Language, UnknownError
from logdoctor.pipeline.news import News
from logdoctor.reports.run.notice import notice
from logdoctor.reports.run.painting import TextStyle

WIDTH = 2000
"""Columns: a chat breaks lines itself."""


def messages(news: News, language: Language) -> Iterator[Message]:
    """One for each; its title is what happened, its text the place, the line that proves it and the
    first thing to do.
    """
    style = TextStyle(language, WIDTH)
    found: tuple[Diagnosis | UnknownError, ...] = (*news.diagnoses, *news.unknown_errors)
    for each in found:
        title, *lines = notice(each, style)
        yield Message(f"logdoctor: {title.strip()}", "\n".join(line.strip() for line in lines))
