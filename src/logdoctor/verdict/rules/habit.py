"""The run had lived on after the same error before, and nobody felt this one.

After three failures of one kind with steps made since, one more of them, logged and left at that,
is no news, though no step follows it any more. What others felt is news.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory, later, went_on
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "habit", Verdict.RECOVERED
SAYS = Phrase(
    "the run had gone on after {count} errors of this kind, with steps from line {line} on",
    "此前出现过 {count} 次同类错误，运行都继续了下去（自第 {line} 行起又有新的步）",
)
_LOGGED = "".join(
    f"2026-01-01 10:00:00,123 - ERROR - ValueError: the reply of the model holds no action: "
    f"{sample}\n"
    for sample in ("ends early", "has no tag", "is empty")
)
_STEPS = """\
step:1 - actor/loss:0.5 - actor/grad_norm:1.0
step:2 - actor/loss:0.5 - actor/grad_norm:1.0
"""
FIRES = (_LOGGED + _STEPS + _LOGGED,)
SILENT = (
    _STEPS + _LOGGED,
    _LOGGED + _STEPS + _LOGGED + "ConnectionRefusedError: [Errno 111] Connection refused\n",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The first step after the errors that made it a habit."""
    first = failure.habit
    if not failure.is_habit or history.effect > failure.line:
        return None
    if failure.ends_process and not failure.is_mentioned:
        return None
    if first[-1] >= failure.line or not went_on(history.advances, first[-1]):
        return None
    _, step = later(history.advances, first[-1])
    return Proof((Line(history.name, step),), {"count": len(first)})
