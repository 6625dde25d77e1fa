"""The launcher sent the signal after the root cause.

Who ends what it had started does so because of something; the end is a consequence, also where its
signature knows it as a cause.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "signal-was-sent", Verdict.CONSEQUENCE
SAYS = Phrase(
    "its launcher ended the process at line {line}, after the root cause at line {other}",
    "在根因（第 {other} 行）之后，其启动器在第 {line} 行结束了该进程",
)
_TIMEOUT = """\
[rank0]:[E1106 10:00:00.100000000 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective \
operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, \
Timeout(ms)=600000) ran for 600033 milliseconds before timing out.
"""
_SENT = """\
W1106 10:01:00.000000 4001 torch/distributed/elastic/multiprocessing/api.py:916] Unable to \
shutdown process 4012 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL
"""
_KILLED = """\
E1106 10:01:01.000000 4001 torch/distributed/elastic/multiprocessing/api.py:869] failed \
(exitcode: -9) local_rank: 0 (pid: 4012) of binary: /usr/bin/python
"""
FIRES = (_TIMEOUT + _SENT + _KILLED,)
SILENT = (_TIMEOUT + _KILLED,)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line in which the launcher says so, and that of the root cause."""
    sender, choice = failure.sender, failure.case.choice
    if sender is None or choice is None:
        return None
    root = choice.root.at
    is_before = sender.source != root.source or root.number < sender.number
    return Proof((sender, root)) if is_before else None
