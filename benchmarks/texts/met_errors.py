"""Errors that people met: messages that threads on GitHub quote, as the libraries print them.

Where a thread cuts a message off, the rest is what the source prints there, with values of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_name("met_errors.jsonl")

_OWN_FRAMES = (
    '  File "/workspace/train.py", line 118, in <module>\n    main()\n'
    '  File "/workspace/train.py", line 74, in main\n    run(args)\n'
)


class MetError(NamedTuple):
    """One message, where it is raised, and who met it.

    Attributes:
        draw: 1 are those that signatures were written for, 2 those that were only measured.
        library: the one that prints it.
        at: the file of the raise site, with its line where the thread shows it; empty: no frame of
            the library stands in the thread.
        function: the function there.
        code: the line of code there; empty: `raise` and the name of the error.
        message: the exception as printed, or the line where it is no exception.
        thread: the address of the thread.
        answer: id of the signature that speaks of this message; empty: there is none yet.
    """

    draw: int
    library: str
    at: str
    function: str
    code: str
    message: str
    thread: str
    answer: str

    @property
    def log(self) -> str:
        """The end of a log in which a training script meets it; line 1 where none is known."""
        name = self.message.partition(":")[0].rpartition(".")[2]
        if not self.at and not name.isidentifier():
            return self.message + "\n"
        site = ""
        if self.at:
            file, _, line = self.at.partition(":")
            code = self.code or f"raise {name}("
            site = f'  File "/opt/venv/lib/python3.11/site-packages/{file}", line {line or 1}, '
            site += f"in {self.function}\n    {code}\n"
        return f"Traceback (most recent call last):\n{_OWN_FRAMES}{site}{self.message}\n"


def met_errors() -> tuple[MetError, ...]:
    """All of them, in the order in which they were drawn."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return tuple(MetError(**json.loads(line)) for line in lines)
