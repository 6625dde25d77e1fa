"""The run said later that it ended well.

A harness says so as well when what it had started is dead: its word is nothing for a failure that
ends a process where others felt it and no step was made since, or where the program itself died and
no step was ever made.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "run-completed", Verdict.RECOVERED
SAYS = Phrase(
    "the run said later, at line {line}, that it ended well",
    "此后运行在第 {line} 行宣告正常结束",
)
_CRASH = """\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
"""
FIRES = (_CRASH + "Training complete\n",)
SILENT = (
    """\
2025-12-27 17:25:51,879 - nanochat.common - INFO - Distributed world size: 1
Traceback (most recent call last):
  File "/app/scripts/train_unified.py", line 202, in <module>
    train_loader = create_dataloader(
FileNotFoundError: JSONL file not found: /data/tct/kubernetes-tct-bpe/train.jsonl
All experiments completed at Sat Dec 27 17:25:59 CET 2025
""",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line that says that the run ended."""
    end = history.end
    if end is None or failure.line >= end:
        return None
    if failure.ends_process and (_was_for_nothing(failure) or _had_effects(failure)):
        return None
    return Proof((Line(history.name, end),))


def _was_for_nothing(failure: Failure) -> bool:
    history = failure.history
    return not history.advances and not history.loops and failure.ends_program


def _had_effects(failure: Failure) -> bool:
    """Whether others felt it and no step was made since."""
    history = failure.history
    return history.effect > failure.line and not (
        history.advances and history.advances[-1] > history.effect
    )
