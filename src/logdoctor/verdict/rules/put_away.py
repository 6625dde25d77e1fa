"""Its signature is that of a program putting things away.

What programs print while they end (resource trackers, process groups that were not destroyed) comes
of the end, not the end of it. Such signatures have the role `teardown`.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "put-away", Verdict.TEARDOWN
SAYS = Phrase(
    "programs print it while they end, however they end (line {line})",
    "程序退出时都会打印这条信息，与退出原因无关（第 {line} 行）",
)
FIRES = (
    """\
step:5 - actor/loss:0.5 - actor/grad_norm:1.0
[rank3]:[W212 13:45:51.138217909 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has \
NOT been destroyed before we destruct ProcessGroupNCCL.
""",
)
SILENT = (
    """\
step:5 - actor/loss:0.5 - actor/grad_norm:1.0
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line itself."""
    return Proof((failure.at,)) if failure.is_putting_away else None
