"""The root cause was raised while the program handled it.

The exceptions of one chain tell one failure. Where the newest says more and is the root cause, the
one that was being handled is no second failure beside it; nobody needs to look for its own cause.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.exception_chains import REACH
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "caught-on-the-way", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it is of the same chain of exceptions: the root cause at line {line} was raised while the "
    "program handled it",
    "它属于同一条异常链：第 {line} 行的根本原因是程序在处理它时引发的",
)
FIRES = (
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
SILENT = (
    """\
Traceback (most recent call last):
  File "/app/train.py", line 3, in f
    f()
lark.LarkError: no terminal matches 'p' here
Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
ValueError: Parsing error: no terminal matches 'p' here
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    connector = choice.root.event.connector if choice else None
    if choice is None or connector is None:
        return None
    own = failure.event.lines[0]
    is_same_writer = (own.source, own.stream) == (connector.source, connector.stream)
    is_above = 0 < connector.number - failure.line <= REACH
    return Proof((choice.root.at,)) if is_same_writer and is_above else None
