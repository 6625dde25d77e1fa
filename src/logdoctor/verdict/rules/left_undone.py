"""Its program died before another one failed for want of something.

A script that does not stop at an error (without `set -e`) runs the next program all the same, which
finds no file, no rows, no module. The first program that died is the root cause, however fatal the
later error is known to be.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "left-undone", Verdict.ROOT_CAUSE
SAYS = Phrase(
    "its program died here (line {line}), the script went on, and at line {other} another program "
    "misses something",
    "该程序在此终止（第 {line} 行），脚本继续执行，第 {other} 行另一个程序因缺少内容而失败",
)
DIED_PREPARING = """\
Traceback (most recent call last):
  File "/app/prep.py", line 3, in <module>
    rows = [json.loads(line) for line in open("raw/train.jsonl")]
FileNotFoundError: [Errno 2] No such file or directory: 'raw/train.jsonl'
"""
MISSED_IT = """\
Traceback (most recent call last):
  File "/app/train.py", line 7, in <module>
    loader = DataLoader(Lines("data/train.txt"), shuffle=True)
  File "/usr/lib/python3.11/site-packages/torch/utils/data/sampler.py", line 149, in __init__
    raise ValueError(
ValueError: num_samples should be a positive integer value, but got num_samples=0
"""
RAN_OUT_OF_MEMORY = """\
Traceback (most recent call last):
  File "/app/train.py", line 7, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
"""
"""What the programs of a script died of; the samples of its neighbours are made of it as well."""
FIRES = (DIED_PREPARING + "== train\n" + MISSED_IT,)
SILENT = (
    MISSED_IT + "== prepare\n" + DIED_PREPARING,
    DIED_PREPARING.replace("prep.py", "train.py") + "== train\n" + MISSED_IT,
    DIED_PREPARING + RAN_OUT_OF_MEMORY,
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """Its line, and the line of what was taken for the cause without it."""
    choice = failure.case.choice
    if choice is None or choice.root is not failure or choice.left_undone is None:
        return None
    return Proof((failure.at, choice.left_undone.at))
