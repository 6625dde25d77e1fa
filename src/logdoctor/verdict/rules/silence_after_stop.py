"""The program had been asked to end, and nothing had gone wrong before.

What others feel of an end is noise; so is what they only warn of after a program began to put
things away by itself. Causes are no noise, stop or no stop, and after a failure a stop is only what
came of that.
"""

from logdoctor.model import Role, Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "silence-after-stop", Verdict.TEARDOWN
SAYS = Phrase(
    "the program had begun to end at line {line}, and nothing had gone wrong before",
    "程序在第 {line} 行已开始结束，此前没有出过问题",
)
_ASKED = """\
(EngineCore pid=24) INFO 08-01 21:34:51 [core.py:1214] [shutdown] EngineCore: trigger received \
signal=SIGTERM
"""
_DEAD = """\
(APIServer pid=23) ERROR 08-01 21:34:51 [llm.py:7] Traceback (most recent call last):
(APIServer pid=23) ERROR 08-01 21:34:51 [llm.py:7]   File "/x/core_client.py", line 1061, in get
(APIServer pid=23) ERROR 08-01 21:34:51 [llm.py:7]     raise self._format_exception(outputs)
(APIServer pid=23) ERROR 08-01 21:34:51 [llm.py:7] vllm.v1.engine.exceptions.EngineDeadError: \
EngineCore encountered an issue. See stack trace (above) for the root cause.
"""
FIRES = (_ASKED + _DEAD,)
SILENT = (_DEAD + _ASKED,)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line of the stop."""
    if failure.is_harmless or failure.role is Role.CAUSE:
        return None
    stops = [history.stop]
    if failure.role is Role.SYMPTOM and failure.event.level == "warning":
        stops.append(failure.case.put_away.get(history.name))
    stop = min((each for each in stops if each is not None), default=None)
    if stop is None or min((failure.line, *failure.spots)) <= stop:
        return None
    if any(each.history is history and each.line < stop for each in failure.case.harmful):
        return None
    return Proof((Line(history.name, stop),))
