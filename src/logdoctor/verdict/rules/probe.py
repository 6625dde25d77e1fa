"""The program only tried something that may fail, and a newer exception of its chain came of it.

A module or a key that may be missing is asked for in a `try`; what was raised `during handling` of
that is what went wrong, however fatal the first would be elsewhere.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "probe", Priority.HANDLED
SAYS = Phrase(
    "the program had caught it (line {line}), and a newer exception came of it",
    "程序已捕获它（第 {line} 行），更新的异常由此产生",
)
FIRES = (
    """\
Traceback (most recent call last):
  File "/app/train.py", line 3, in f
    f()
ModuleNotFoundError: No module named 'flash_attn'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
RuntimeError: a message that nobody has written a signature for
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
    """The failure's own line."""
    return Proof((failure.at,)) if failure.is_probe else None
