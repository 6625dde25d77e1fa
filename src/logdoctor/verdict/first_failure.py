"""Who failed first, as a launcher's table tells: said_first."""

from __future__ import annotations

from logdoctor.formats.torchrun_tables import FailedRank, failed_ranks, is_table
from logdoctor.model import LocalText, LogEvent
from logdoctor.texts.phrases import verdict as phrases

NAMED_LIMIT = 8
"""Workers that are named one by one."""


def said_first(event: LogEvent) -> tuple[FailedRank | None, LocalText | None]:
    """The worker that an event's table names as first, and a sentence on who failed; None and
    None without a table.
    """
    if not is_table(event):
        return None, None
    entries = failed_ranks(line.text for line in event.lines)
    first = next((each for each in entries if each.number == 0), None)
    if first is None or first.rank is None:
        return None, None
    others = [_named(each) for each in entries if each is not first]
    named = ", ".join(others[:NAMED_LIMIT]) + (" …" if len(others) > NAMED_LIMIT else "")
    phrase = phrases.FAILED_FIRST if others else phrases.FAILED_ALONE
    return first, phrase.fill(first=_named(first), host=first.host or "?", others=named)


def _named(entry: FailedRank) -> str:
    return f"rank {entry.rank} ({entry.exitcode})"
