"""The root cause's signature explains it.

Signatures name what comes of them (`explains`).
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "explained-by-root", Verdict.CONSEQUENCE
SAYS = Phrase(
    "the root cause at line {line} is known to bring it about",
    "已知第 {line} 行的根本原因会导致它",
)
FIRES = (
    """\
Jan 09 18:55:49 alexpc kernel: [ 2237.944235] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring \
sdma0 timeout, signaled seq=16060, emitted seq=16062
Jan 09 18:55:45 alexpc kernel: amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0 \
ring:24 vmid:8 pasid:32792)
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
    """The line of the root cause."""
    choice = failure.case.choice
    root = choice.root.signature if choice else None
    if choice is None or root is None or failure.signature is None:
        return None
    is_explained = failure.signature.id in root.explains
    return Proof((choice.root.at,)) if is_explained else None
