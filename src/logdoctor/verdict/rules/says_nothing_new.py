"""It only repeats what failed before it.

An unknown error that passes on an older exception of its chain, or whose worker failed after
another one as the launcher's table says, follows from the root cause wherever that stands.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "says-nothing-new", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it only repeats what failed before it; the root cause is at line {line}",
    "它只是重复此前的失败；根本原因在第 {line} 行",
)
FIRES = (
    """\
Traceback (most recent call last):
  File "/app/train.py", line 3, in f
    f()
httpx.ConnectError: [Errno 111] Connection refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
openai.SomethingError: no connection to it
""",
)
SILENT = (
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


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    is_repeated = failure.priority is Priority.PASSED_ON or failure.event.is_late
    if choice is None or not failure.is_unknown or not is_repeated:
        return None
    return Proof((choice.root.at,))
