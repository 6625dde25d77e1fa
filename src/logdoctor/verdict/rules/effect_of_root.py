"""It only says that something failed, or tells what others felt of it.

Wrappers and symptoms follow from the root cause wherever they stand: Ray relays the driver's
traceback before the worker's. A warning that stands above the root did not follow from it.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.ranking import is_warned_before

ID, PROVES = "effect-of-root", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it tells of a failure, not why; the root cause is at line {line}",
    "它只反映失败，不说明原因；根本原因在第 {line} 行",
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
ConnectionRefusedError: [Errno 111] Connection refused
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or not failure.is_effect or is_warned_before(failure, choice.root):
        return None
    return Proof((choice.root.at,))
