"""Its process wrote on for long without any error, and was seen again.

A thousand lines without a complaint must follow, and the same writer must stand at the end of the
source or write the next failure. Lines without a writer are one writer's where all are. Of 33 whole
logs of failed runs none goes on for more than 830 lines after its last error (most for less than
50); the successful ones with errors go on for 2,000 to 9,300.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import QUIET_LINES, SourceHistory
from logdoctor.model.log import NOBODY
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "wrote-on-quietly", Verdict.RECOVERED
SAYS = Phrase(
    "its process is seen again at line {line}, after {quiet} lines or more without an error",
    "至少 {quiet} 行没有报错之后，其进程在第 {line} 行再次出现",
)
_FAILED = """\
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    import wandb
ModuleNotFoundError: No module named 'wandb'
"""
FIRES = (_FAILED + "processed 7 samples of the corpus\n⋯ 1,004 times\n",)
SILENT = (
    _FAILED + "processed 7 samples of the corpus\n⋯ 900 times\n",
    _FAILED + "processed 7 samples of the corpus\n⋯ 1,004 times\n(Driver pid=78) bye\n",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line in which its process is seen again."""
    stream = failure.occurrence.line.stream
    is_alone = history.living.keys() == {stream}
    # lines without a writer are one writer's where all are
    is_known = stream != NOBODY or is_alone
    later = history.resumed[failure.occurrence.era :] if is_known else []
    seen = next((line for writer, line in later if writer == stream), None)
    if seen is not None:
        return Proof((Line(history.name, seen),), {"quiet": f"{QUIET_LINES:,}"})
    if history.is_quiet_until(history.lines) and (failure.is_seen_alive or is_alone):
        last = Line(history.name, history.living[stream])
        return Proof((last,), {"quiet": f"{QUIET_LINES:,}"})
    return None
