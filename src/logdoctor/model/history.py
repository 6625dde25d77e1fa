"""What happened in one source, in the order of its lines: SourceHistory.

Facts are noted one by one (`note`), whoever finds them; rules of the verdict read what became of
them. A live log is noted on, never anew.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from logdoctor.model.log import NOBODY, Lane, LogEvent
from logdoctor.model.words import Phase

STEPS_TO_RECOVER = 2
"""Progress lines after an error that show that the run went on: one may have been printed before
and come late.
"""

QUIET_LINES = 1000
"""Lines without any error that a process must still have printed for an earlier error not to have
ended it.

Of 33 whole logs of failed runs none goes on for more than 830 lines after its last error (most for
less than 50); the successful ones with errors go on for 2,000 to 9,300.
"""

RERUN_LINES = 100
"""Lines that a later run in the same file must have, where it did not fail, to stand for the
file: fewer may be another task's output.
"""

HABIT = 3
"""Times that a run must have lived on after an error for another one of its kind, logged and
left at that, to be no news.
"""

TIMELINE_LIMIT = 20_000
"""Phase changes and progress lines that are kept; of more, the newest."""

SHOWN_STEPS = 64
"""Progress lines that are handed on for the time line; of more, evenly many."""

STEP_TIMES_KEPT = 64
"""Steps whose times are kept; of more, the first half of them and the last."""

FIRST_LINES = 50
"""Lines that tell about the run, in which its first time is looked for."""

WRITERS_LIMIT = 4096
"""Writers whose progress is told apart; later ones are counted as one."""

GIVEN_UP_LIMIT = 8
"""Lines kept that say that a scheduler ends the job; it says so once or twice."""

LOOPS_LIMIT = 500
"""Loops that are told apart; later ones are not followed."""

MOVES_KEPT = 1000
"""Lines in which a loop moved that are kept; of more, evenly many."""

KINDS_LIMIT = 5000
"""Kinds of failures that are told apart."""

PROGRAMS_LIMIT = 100
"""Main programs of one run that are told apart."""

REASONS_LIMIT = 200
"""Lines that say why a call failed which are kept; of more, the first half of them and the last."""

RERUNS_LIMIT = 10_000
"""Runs that are told apart; further ones are one with the last."""

RESUMED_LIMIT = 20_000
"""Quiet times after which it is remembered who wrote first."""


class Remark(str, Enum):
    """What a line says of the run, or is to it."""

    END = "end"
    """That the run ended well."""
    STOP = "stop"
    """That the program was asked to end."""
    CANCEL = "cancel"
    """That the run was ended from outside."""
    GIVEN_UP = "given up"
    """That a scheduler ends the job; steps may come until it is killed."""
    ENDING = "ending"
    """That the run is being ended from outside, as far as it lets itself be ended."""
    RESTART = "restart"
    """That what failed is started again."""
    CUT = "cut"
    """That the log's beginning was left out."""
    RERUN = "rerun"
    """The source seems to go on with another run here."""
    UNREST = "unrest"
    """A complaint, whether or not it is a failure."""
    RECOGNISED = "recognised"
    """The last line of an event that was taken for something."""


class Said(NamedTuple):
    """A line said something of the run."""

    line: int
    remark: Remark


class RunBegan(NamedTuple):
    """A line tells of the beginning of a run."""

    line: int


class Sent(NamedTuple):
    """Who had started a process ended it by a signal."""

    line: int
    pid: int


class Step(NamedTuple):
    """A step was reported: by whom, its number and time where they are told."""

    line: int
    writer: Lane
    step: int | None
    time: str | None


class PhaseBegan(NamedTuple):
    """The run began with something else."""

    line: int
    phase: Phase


class Bar(NamedTuple):
    """A progress bar was drawn; numbers in its label are replaced. `is_work` says that it is one
    of work under way, not of its preparation.
    """

    line: int
    label: str
    step: int
    total: int
    is_work: bool


class Failed(NamedTuple):
    """An error that matters.

    Attributes:
        kind: what it has in common with errors like it.
        is_effect: whether it only tells of what others did.
        programs: files that the program was started with, as far as its traceback tells.
        is_failed_exit: whether it reports an exit status by which a program says that it failed.
    """

    line: int
    writer: Lane
    kind: str
    is_effect: bool
    programs: frozenset[str]
    is_failed_exit: bool = False


class Reasoned(NamedTuple):
    """A line said why a call failed; as an event of its own."""

    line: int
    event: LogEvent


class Timed(NamedTuple):
    """A line that tells about the run has a time, or none."""

    time: str | None


class Closed(NamedTuple):
    """The source ended, for now: its lines, who wrote the last of them (each with the last of
    theirs), its last time, the complaint that it ends with, how many lines of waiting, and which of
    its last lines says in plain words that it ended well (0 without).
    """

    lines: int
    living: Mapping[Lane, int]
    time: str | None
    last_words: LogEvent | None
    waits: int = 0
    good_end: int = 0


Fact = Said | RunBegan | Sent | Step | PhaseBegan | Bar | Failed | Reasoned | Timed | Closed


class Loop:
    """How far a progress bar came.

    Attributes:
        step, line: where it was drawn last.
        moves: lines in which it was first seen and in which it had moved, ascending.
    """

    __slots__ = ("line", "moves", "step")

    def __init__(self, bar: Bar) -> None:
        self.step, self.line, self.moves = bar.step, bar.line, [bar.line]

    def draw(self, bar: Bar) -> None:
        """Takes its next drawing."""
        if bar.step != self.step:
            self.moves.append(bar.line)
            if len(self.moves) > MOVES_KEPT:
                del self.moves[1::2]
        self.step, self.line = bar.step, bar.line


class SourceHistory:
    """What happened in one source.

    Attributes:
        name: of the source.
        steps: lines of all progress, ascending; the oldest are forgotten, but counted.
        own_steps: those of each writer; the two last ones at least.
        advances: those with a step that no other writer had told before; the two last at least.
        step_times: when steps were made, by their number; of many, the first and the last.
        phases: the line and the phase that it began, ascending.
        loops: the progress bars, by label and total.
        worked: the latest line with a bar of work under way; else 0.
        first_time, last_time: of the first line that tells about the run, and of the last of all.
        is_cut: whether the log says that its beginning was left out.
        is_being_ended: whether a line said that the run is being ended from outside.
        cancel: the first line that says that the run was ended from outside, where no progress
            follows it.
        given_up: the first lines that say that a scheduler ends the job, where no step was told
            anew since.
        restart: the last line that says that what failed is started again.
        lines: how many it has.
        living: who wrote its last lines, each with the last of them.
        last_words: what it ends with, where that is a complaint, or that it waits.
        waits: with how many lines it ends that only say that the program waits; else 0.
        good_end: which of its last lines says in plain words that it ended well; else 0.
        unrest: the latest line that complained of something; None without.
        effect: the line of the latest failure that only tells of what others did; else 0.
        begun: the first line that tells of the beginning of a run, below the latest one that told
            of a good end; else 0.
        failed_exit: the latest line that reports the exit status of a program that failed; else 0.
        recognised: the last line of all events that were taken for something; else 0.
        resumed: who wrote the failure after each quiet time, and its line.
        reasons: lines that say why a call failed, ascending.
        sent: by pid, the first line that says that who had started the process ended it.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.steps: list[int] = []
        self.own_steps: dict[Lane, list[int]] = {}
        self.advances: list[int] = []
        self.step_times: dict[int, str] = {}
        self.phases: list[tuple[int, Phase]] = []
        self.loops: dict[tuple[str, int], Loop] = {}
        self.worked = 0
        self.first_time: str | None = None
        self.last_time: str | None = None
        self.is_cut = False
        self.is_being_ended = False
        self.cancel: int | None = None
        self.given_up: tuple[int, ...] = ()
        self.restart: int | None = None
        self.lines = 0
        self.living: Mapping[Lane, int] = {}
        self.last_words: LogEvent | None = None
        self.waits = self.good_end = 0
        self.unrest: int | None = None
        self.effect = self.begun = self.failed_exit = 0
        self.recognised = 0
        self.resumed: list[tuple[Lane, int]] = []
        self.reasons: list[LogEvent] = []
        self.sent: dict[int, int] = {}
        self._end: int | None = None
        self._stop: int | None = None
        self._forgotten = 0  # steps
        self._told: dict[Lane, int] = {}  # the last step of each writer
        self._untimed = 0  # lines that tell about the run, before one had a time
        self._reruns: list[int] = []  # lines with which it went on with another run, ascending
        self._programs: dict[int, set[str]] = {}  # by run that failed, the main programs that did
        self._habits: dict[str, list[int]] = {}  # by kind, the lines of the first ones

    def note(self, fact: Fact) -> None:
        """Takes the next thing that happened."""
        _TAKEN_BY[type(fact)](self, fact)

    @property
    def end(self) -> int | None:
        """The first line that says that the judged run ended well, where no progress follows it."""
        return self._of_judged_run(self._end)

    @property
    def stop(self) -> int | None:
        """The first line that says that the program of the judged run was asked to end, where no
        progress follows it.
        """
        return self._of_judged_run(self._stop)

    @property
    def has_ended(self) -> bool:
        """Whether it told of its run's end and of no step since."""
        return self._end is not None

    @property
    def is_said_ended(self) -> bool:
        """Whether it tells, in words for the whole run or in its last ones, of its good end."""
        return bool(self.end or self.good_end)

    @property
    def was_quiet(self) -> bool:
        """Whether nothing complained for long, now or before a later failure."""
        return bool(self.resumed) or self.is_quiet_until(self.lines)

    @property
    def has_reruns(self) -> bool:
        """Whether it seems to hold several runs."""
        return bool(self._reruns)

    @property
    def has_failed(self) -> bool:
        """Whether an error that matters stands in it."""
        return bool(self._programs)

    @property
    def wants_time(self) -> bool:
        """Whether its first time is still looked for."""
        return self.first_time is None and self._untimed < FIRST_LINES

    @property
    def shown_steps(self) -> tuple[int, ...]:
        """Lines of all progress, ascending; of many, evenly many."""
        steps = self.steps
        return tuple(dict.fromkeys((*steps[:: len(steps) // SHOWN_STEPS + 1], *steps[-1:])))

    @property
    def judged_run(self) -> int:
        """The run that is judged, from 0: the last one, where it failed or went on for long; of
        one that only began nothing can be said.

        One that did not fail before yet another began ended well: it stands for the file as well.
        """
        reruns = self._reruns
        if (
            not reruns
            or self.lines - reruns[-1] >= RERUN_LINES
            or went_on(self.advances, reruns[-1])
        ):
            return len(reruns)
        return max(max(self._programs, default=0), len(reruns) - 1)

    @property
    def last_runs(self) -> tuple[int, int] | None:
        """Where it went on with other runs after failures: how many there are at least, and the
        line with which the judged one begins.
        """
        if not self._reruns:
            return None
        firsts = [self._reruns[run] for run in range(self.judged_run) if run in self._programs]
        return (len(firsts) + 1, firsts[-1]) if firsts else None

    def run_of(self, line: int) -> int:
        """To which of its runs a line belongs, from 0."""
        return bisect_right(self._reruns, line)

    def begin_of(self, run: int) -> int:
        """The line with which a run begins."""
        return self._reruns[run - 1] if run else 1

    def is_same_program(self, run: int, other: int) -> bool:
        """Whether two runs may be of one program: another may be the job's next stage."""
        one, two = self._programs.get(run), self._programs.get(other)
        return not one or not two or bool(one & two)

    def steps_until(self, line: int) -> int:
        """How many progress lines stand before a line, or in it."""
        return self._forgotten + bisect_right(self.steps, line)

    def phase_until(self, line: int) -> tuple[int, Phase | None]:
        """The latest phase that began before a line, or in it, with its own line; else 0, None."""
        position = bisect_right(self.phases, line, key=lambda each: each[0])
        return self.phases[position - 1] if position else (0, None)

    def habit(self, kind: str) -> Sequence[int]:
        """Lines of the first failures of a kind; at most `HABIT`."""
        return self._habits.get(kind, ())

    def era(self, line: int) -> int:
        """How many quiet times lie before a line that is about to be noted."""
        return len(self.resumed) + self.is_quiet_until(line)

    def is_quiet_until(self, line: int) -> bool:
        """Whether nothing complained for long before a line."""
        return self.unrest is not None and line - self.unrest >= QUIET_LINES

    def _of_judged_run(self, line: int | None) -> int | None:
        last = self.last_runs if line is not None else None
        return None if last and line is not None and line < last[1] else line

    def _take_said(self, fact: Said) -> None:
        line, remark = fact
        if remark is Remark.END:
            self._end = line if self._end is None or self.begun > self._end else self._end
        elif remark is Remark.STOP:
            self._stop = line if self._stop is None else self._stop
        elif remark is Remark.CANCEL:
            self.cancel = line if self.cancel is None else self.cancel
        elif remark is Remark.GIVEN_UP:
            self.given_up = (*self.given_up, line)[:GIVEN_UP_LIMIT]
        elif remark is Remark.ENDING:
            self.is_being_ended = True
        elif remark is Remark.RESTART:
            self.restart = line
        elif remark is Remark.CUT:
            self.is_cut |= not self.steps  # after steps it is a copy of the end that follows
        elif remark is Remark.RERUN:
            del self._reruns[RERUNS_LIMIT - 1 :]
            self._reruns.append(line)
        elif remark is Remark.UNREST:
            self.unrest = max(line, self.unrest or 0)
        else:
            self.recognised = max(line, self.recognised)

    def _take_begin(self, fact: RunBegan) -> None:
        if self._end is not None and self.begun < self._end:
            self.begun = fact.line

    def _take_sent(self, fact: Sent) -> None:
        if len(self.sent) < WRITERS_LIMIT:
            self.sent.setdefault(fact.pid, fact.line)

    def _take_step(self, fact: Step) -> None:
        """Takes back an end or a stop that came before it."""
        line, writer, step, time = fact
        if step is not None and time:
            self.step_times.setdefault(step, time)
            if len(self.step_times) > STEP_TIMES_KEPT:
                del self.step_times[list(self.step_times)[STEP_TIMES_KEPT // 2]]
        if writer not in self.own_steps and len(self.own_steps) >= WRITERS_LIMIT:
            writer = NOBODY
        self.steps.append(line)
        self.own_steps.setdefault(writer, []).append(line)
        self._take_advance(line, writer, step)
        if len(self.steps) > TIMELINE_LIMIT:
            self._forget_steps()
        self._end = self._stop = self.cancel = None

    def _take_advance(self, line: int, writer: Lane, step: int | None) -> None:
        """Takes note of a step that nobody had told before, or that its writer tells again: the
        run goes on, or was started anew.
        """
        told = self._told
        is_late = step is not None and told.get(writer, -1) < step <= max(told.values(), default=-1)
        if step is not None:
            if step < told.get(writer, step):  # started anew, and with it the others
                told.clear()
                self.given_up = ()
            told[writer] = step
        if not is_late:
            self.advances.append(line)

    def _forget_steps(self) -> None:
        half = TIMELINE_LIMIT // 2
        del self.steps[:half]
        self._forgotten += half
        for kept in (self.advances, *self.own_steps.values()):
            known = bisect_right(kept, self.steps[0] - 1)
            del kept[: max(0, min(known, len(kept) - STEPS_TO_RECOVER))]

    def _take_phase(self, fact: PhaseBegan) -> None:
        self.phases.append((fact.line, fact.phase))
        if fact.phase is Phase.INIT:
            self._take_begin(RunBegan(fact.line))
        if len(self.phases) > TIMELINE_LIMIT:
            del self.phases[: TIMELINE_LIMIT // 2]

    def _take_bar(self, fact: Bar) -> None:
        key = (fact.label, fact.total)
        loop = self.loops.get(key)
        if loop:
            loop.draw(fact)
        elif len(self.loops) < LOOPS_LIMIT:
            self.loops[key] = Loop(fact)
        if fact.is_work:
            self.worked = fact.line

    def _take_reason(self, fact: Reasoned) -> None:
        if len(self.reasons) >= REASONS_LIMIT:
            del self.reasons[REASONS_LIMIT // 2]
        self.reasons.append(fact.event)

    def _take_failure(self, fact: Failed) -> None:
        line = fact.line
        if self.is_quiet_until(line) and len(self.resumed) < RESUMED_LIMIT:
            self.resumed.append((fact.writer, line))
        self.unrest = max(line, self.unrest or 0)
        programs = self._programs.setdefault(self.run_of(line), set())
        if len(programs) < PROGRAMS_LIMIT:
            programs.update(fact.programs)
        if fact.kind in self._habits or len(self._habits) < KINDS_LIMIT:
            first = self._habits.setdefault(fact.kind, [])
            if len(first) < HABIT:
                first.append(line)
        if fact.is_effect:
            self.effect = max(line, self.effect)
        if fact.is_failed_exit:
            self.failed_exit = max(line, self.failed_exit)

    def _take_time(self, fact: Timed) -> None:
        self.first_time = fact.time
        self._untimed += 1

    def _take_close(self, fact: Closed) -> None:
        self.lines, self.living, self.last_time, self.last_words, self.waits, self.good_end = fact


_TAKEN_BY: Mapping[type, Callable[[SourceHistory, Any], None]] = {
    Said: SourceHistory._take_said,  # noqa: SLF001  # the table of `note`
    RunBegan: SourceHistory._take_begin,  # noqa: SLF001
    Sent: SourceHistory._take_sent,  # noqa: SLF001
    Step: SourceHistory._take_step,  # noqa: SLF001
    PhaseBegan: SourceHistory._take_phase,  # noqa: SLF001
    Bar: SourceHistory._take_bar,  # noqa: SLF001
    Failed: SourceHistory._take_failure,  # noqa: SLF001
    Reasoned: SourceHistory._take_reason,  # noqa: SLF001
    Timed: SourceHistory._take_time,  # noqa: SLF001
    Closed: SourceHistory._take_close,  # noqa: SLF001
}


class Histories(dict[str, SourceHistory]):
    """The histories of all sources by their names, in the order in which something happened in
    them; one begins when it is asked for.
    """

    def __missing__(self, name: str) -> SourceHistory:
        history = self[name] = SourceHistory(name)
        return history


def went_on(steps: Sequence[int], line: int) -> bool:
    """Whether enough of the steps, whose lines ascend, were made after a line."""
    return len(steps) >= STEPS_TO_RECOVER and steps[-STEPS_TO_RECOVER] > line


def later(steps: Sequence[int], line: int) -> tuple[int, int]:
    """How many of the steps, whose lines ascend, were made after a line, and the first of those
    lines; there is at least one.
    """
    position = bisect_right(steps, line)
    return len(steps) - position, steps[position]
