"""The launcher reports of an attempt, and a later one has a log without any failure.

A launcher that keeps a log for each attempt writes one of its own beside them, and in that a
report for each attempt that failed. Where there are no more reports than attempts before the last
one, and the logs of the last one tell of no failure, the reports are of what was tried again.
"""

from logdoctor.formats.file_names import attempt_of_source
from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "reported-attempt-outlived", Verdict.RECOVERED
SAYS = Phrase(
    "it reports an attempt (line {line}) that the launcher followed by another, without a failure: "
    "{later}",
    "它报告的是一次尝试（第 {line} 行），启动器此后又重试了一次，没有再失败：{later}",
)
_FAILED = """\
⋯ file launcher.log
E1122 20:18:38.159000 25291 torch/distributed/elastic/multiprocessing/api.py:1002] failed \
(exitcode: 1) local_rank: 1 (pid: 25453) of binary: /opt/venv/bin/python3.11
⋯ file none_x/attempt_0/0/stderr.log
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ConnectionResetError: storage backend closed the connection while reading shard 1
⋯ file none_x/attempt_1/0/stderr.log
"""
FIRES = (_FAILED + "loaded the data set\n",)
SILENT = (
    _FAILED
    + """\
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ConnectionResetError: storage backend closed the connection while reading shard 1
""",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The report's own line, and a log of the last attempt."""
    if attempt_of_source(history.name):
        return None
    numbers = {
        each: attempt[1]
        for each in failure.case.histories.values()
        if (attempt := attempt_of_source(each.name))
    }
    last = max(numbers.values(), default=0)
    logs = [each for each, number in numbers.items() if number == last]
    if not 0 < len(failure.spots) <= last or any(each.has_failed for each in logs):
        return None
    if failure.spots[-1] != history.effect:
        return None  # something else was reported later, and may be of the last attempt
    return Proof((failure.at,), {"later": logs[0].name})
