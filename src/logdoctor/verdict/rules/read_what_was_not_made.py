"""It misses something, and the program of the root cause had died before."""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Proof

ID, PROVES = "read-what-was-not-made", Verdict.CONSEQUENCE
SAYS = Phrase(
    "it misses something, and the program at line {line} had died before it could make it",
    "它缺少的内容本应由第 {line} 行已终止的程序产生",
)
FIRES = (
    """\
Traceback (most recent call last):
  File "/app/prep.py", line 3, in <module>
    rows = [json.loads(line) for line in open("raw/train.jsonl")]
FileNotFoundError: [Errno 2] No such file or directory: 'raw/train.jsonl'
Traceback (most recent call last):
  File "/app/train.py", line 7, in <module>
    loader = DataLoader(Lines("data/train.txt"), shuffle=True)
  File "/usr/lib/python3.11/site-packages/torch/utils/data/sampler.py", line 149, in __init__
    raise ValueError(
ValueError: num_samples should be a positive integer value, but got num_samples=0
""",
)
SILENT = (
    """\
Traceback (most recent call last):
  File "/app/prep.py", line 3, in <module>
    rows = [json.loads(line) for line in open("raw/train.jsonl")]
FileNotFoundError: [Errno 2] No such file or directory: 'raw/train.jsonl'
Traceback (most recent call last):
  File "/app/train.py", line 7, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 1.19 GiB is free.
""",
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The line of the root cause."""
    choice = failure.case.choice
    if choice is None or choice.left_undone is None:
        return None
    is_want = failure is choice.left_undone or (
        failure.is_of_want and choice.root.is_other_death_before(failure)
    )
    return Proof((choice.root.at,)) if is_want else None
