"""Where a source goes on with another run: RerunReader.

Logs that are appended to (nohup.out, one file for all jobs) hold runs one after the other. That a
new one begins shows where the lines that the source began with come again, or where a server
announces its start again.
"""

import re
from collections import Counter, deque
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from logdoctor.formats.error_lines import FAILURE
from logdoctor.formats.library_paths import INSTALLED
from logdoctor.formats.markers import SERVER_START
from logdoctor.model import AnchorKind, LogLine

OPENING = 8
"""First telling lines of a source that are its opening."""

BEGINNING = 3
"""Of these, how many may be missing where it comes again."""

REACH = 12
"""Lines within which two of them stand."""

LETTERS = 8
"""Letters that a telling line has at least, where it is no date."""

LENGTH = 200
"""Characters of a line that are compared."""

_DIED = (
    r'(?m)^Traceback \(most recent call last\):\n {1,4}File "[^"\n]+", line \d+, in '
    r"<module>\n(?:[ \t].*\n)*\S.*\n"
)
"""The traceback with which a program ends, as a whole: what follows is another try."""

_QUOTING = r"Warning: |File \"[^\"]+\", line "
"""What stands above a line of source code."""

_LIBRARY = (
    rf"{INSTALLED}|File \"[^\"]+\", line "
    r"|[Ww]arn|WARNING|\.(?:py|cc|cpp):[0-9]+|tensorflow|TensorFlow|TensorRT|DeepSpeed"
)
"""What a library prints where it is imported: other programs of the same job print it as well."""

_NAMES = frozenset(
    [
        "Mon",
        "Tue",
        "Wed",
        "Thu",
        "Fri",
        "Sat",
        "Sun",
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
        "Dec",
    ]
)
_DATE = re.compile(rf"\b(?:{'|'.join(sorted(_NAMES))})\b")
_NUMBER = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[^\W\d_]")


class Rerun(NamedTuple):
    """The number of the line with which a source seems to go on with another run."""

    source: str
    number: int


class _Telling(NamedTuple):
    """The number of a line of an opening, and its shape."""

    number: int
    shape: str


class _Opening(NamedTuple):
    """How a source opens.

    Attributes:
        places: of its telling lines by shape, from 0.
        numbers: of these lines, in order.
        starts: what these shapes start with.
        lines: of the source, down to the last of them.
        skipped: lines above it, of runs that died at once.
    """

    places: dict[str, int]
    numbers: tuple[int, ...]
    starts: frozenset[str]
    lines: tuple[str, ...]
    skipped: int


class RerunReader:
    """Compares the lines of a source, or of one of its sections, with how the source opens."""

    def __init__(self, head: bytes, *, is_first: bool = True) -> None:
        """`head` are the first bytes of the source; `is_first` says that the lines begin with
        them.
        """
        self._head = head
        self._is_first = is_first
        # number and place of a line that may begin a run
        self._pending = (-REACH, 0)
        self._above: deque[LogLine] = deque(maxlen=REACH)
        self._served: int | None = None  # the line with which a server started first
        start = head.find(SERVER_START.encode())
        if start >= 0:
            self._served = head.count(b"\n", 0, start) + 1 if is_first else 0

    @cached_property
    def _opening(self) -> _Opening:
        """Of a source that has nothing worth reading it is never asked for."""
        text = self._head.decode("utf-8", errors="replace")
        telling, skipped = _telling(text)
        opening = telling[:OPENING]
        last = opening[-1].number if opening else 0
        return _Opening(
            {line.shape: place for place, line in enumerate(opening)},
            tuple(line.number for line in opening),
            frozenset(_start(line.shape) for line in opening),
            tuple(text.split("\n")[:last]),
            skipped,
        )

    @cached_property
    def _begun(self) -> int:
        """The last line of the opening of the latest run."""
        opening = self._opening
        first = opening.skipped + REACH if opening.skipped else OPENING
        return max(first, len(opening.lines)) if self._is_first else 0

    def start(self, line: LogLine) -> int | None:
        """The number of a line with which a server starts, where one of the source's had started
        before.
        """
        if AnchorKind.MARKER not in line.kinds or SERVER_START not in line.raw:
            return None
        if self._served is None:
            self._served = line.number
        return line.number if self._served < line.number else None

    def feed(self, line: LogLine) -> int | None:
        """Takes the next line, in order; the number of the one with which another run began,
        where this shows it.
        """
        if not self._opening.places:
            return None
        place = None
        if line.number > self._begun and _start(line.raw) in self._opening.starts:
            place = self._opening.places.get(_shape(line.raw))
        found = None if place is None else self._take(line, place)
        self._above.append(line)
        return found

    def _take(self, line: LogLine, place: int) -> int | None:
        """Takes a line of the opening, and its place there."""
        (number, before), self._pending = self._pending, (-REACH, 0)
        if place > before and 0 < line.number - number <= REACH:
            self._begun = number + REACH
            return number
        if place < BEGINNING and not self._is_block(line, place):
            self._pending = (line.number, place)
        return None

    def _is_block(self, line: LogLine, place: int) -> bool:
        """Whether a line belongs to what a process prints time and again, as its statistics: that
        comes again without what stood above it at first, and the process wrote the line before.
        """
        number, writer = self._opening.numbers[place] - 1, line.lane.pid
        for above in reversed(self._above):
            if not number:
                return False
            if _shape(above.raw) != _shape(self._opening.lines[number - 1]):
                return writer is not None and above.lane.pid == writer
            number, writer = number - 1, above.lane.pid
        return False


def _telling(text: str) -> tuple[list[_Telling], int]:
    """The telling lines with which a run opens, of the first one that lived long enough to have
    some, and how many lines are above it.
    """
    library, quoting = re.compile(_LIBRARY), re.compile(_QUOTING)
    skipped = 0
    while True:
        # what failed there may come again on every rank
        failure = _failure(text)
        lines = text[:failure].split("\n")[:-1]
        own = (
            not library.search(line) and not quoting.search(above)
            for above, line in pairwise(["", *lines])
        )
        said = [
            _Telling(number, _shape(line))
            for number, (line, is_own) in enumerate(zip(lines, own, strict=True), skipped + 1)
            if is_own
        ]
        times = Counter(line.shape for line in said)
        telling = [
            line
            for line in said
            if ("@" in line.shape or len(_LETTER.findall(line.shape)) >= LETTERS)
            and times[line.shape] == 1
        ]
        died = None if failure is None else re.compile(_DIED).match(text, failure)
        if len(telling) > 1 or died is None:
            return telling, skipped
        skipped += text.count("\n", 0, died.end())
        text = text[died.end() :]


def _failure(text: str) -> int | None:
    """Where the first line that says that something failed says so."""
    start = 0
    for line in text.split("\n"):
        found = FAILURE.search(line)
        if found:
            return start + found.start()
        start += len(line) + 1
    return None


def _start(text: str) -> str:
    """How a line and its shape start; quick to see."""
    start = text[:3]
    return (
        "@"
        if start in _NAMES or start[:1] == "@"
        else "0"
        if start[:1].isdigit()
        else start[:2]
        if start[1:2].isalpha()
        else start[:1]
    )


def _shape(text: str) -> str:
    """What lines have in common that differ in numbers and dates."""
    return _NUMBER.sub("0", _DATE.sub("@", text[:LENGTH].strip()))
