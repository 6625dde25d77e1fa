"""Among failures that could each be the cause, it stands first.

What fails first is the likeliest cause of what fails next.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "first-in-order", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "the first of {total} that could be the cause, before the one at line {other}",
    "它是 {total} 个可能的原因中最先出现的，早于第 {other} 行的那个",
)
FIRES = (
    """\
Traceback (most recent call last):
  File "/app/train.py", line 3, in f
    f()
RuntimeError: a message that nobody has written a signature for

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
RuntimeError: cleaning up went wrong as well
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
    """Its line, and that of the next one."""
    choice = failure.case.choice
    if choice is None or choice.first is not failure or not choice.equals[1:]:
        return None
    values = {"total": len(choice.equals)}
    return Proof((failure.at, choice.equals[1].at), values)
