"""An error that no signature knows to a page for a reader: error_page, error_row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdoctor.archive.errors_met import ErrorMet
from logdoctor.model import Language
from logdoctor.reports.run.markup import code_block
from logdoctor.texts.phrases import handbook as phrases
from logdoctor.texts.phrases.reports import LOOK_NEXT
from logdoctor.texts.phrases.words import COLON

RUNS_SHOWN = 10
"""Names of runs on the page; the JSON row has all."""


def error_page(error: ErrorMet, language: Language) -> str:
    """All that a store has of it, as Markdown to be read as it is: where it was met first, in how
    many runs, what to look at, what people noted, and how a signature is made of it.
    """
    return "\n".join(_lines(error, language)) + "\n"


def error_row(error: ErrorMet) -> dict[str, Any]:
    """The same for programs."""
    return {
        **error._asdict(),
        "runs": list(error.runs),
        "next_steps": list(error.next_steps),
        "nearest": list(error.nearest),
        "notes": [{"at": each.at, "text": each.text} for each in error.notes],
    }


def _lines(error: ErrorMet, language: Language) -> Iterator[str]:
    yield f"# {error.title}"
    package = f" · {error.package}" if error.package else ""
    yield from ("", f"`{error.fingerprint}` · {phrases.NOT_KNOWN.say(language)}{package}")
    if error.notes:
        yield from ("", f"## {phrases.NOTED.say(language)}", "")
        yield from (f"- {each.at[:10]} {each.text}" for each in error.notes)
    if error.next_steps:
        yield from ("", f"## {LOOK_NEXT.say(language)}", "")
        yield from (f"{at}. {step}" for at, step in enumerate(error.next_steps, 1))
    yield from ("", f"## {phrases.SEEN.say(language)}", "", code_block(error.text))
    yield from (
        "",
        f"{phrases.ORIGIN.say(language)}{COLON.say(language)}{error.source}:{error.line}",
    )
    yield from ("", f"## {phrases.MET_IN.say(language, runs=len(error.runs))}", "")
    if error.since:
        yield from (phrases.MET_SINCE.say(language, date=error.since), "")
    yield from (f"- {each}" for each in error.runs[:RUNS_SHOWN])
    more = len(error.runs) - RUNS_SHOWN
    if more > 0:
        yield f"- {phrases.AND_MORE.say(language, count=more)}"
    if error.nearest:
        yield from ("", f"## {phrases.COMES_NEAR.say(language)}", "")
        yield from (f"- {each}" for each in error.nearest)
    yield from ("", phrases.MAKE_ONE.say(language, fingerprint=error.fingerprint))
