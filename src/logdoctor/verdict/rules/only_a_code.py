"""It has a code only, and another line of the log says why.

A library that fails in a call prints on the spot which file, host or device it was and what the
system said, and hands up a number: that is what the exception has. The reason is the cause, also
where no signature knows it.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "only-a-code", Priority.WRAPPER
SAYS = Phrase(
    "it has a code only; line {line} says why",
    "它只给出错误码；原因在第 {line} 行",
)
FIRES = (
    """\
could not open /data/merges.bin: Permission denied
RuntimeError: loader failed with code -5
""",
)
SILENT = (
    """\
could not open /data/merges.bin: Permission denied
RuntimeError: the table of words is empty
""",
    """\
RuntimeError: loader failed with code -5
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line that says why."""
    reason = failure.reason
    return Proof((reason,)) if reason else None
