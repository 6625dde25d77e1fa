"""Nothing ties it to the root cause.

It is a cause of its own, or stands above the root cause and says less.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "not-tied-to-root", Verdict.INDEPENDENT
SAYS = Phrase(
    "nothing ties it to the root cause at line {line}",
    "没有迹象表明它与第 {line} 行的根本原因有关",
)
FIRES = (
    """\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
Traceback (most recent call last):
  File "/app/train.py", line 3, in g
    g()
ModuleNotFoundError: No module named 'wandb'
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
    return Proof((choice.root.at,)) if choice else None
