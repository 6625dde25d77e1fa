"""The program only mentions it, and went on.

Programs that check what a model wrote, or try a server again, say at level info or debug what they
have caught. A hundred lines must follow, and no wrapper or symptom.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "mentioned-and-outlived", Verdict.RECOVERED
SAYS = Phrase(
    "the program mentions it at level {level} and wrote {count} more lines (until line {line})",
    "程序仅以 {level} 级别提及，此后又输出了 {count} 行（直到第 {line} 行）",
)
_MENTIONED = """\
2026-01-01 10:00:00,123 - checker - INFO - 执行程序时出错: \
NameError: name 'x' is not defined
"""
FIRES = (_MENTIONED + "processed 7 samples of the corpus\n⋯ 99 times\n",)
SILENT = (_MENTIONED + "processed 7 samples of the corpus\n⋯ 98 times\n",)

MENTIONED_LINES = 100
"""Lines that must follow what a program only mentions at level info, if nobody felt it, for it to
have been caught.

As many as a later run must have; not measured: of the whole logs seen so far one has such a
mention, with 300 lines below it.
"""


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The last line of the source."""
    below = history.lines - failure.line
    if not failure.is_mentioned or below < MENTIONED_LINES or history.effect >= failure.line:
        return None
    values = {"level": failure.event.level, "count": f"{below:,}"}
    return Proof((Line(history.name, history.lines),), values)
