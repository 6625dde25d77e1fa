"""The launcher reports of an attempt, and a later one worked and has logs without any failure.

A launcher that keeps a log for each attempt writes one of its own beside them, and in that a
report for each attempt that failed. Where there are no more reports than attempts before the last
one, and the logs of the last one tell of steps or a good end and of no failure, the reports are of
what was tried again. A last attempt that tells of neither may have died without a word. Of several
launches the report does not say which one it is of.
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
_WORKED = """\
[2026-11-22 20:18:44,302][INFO][rank0] step 120/120 loss 2.3754
[2026-11-22 20:18:44,303][INFO][rank0] training completed
"""
FIRES = (_FAILED + _WORKED,)
SILENT = (
    _FAILED + "loaded the data set\n",
    _FAILED + _WORKED + "⋯ file none_y/attempt_0/0/stderr.log\nloaded the data set\n",
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
    launches: dict[str, dict[int, list[SourceHistory]]] = {}
    for each in failure.case.histories.values():
        if attempt := attempt_of_source(each.name):
            launches.setdefault(attempt[0], {}).setdefault(attempt[1], []).append(each)
    if len(launches) != 1:
        return None
    ((last, logs),) = sorted(next(iter(launches.values())).items())[-1:]
    if not 0 < len(failure.spots) <= last or any(each.has_failed for each in logs):
        return None
    worked = [each for each in logs if each.has_ended or each.steps]
    if not worked:
        return None
    if failure.spots[-1] != history.effect:
        return None  # something else was reported later, and may be of the last attempt
    return Proof((failure.at,), {"later": worked[0].name})
