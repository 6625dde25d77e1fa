"""The log ends within it: what was raised is not there.

A traceback without its exception tells where the program was, not what went wrong; any other error
says more.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "cut-off", Priority.NOTICE
SAYS = Phrase(
    "the log ends within this traceback (line {line}), before it says what was raised",
    "日志在这段 traceback 中间（第 {line} 行）结束，看不到抛出的异常",
)
FIRES = (
    """\
step:5 - actor/loss:0.5 - actor/grad_norm:1.0
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
  File "/app/train.py", line 12, in main
    update(batch)
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
    return Proof((failure.at,)) if failure.is_unknown and failure.event.is_cut else None
