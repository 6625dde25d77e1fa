"""It misses something, and the program of the root cause had died before."""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof
from logdoctor.verdict.rules.left_undone import DIED_PREPARING, MISSED_IT, RAN_OUT_OF_MEMORY

ID, PROVES = "read-what-was-not-made", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it misses something, and the program at line {line} had died before it could make it",
    "它缺少的内容本应由第 {line} 行已终止的程序产生",
)
FIRES = (DIED_PREPARING + MISSED_IT,)
SILENT = (DIED_PREPARING + RAN_OUT_OF_MEMORY,)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or choice.left_undone is None:
        return None
    is_want = failure is choice.left_undone or (
        failure.is_of_want and choice.root.is_other_death_before(failure)
    )
    return Proof((choice.root.at,)) if is_want else None
