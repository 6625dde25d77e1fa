"""No other failure is as likely a cause, whatever the order of the lines.

Roles decide before order: what is known to end a run comes before what may have been caught, causes
before what others felt, and that before what only says that something failed.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "outranks", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "of {total} findings it is the likeliest cause; the next one is at line {other}",
    "在 {total} 项发现中它最可能是原因，其次是第 {other} 行的那项",
)
FIRES = (
    """\
ConnectionRefusedError: [Errno 111] Connection refused
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
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
    """Its line, and that of the next best candidate."""
    choice = failure.case.choice
    if choice is None or choice.first is not failure or not choice.candidates[1:]:
        return None
    values = {"total": len(choice.candidates)}
    return Proof((failure.at, choice.candidates[1].at), values)
