"""The program logged it as a warning, and work went on.

Its traceback stands in records of a level below error, or below a warning that tells of it. Since
then steps were told, or a bar of work under way was drawn; nothing complained.
"""

from logdoctor.model import Verdict
from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Line, Proof

ID, PROVES = "warning-outlived", Verdict.RECOVERED
SAYS = Phrase(
    "the program only logged it, as no error, and worked on until line {line}",
    "程序只是记录了它，级别低于错误，此后一直工作到第 {line} 行",
)
_LOGGED = """\
(EngineCore pid=9) WARNING 06-01 10:00:05 [core.py:40] cannot warm the cache
(EngineCore pid=9) WARNING 06-01 10:00:05 [core.py:40] Traceback (most recent call last):
(EngineCore pid=9) WARNING 06-01 10:00:05 [core.py:40]   File "/app/cache.py", line 3, in warm
(EngineCore pid=9) WARNING 06-01 10:00:05 [core.py:40]     read(path)
(EngineCore pid=9) WARNING 06-01 10:00:05 [core.py:40] \
FileNotFoundError: [Errno 2] No such file or directory: 'c'
"""
_WORK = "Processed prompts: 100%|██████████| 500/500 [02:00<00:00,  4.1it/s]\n"
FIRES = (_LOGGED + _WORK,)
SILENT = (
    _LOGGED,
    _WORK + _LOGGED,
    _LOGGED.replace("WARNING", "ERROR") + _WORK,
    _LOGGED + _WORK.replace("Processed prompts", "Loading shards"),
    _LOGGED + _WORK + "KeyError: 'prompt'\n",
)


def proof(failure: Failure, history: SourceHistory) -> Proof | None:
    """The last line that shows that work went on."""
    worked = max((history.worked, *history.steps[-1:]))
    if not max(history.unrest or 0, history.effect) <= failure.line < worked:
        return None
    if history.last_words or not (failure.is_recorded_below_error or failure.is_logged_as_warning):
        return None
    return Proof((Line(history.name, worked),))
