"""What is known of the errors that people met, as a page: coverage_page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

from benchmarks.texts.met_errors import MetError, met_errors
from logdoctor.model import Diagnosis
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

_HEAD = """\
# Coverage: the errors that people meet

What logdoctor makes of messages that threads on GitHub quote, by the library that prints them.
Fixed searches for a library and kinds of errors, and each message once that ended a run, in the
order of the results, written down before any of them was scanned. What a thread cuts off of a
message or of its raise site was completed by a reader from the source. Each stands behind the end
of a traceback and is scanned when this page is made.

| column | what the verdict is |
| --- | --- |
| own | a signature that a reader found to speak of this message |
| general | a signature that speaks of the kind of error: it says what was refused, not yet why |
| unknown | the unknown error, with its frames and what its words allow |
| wrong | a signature that speaks of something else, or none at all |

"""

_DRAWS = {
    1: "Signatures were written for some of these, so this is what is known now, not what to "
    "expect of a new log. When they were drawn, 99 had a signature of their own, 31 a general "
    "one and 32 none; 5 were answered wrongly.",
    2: "Drawn the same way by other searches, and only measured: what to expect of a new log.",
}
_FOOT = """
The messages, their raise sites and threads stand in `benchmarks/texts/met_errors.jsonl`.
"""


class Knowledge(Enum):
    """How much is known of a message."""

    OWN = "own"
    GENERAL = "general"
    UNKNOWN = "unknown"
    WRONG = "wrong"


def knowledge_of(error: MetError, automaton: Automaton) -> Knowledge:
    """What the verdict on its log is."""
    root = scan_text(automaton, error.log).root
    if root is None:
        return Knowledge.WRONG
    if not isinstance(root, Diagnosis):
        return Knowledge.UNKNOWN
    if root.signature.id == error.answer:
        return Knowledge.OWN
    return Knowledge.GENERAL if root.signature.is_general else Knowledge.WRONG


def coverage_page(automaton: Automaton) -> str:
    """docs/coverage.md: a table for each draw, libraries by name and all of them last."""
    return _HEAD + "".join(_sections(met_errors(), automaton)).rstrip("\n") + "\n" + _FOOT


def _sections(errors: Iterable[MetError], automaton: Automaton) -> Iterator[str]:
    known = [(error, knowledge_of(error, automaton)) for error in errors]
    for draw, meaning in _DRAWS.items():
        drawn = [(error.library, level) for error, level in known if error.draw == draw]
        if drawn:
            yield f"## Draw {draw}\n\n{meaning}\n\n{''.join(_table(drawn))}\n"


def _table(drawn: Iterable[tuple[str, Knowledge]]) -> Iterator[str]:
    counts: dict[str, Counter[Knowledge]] = {}
    for library, level in drawn:
        counts.setdefault(library, Counter())[level] += 1
    yield "| library | messages | own | general | unknown | wrong | share of own |\n"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    for library, levels in sorted(counts.items()):
        yield _row(library, levels)
    yield _row("**all**", sum(counts.values(), Counter()))


def _row(name: str, levels: Counter[Knowledge]) -> str:
    total = levels.total()
    cells = (name, total, *(levels[each] for each in Knowledge))
    return f"| {' | '.join(map(str, cells))} | {round(100 * levels[Knowledge.OWN] / total)} % |\n"
