"""What a scan learnt and concluded: RunContext, Diagnosis, ScanResult.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from logdoctor.model.log import Lane
from logdoctor.model.series import Series
from logdoctor.model.signature import Signature
from logdoctor.model.words import (
    AnswerList,
    Applies,
    LocalText,
    MatchKind,
    Phase,
    Risk,
    RunState,
    Verdict,
)

if TYPE_CHECKING:
    from logdoctor.model.collectives import HangCharts  # hardly any run hangs


class Progress(NamedTuple):
    """A step that the run reported: its number where it gives one (and that of the last), and
    the line that says so.
    """

    source: str
    line: int
    step: int | None
    total: int | None = None


class Place(NamedTuple):
    """A line of a source or of a configuration file."""

    source: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"


class RunContext(NamedTuple):
    """What the log says about the run.

    Attributes:
        frameworks: recognised ones, the outermost first.
        versions: by package.
        config: configuration values printed, by key as printed (dotted where it was); a key printed
            with several values has them all, in the order of the log.
        places: where each of these values was first told, by key; empty where a program gave it.
        last_phase: phase at the end of the last source that tells one.
        last_progress: the last step reported.
        world_size: how many ranks there are; the largest number told.
        steps: lines of all progress by the source that tells it, ascending; of many, evenly many.
    """

    frameworks: tuple[str, ...] = ()
    versions: Mapping[str, str] = MappingProxyType({})
    config: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    last_phase: Phase | None = None
    last_progress: Progress | None = None
    world_size: int | None = None
    steps: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    places: Mapping[str, tuple[Place, ...]] = MappingProxyType({})


class Situation(NamedTuple):
    """Where the run stood when an event happened: its phase, if known, and how far it had come.

    Attributes:
        told_by: what told the phase: the name of a method, function or actor, or `name:line` of a
            marker line.
        steps: how many progress lines stood before it in its source.
    """

    phase: Phase | None
    steps: int
    told_by: str | None = None


class Evidence(NamedTuple):
    """The lines that prove a diagnosis.

    Attributes:
        line: the line that proves it.
        end_line: last line of the event.
        text: the proving line, without terminal escapes.
        focus: where in `text` the proof stands, in characters from 0.
        context: the lines around it for the reader, `(number, text)` in order, the proving one
            among them.
        stands_at: of a log that was rotated while it was followed, the file that holds the line
            now, and its number there; None where that is `source` and `line`.
    """

    source: str
    line: int
    end_line: int
    text: str
    time: str | None
    lane: Lane
    focus: int = 0
    context: tuple[tuple[int, str], ...] = ()
    stands_at: tuple[str, int] | None = None

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line that a reader opens."""
        return self.stands_at or (self.source, self.line)


class Sighting(NamedTuple):
    """Where a writer printed an error for the first time."""

    source: str
    line: int
    time: str | None
    lane: Lane


class Change(NamedTuple):
    """One setting of a remedy.

    Attributes:
        current: the run's own value; None where that is not known.
        value: the new one; None where it depends on a value that is not known.
        where: where the current value was told.
        is_computed: whether the new value comes from the run's own.
    """

    key: str
    current: str | None
    value: str | None
    where: Place | None
    is_computed: bool


class JudgedRemedy(NamedTuple):
    """A remedy with its captures filled in, and whether it fits this run.

    Attributes:
        settings: new values by key; where a value depends on one that is not known, how.
        current: the run's own values, as far as they are known.
        changes: the same in full, in the same order.
    """

    action: LocalText
    applies: Applies
    why: LocalText
    settings: Mapping[str, str]
    current: Mapping[str, str]
    risk: Risk
    check: LocalText
    reference: str | None
    changes: tuple[Change, ...] = ()


class Reason(NamedTuple):
    """Why a finding has its verdict: the rule that decided, and the line that proves it.

    Attributes:
        rule: id of the rule.
        text: its sentence, with the numbers filled in.
        source, line: where the proof stands.
    """

    rule: str
    text: LocalText
    source: str
    line: int


class HangRanks(NamedTuple):
    """Ranks of a hang, each ascending: who holds up the others, who waits, and who left no dump."""

    guilty: tuple[int, ...]
    waiting: tuple[int, ...]
    missing: tuple[int, ...]


class Diagnosis(NamedTuple):
    """A signature judged over the whole scan.

    Attributes:
        signature: the one that is shown (a refinement where its framework was recognised).
        title: with captures filled in.
        verdict: what it means for this run.
        confidence: how sure the tool is of signature and verdict.
        grounds: the class of evidence that the confidence was measured for (see `confidence`).
        kind, score, captures: of the match that is shown.
        phase: what the run was doing.
        phase_told_by: as in `Situation`.
        cause: with captures filled in.
        remedies: those that fit first.
        occurrences: how often, repeats that Ray folded included.
        lanes: the distinct writers (at least 1).
        ranks: the distinct ranks, ascending; may be empty.
        explained_by: id of the diagnosis, or title of the unknown error, that this one follows
            from.
        evidence: the shown match first; at most `EVIDENCE_KEPT`.
        because: why it has this verdict, the deciding reason first; may be empty.
        patterns: as in `Match`.
        spots: lines where it occurred in the source of the first evidence, ascending; of many,
            evenly many.
        sightings: one for each writer that is told apart; at most `SIGHTINGS_KEPT`.
    """

    signature: Signature
    title: LocalText
    verdict: Verdict
    confidence: float
    grounds: str
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    phase: Phase | None
    phase_told_by: str | None
    cause: LocalText
    remedies: tuple[JudgedRemedy, ...]
    occurrences: int
    lanes: int
    ranks: tuple[int, ...]
    explained_by: str | None
    evidence: tuple[Evidence, ...]
    spots: tuple[int, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    because: tuple[Reason, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same for the same problem in another result, whatever it is refined to."""
        return self.signature.refines or self.signature.id

    @property
    def name(self) -> str:
        """The id of its signature."""
        return self.signature.id

    @property
    def hang(self) -> HangRanks | None:
        """Who holds up whom, where its captures tell; None for what is no hang."""
        told = [self.captures.get(name) for name in HangRanks._fields]
        if told[0] is None or told[1] is None:
            return None
        ranks = HangRanks(*(_ranks(each or "") for each in told))
        return ranks if any(ranks) else None  # stacks may name processes only


RANKS_LIMIT = 1 << 20
"""A rank that no run has."""


def _ranks(text: str) -> tuple[int, ...]:
    """The ranks of `0-3, 7`; none of any other text."""
    ranks: list[int] = []
    for part in text.split(", "):
        low, _, high = part.partition("-")
        if low.isdecimal() and int(high or low) < RANKS_LIMIT:
            ranks += range(int(low), int(high or low) + 1)
    return tuple(ranks)


EVIDENCE_KEPT = 3
"""How many occurrences of a diagnosis are kept with their lines."""

SIGHTINGS_KEPT = 512
"""Writers of a diagnosis whose places are kept; a chart of more could not be read."""


class UnknownError(NamedTuple):
    """An error that no signature knows, grouped by fingerprint.

    Attributes:
        fingerprint: the same for the same error in other runs, ranks and places.
        title: exception type and message.
        ranks: the distinct ranks, ascending; may be empty.
        next_steps: what to look at to find its cause, first things first.
        package: whose code raised it, where that is a library's.
        because: as in `Diagnosis`.
        nearest: signatures that resemble it most, `(id, score)`, best first; may be empty.
        spots: as in `Diagnosis`.
        sightings: as in `Diagnosis`.
    """

    fingerprint: str
    title: str
    verdict: Verdict
    occurrences: int
    lanes: int
    explained_by: str | None
    evidence: tuple[Evidence, ...]
    nearest: tuple[tuple[str, float], ...]
    ranks: tuple[int, ...] = ()
    spots: tuple[int, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    next_steps: tuple[LocalText, ...] = ()
    package: str | None = None
    because: tuple[Reason, ...] = ()

    @property
    def key(self) -> str:
        """The same for the same error in another result."""
        return self.fingerprint

    @property
    def name(self) -> str:
        """Its fingerprint."""
        return self.fingerprint


class SourceSummary(NamedTuple):
    """What was read of a source: its size after decompression, and what kept it from being read,
    if anything.
    """

    name: str
    lines: int
    bytes: int
    problem: str | None


class Answer(NamedTuple):
    """Where the root cause stands: a list and an index in it, from 0."""

    kind: AnswerList
    # the contract's word; a tuple's own method of that name is of no use here
    index: int  # type: ignore[assignment]


class ScanOptions(NamedTuple):
    """What the user said about the scan.

    Attributes:
        frameworks: those that the run uses, whatever the log shows.
        config: the run's configuration by dotted key; outranks what the log prints.
        config_places: where these values stand, as far as it is known.
        redact: whether secrets are masked in the result.
        min_confidence: diagnoses below are left out.
        unpack_limit: bytes that a compressed file or archive may unpack to; None for the usual
            limit.
        ignored: ids of signatures, and fingerprints, that are taken as if they were not there.
        is_isolated: whether what goes wrong in the program itself is noted of the source on which
            it does, and the rest goes on.
        wants_series: whether the course of all metrics is kept, of which then every line is read.
        keeps_series: whether the course of what signatures judge is kept, as far as its lines are
            read anyway: of the thousands of steps of a healthy log, some.
        config_file: the name and the text of the file that the configuration stands in; a script
            has more to say than values by key.
    """

    frameworks: tuple[str, ...] = ()
    config: Mapping[str, str] = MappingProxyType({})
    redact: bool = True
    min_confidence: float = 0.0
    unpack_limit: int | None = None
    config_places: Mapping[str, Place] = MappingProxyType({})
    ignored: tuple[str, ...] = ()
    is_isolated: bool = True
    wants_series: bool = False
    keeps_series: bool = False
    config_file: tuple[str, str] | None = None


class Ending(NamedTuple):
    """How the run stands where its log ends.

    Attributes:
        source, line, text: what shows it: the line that tells of the good end, or that all that was
            tried failed, else the last one that is not blank; None where there is no such line, the
            text also where it was not kept.
    """

    state: RunState
    source: str | None = None
    line: int | None = None
    text: str | None = None


class SeenBefore(NamedTuple):
    """What a store of earlier runs knows of an error.

    Attributes:
        runs: in how many of them it did harm.
        since: the date of the earliest, ISO 8601; None where none tells it.
        fixed_by: what somebody noted last.
    """

    runs: int
    since: str | None
    fixed_by: str | None


class ScanResult(NamedTuple):
    """Everything a report needs; both lists are ranked, the root cause first.

    Attributes:
        memory: what a store of earlier runs knows, by the names of findings; mostly empty.
        series: the course of the metrics, in the order in which they came first: of those that the
            options ask for, else of those that a diagnosis is about.
        charts: what the ranks of a hung run launched, where their dumps tell; mostly None.
    """

    sources: tuple[SourceSummary, ...]
    context: RunContext
    answer: Answer | None
    diagnoses: tuple[Diagnosis, ...]
    unknown_errors: tuple[UnknownError, ...]
    not_seen: tuple[LocalText, ...]
    signature_faults: tuple[str, ...]
    database: str
    signatures: int
    ending: Ending = Ending(RunState.NOTHING_READ)
    memory: Mapping[str, SeenBefore] = MappingProxyType({})
    series: tuple[Series, ...] = ()
    charts: "HangCharts | None" = None

    @property
    def root(self) -> Diagnosis | UnknownError | None:
        """What the answer points at."""
        if self.answer is None:
            return None
        return (
            self.diagnoses[self.answer.index]
            if self.answer.kind is AnswerList.DIAGNOSES
            else self.unknown_errors[self.answer.index]
        )

    @property
    def has_read(self) -> bool:
        """Whether there was anything to read in any source."""
        return any(each.lines or each.bytes for each in self.sources)

    @property
    def findings(self) -> tuple[Diagnosis | UnknownError, ...]:
        """Everything, diagnoses first."""
        return (*self.diagnoses, *self.unknown_errors)

    @property
    def others(self) -> tuple[Diagnosis | UnknownError, ...]:
        """Everything but the root, diagnoses first."""
        return tuple(each for each in self.findings if each is not self.root)
