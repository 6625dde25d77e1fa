"""The run said later that it ended well.

A harness says so as well when what it had started is dead: its word is nothing for a failure that
ends a process where others felt it and no step was made since, or where the program itself died and
no step was ever made.

Plain words (`done`, an exit by 0) in the last lines say it as well, but only for an exception that
the program logged with its traceback and then wrote on as before: lines of a form that stands above
it follow, none of them a complaint. What came again is outlived when lines without any complaint
followed the last time; where all that was tried failed, none was.
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
QUIET_BELOW = 6
"""Lines without any complaint that must follow what came several times; not measured."""
_CRASH = """\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
"""
_SHARDS = """\
2026-11-23 02:34:28,101 INFO reading shard 3
2026-11-23 02:34:28,640 INFO reading shard 4
"""
_LOGGED = """\
2026-11-23 02:34:29,208 ERROR could not parse sample 17, skipping
Traceback (most recent call last):
  File "/app/data.py", line 11, in parse
    return json.loads(row)
ValueError: Expecting value: line 1 column 1 (char 0)
"""
_SKIPPED = _SHARDS + _LOGGED + _SHARDS
_FINISHED = "2026-11-23 02:40:01,003 INFO trainer: finished\n"
FIRES = (_CRASH + "Training complete\n", _SKIPPED + _FINISHED)
SILENT = (
    _SKIPPED,
    _SHARDS + _LOGGED + "uploading the logs\n" + _FINISHED,
    _SKIPPED + "512 of 512 samples skipped\n" + _FINISHED,
    3 * (_SHARDS + _LOGGED) + _FINISHED,
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
        is_shown = failure.line < history.good_end and _was_handled(failure)
        return Proof((Line(history.name, history.good_end),)) if is_shown else None
    if failure.ends_process and (_was_for_nothing(failure) or _had_effects(failure)):
        return None
    return Proof((Line(history.name, end),))


def _was_handled(failure: Failure) -> bool:
    """Whether it was logged once and the program wrote on as before, or wrote on after the last."""
    history, last = failure.history, failure.event.lines[-1].number
    is_once = (history.unrest or 0) <= last or failure.group.occurrences == 1
    return failure.is_handled and (is_once or history.lines - (history.unrest or 0) >= QUIET_BELOW)


def _was_for_nothing(failure: Failure) -> bool:
    history = failure.history
    return not history.advances and not history.loops and failure.ends_program


def _had_effects(failure: Failure) -> bool:
    """Whether others felt it and no step was made since."""
    history = failure.history
    return history.effect > failure.line and not (
        history.advances and history.advances[-1] > history.effect
    )
