"""The kinds of rows that say what programs print: Format, and the parts of one.

Every row has samples, and a test holds it to them. Patterns that the automaton searches are for
Hyperscan and `re` alike.
"""

import re
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from logdoctor.formats.error_lines import BEGINS_EXCEPTION
from logdoctor.formats.levels import LEVEL
from logdoctor.model import Phase

DATE_TIME = r"\d{4}[-/]\d\d[-/]\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
MESSAGE = (
    rf"(?=$|\s|[\[(<]|Traceback|During handling|The above "
    rf"exception|{LEVEL}\b|\d{{4}}-\d\d|[WEIFC]\d{{4}} "
    rf"|{BEGINS_EXCEPTION})"
)
"""What must follow a prefix that could be a message's own first word."""


class MarkerKind(str, Enum):
    """What a marker tells. A run ends by itself (end), when asked to (stop) or by force
    (cancel); begin: another one begins; cut: its beginning is not in the log; sent: who started a
    process ends it.
    """

    FRAMEWORK = "framework"
    PHASE = "phase"
    PROGRESS = "progress"
    END = "end"
    BEGIN = "begin"
    STOP = "stop"
    CANCEL = "cancel"
    CUT = "cut"
    VERSION = "version"
    METRIC = "metric"
    RESTART = "restart"
    WORLD = "world"
    NOT_FINITE = "not finite"
    SENT = "sent"


class Marker(NamedTuple):
    """A line that tells something of the run.

    Attributes:
        value: name of the framework, phase or package, else empty.
        pattern: regex; group `step` is the number of a step, `total` of the last one, `version` a
            version, `world` the number of ranks, `outside` tells that others end the program, `job`
            that a scheduler ends the job, `pid` which process is ended.
        sample: a line it fits.
    """

    kind: MarkerKind
    value: str
    pattern: str
    sample: str


def framework(name: str, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    """Lines that nobody but this framework prints: pattern and sample of each."""
    return tuple(Marker(MarkerKind.FRAMEWORK, name, *row) for row in rows)


def phase(phase: Phase, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    """Lines with which this phase of a run begins."""
    return tuple(Marker(MarkerKind.PHASE, phase.value, *row) for row in rows)


def version(package: str, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    """Lines that tell the version of a package."""
    return tuple(Marker(MarkerKind.VERSION, package, *row) for row in rows)


def installed(package: str) -> Marker:
    """The version of a package, as `pip freeze` and those who imitate it print it; a `-` in its
    name may be a `_`.
    """
    spelled = package.replace("-", "[-_]")
    pattern = rf"\b{spelled}(?:==| version:? |: |=)['\"]?v?(?P<version>[0-9]+\.[0-9]+[0-9.a-z+]*)"
    return Marker(MarkerKind.VERSION, package, pattern, f"{package}==2.6.0")


def told(kind: MarkerKind, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    """Lines that tell something of this kind."""
    return tuple(Marker(kind, "", *row) for row in rows)


class Prefix:
    """What stands before the text of a line.

    Attributes:
        name: whose it is.
        heads: how it begins, in its first one or two characters: `0` for a digit, `a` and `A` for a
            letter, else itself.
        needs: a text that stands in every line that begins with it.
        pattern: what stands at the beginning of the line; groups `actor`, `pid`, `host`, `rank`,
            `time`, `level`.
        samples: lines that begin with it.
        is_record: whether it begins a record of a logger (else it is the transport's and stands on
            every line).
    """

    def __init__(
        self,
        name: str,
        heads: str,
        needs: str,
        pattern: str,
        samples: tuple[str, ...],
        *,
        is_record: bool,
    ) -> None:
        self.name = name
        self.heads = tuple(heads.replace("_", " ").split("|"))
        self.needs = needs
        self.pattern = pattern
        self.samples = samples
        self.is_record = is_record

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first asked for."""
        return re.compile(self.pattern)


def transport(name: str, heads: str, needs: str, pattern: str, *samples: str) -> Prefix:
    """A prefix of what carries the lines."""
    return Prefix(name, heads, needs, pattern, samples, is_record=False)


def record(name: str, heads: str, needs: str, pattern: str, *samples: str) -> Prefix:
    """A prefix of a program's own logger."""
    return Prefix(name, heads, needs, pattern, samples, is_record=True)


class FileName(NamedTuple):
    """A file name that tells who wrote the file.

    Attributes:
        marks: texts of which each such name has one.
        regex: searched in the source's name; groups `actor`, `rank`, `pid`, `host`, `attempt`.
        sample: a name it fits.
    """

    whose: str
    marks: tuple[str, ...]
    regex: str
    sample: str


class PhaseWords(NamedTuple):
    """Names of functions and methods, or of actors, that tell what a run does.

    Attributes:
        pattern: searched in a name.
        sample: a name it fits.
    """

    phase: Phase
    pattern: str
    sample: str


class Message(NamedTuple):
    """A message that goes on without indentation: what its first line holds, and what all
    further ones begin with (regexes); `mark` is a text that its first line has, by which others
    are told in a hundredth of the time.
    """

    name: str
    head: str
    further: str
    sample: tuple[str, ...]
    mark: str = ""


class RunFolder(NamedTuple):
    """A folder that programs make.

    Attributes:
        pattern: fits its whole name.
        sample: a name it fits.
        holds_run: whether all in it is one run; else it stands inside the folder of the run that
            uses it.
    """

    what: str
    pattern: str
    sample: str
    holds_run: bool


class EngineKey(NamedTuple):
    """Where a framework sets an option of the inference engine that it starts.

    Attributes:
        option: vLLM's or SGLang's own name, with underscores.
        key: the framework's, as its users write it.
        note: how other releases write it; empty where they do not differ.
    """

    option: str
    key: str
    note: str = ""


def engine_keys(place: str, *same: str, **named: str) -> tuple[EngineKey, ...]:
    """Options that a framework has in one place: under the same names, and under names of its
    own, by option.
    """
    keys = {each: each for each in same} | named
    return tuple(EngineKey(option, f"{place}{key}") for option, key in keys.items())


class Format(NamedTuple):
    """What one framework or program prints, and what it calls its files.

    Attributes:
        markers: lines that tell of the run.
        methods: functions that tell the phase of what is inside them.
        actors: actors that do.
        carriers: prefixes of what starts processes and carries what they print.
        prefixes: those of its own.
        file_names: names of files that tell who wrote them.
        messages: those of several lines.
        run_folders: folders that it makes.
        server_start: what its server says once when it starts.
        engine_keys: what it calls the options of the engine that it starts.
    """

    name: str
    markers: tuple[Marker, ...] = ()
    methods: tuple[PhaseWords, ...] = ()
    actors: tuple[PhaseWords, ...] = ()
    carriers: tuple[Prefix, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    file_names: tuple[FileName, ...] = ()
    messages: tuple[Message, ...] = ()
    run_folders: tuple[RunFolder, ...] = ()
    server_start: str = ""
    engine_keys: tuple[EngineKey, ...] = ()
