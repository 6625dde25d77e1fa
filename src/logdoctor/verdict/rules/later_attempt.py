"""The launcher tried again: a later attempt has a log of its own.

Launchers write each attempt to a folder that tells its number, as torchrun does with
`attempt_1/0/stderr.log`. Where a later one is among the sources, it tells how the run ended. One
that failed of something else before it made a step tells nothing: it met another obstacle on the
way to the same place.
"""

from logdoctor.formats.file_names import attempt_of_source
from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure, kind_of
from logdoctor.verdict.proof import Proof

ID, PROVES = "later-attempt", Verdict.RECOVERED
SAYS = Phrase(
    "the launcher tried again after it (line {line}): {later}",
    "此后启动器又重试了一次（第 {line} 行之后）：{later}",
)
FIRES = (
    """\
⋯ file none_x/attempt_0/0/stderr.log
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ValueError: the data set has no split of that name
⋯ file none_x/attempt_1/0/stderr.log
loaded the data set
""",
)
SILENT = (
    """\
⋯ file none_x/attempt_0/0/stderr.log
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ValueError: the data set has no split of that name
⋯ file none_x/attempt_1/0/stderr.log
Traceback (most recent call last):
  File "/app/train.py", line 9, in <module>
    meet()
ConnectionError: no rank answered
""",
    """\
⋯ file none_x/attempt_0/0/stderr.log
loaded the data set
⋯ file none_x/attempt_1/0/stderr.log
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    main()
ValueError: the data set has no split of that name
""",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The failure's own line, and the name of the later attempt's log."""
    attempt = attempt_of_source(history.name)
    if attempt is None:
        return None
    for name, each in failure.case.histories.items():
        other = attempt_of_source(name)
        is_later = other and other[0] == attempt[0] and other[1] > attempt[1]
        tells_end = each.steps or not each.has_failed or each.habit(kind_of(failure.occurrence))
        if is_later and tells_end:
            return Proof((failure.at,), {"later": name})
    return None
