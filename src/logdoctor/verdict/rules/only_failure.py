"""Nothing else went wrong that the run did not outlive."""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "only-failure", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "nothing else went wrong that the run did not outlive (line {line})",
    "没有其他未被运行克服的问题（第 {line} 行）",
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
ConnectionRefusedError: [Errno 111] Connection refused
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """Its line."""
    choice = failure.case.choice
    if choice is None or choice.first is not failure or len(choice.candidates) > 1:
        return None
    return Proof((failure.at,))
