"""The run's own framework warns of a cause.

That says more than that something failed, so it stands before wrappers; but a run usually lives on
after a warning, so it stands below all that failed.
"""

from logdoctor.model import Role
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "own-warning", Priority.PASSED_ON
SAYS = Phrase(
    "the run's own framework warns of a cause (line {line})",
    "运行所用的框架自己警告了一个原因（第 {line} 行）",
)
FIRES = (
    """\
WARNING 11-22 15:30:02 [config_validator.py:1620] | MEMORY OVERUSE WARNING |
WARNING 11-22 15:30:02 [config_validator.py:1620] | Actor model 'Qwen3-8B' may exceed GPU memory! |
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
    signature = failure.signature
    if signature is None or not failure.is_warning or failure.role is not Role.CAUSE:
        return None
    is_own = bool(signature.frameworks) and failure.case.is_at_home(signature)
    return Proof((failure.at,)) if is_own else None
