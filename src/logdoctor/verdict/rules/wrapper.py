"""It only says that something failed.

Launchers and frameworks report that a worker died, in their own words and often before the worker's
lines come through. What it died of stands elsewhere.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "wrapper", Priority.WRAPPER
SAYS = Phrase(
    "it only says that something failed (line {line})",
    "它只说明有东西失败了（第 {line} 行）",
)
FIRES = (
    """\
subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.
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
    return Proof((failure.at,)) if failure.is_no_cause else None
