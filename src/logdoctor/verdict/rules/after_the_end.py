"""The run had said that it ended well.

What comes after that is noise, unless the program itself died: what was to follow (an export, an
evaluation) is then missing. Some programs save the last checkpoint after they have said that the
training is done; a failure of that is no noise either. Nor is what stands below the beginning of
another run, or above the line with which a launcher reports that a program exited with another
status than 0.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "after-the-end", Verdict.TEARDOWN
SAYS = Phrase(
    "the run had said at line {line} that it ended well", "运行在第 {line} 行已宣告正常结束"
)
_DONE = (
    "step:5 - actor/loss:0.5 - actor/grad_norm:1.0\n"
    "{'train_runtime': 887.186, 'train_samples_per_second': 1.803, 'train_loss': -0.0008, "
    "'epoch': 0.05}\n"
)
_THREAD = """\
Traceback (most recent call last):
  File "/app/lib/threads.py", line 27, in run
    self.queue.get()
TypeError: Object of type bool_ is not JSON serializable
"""
FIRES = (_DONE + _THREAD, "[after training is done] datetime: 2026-01-01 10:00:00\n" + _THREAD)
SILENT = (
    _DONE
    + """\
Traceback (most recent call last):
  File "/app/train.py", line 270, in <module>
    json.dump(metrics, f)
TypeError: Object of type bool_ is not JSON serializable
""",
    "[after training is done] datetime: 2026-01-01 10:00:00\n"
    "> initializing torch distributed ...\n" + _THREAD,
    _DONE + "+ torchrun --nproc_per_node 8 train.py\n" + _THREAD,
    _DONE
    + _THREAD
    + "[2026-01-01 10:05:00,000] [ERROR] [launch.py:341:sigkill_handler] ['/usr/bin/python3'] "
    "exits with return code = 1\n",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line that says that the run ended."""
    end = history.end
    if end is None or failure.line <= end or failure.ends_program or failure.is_of_saving:
        return None
    if (
        end < history.begun <= failure.line
        or max(failure.line, history.good_end) <= history.failed_exit
    ):
        return None
    return Proof((Line(history.name, end),))
