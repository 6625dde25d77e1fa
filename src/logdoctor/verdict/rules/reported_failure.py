"""It only reports that something failed: an exit code, a count of failed tests, a shell's line.

The format is known, not the message. Whatever else went wrong says more, wherever it stands; where
nothing else did, the report is what there is: a run with an exit code that nothing explains is not
well.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "reported-failure", Priority.NOTICE
SAYS = Phrase(
    "it reports that something failed, and not what (line {line})",
    "它只报告出了错，没有说明是什么（第 {line} 行）",
)
FIRES = (
    """\
step 1 loss 0.5
Rank 3 exited with code 1
""",
    """\
===== 2 failed, 7 passed in 3.10s =====
""",
)
SILENT = (
    """\
Traceback (most recent call last):
  File "/app/train.py", line 27, in step
    update(batch)
RuntimeError: a message that nobody has written a signature for
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    return Proof((failure.at,)) if failure.is_report else None
