"""It tells what others felt of a failure, so that any cause comes before it.

A lost connection or a timeout of a collective tells that someone else is gone. Symptoms come before
wrappers all the same: they say at least what was missing.
"""

from logdoctor.model import Role
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "symptom", Priority.SYMPTOM
SAYS = Phrase(
    "it tells what others felt (line {line}); a cause comes before it wherever it stands",
    "它是其他进程受到的影响（第 {line} 行）；无论先后，原因都排在它前面",
)
FIRES = (
    """\
ConnectionRefusedError: [Errno 111] Connection refused
""",
)
SILENT = (
    """\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    return Proof((failure.at,)) if failure.role is Role.SYMPTOM else None
