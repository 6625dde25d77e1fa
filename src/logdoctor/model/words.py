"""The closed vocabularies, and texts in both languages.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from enum import Enum
from typing import NamedTuple


class Severity(str, Enum):
    """How bad the thing is that a signature describes."""

    FATAL = "fatal"
    ERROR = "error"
    WARNING = "warning"

    @property
    def rank(self) -> int:
        """2 for fatal, 1 for error, 0 for warning."""
        return {"fatal": 2, "error": 1, "warning": 0}[self.value]


class RunState(str, Enum):
    """What a scan says of a run as a whole."""

    PROBLEM = "problem"
    """Something went wrong."""
    GOOD_END = "good_end"
    """Nothing went wrong, and its good end was seen."""
    GOING_ON = "going_on"
    """Nothing went wrong until now; it was watched while it went on."""
    NO_END_SEEN = "no_end_seen"
    """No error was found, and no sign of an end."""
    NOTHING_READ = "nothing_read"
    """There was nothing to read."""


class Role(str, Enum):
    """What part a signature plays in a failure."""

    CAUSE = "cause"
    WRAPPER = "wrapper"
    SYMPTOM = "symptom"
    TEARDOWN = "teardown"
    BENIGN = "benign"


class Maturity(str, Enum):
    """Whether the raise site was read or a real log seen (confirmed), or not yet (draft)."""

    DRAFT = "draft"
    CONFIRMED = "confirmed"


class Risk(str, Enum):
    """What a remedy puts at stake."""

    SAFE = "safe"
    RESTARTS_RUN = "restarts-run"
    AFFECTS_OTHERS = "affects-others"
    LOSES_DATA = "loses-data"
    RUNS_FOREIGN_CODE = "runs-foreign-code"


class Where(str, Enum):
    """Which text of an event a pattern is tried on."""

    MESSAGE = "message"
    EXCEPTION = "exception"
    FRAME = "frame"
    LINE = "line"


class Oddity(str, Enum):
    """What can be wrong with a number by itself."""

    NOT_FINITE = "not-finite"
    CONSTANT = "constant"
    ZERO = "zero"


class Phase(str, Enum):
    """What a training run is doing; `logprob` covers old and reference log probabilities and
    values.
    """

    INIT = "init"
    ROLLOUT = "rollout"
    REWARD = "reward"
    LOGPROB = "logprob"
    TRAIN = "train"
    SYNC = "sync"
    CHECKPOINT = "checkpoint"
    EVAL = "eval"


class MatchKind(str, Enum):
    """Whether the text fits a pattern to the letter."""

    EXACT = "exact"
    FUZZY = "fuzzy"


class Verdict(str, Enum):
    """What a diagnosis means for this run."""

    ROOT_CAUSE = "root_cause"
    CONSEQUENCE = "consequence"
    INDEPENDENT = "independent"
    RECOVERED = "recovered"
    TEARDOWN = "teardown"
    BENIGN = "benign"


HARMLESS = frozenset({Verdict.RECOVERED, Verdict.TEARDOWN, Verdict.BENIGN})
"""Verdicts that neither take first place nor count for the exit code."""


class Applies(str, Enum):
    """Whether a remedy's conditions hold in this run; always where it has none."""

    YES = "yes"
    ALWAYS = "always"
    UNKNOWN = "unknown"
    NO = "no"


class Formula(str, Enum):
    """How a new value comes from the run's own."""

    HALVE = "halve"
    DOUBLE = "double"
    AT_LEAST = "at-least"
    AT_MOST = "at-most"
    MULTIPLE_OF = "multiple-of"
    NEAREST_DIVISOR_OF = "nearest-divisor-of"


class Language(str, Enum):
    """A language that every text of the database has."""

    EN = "en"
    ZH = "zh"


class AnchorKind(str, Enum):
    """What it means that an expression of the automaton was seen."""

    TEMPLATE = "template"
    REGEX = "regex"
    TRACEBACK = "traceback"
    FRAME = "frame"
    ERROR = "error"
    REASON = "reason"
    MARKER = "marker"
    SETTING = "setting"


class AnswerList(str, Enum):
    """Which list of the result the answer stands in."""

    DIAGNOSES = "diagnoses"
    UNKNOWN_ERRORS = "unknown_errors"


class LocalText(NamedTuple):
    """A text in both languages."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        """The text in one of them."""
        return self.zh if language is Language.ZH else self.en


class Position(NamedTuple):
    """A place in a file: line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
