"""It is known to end a run, in a framework that this run uses.

Nothing that only some programs die of comes before it, wherever that stands. A signature of another
framework is an accident; a probe was caught; of a launcher's table only the first worker counts.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "fatal-at-home", Priority.FATAL
SAYS = Phrase(
    "it is known to end a run (line {line})",
    "已知这类错误会终止运行（第 {line} 行）",
)
FIRES = (
    """\
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
  File "/app/train.py", line 27, in step
    update(batch)
RuntimeError: a message that nobody has written a signature for
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    signature = failure.signature
    if signature is None or not failure.is_fatal or not failure.case.is_at_home(signature):
        return None
    is_caught = failure.is_probe or failure.event.is_late
    return None if is_caught else Proof((failure.at,))
