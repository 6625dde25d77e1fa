"""Whose code raised an exception, as its frames tell: Raised, raised_by.

Python's own modules, code without a file, and the functions of libraries that get an attribute or
call what they wrap only carry out what they were given: nobody is to search their issues. So the
innermost other frame decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.formats.library_paths import (
    CALLS_WITH_ROWS,
    CARRIES_OUT,
    CHECKED_OUT,
    INSTALLED,
    LAUNCHED,
    NO_PACKAGE,
)
from logdoctor.formats.markers import MARKERS, MarkerKind
from logdoctor.model import LogEvent

LIBRARY, OWN_CODE, GIVEN_FUNCTION = "library", "own-code", "given-function"
LAUNCHER = "launcher"
"""In whose code an exception was raised: that of an installed package or of a framework's
checkout, the run's own, a function of that which a library calls with rows of data (map,
collator, reward), or the command (`bin/vllm`) that pip made to start a package, where it imports
that.
"""

NOT_TOLD = "not-told"
"""No frame says whose code it was: what holds for that case only is a guess, and proves nothing."""

FACTS = (
    "raised_in",
    "raised_package",
    "raised_release",
    "raised_at",
    "raised_line",
    "own_at",
    "own_function",
    "own_line",
    "given_to",
    "launcher",
    "culprit",
    "from_file",
    "loaded",
    "deleted",
    "pip_name",
    "busy",
    "busy_with",
    "busy_at",
    "below",
    "reason_told",
    "ranks_show",
    "odd_ranks",
    "waited_for",
    "refusal",
    "refused",
    "allowed",
)
"""What texts and conditions of a signature may ask for as if the message had said it."""

CODE_LIMIT = 120
"""Characters of a line of code that are told."""

_FRAME = (
    r"(?:> )?File \"(?P<path>[^\"]{1,400})\", line (?P<line>\d{1,7}),? in "
    r"(?P<function>[^\s(]{1,200})"
)

_MARKER = r"~*\^[~^]*"
"""What Python writes below the part of a line that failed."""

_REST_OF_FRAME = r"\bline \d{1,7}, in [\w<][^\s(]{0,200}$"


class Frame(NamedTuple):
    """Where a frame stands.

    Attributes:
        package: in whose code; None in the run's own, empty in Python's own and without a file.
        code: what its line says; empty where the log does not show it.
    """

    path: str
    line: str
    function: str
    package: str | None
    code: str = ""

    @property
    def name(self) -> str:
        """As a person is told; at the top level of a file it has none but the place."""
        place = f"{self.path}:{self.line}"
        return place if self.function == "<module>" else f"{self.function} ({place})"


class Raised(NamedTuple):
    """Whose code raised it.

    Attributes:
        at: the innermost frame that is neither of Python's own nor only carries out what a library
            is asked for; None where there is none.
        own: the innermost frame of the run's own code.
        given_to: of a function that a library calls with rows, that library.
        code: the line of code that raised it; empty where the log does not show it.
    """

    at: Frame | None
    own: Frame | None
    given_to: str | None
    code: str = ""

    @property
    def package(self) -> str | None:
        """The package that raised it; None where it is the run's own code, or not told."""
        return (self.at.package if self.at else None) or None

    def facts(self, versions: Mapping[str, str]) -> dict[str, str]:
        """What is known of `FACTS`; `versions` are those that the log tells."""
        launcher = self.at and _launcher(self.at)
        own = GIVEN_FUNCTION if self.given_to else LAUNCHER if launcher else OWN_CODE
        kind = LIBRARY if self.package else own
        told = {
            "raised_in": kind if self.at else NOT_TOLD,
            "raised_at": self.at and self.at.name,
            "raised_package": self.package,
            "raised_release": self.package and _release(self.package, versions),
            "raised_line": _shown(self.code),
            "own_at": self.own and self.own.name,
            "own_function": self.own and self.own.function,
            "own_line": self.own and _shown(self.own.code),
            "given_to": self.given_to,
            "launcher": launcher,
        }
        return {name: value for name, value in told.items() if value}


def raised_by(event: LogEvent) -> Raised:
    """Whose code raised an exception."""
    frames = [each for each in frames_of(event) if each.package != ""]
    own = next((each for each in reversed(frames) if each.package is None), None)
    at = next((each for each in reversed(frames) if not _carries_out(each)), None) or (
        frames[-1] if frames else None
    )
    code = at.code if at else _code_without_frame(event)
    return Raised(at, own, _given_to(frames), code)


def _carries_out(frame: Frame) -> bool:
    """Whether it is of a library, and only does what the frame outside of it asks for."""
    return bool(frame.package) and re.fullmatch(CARRIES_OUT, frame.function) is not None


def _launcher(frame: Frame) -> str | None:
    """The command whose file it is, where it imports what it was made to start."""
    command = re.search(LAUNCHED, frame.path)
    is_import = re.match(r"(?:from|import) \w", frame.code) is not None
    return command[1] if command and is_import and frame.function == "<module>" else None


def _code_without_frame(event: LogEvent) -> str:
    """The last line of code of a traceback whose frames were cut off or left out."""
    if next(frames_of(event), None):
        return ""
    if not event.is_traceback:
        return _code_above(event) if event.exception else ""
    lines = [line.text for line in event.lines[1 : event.head]]
    return next((text.strip() for text in reversed(lines) if text[:1] == " " and text.strip()), "")


def _code_above(event: LogEvent) -> str:
    """The line of code above an exception whose traceback was cut off: one that Python has marked,
    one below the rest of its frame, or one that holds what the message speaks of.
    """
    above = [line.text.strip() for line in event.before if line.stream == event.line.stream]
    is_marked = bool(above) and re.fullmatch(_MARKER, above[-1]) is not None
    *rest, code = above[: -1 if is_marked else None] or [""]
    # most exceptions without a traceback stand below lines that are no code
    from logdoctor.verdict.code_lines import culprit_of, is_code  # noqa: PLC0415

    if not code or not is_code(code):
        return ""
    is_of_frame = is_marked or re.search(_REST_OF_FRAME, rest[-1] if rest else "")
    return code if is_of_frame or culprit_of(event.exception, event.message, code) else ""


def _shown(code: str) -> str:
    return code if len(code) <= CODE_LIMIT else f"{code[:CODE_LIMIT]} …"


def frames_of(event: LogEvent) -> Iterator[Frame]:
    """Its frames, outermost first."""
    for frame in event.frames:
        found = re.search(_FRAME, frame)
        if found:
            package = _package(found["path"])
            code = frame[found.end() :].strip()
            yield Frame(found["path"], found["line"], found["function"], package, code)


def _given_to(frames: Sequence[Frame]) -> str | None:
    """The library that calls the run's own code, in which it was raised, with rows of data."""
    for frame in reversed(frames):
        if frame.package:
            is_with_rows = re.search(CALLS_WITH_ROWS, f"{frame.path}:{frame.function}")
            return frame.package if is_with_rows and frame is not frames[-1] else None
    return None


def _package(path: str) -> str | None:
    installed = re.search(rf"{INSTALLED}/(\w+)", path)
    if installed:
        return installed[1]
    if re.search(NO_PACKAGE, path):
        return ""
    checked_out = re.search(CHECKED_OUT, path)
    if checked_out:
        return checked_out["checked_out"] or checked_out["workspace"]
    return next(
        (
            each.value
            for each in MARKERS
            if each.kind is MarkerKind.FRAMEWORK and "/" in each.pattern
            if re.search(each.pattern, path)
        ),
        None,
    )


def _release(package: str, versions: Mapping[str, str]) -> str:
    """`trl 0.9.6`, as far as the version is known."""
    names = (package, package.replace("_", "-"))
    version = next((versions[name] for name in names if name in versions), "")
    return f"{package} {version}".strip()
