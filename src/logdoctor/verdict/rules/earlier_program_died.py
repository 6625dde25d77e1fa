"""An earlier program of the script died of it, and nothing ties the root cause to that.

A script that does not stop at an error goes on without what was to be made; whoever reads the
report must see it.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.rules.left_undone import DIED_PREPARING, RAN_OUT_OF_MEMORY

ID, PROVES = "earlier-program-died", Verdict.INDEPENDENT
SAYS = Phrase(
    "an earlier program died of it; whether the failure at line {line} comes of that, the log does "
    "not say",
    "更早的一个程序因此终止；第 {line} 行的失败是否由此引起，日志没有说明",
)
FIRES = (DIED_PREPARING + RAN_OUT_OF_MEMORY,)
SILENT = (DIED_PREPARING.replace("prep.py", "train.py") + RAN_OUT_OF_MEMORY,)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or not failure.is_other_death_before(choice.root):
        return None
    return Proof((choice.root.at,))
