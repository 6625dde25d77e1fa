"""It is only announced at level info or debug, not raised.

A program that mentions what is elsewhere a cause has caught it; where something was raised, that
comes first.
"""

from logdoctor.model import Role
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "announced-only", Priority.NOTICE
SAYS = Phrase(
    "the program only mentions it at level {level} (line {line})",
    "程序仅以 {level} 级别提及（第 {line} 行）",
)
FIRES = (
    """\
2026-01-01 10:00:00,123 - llama_model - INFO - API failed (1/3): CUDA out of memory. Tried to \
allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free.
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
    if failure.is_unknown or not failure.is_mentioned or failure.role is not Role.CAUSE:
        return None
    return Proof((failure.at,), {"level": failure.event.level})
