"""It came again and again, and the run only ended when it was stopped from outside.

What a program has caught three times it would have caught once more; what ended the run is the
stop. An error that nobody caught, or that came once, is what went wrong, stop or no stop.
"""

from logdoctor.model import Role, Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "caught-until-stopped", Verdict.RECOVERED
SAYS = Phrase(
    "the run had caught it again and again until it was ended from outside at line {line}",
    "运行一再捕获此错误，直到在第 {line} 行被外部结束",
)
_CAUGHT = """\
2026-11-21 10:00:00,001 - env - ERROR - tool call failed, trying again
Traceback (most recent call last):
  File "/app/tools/search.py", line 41, in call
    reply = post(url)
ValueError: the reply holds no action
2026-11-21 10:00:05,001 - env - INFO - next batch
"""
_STOP = "slurmstepd: error: *** JOB 99123 ON gpu-7 CANCELLED AT 2026-11-21T10:07:00 ***\n"
FIRES = (3 * _CAUGHT + _STOP,)
SILENT = (_CAUGHT + _STOP,)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line that says that the run was ended."""
    stop = history.cancel
    if stop is None or stop <= failure.line:
        return None
    is_caught = failure.role is Role.SYMPTOM or not failure.ends_process
    if not failure.is_habit or failure.habit[-1] >= stop or not is_caught:
        return None
    return Proof((Line(history.name, stop),))
