"""It is a cause that some programs survive.

A cause that is not always fatal, or that belongs to a framework which this run does not use, may
have been caught: order decides, as among errors that nobody knows.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "cause", Priority.CAUSE
SAYS = Phrase(
    "it is a known cause, which some programs survive (line {line})",
    "这是已知的原因，但有些程序不会因此结束（第 {line} 行）",
)
FIRES = (
    """\
TypeError: only integer tensors of a single element can be converted to an index
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
    return Proof((failure.at,))
