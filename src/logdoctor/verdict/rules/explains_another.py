"""Its signature explains the failure that came first.

Signatures name the wrappers and symptoms that come of them (`explains`); what explains another is
the cause, whatever the order of the lines: a relay of a relay names the one that relayed first.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "explains-another", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "it explains {name} (line {other}), whatever the order of the lines",
    "无论先后，{name}（第 {other} 行）都由它引起",
)
FIRES = (
    """\
Jan 09 18:55:45 alexpc kernel: amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0 \
ring:24 vmid:8 pasid:32792)
Jan 09 18:55:49 alexpc kernel: [ 2237.944235] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring \
sdma0 timeout, signaled seq=16060, emitted seq=16062
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
    """Its line, and the line of what it explains."""
    choice = failure.case.choice
    if choice is None or choice.root is not failure or choice.first is failure:
        return None
    return Proof((failure.at, choice.first.at), {"name": choice.first.name})
