"""A loop that had moved before moved on: what did not end it, its body caught.

Loops are seen by their progress bars, each known by its label and its total. A bar that is only
drawn again has not moved. What ends its process is not caught by any loop.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory, later, went_on
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "loop-went-on", Verdict.RECOVERED
SAYS = Phrase(
    "the loop that it happened in moved on, first at line {line}",
    "所在的循环此后继续推进，首次在第 {line} 行",
)
_BEFORE = """\
judging:  3%|▍         | 3/50 [00:41<15:48, 41.23s/it]
judging:  4%|▍         | 4/50 [00:41<15:48, 41.23s/it]
"""
_FAILED = (
    "2026-01-01 10:00:00,123 - client - ERROR - ValueError: no JSON in the answer of the judge\n"
)
FIRES = (
    _BEFORE
    + _FAILED
    + """\
judging:  5%|▍         | 5/50 [00:41<15:48, 41.23s/it]
judging:  6%|▍         | 6/50 [00:41<15:48, 41.23s/it]
""",
)
SILENT = (
    _BEFORE + _FAILED + "judging:  4%|▍         | 4/50 [00:41<15:48, 41.23s/it]\n",
    _FAILED + _BEFORE,
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The first line in which the loop moved again."""
    if failure.ends_process and not failure.is_mentioned:
        return None
    for loop in history.loops.values():
        if loop.moves[0] <= failure.line and went_on(loop.moves, failure.line):
            _, first = later(loop.moves, failure.line)
            return Proof((Line(history.name, first),))
    return None
