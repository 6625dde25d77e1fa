"""What rules are asked about: Failure, and the Case that it is part of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from logdoctor.context.complaints import says_only_failed
from logdoctor.events.errors_by_form import is_report
from logdoctor.formats.bare_codes import is_bare_code
from logdoctor.formats.error_lines import HEADER_TEXT
from logdoctor.formats.exit_codes import BY_SIGNAL, DEATH_NOTICE, PID
from logdoctor.formats.file_names import attempt_of_source
from logdoctor.formats.outcome_words import (
    is_left_out,
    is_of_main,
    is_passed_over,
    is_retried,
    tells_of_failure,
    tells_of_want,
)
from logdoctor.matching.rivals import Home, home_of
from logdoctor.model import (
    HARMLESS,
    LogEvent,
    LogLine,
    Phase,
    Role,
    RunContext,
    Severity,
    Signature,
    Verdict,
)
from logdoctor.model.history import HABIT, Histories, SourceHistory
from logdoctor.model.log import NOBODY
from logdoctor.texts.masking import masked
from logdoctor.verdict.exception_chains import ChainReader
from logdoctor.verdict.groups import ErrorGroup, Occurrence
from logdoctor.verdict.proof import Ground, Line, Priority

KIND_LENGTH = 40
"""Characters of a message by which errors are of one kind, where no signature says so: what
follows is often data.
"""


ALIKE = 2
"""Lines below a failure of a form that stands above it, by which its program goes on as before: one
may be that of its next try.
"""

WORDS_BESIDE_A_NAME = 2
"""Words of a line at least that are the same in another one, where a third may be a name."""


_UNCAUGHT = r"\[rank\d+\]: Traceback "
"""What torch's `sys.excepthook` prints from 2.2 on; a thread's exception does not go through it."""


class Choice:
    """The root cause among the failures of which something may have come.

    Attributes:
        candidates: those failures, the best first.
        equals: those that have the same priority as the best.
        first: of these the one that came first.
        root: that, or what explains it.
        left_undone: what would be the root cause, had not the program of the root cause died
            before it; None where none had.
    """

    __slots__ = ("candidates", "equals", "first", "left_undone", "root")

    def __init__(
        self,
        candidates: Sequence[Failure],
        equals: Sequence[Failure],
        first: Failure,
        root: Failure,
        left_undone: Failure | None = None,
    ) -> None:
        self.candidates, self.equals = candidates, equals
        self.first, self.root, self.left_undone = first, root, left_undone


class Case:
    """All that one verdict is about.

    Attributes:
        histories: what happened in each source.
        chains: which exceptions stand in one chain.
        harmful: failures of which something may have come, before stops are looked at.
        put_away: by source, the first line with which a program puts things away.
        seen: by id and alias, the line that shows a signature which was matched in this run.
        shown: by source and key, settings that events show to be in force, their values and where:
            of one process nothing follows for that of another source.
        choice: which of the failures is the root cause, once that is known.
        reasons: by the name of a failure that has a code only, the line that says why.
        frameworks: those of the run.
    """

    def __init__(self, histories: Histories, context: RunContext, chains: ChainReader) -> None:
        self.histories = histories
        self.chains = chains
        self.harmful: Sequence[Failure] = ()
        self.put_away: dict[str, int] = {}
        self.seen: dict[str, Line] = {}
        self.shown: Mapping[tuple[str, str], tuple[str, Line]] = {}
        self.choice: Choice | None = None
        self.reasons: dict[str, Line] = {}
        self.frameworks = frozenset(context.frameworks)

    def is_at_home(self, signature: Signature) -> bool:
        """Whether a signature belongs to the run's frameworks, as far as the application is
        known.
        """
        return home_of(signature, self.frameworks) is not Home.ANOTHER


class Failure:
    """An occurrence of an error, and what is known of it.

    Attributes:
        signature: None for an unknown error.
        history: of its source.
        case: what else there is.
        group: all occurrences of the error.
        priority: where it stands among the candidates for the root cause, once that is known.
        verdict: what it means for the run, as far as is known yet.
        explained_by: the root cause that it follows from, by its name.
    """

    def __init__(
        self, occurrence: Occurrence, signature: Signature | None, case: Case, group: ErrorGroup
    ) -> None:
        self.occurrence = occurrence
        self.signature = signature
        self.case = case
        self.group = group
        self.history: SourceHistory = case.histories[occurrence.line.source]
        self.priority = Priority.NOTICE
        self.verdict = Verdict.INDEPENDENT
        self.explained_by: str | None = None
        self._ranked: Ground | None = None
        self._judged: Ground | None = None

    def settle(self, ground: Ground | None) -> None:
        """Takes what a rule says of it, if one holds."""
        if ground is None:
            return
        if isinstance(ground.proves, Priority):
            self.priority, self._ranked = ground.proves, ground
        else:
            self.verdict, self._judged = ground.proves, ground

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """Why it has its verdict, the deciding one first; of what did harm its priority too."""
        told = (self._judged, None if self.is_harmless else self._ranked)
        return tuple(each for each in told if each)

    @property
    def event(self) -> LogEvent:
        """Its lines."""
        return self.occurrence.event

    @property
    def at(self) -> Line:
        """Its proving line."""
        return Line(self.history.name, self.line)

    @property
    def line(self) -> int:
        """The number of its proving line."""
        return self.occurrence.line.number

    @property
    def name(self) -> str:
        """Id of the signature, or title of the unknown error."""
        return self.signature.id if self.signature else self.group.title

    @property
    def role(self) -> Role:
        """The signature's; an unknown error counts as a cause."""
        return self.signature.role if self.signature else Role.CAUSE

    @property
    def is_unknown(self) -> bool:
        """Whether no signature knows it."""
        return self.signature is None

    @property
    def is_report(self) -> bool:
        """Whether no signature knows it, and it only reports that something failed."""
        return self.signature is None and is_report(self.event)

    @property
    def is_bare_code(self) -> bool:
        """Whether it says a code, and not why."""
        return is_bare_code(self.event.message)

    @property
    def reason(self) -> Line | None:
        """Of a mere code, the line of the log that says why; None where there is none."""
        return self.case.reasons.get(self.name) if self.case.reasons else None

    @property
    def is_told_by_others(self) -> bool:
        """Whether it is what one says that waited for another: that the other failed, and not
        why.
        """
        if self.signature is None:
            return self.is_report or says_only_failed(self.event)
        return self.role is Role.WRAPPER

    @property
    def is_waiting(self) -> bool:
        """Whether it is no error, but the waiting with which its source ends."""
        return self.history.waits > 0 and self.event is self.history.last_words

    @property
    def is_benign(self) -> bool:
        """Whether its signature is that of a harmless message."""
        return self.role is Role.BENIGN

    @property
    def is_putting_away(self) -> bool:
        """Whether its signature is that of a program putting things away."""
        return self.role is Role.TEARDOWN

    @property
    def is_warning(self) -> bool:
        """Whether its signature is that of a mere warning."""
        return self.signature is not None and self.signature.severity is Severity.WARNING

    @property
    def is_symptom(self) -> bool:
        """Whether it tells what others felt."""
        return self.role is Role.SYMPTOM

    @property
    def is_no_cause(self) -> bool:
        """Whether it has another role than a cause's."""
        return self.role is not Role.CAUSE

    @property
    def is_effect(self) -> bool:
        """Whether it is of a role that follows from a cause."""
        return self.role in (Role.WRAPPER, Role.SYMPTOM)

    @property
    def is_fatal(self) -> bool:
        """Whether its signature says that it ends a run."""
        return self.signature is not None and self.signature.severity is Severity.FATAL

    @property
    def is_of_attempt(self) -> bool:
        """Whether its source's name says which of several attempts wrote it."""
        return attempt_of_source(self.history.name) is not None

    @property
    def is_harmless(self) -> bool:
        """Whether its verdict is that nothing came of it."""
        return self.verdict in HARMLESS

    @property
    def is_mentioned(self) -> bool:
        """Whether the program that caught it only mentions it, so that what it is elsewhere
        fatal for lives on.
        """
        return not self.event.is_traceback and self.event.level in ("info", "debug")

    @property
    def is_left_out(self) -> bool:
        """Whether the program says that it leaves out what failed."""
        return not self.event.is_traceback and is_left_out(self.event)

    @property
    def is_retried(self) -> bool:
        """Whether the program says that it tries again what failed."""
        return is_retried(self.event)

    @property
    def is_logged_as_warning(self) -> bool:
        """Whether it is a traceback that the program printed below a mere warning of it."""
        return self.event.is_traceback and _is_warned_of(self.event)

    @property
    def is_handled(self) -> bool:
        """Whether it is a traceback that its program logged, or says beside it that it leaves out
        or goes on, and then wrote on as before.
        """
        event = self.event
        is_caught = event.is_traceback and (_is_logged(event) or is_passed_over(event))
        return is_caught and _is_followed_alike(event)

    @property
    def is_seen_alive(self) -> bool:
        """Whether a writer that can be told from others wrote to the end of the source."""
        stream = self.occurrence.line.stream
        return stream != NOBODY and self.history.living.get(stream, 0) > self.event.lines[-1].number

    @property
    def ends_process(self) -> bool:
        """Whether it looks like the last word of its process: nobody caught and logged it, or it
        is known to be fatal.
        """
        if self.is_fatal:
            return True
        return self.event.is_traceback and not _is_logged(self.event)

    @property
    def ends_program(self) -> bool:
        """Whether the program itself died, not a helper or a rank that lost the others: what was
        to follow (saving …) is missing.
        """
        is_of_main = _is_of_main(self.event) and self.event.exception != "KeyboardInterrupt"
        return self.role is Role.CAUSE and is_of_main and not _is_logged(self.event)

    @property
    def is_of_want(self) -> bool:
        """Whether it says that something is missing or empty that was to be there."""
        title = self.signature.title.en if self.signature else ""
        return tells_of_want(f"{title}\n{self.event.headline}")

    def has_line(self, line: LogLine) -> bool:
        """Whether the line is one of its own, or the proving one of another time it was seen."""
        return line in self.event.lines or line.number in self.group.spots.get(line.source, ())

    def is_other_death_before(self, other: Failure) -> bool:
        """Whether it tells of the end of a program, above another failure in the same source, which
        another program had.
        """
        if self.history is not other.history or self.line >= other.line or self.is_harmless:
            return False
        programs = main_programs(other.event)
        if re.search(DEATH_NOTICE, self.event.line.text):
            names = {each.rpartition("/")[2] for each in programs}
            return bool(names) and not any(each in self.event.line.text for each in names)
        if not self.ends_program or self.is_chained or self.is_probe:
            return False  # no program ends of an older exception of a chain
        own = main_programs(self.event)
        return bool(own) and bool(programs) and not own & programs

    @property
    def is_of_saving(self) -> bool:
        """Whether it ended the saving of a checkpoint, which some programs begin after they have
        said that the training is done.
        """
        is_saving = self.occurrence.situation.phase is Phase.CHECKPOINT
        return self.is_fatal and self.role is Role.CAUSE and is_saving

    @property
    def habit(self) -> Sequence[int]:
        """Lines of the first failures of its kind in its source; at most `HABIT`."""
        return self.history.habit(kind_of(self.occurrence))

    @property
    def is_habit(self) -> bool:
        """Whether its source has so many failures of its kind that they are a habit."""
        return len(self.habit) >= HABIT

    @property
    def is_chained(self) -> bool:
        """Whether a newer exception of its chain says more."""
        return self.case.chains.is_handled(self.event, self.occurrence.order[0])

    @property
    def is_probe(self) -> bool:
        """Whether it was an attempt that may fail, and a newer exception of its chain came of
        it: no cause, however fatal it would be elsewhere.
        """
        return self.case.chains.is_probe(self.event, self.occurrence.order[0])

    @property
    def is_passed_on(self) -> bool:
        """Whether it only passes on an older exception of its chain."""
        return self.case.chains.is_passed_on(self.event, self.occurrence.order[0])

    @property
    def spots(self) -> Sequence[int]:
        """Lines in its source where the error occurred, ascending; of many, evenly many."""
        return self.group.spots.get(self.occurrence.line.source, ())

    @property
    def is_cancel(self) -> bool:
        """Whether it is what an end from outside looks like."""
        return self.history.cancel is not None and self.history.cancel in self.spots

    @property
    def sender(self) -> Line | None:
        """Where the log says that the process whose end by a signal it tells of was ended by who
        had started it; None where it does not.
        """
        lines = [line.text for line in self.event.lines]
        if not any(re.search(BY_SIGNAL, line) for line in lines):
            return None
        pids = [int(pid) for line in lines for pid in re.findall(PID, line)]
        for history in self.case.histories.values():
            for pid in pids:
                line = history.sent.get(pid)
                if line is not None and (history is not self.history or line < self.line):
                    return Line(history.name, line)
        return None

    @property
    def rank(self) -> tuple[int, tuple[int, int]]:
        """The lower, the better a candidate for the root cause."""
        return (int(self.priority), self.occurrence.order)


def kind_of(occurrence: Occurrence) -> str:
    """What an occurrence has in common with errors like it."""
    match = occurrence.rivals[0] if occurrence.rivals else occurrence.match
    if match:
        return match.signature_id
    event = occurrence.event
    said = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return f"{event.exception}: {masked(said[: 2 * KIND_LENGTH])[:KIND_LENGTH]}"


def main_programs(event: LogEvent) -> frozenset[str]:
    """The file that the program was started with, as far as the traceback tells."""
    frames = (
        frame
        for frame in event.frames
        if ", in <module>" in frame and frame.partition(", in ")[2].startswith("<module>")
    )
    return frozenset(
        frame.partition('", line ')[0].partition('"')[2] for frame in islice(frames, 1)
    )


def _is_of_main(event: LogEvent) -> bool:
    """Whether it went through the file that the program was started with (`python x.py`, `python
    -m x`), the launcher says that its main function failed, or torch's hook of what nobody caught
    put the rank before it.
    """
    outermost = event.frames[0] if event.frames else ""
    is_of_file = " in <module>" in outermost and not outermost.startswith('File "<')
    is_uncaught = re.search(_UNCAUGHT, event.lines[0].raw) is not None
    is_of_file |= is_uncaught or " in _run_module_as_main" in outermost
    return is_of_file or is_of_main(event)


def _is_warned_of(event: LogEvent) -> bool:
    """Whether the record just above it is a warning that tells of it: it names the exception, or
    says that something failed where the program's own end is not what it may be.
    """
    above = event.before[-1] if event.before else None
    first = event.lines[0]
    if above is None or above.number != first.number - 1 or above.stream != first.stream:
        return False
    name = (event.exception or "").rpartition(".")[2]
    is_named = bool(name) and name in above.text
    return above.level == "warning" and (
        is_named or (tells_of_failure(above.text) and not _is_of_main(event))
    )


def _is_followed_alike(event: LogEvent) -> bool:
    """Whether lines below it, none of which complains, have the form of those above."""
    if any(each.level in ("error", "fatal") or HEADER_TEXT in each.text for each in event.after):
        return False
    above = [
        masked(each.text).split()
        for each in event.before
        if each.stream == event.line.stream and not tells_of_failure(each.text)
    ]
    below = [masked(each.text).split() for each in event.after]
    return sum(any(_are_alike(each, one) for one in above) for each in below) >= ALIKE


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lines are the same but for one word of three or more, which may be a name."""
    if len(words) != len(others):
        return False
    different = sum(word != other for word, other in zip(words, others, strict=True))
    return different == 0 or (different == 1 and len(words) > WORDS_BESIDE_A_NAME)


def _is_logged(event: LogEvent) -> bool:
    """Whether it has a level, or stands below a record that has one; what is no complaint does
    not announce the end of a program.
    """
    above = event.before[-1] if event.before else None
    is_below = (
        above is not None and above.level is not None and above.number == event.lines[0].number - 1
    )
    is_chance = above is not None and above.level in ("info", "debug") and _is_of_main(event)
    return event.level is not None or (is_below and not is_chance)
