"""Among failures that could each be the cause, it came first by the clock.

Lines of several writers and sources come late. Where all tell the time on clocks that can be
compared, time decides; within one source a line may come a minute late.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "first-by-clock", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "by the clock the first of {total} that could be the cause, before the one at line {other}",
    "按时间，它是 {total} 个可能的原因中最早的，早于第 {other} 行的那个",
)
FIRES = (
    """\
(CriticWorker pid=8, ip=10.0.0.2) 2026-11-21 22:00:20,000 - trainer - ERROR - \
ValueError: the exchange with a peer broke off
(ActorWorker pid=7, ip=10.0.0.1) 2026-11-21 22:00:00,000 - trainer - ERROR - \
ValueError: labels beyond the vocabulary
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
    """Its line, and the first line of the others."""
    choice = failure.case.choice
    if choice is None or choice.root is not failure or choice.equals[0] is failure:
        return None
    values = {"total": len(choice.equals)}
    return Proof((failure.at, choice.equals[0].at), values)
