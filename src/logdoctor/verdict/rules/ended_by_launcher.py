"""The launcher that had started the process ended it itself.

A signal whose sender stands in the log is what came of something else, however fatal it would be
from outside: what the launcher had seen before counts. It must be the same process.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "ended-by-launcher", Priority.SYMPTOM
SAYS = Phrase(
    "its launcher ended the process itself, as it says at line {line}",
    "该进程是被它自己的启动器结束的，见第 {line} 行",
)
_SENT = """\
W1106 10:01:00.000000 4001 torch/distributed/elastic/multiprocessing/api.py:916] Unable to \
shutdown process 4012 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL
"""
_KILLED = """\
E1106 10:01:01.000000 4001 torch/distributed/elastic/multiprocessing/api.py:869] failed \
(exitcode: -9) local_rank: 0 (pid: 4012) of binary: /usr/bin/python
"""
FIRES = (_SENT + _KILLED,)
SILENT = (_KILLED, _SENT.replace("4012", "4013") + _KILLED)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line in which it says so."""
    sender = failure.sender
    return Proof((sender,)) if sender else None
