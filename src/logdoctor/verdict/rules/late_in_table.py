"""The launcher's table says that another worker failed before.

torchrun lists every worker that ended with an error and names the one that it saw first; the others
failed later.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "late-in-table", Priority.HANDLED
SAYS = Phrase(
    "the launcher's table says that another worker failed before (line {line})",
    "启动器的汇总表说明另一个进程失败得更早（第 {line} 行）",
)
FIRES = (
    """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-21_10:00:04
  host      : gpu-node-1
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 4010)
  error_file: /tmp/0/error.json
  traceback : Traceback (most recent call last):
    File "/app/errors/__init__.py", line 355, in wrapper
      return f(*args, **kwargs)
    File "/app/train.py", line 12, in step
      go()
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.

------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-21_10:00:05
  host      : gpu-node-1
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 4011)
  error_file: /tmp/1/error.json
  traceback : Traceback (most recent call last):
    File "/app/errors/__init__.py", line 355, in wrapper
      return f(*args, **kwargs)
    File "/app/train.py", line 12, in step
      go()
  ValueError: labels out of range

============================================================
""",
)
SILENT = (
    """\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    return Proof((failure.at,)) if failure.event.is_late else None
