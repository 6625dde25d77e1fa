"""It came after the root cause, and no signature says that it is a cause of its own.

By the clock where both tell the time on clocks that can be compared, else by lines.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.ranking import earliest

ID, PROVES = "after-the-root", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it came after the root cause at line {line}",
    "它出现在第 {line} 行的根本原因之后",
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
  File "/app/train.py", line 3, in f
    f()
lark.LarkError: no terminal matches 'p' here

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
ValueError: Parsing error: no terminal matches 'p' here
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or not failure.is_unknown:
        return None
    if earliest([choice.root, failure]) is not choice.root:
        return None
    return Proof((choice.root.at,))
