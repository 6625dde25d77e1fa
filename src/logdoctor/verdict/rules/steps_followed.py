"""The run made steps that nobody had told before.

They count where the error did not end its process: it was caught and logged, or its writer was
seen at the end of the source. A step that one rank had told before and another tells late proves
nothing, nor do steps of a job that a scheduler is ending. One alone does not count: it may have
been printed before and come late.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory, later, went_on
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "steps-followed", Verdict.RECOVERED
SAYS = Phrase(
    "the run made {count} more steps, the first at line {line}",
    "运行此后又走了 {count} 步，第一步在第 {line} 行",
)
_FAILED = """\
(Worker pid=77) Traceback (most recent call last):
(Worker pid=77)   File "/app/train.py", line 27, in step
(Worker pid=77)     update(batch)
(Worker pid=77) ValueError: the batch is empty
"""
_STEPS = """\
(TaskRunner pid=5) step:1 - actor/loss:0.5 - actor/grad_norm:1.0
(TaskRunner pid=5) step:2 - actor/loss:0.5 - actor/grad_norm:1.0
"""
FIRES = ("(Worker pid=77) 2026-01-01 10:00:00,123 - ERROR - not updated\n" + _FAILED + _STEPS,)
SILENT = (_FAILED + _STEPS,)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The first of those steps."""
    if failure.line in history.given_up or not went_on(history.advances, failure.line):
        return None
    if failure.ends_process and not failure.is_seen_alive:
        return None
    count, first = later(history.advances, failure.line)
    return Proof((Line(history.name, first),), {"count": count})
