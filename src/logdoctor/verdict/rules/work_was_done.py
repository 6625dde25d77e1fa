"""The loop of training was at its last step, and its process wrote on.

A bar of it stands above at N of N, and the process that had the failure, one that can be told from
others, told of a step since or is among those that wrote to the end of the source. A bar of an
epoch is none of the whole work; a launcher that reports a failed exit below contradicts it.
"""

from logdoctor.formats.progress_bars import finished_training
from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.model.log import NOBODY
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "work-was-done", Verdict.TEARDOWN
SAYS = Phrase(
    "the work was done at line {line} ({total} of {total} steps), this came at the end",
    "第 {line} 行时工作已经完成（{total}/{total} 步），它出现在收尾阶段",
)
_DONE = "Training Progress: 100%|██████████| 6/6 [20:33<00:00, 205.58s/it]\n"
_UNDONE = "Training Progress:  83%|████████▎ | 5/6 [17:07<03:25, 205.58s/it]\n"
_THREAD = """\
(TaskRunner pid=5) Traceback (most recent call last):
(TaskRunner pid=5)   File "/app/shards.py", line 140, in fetch
(TaskRunner pid=5)     raise OddShard(name)
(TaskRunner pid=5) OddShard: no such shard
"""
_METRICS = "(TaskRunner pid=5) step:6 - actor/loss:0.09 - critic/rewards/mean:0.6\n"
FIRES = (_DONE + _THREAD + _METRICS,)
SILENT = (
    _UNDONE + _THREAD + _METRICS,
    _DONE + _THREAD,
    _DONE + _THREAD + _METRICS.replace("TaskRunner pid=5", "Driver pid=6"),
    _DONE.replace("Training Progress", "Epoch 1") + _THREAD + _METRICS,
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The last drawing of the bar."""
    stream = failure.occurrence.line.stream
    done = finished_training(history, failure.line)
    is_contradicted = history.failed_exit >= max(failure.line, history.good_end)
    if done is None or stream == NOBODY or is_contradicted:
        return None
    told = history.own_steps.get(stream, ())[-1:]
    if not failure.is_seen_alive and not (told and told[0] > failure.line):
        return None
    line, total = done
    return Proof((Line(history.name, line),), {"total": total})
