"""It is the code of what the root cause says in words.

The line that names the file, the host or what the system said comes before the number that is
handed up, in one process as across ranks.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "code-of-reason", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it has a code only; the root cause says why (line {line})",
    "它只给出错误码；根本原因说明了为什么（第 {line} 行）",
)
FIRES = (
    """\
could not open /data/merges.bin: Permission denied
RuntimeError: loader failed with code -5
""",
)
SILENT = (
    """\
ValueError: the table of words is empty
RuntimeError: loader failed with code -5
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    return Proof((choice.root.at,)) if choice and failure.reason else None
