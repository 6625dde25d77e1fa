"""The nouns: what the stages hand to each other.

Everything here is immutable and complete when made. Numbers of lines count from 1, as `grep -n` does; scores and
confidences lie in (0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Severity(str, Enum):
    """How bad the thing is that a signature describes."""

    FATAL = "fatal"
    ERROR = "error"
    WARNING = "warning"

    @property
    def rank(self) -> int:
        """2 for fatal, 1 for error, 0 for warning."""
        return {"fatal": 2, "error": 1, "warning": 0}[self.value]


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


class Where(str, Enum):
    """Which text of an event a pattern is tried on."""

    MESSAGE = "message"
    EXCEPTION = "exception"
    FRAME = "frame"
    LINE = "line"


class Phase(str, Enum):
    """What a training run is doing; `logprob` covers old and reference log probabilities and values."""

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
    """Whether a remedy's conditions hold in this run."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Language(str, Enum):
    """A language that every text of the database has."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class LocalText:
    """A text in both languages."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        """The text in one of them."""
        return self.zh if language is Language.ZH else self.en


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file: line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


# -- signatures ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One text to be found: a template (fuzzy) or a regex (exact); exactly one of the two is set."""

    template: str | None
    regex: str | None
    where: Where
    position: Position


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to recognise a signature: all its parts within one event (never empty)."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class When:
    """The conditions of a remedy; all that are given must hold.

    `versions`, `config` and `captures` map a name to the comparisons of which any one must hold, e.g. `("<0.6",)`.
    """

    frameworks: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    config: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    captures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to change, with the configuration keys to set (may be empty) and how to see that it helped."""

    when: When
    action: LocalText
    settings: Mapping[str, str]
    risk: Risk
    check: LocalText
    reference: str | None


@dataclass(frozen=True, slots=True)
class Example:
    """A text that must be recognised, with the captures it must give (may be empty) and where it comes from."""

    text: str
    captures: Mapping[str, str]
    origin: str
    position: Position


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A near miss that must not be recognised, and why it could be."""

    text: str
    why: str
    position: Position


@dataclass(frozen=True, slots=True)
class Signature:
    """A known problem.

    A signature with `refines` stands for the one it names where one of its `frameworks` was recognised; the loader has
    filled in what it inherits, so that every field is complete. `patterns` is empty only for such a one.
    """

    id: str
    title: LocalText
    component: str
    severity: Severity
    role: Role
    maturity: Maturity
    aliases: tuple[str, ...]
    refines: str | None
    patterns: tuple[Pattern, ...]
    excludes: tuple[Part, ...]
    frameworks: tuple[str, ...]
    explains: tuple[str, ...]
    cause: LocalText
    remedies: tuple[Remedy, ...]
    examples: tuple[Example, ...]
    counterexamples: tuple[Counterexample, ...]
    references: tuple[str, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class SignatureDatabase:
    """All signatures in the order of their ids, and a hash of their contents (16 hexadecimal digits)."""

    signatures: tuple[Signature, ...]
    version: str

    def find(self, id_or_alias: str) -> Signature | None:
        """The signature of that id, or that once had it."""
        for signature in self.signatures:
            if id_or_alias == signature.id or id_or_alias in signature.aliases:
                return signature
        return None


# -- the automaton ---------------------------------------------------------------------------------------------


class AnchorKind(str, Enum):
    """What it means that an expression of the automaton was seen."""

    TEMPLATE = "template"
    REGEX = "regex"
    TRACEBACK = "traceback"
    FRAME = "frame"
    ERROR = "error"
    MARKER = "marker"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Why an expression is searched.

    Attributes:
        owner: for templates and regexes the number of the part in `Automaton.parts`, for markers the number of the
            marker in `MARKERS`, for settings the number of the key in `Automaton.settings`; from 0. Else 0.
    """

    kind: AnchorKind
    owner: int


# -- from bytes to events --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line, or one drawing of a progress bar (`\\r`), as bytes without its end.

    Attributes:
        number: counts `\\n` only, from 1; several raw lines may share one.
        anchors: numbers of the anchors in it, ascending, each once; empty for a line that only stands near another.
        is_cut: whether more bytes of the same line were dropped.
    """

    number: int
    data: bytes
    anchors: tuple[int, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """Successive raw lines (at least one) of which some lit up, in the order of the source."""

    lines: tuple[RawLine, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """Who wrote a line, as far as its prefixes tell."""

    host: str | None = None
    rank: int | None = None
    pid: int | None = None
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """One decoded line.

    Attributes:
        source: name of the source.
        number: as in `RawLine`.
        raw: the text without terminal escapes, as a person sees it.
        text: the text without its prefixes; its indentation is kept.
        lane: who wrote it.
        time: ISO 8601 without zone, `--MM-DDTHH:MM:SS` where the log gives no year, `THH:MM:SS` without a date.
        level: `error`, `fatal`, `warning`, `info` or `debug`, where a prefix says so.
        is_record: whether a logger's own prefix (time, level) begins it.
        anchors: as in `RawLine`.
        stream: who wrote it by the transport's prefixes alone, which all lines of a message carry.
        kinds: kinds of its anchors.
        repeats: how many lines it stands for (Ray's `[repeated 7x across cluster]` gives 7), at least 1.
    """

    source: str
    number: int
    raw: str
    text: str
    lane: Lane = Lane()
    stream: Lane = Lane()
    time: str | None = None
    level: str | None = None
    is_record: bool = False
    anchors: tuple[int, ...] = ()
    kinds: frozenset[AnchorKind] = frozenset()
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One message with all its lines; of a chain of exceptions, each is an event.

    Attributes:
        lines: never empty, in the order of the source.
        head: index in `lines` of the line that says what happened (for a traceback the exception line).
        exception: type of the exception as printed (`torch.OutOfMemoryError`), if it is one.
        message: text of the head line with the lines that continue it, joined by blanks.
        frames: of a traceback, each `File …` line joined with its source line by a blank; outermost first.
        before: up to three lines that precede it, for the reader.
        after: up to three lines that follow it, for the reader, and for messages that were wrapped.
        is_traceback: whether it has frames or a traceback's header.
        is_chained: whether a later exception was raised while this one was handled.
        level: as in `LogLine`; of a traceback also where the record just above it has one.
    """

    lines: tuple[LogLine, ...]
    head: int
    exception: str | None
    message: str
    frames: tuple[str, ...] = ()
    before: tuple[LogLine, ...] = ()
    after: tuple[LogLine, ...] = ()
    is_traceback: bool = False
    is_chained: bool = False
    level: str | None = None

    @property
    def line(self) -> LogLine:
        """The line that says what happened."""
        return self.lines[self.head]


@dataclass(frozen=True, slots=True)
class Match:
    """An event recognised as a signature.

    Attributes:
        event: what was recognised.
        line: the line of it that proves the match.
        signature_id: id of the signature whose pattern it was.
        kind: exact where every character of a pattern is there.
        score: 1 minus the share of characters that differ.
        captures: values of the slots and named groups, by name.
        weight: number of literal characters that were recognised; the longer, the more specific.
    """

    event: LogEvent
    line: LogLine
    signature_id: str
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    weight: int


# -- what the scan learnt --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Progress:
    """A step that the run reported: its number where it gives one, and the line that says so."""

    source: str
    line: int
    step: int | None


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the log says about the run.

    Attributes:
        frameworks: recognised ones, the outermost first.
        versions: by package.
        config: configuration values printed, by key as printed (dotted where it was); a key printed with several
            values has them all, in the order of the log.
        last_phase: phase at the end of the log.
        last_progress: the last step reported.
        steps: how many progress lines were seen.
        progress: line numbers, by source, of its last two progress lines (or the only one).
        ends: line numbers, by source, of the last line that says that the run ended well.
    """

    frameworks: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    last_phase: Phase | None = None
    last_progress: Progress | None = None
    steps: int = 0
    progress: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the run stood when an event happened: its phase, with what told it, and how far it had come.

    Attributes:
        steps: how many progress lines stood before it in its source.
    """

    phase: Phase | None
    phase_from: str | None
    steps: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The lines that prove a diagnosis.

    Attributes:
        line: the line that proves it.
        end_line: last line of the event.
        text: the proving line, without terminal escapes.
        context: the lines around it for the reader, `(number, text)` in order, the proving one among them.
    """

    source: str
    line: int
    end_line: int
    text: str
    time: str | None
    lane: Lane
    context: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedRemedy:
    """A remedy with its captures filled in, and whether it fits this run."""

    action: LocalText
    applies: Applies
    why: LocalText
    settings: Mapping[str, str]
    current: Mapping[str, str]
    risk: Risk
    check: LocalText
    reference: str | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A signature judged over the whole scan.

    Attributes:
        signature: the one that is shown (a refinement where its framework was recognised).
        title: with captures filled in.
        verdict: what it means for this run.
        confidence: how sure the tool is of signature and verdict.
        kind, score, captures: of the match that is shown.
        phase: what the run was doing.
        cause: with captures filled in.
        remedies: those that fit first.
        occurrences: how often, repeats that Ray folded included.
        lanes: the distinct writers (at least 1).
        ranks: the distinct ranks, ascending; may be empty.
        explained_by: id of the diagnosis, or title of the unknown error, that this one follows from.
        evidence: the shown match first; at most `EVIDENCE_KEPT`.
    """

    signature: Signature
    title: LocalText
    verdict: Verdict
    confidence: float
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    phase: Phase | None
    cause: LocalText
    remedies: tuple[JudgedRemedy, ...]
    occurrences: int
    lanes: int
    ranks: tuple[int, ...]
    explained_by: str | None
    evidence: tuple[Evidence, ...]


EVIDENCE_KEPT = 3
"""How many occurrences of a diagnosis are kept with their lines."""


@dataclass(frozen=True, slots=True)
class UnknownError:
    """An error that no signature knows, grouped by fingerprint.

    Attributes:
        fingerprint: the same for the same error in other runs, ranks and places.
        title: exception type and message.
        nearest: signatures that resemble it most, `(id, score)`, best first; may be empty.
    """

    fingerprint: str
    title: str
    verdict: Verdict
    occurrences: int
    lanes: int
    explained_by: str | None
    evidence: tuple[Evidence, ...]
    nearest: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """What was read of a source: its size after decompression, and what kept it from being read, if anything."""

    name: str
    lines: int
    bytes: int
    problem: str | None


class AnswerList(str, Enum):
    """Which list of the result the answer stands in."""

    DIAGNOSES = "diagnoses"
    UNKNOWN_ERRORS = "unknown_errors"


@dataclass(frozen=True, slots=True)
class Answer:
    """Where the root cause stands: a list and an index in it, from 0."""

    kind: AnswerList
    index: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    """Everything a report needs; both lists are ranked, the root cause first."""

    sources: tuple[SourceSummary, ...]
    context: RunContext
    answer: Answer | None
    diagnoses: tuple[Diagnosis, ...]
    unknown_errors: tuple[UnknownError, ...]
    not_seen: tuple[LocalText, ...]
    signature_faults: tuple[str, ...]
    database: str
    signatures: int
