"""The process that printed it made steps after it.

A step is what a failed process cannot make: two of its own prove that it lives, for
one may have been printed before and come late. Steps of a job that a scheduler is ending prove
nothing: it trains on until it is killed.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory, later, went_on
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "own-steps-followed", Verdict.RECOVERED
SAYS = Phrase(
    "its process made {count} more steps, the first at line {line}",
    "其进程此后又走了 {count} 步，第一步在第 {line} 行",
)
_CRASH = """\
(WorkerDict pid=77, ip=10.0.0.2) Traceback (most recent call last):
(WorkerDict pid=77, ip=10.0.0.2)   File "/app/verl/workers/fsdp_workers.py", line 655, in update
(WorkerDict pid=77, ip=10.0.0.2)     loss.backward()
(WorkerDict pid=77, ip=10.0.0.2) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate \
2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free.
"""
FIRES = (
    _CRASH
    + """\
(WorkerDict pid=77, ip=10.0.0.2) step:1 - actor/loss:0.5 - actor/grad_norm:1.0
(WorkerDict pid=77, ip=10.0.0.2) step:2 - actor/loss:0.5 - actor/grad_norm:1.0
""",
)
SILENT = (
    _CRASH
    + """\
(TaskRunner pid=5) step:1 - actor/loss:0.5 - actor/grad_norm:1.0
(TaskRunner pid=5) step:2 - actor/loss:0.5 - actor/grad_norm:1.0
""",
    _CRASH + "(WorkerDict pid=77, ip=10.0.0.2) step:1 - actor/loss:0.5 - actor/grad_norm:1.0\n",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The first of those steps."""
    steps = history.own_steps.get(failure.occurrence.line.stream, ())
    if failure.line in history.given_up or not went_on(steps, failure.line):
        return None
    count, first = later(steps, failure.line)
    return Proof((Line(history.name, first),), {"count": count})
