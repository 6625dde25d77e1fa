"""It was started again, and made steps.

A launcher or a supervisor says that it starts what failed again. Steps of any process prove then
that the restart worked; two of them, for one may have been printed before and come
late.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory, later, went_on
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "restarted-and-stepped", Verdict.RECOVERED
SAYS = Phrase(
    "it was started again at line {line} and made {count} steps, the first at line {other}",
    "第 {line} 行重新启动，此后又走了 {count} 步，第一步在第 {other} 行",
)
_CRASH = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
[rank1]:     loss.backward()
[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a \
total capacity of 79.10 GiB of which 1.19 GiB is free.
"""
_STEPS = """\
[rank0]: step:1 - actor/loss:0.5 - actor/grad_norm:1.0
[rank0]: step:2 - actor/loss:0.5 - actor/grad_norm:1.0
"""
_AGAIN = "[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n"
FIRES = (_CRASH + _AGAIN + _STEPS,)
SILENT = (f"{_CRASH}supervisor: process exited with code 1, giving up\n{_STEPS}",)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line of the restart, and the first step below it."""
    restart = history.restart
    if restart is None or failure.line >= restart or not went_on(history.advances, restart):
        return None
    count, first = later(history.advances, restart)
    return Proof((Line(history.name, restart), Line(history.name, first)), {"count": count})
