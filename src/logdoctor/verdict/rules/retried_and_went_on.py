"""The program said that it tries again, and went on.

What is announced as tried again ends nothing by itself. That the run went on shows in a step, in a
loop that moved, in its good end, or, of what came once, in lines of which none complains. One sign
is enough, as the program had said what it would do. A last attempt, one that nothing follows, and
one after which the program died of the same are none.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "retried-and-went-on", Verdict.RECOVERED
SAYS = Phrase(
    "the program said that it tries again, and went on at line {line}",
    "程序说明会重试，并在第 {line} 行继续运行",
)
_RECORD = (
    "2026-11-23 02:34:29,208 WARNING reward request 4 failed (attempt {n}/3): "
    "ConnectionResetError(104, 'Connection reset by peer'); {then}\n"
)
_TRACEBACK = """\
Traceback (most recent call last):
  File "/app/client.py", line 11, in post
    return await call(i)
ConnectionResetError: [Errno 104] Connection reset by peer
"""
_RETRIED = _RECORD.format(n=2, then="retrying in 0.1s") + _TRACEBACK
_STEP = "step:8 - actor/loss:0.5 - actor/grad_norm:1.0\n"
_TASK = """\
rollout 3 ok
rollout 4 ok
(raylet) Task W.gen failed. There are 2 retries remaining, so the task will be retried. Error: \
The actor is temporarily unavailable: RpcError: RPC error
(raylet) A worker died or was killed while executing a task by an unexpected system error.
"""
QUIET_BELOW = 6
"""Lines without any complaint that must follow, where nothing else shows that it went on; not
measured.
"""
FIRES = (_RETRIED + _STEP, _TASK + "rollout 5 ok\n⋯ 7 times\n")
SILENT = (
    _RETRIED,
    _TASK,
    _RECORD.format(n=3, then="giving up") + _TRACEBACK + _STEP,
    _RETRIED + _STEP + _TRACEBACK,
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The first line that shows that it went on."""
    line = failure.line
    if not failure.is_retried or (failure.ends_process and not failure.is_logged_as_warning):
        return None
    signs = [each for each in (history.advances, *_moves(history)) if each and each[-1] > line]
    after = [next(each for each in sign if each > line) for sign in signs]
    if history.end and history.end > line:
        after.append(history.end)
    if (
        history.lines - line >= QUIET_BELOW
        and (history.unrest or 0) <= failure.event.lines[-1].number
    ):
        after.append(line + 1)
    return Proof((Line(history.name, min(after)),)) if after else None


def _moves(history: SourceHistory) -> list[list[int]]:
    return [loop.moves for loop in history.loops.values()]
