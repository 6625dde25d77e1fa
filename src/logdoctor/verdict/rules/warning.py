"""It is a warning only: runs live on after it."""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "warning", Priority.NOTICE
SAYS = Phrase(
    "it is a warning only (line {line})",
    "这只是一条警告（第 {line} 行）",
)
FIRES = (
    """\
Some weights of LlamaForCausalLM were not initialized from the model checkpoint at m2 \
and are newly initialized: ['model.layers.1.mlp.down_proj.weight']
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
    return Proof((failure.at,)) if failure.is_warning else None
