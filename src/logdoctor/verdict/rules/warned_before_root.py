"""It is only a warning, and stands above the root cause: it did not follow from that."""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.ranking import is_warned_before

ID, PROVES = "warned-before-root", Verdict.INDEPENDENT
SAYS = Phrase(
    "it was warned of before the root cause at line {line}",
    "它在第 {line} 行的根本原因之前就已警告",
)
FIRES = (
    """\
Some weights of LlamaForCausalLM were not initialized from the model checkpoint at m2 \
and are newly initialized: ['model.layers.1.mlp.down_proj.weight']
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
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or not is_warned_before(failure, choice.root):
        return None
    return Proof((choice.root.at,))
