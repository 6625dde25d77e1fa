"""The program printed its traceback below a warning.

The warning must tell of it: it names the exception, or says that something failed. Who logs an
exception at that level has caught it and thinks that the run can go on. It comes behind
what was raised and not caught, however fatal it would be elsewhere.
"""

from logdoctor.model.history import SourceHistory
from logdoctor.texts.phrases import Phrase
from logdoctor.verdict.failure import Failure
from logdoctor.verdict.proof import Priority, Proof

ID, PROVES = "logged-as-warning", Priority.HANDLED
SAYS = Phrase(
    "the program logged it as a warning (line {line})",
    "程序把它作为警告记录（第 {line} 行）",
)
_TRACEBACK = """\
Traceback (most recent call last):
  File "/app/cache.py", line 3, in warm
    read(path)
FileNotFoundError: [Errno 2] No such file or directory: '/cache/index.json'
"""
FIRES = ("2026-11-23 02:34:29,208 WARNING could not warm the cache\n" + _TRACEBACK,)
SILENT = (
    "2026-11-23 02:34:29,208 WARNING the tokenizer is a slow one\n" + _TRACEBACK,
    "2026-11-23 02:34:29,208 ERROR the cache cannot be used\n" + _TRACEBACK,
)


def proof(failure: Failure, _: SourceHistory) -> Proof | None:
    """The failure's own line."""
    return Proof((failure.at,)) if failure.is_logged_as_warning else None
