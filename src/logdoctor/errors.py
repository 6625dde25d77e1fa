"""The exceptions, one class for each decision a caller can take.

LogdoctorError
├── SourceError       this log cannot be read: skip it, read the others
└── SignatureError    the database is broken: mend the YAML (carries every fault found)
"""

from typing import NamedTuple

from logdoctor.model import Position


class LogdoctorError(Exception):
    """Whatever logdoctor raises on purpose."""


class SourceError(LogdoctorError):
    """A source cannot be read.

    Attributes:
        source: name of the source.
        what: what is wrong, in one line.
        is_unforeseen: whether it is logdoctor's own fault; its cause says which.
    """

    is_unforeseen = False

    def __init__(self, source: str, what: str) -> None:
        super().__init__(f"{source}: {what}")
        self.source = source
        self.what = what


def unforeseen(source: str, error: Exception) -> SourceError:
    """What is said of a source on which logdoctor itself failed; of the error only its kind,
    because its text may quote the log.
    """
    told = SourceError(
        source, f"logdoctor failed on it ({type(error).__name__}); please report this (see --debug)"
    )
    told.is_unforeseen = True
    told.__cause__ = error
    return told


class Fault(NamedTuple):
    """One thing wrong with a signature file: where, what, and what was expected or can be done
    (may be empty).
    """

    position: Position
    what: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.position}: {self.what}" + (f"; {self.hint}" if self.hint else "")


class SignatureError(LogdoctorError):
    """Signature files are broken; `faults` has all that were found, in the order of files and
    lines.
    """

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = faults
