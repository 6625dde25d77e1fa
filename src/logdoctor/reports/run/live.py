"""What is found, told while it is new: news_text, news_rows, silence_text, silence_row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from logdoctor.document.document import Json, diagnosis_row, document, unknown_error_row
from logdoctor.live.pace import Silence, spoken
from logdoctor.model import (
    Diagnosis,
    Language,
    RunContext,
    ScanResult,
    Signature,
    UnknownError,
)
from logdoctor.pipeline.news import News
from logdoctor.reports.run.layout import shortened, wrapped
from logdoctor.reports.run.notice import notice
from logdoctor.reports.run.painting import TextStyle, painted
from logdoctor.texts.phrases import live as phrases
from logdoctor.texts.phrases.words import PHASE_NAMES

_INDENT = " " * 9

HANGS_SHOWN = 6
"""Known hangs that a silence names."""


def news_text(news: News, time: str, style: TextStyle) -> str:
    """A few lines for each thing found; `time` is the time of day, `HH:MM:SS`."""
    lines: list[str] = []
    for diagnosis in news.diagnoses:
        lines += notice(diagnosis, style, time)
    for error in news.unknown_errors:
        lines += notice(error, style, time)
    if news.root and news.instead_of:
        text = phrases.ROOT_IS_NOW.say(
            style.language,
            title=_title(news.root, style.language),
            before=_title(news.instead_of, style.language),
        )
        lines.append(
            f"{time} "
            + painted(f"▲ {shortened(text, 3 * style.width)}", "magenta", style, bold=True)
        )
    for item in news.recovered:
        text = phrases.RECOVERED_NOW.say(style.language, title=_title(item, style.language))
        lines.append(f"{time} " + painted(f"✔ {shortened(text, style.width - 11)}", "green", style))
    return "".join(line + "\n" for line in lines)


def news_rows(news: News, language: Language) -> Iterator[Json]:
    """The same as the objects of `--format jsonl`.

    A changed root cause is `{"root_cause": …, "instead_of": …}`, what the run survived
    `{"recovered": …}`.
    """
    yield from (diagnosis_row(each, language) for each in news.diagnoses)
    yield from (
        {"unknown_error": unknown_error_row(each, language)} for each in news.unknown_errors
    )
    if news.root and news.instead_of:
        yield {"root_cause": news.root.name, "instead_of": news.instead_of.name}
    yield from ({"recovered": each.name} for each in news.recovered)


def news_lines(news: News, language: Language) -> str:
    """The same, each on a line of its own."""
    return "".join(map(json_line, news_rows(news, language)))


def summary_line(result: ScanResult, language: Language, version: str) -> str:
    """The last line: the whole document, with all diagnoses as they stand at the end."""
    return json_line({"summary": document(result, language, version)})


def json_line(row: Json) -> str:
    """An object on a line of its own."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def silence_text(
    silence: Silence,
    since: str,
    now: str,
    context: RunContext,
    style: TextStyle,
    *,
    known: Sequence[Signature] = (),
) -> str:
    """That nothing comes any more, and what to do; `since` and `now` are times of day."""
    phrase = phrases.NO_STEP_SINCE if silence.has_steps else phrases.NO_LINE_SINCE
    facts = [phrase.say(style.language, time=since, value=spoken(silence.lasts))]
    if silence.longest is not None:
        facts.append(phrases.LONGEST_STEP.say(style.language, value=spoken(silence.longest)))
    if context.last_phase:
        facts.append(
            phrases.LAST_PHASE.say(
                style.language, phase=PHASE_NAMES[context.last_phase].in_language(style.language)
            )
        )
    lines = [f"{now} " + painted(f"! {' · '.join(facts)}", "yellow", style, bold=True)]
    hints = [
        phrases.STALL_STACKS,
        *([phrases.STALL_RAY] if "ray" in context.frameworks or not context.frameworks else []),
        phrases.STALL_COLLECTIVES,
    ]
    texts = [hint.say(style.language) for hint in hints]
    if known:
        texts.append(
            phrases.STALL_KNOWN.say(
                style.language, ids=", ".join(each.id for each in known[:HANGS_SHOWN])
            )
        )
    lines += [line for text in texts for line in _folded("-", text, style)]
    return "".join(line + "\n" for line in lines)


def silence_row(silence: Silence, context: RunContext, known: Sequence[Signature] = ()) -> Json:
    """The same as an object."""
    return {
        "silence": {
            "seconds": round(silence.lasts, 1),
            "longest_step_seconds": round(silence.longest, 1)
            if silence.longest is not None
            else None,
            "last_phase": context.last_phase.value if context.last_phase else None,
            "last_step": context.last_progress.step if context.last_progress else None,
            "known_hangs": [each.id for each in known[:HANGS_SHOWN]],
        }
    }


def _folded(mark: str, text: str, style: TextStyle) -> Iterator[str]:
    for i, line in enumerate(wrapped(text, style.width - len(_INDENT) - 2)):
        yield f"{_INDENT}{' ' if i else mark} {line}"


def _title(item: Diagnosis | UnknownError, language: Language) -> str:
    return item.title.in_language(language) if isinstance(item, Diagnosis) else item.title
