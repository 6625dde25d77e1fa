"""Its signature says that it is harmless.

Some messages look like errors and never are one: a library tells that an optional part is missing,
a server that a client went away. Their signatures have the role `benign`, whatever follows them.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "benign", Verdict.BENIGN
SAYS = Phrase(
    "the message is known to be harmless (line {line})", "这条信息已知是无害的（第 {line} 行）"
)
FIRES = (
    """\
(WorkerDict pid=626895) Warning: Failed to set NUMA affinity: libnuma.so: cannot open shared \
object file: No such file or directory
""",
)
SILENT = (
    """\
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line itself."""
    return Proof((failure.at,)) if failure.is_benign else None
