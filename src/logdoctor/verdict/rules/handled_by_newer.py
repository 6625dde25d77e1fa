"""A newer exception of its chain says more.

`During handling` says that the program had caught the older one. The newer one says more where it
quotes the older one, or is a known cause where the older one is not; else it may be the cleaning up
that failed as well.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "handled-by-newer", Priority.HANDLED
SAYS = Phrase(
    "the program had caught it (line {line}), and a newer exception says more",
    "程序已捕获它（第 {line} 行），更新的异常提供了更多信息",
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
    return Proof((failure.at,)) if failure.is_chained else None
