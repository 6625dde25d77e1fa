"""The file goes on with a later run of the same program.

Files that are appended to (`nohup.out`, `>>`) hold runs one after the other; the question is why
the last one failed. Another program may be the job's next stage, which does not heal an earlier
one: where the tracebacks of both tell which program they are of, it must be the same. A later run
that did not fail stands for the file once it has 100 lines or has made steps.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "later-run-in-file", Verdict.RECOVERED
SAYS = Phrase(
    "the file goes on with a later run, which begins near line {line}",
    "文件后面还有更晚的一次运行，约从第 {line} 行开始",
)
FIRES = (
    """\
Sun Aug 17 00:40:32 2025
Job 263121 starts on dgx-15
Using the data in /data/aloha
processed the first batch
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ValueError: the data set has no split of that name
Thu Aug 21 01:31:46 2025
Job 263122 starts on dgx-02
Using the data in /data/aloha
processed the next batch
⋯ 100 times
""",
)
SILENT = (
    """\
Sun Aug 17 00:40:32 2025
Job 263121 starts on dgx-15
Using the data in /data/aloha
processed the first batch
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ValueError: the data set has no split of that name
Thu Aug 21 01:31:46 2025
Job 263122 starts on dgx-02
Using the data in /data/aloha
processed the next batch
⋯ 90 times
""",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The line with which the judged run begins."""
    run, judged = failure.occurrence.run, history.judged_run
    if run >= judged or not history.is_same_program(run, judged):
        return None
    return Proof((Line(history.name, history.begin_of(judged)),))
