"""The log ends with lines that only say that the program waits or tries again.

It counts where nothing else went wrong and no good end was told: what it waits for did not come. A
run that waits and then goes on has other lines behind; one that waits for work has done its own.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "ends-in-waiting", Priority.NOTICE
SAYS = Phrase(
    "the log ends with waiting: at least {count} lines of it up to line {line}, and nothing else",
    "日志以等待结束：到第 {line} 行为止至少有 {count} 行等待信息，没有其他内容",
)
FIRES = (
    """\
INFO:launcher:starting the rollout server on port 30000
INFO:launcher:Server is not up yet. Retrying
⋯ 200 times
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


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The last line of waiting."""
    return Proof((failure.at,), {"count": history.waits}) if failure.is_waiting else None
