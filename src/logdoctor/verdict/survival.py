"""Whether the run survived an error: Survival.

What ends a process is told apart from what it reports and lives on. After an error of the first
kind, steps of other processes prove nothing: they may not need it, or not yet know.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from logdoctor.formats.file_names import attempt_of_source
from logdoctor.model import (
    Course,
    Lane,
    LogEvent,
    Phase,
    Role,
    RunContext,
    Severity,
    Signature,
    Verdict,
)
from logdoctor.texts.masking import masked
from logdoctor.verdict.groups import Occurrence

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

MENTIONED_LINES = 100
"""Lines that must follow what a program only mentions at level info, if nobody felt it, for it to
have been caught.

As many as a later run must have; not measured: of the whole logs seen so far one has such a
mention, with 300 lines below it.
"""

RERUN_LINES = 100
"""Lines that a later run in the same file must have, where it did not fail, to stand for the
file: fewer may be another task's output.
"""

HABIT = 3
"""Times that a run must have lived on after an error for another one of its kind, logged and
left at that, to be no news.
"""

_SKIPPED = re.compile(r"^\W{0,2}[Ss]kip(?:ped|ping)?\b")
"""How a program begins that leaves out what failed."""

_SKIPPED_BELOW = re.compile(r"(?i)\b(?:crash|fail|error)\w*.{1,40}\bskip(?:ped|ping)\b")
"""The same of a harness, below what the program it started had said."""

HYDRA_FAILED = "Error executing job with overrides"
"""What Hydra prints above the traceback, which it cuts down to the frames below its own, before
it exits (_internal/utils.py).
"""

KIND_LENGTH = 40
"""Characters of a message by which errors are of one kind, where no signature says so: what
follows is often data.
"""

KINDS_LIMIT = 5000
"""Kinds that are told apart."""

PROGRAMS_LIMIT = 100
"""Main programs of one run that are told apart."""

RERUNS_LIMIT = 10_000
"""Runs of one source that are told apart; further ones are one with the last."""

RESUMED_LIMIT = 20_000
"""Quiet times of one source after which it is remembered who wrote first."""


class Survival:
    """Takes note of every failure, then says of each what the run's further course made of it."""

    def __init__(self) -> None:
        self._unrest: dict[str, int] = {}  # by source, the latest line that complained of something
        self._effects: dict[str, int] = {}  # by source, the line of the latest wrapper or symptom
        # by source and kind, the lines of the first ones
        self._habits: dict[tuple[str, str], list[int]] = {}
        # by source, the lines with which it went on with another run, ascending
        self._reruns: dict[str, list[int]] = {}
        # by source and run that failed, the main programs that did, if known
        self._programs: dict[tuple[str, int], set[str]] = {}
        # by source, who wrote the failure after each quiet time
        self._resumed: dict[str, list[Lane]] = {}

    def note(self, occurrence: Occurrence, role: Role) -> None:
        """Takes the next failure: a match that matters, or an unknown error (which counts as a
        cause).
        """
        source, number = occurrence.line.source, occurrence.line.number
        if (
            self._is_quiet_until(source, number)
            and len(self._resumed.get(source, ())) < RESUMED_LIMIT
        ):
            self._resumed.setdefault(source, []).append(occurrence.line.stream)
        self.note_unrest(source, number)
        programs = self._programs.setdefault((source, occurrence.run), set())
        if len(programs) < PROGRAMS_LIMIT:
            programs.update(_main_programs(occurrence))
        kind = (source, _kind(occurrence))
        if kind in self._habits or len(self._habits) < KINDS_LIMIT:
            first = self._habits.setdefault(kind, [])
            if len(first) < HABIT:
                first.append(number)
        if role in (Role.WRAPPER, Role.SYMPTOM):
            self._effects[source] = max(number, self._effects.get(source, 0))

    def note_unrest(self, source: str, number: int) -> None:
        """Takes a line that complains, whether or not it is a failure."""
        self._unrest[source] = max(number, self._unrest.get(source, 0))

    def note_rerun(self, source: str, number: int) -> None:
        """Takes a line with which a source seems to go on with another run."""
        reruns = self._reruns.setdefault(source, [])
        del reruns[RERUNS_LIMIT - 1 :]
        reruns.append(number)

    def run(self, source: str, number: int) -> int:
        """To which of the source's runs a line belongs, from 0."""
        return bisect_right(self._reruns.get(source, ()), number)

    def last_runs(self, courses: Mapping[str, Course]) -> dict[str, tuple[int, int]]:
        """By source that went on with other runs after failures: how many there are, and the
        line with which the judged one begins.
        """
        found = {}
        for source, reruns in self._reruns.items():
            firsts = [
                reruns[run]
                for run in range(self._judged(source, courses.get(source, Course())))
                if (source, run) in self._programs
            ]
            if firsts:
                found[source] = (len(firsts) + 1, firsts[-1])
        return found

    def _judged(self, source: str, course: Course) -> int:
        """The run that is judged: the last one, where it failed or went on for long; of one that
        only began nothing can be said.

        One that did not fail before yet another began ended well: it stands for the file as well.
        """
        reruns = self._reruns.get(source, [])
        if (
            not reruns
            or course.lines - reruns[-1] >= RERUN_LINES
            or _went_on([course.advances], reruns[-1])
        ):
            return len(reruns)
        failed = max((run for name, run in self._programs if name == source), default=0)
        return max(failed, len(reruns) - 1)

    def era(self, source: str, number: int) -> int:
        """How many quiet times lie before a line that is about to be noted."""
        return len(self._resumed.get(source, ())) + self._is_quiet_until(source, number)

    def _is_quiet_until(self, source: str, number: int) -> bool:
        return number - self._unrest.get(source, number) >= QUIET_LINES

    def verdict(
        self, occurrence: Occurrence, signature: Signature | None, context: RunContext
    ) -> Verdict | None:
        """Recovered, noise after the end, or None where the run may well have died of it."""
        course = context.courses.get(occurrence.line.source, Course())
        number, stream = occurrence.line.number, occurrence.line.stream
        if self._was_run_again(occurrence, course) or _was_restarted(
            occurrence.line.source, context
        ):
            return Verdict.RECOVERED
        ends_process = _ends_process(occurrence, signature)
        if (
            course.end is not None
            and number > course.end
            and not _ends_program(occurrence, signature)
            and not _is_of_saving(occurrence, signature)
        ):
            return Verdict.TEARDOWN
        was_for_nothing = (
            not course.advances and not course.loops and _ends_program(occurrence, signature)
        )
        if (
            course.end is not None
            and number < course.end
            and not (ends_process and (was_for_nothing or self._had_effects(occurrence, course)))
        ):
            return Verdict.RECOVERED
        if (
            course.restart is not None
            and number < course.restart
            and _went_on([course.advances], course.restart)
        ):
            return Verdict.RECOVERED
        if (
            self._lived_on(occurrence, course)
            or self._was_skipped(occurrence)
            or self._was_caught_until(occurrence, signature, course.cancel)
        ):
            return Verdict.RECOVERED
        is_proved = number not in course.given_up and (
            _went_on([course.progress.get(stream, ())], number)
            or (
                (not ends_process or _is_seen_alive(occurrence, course))
                and _went_on([course.advances], number)
            )
        )
        is_mentioned = _is_mentioned(occurrence)
        is_endured = (not ends_process or is_mentioned) and (
            _is_looped_over(number, course) or self._is_habit(occurrence, course)
        )
        is_endured |= (
            is_mentioned
            and course.lines - number >= MENTIONED_LINES
            and self._effects.get(occurrence.line.source, 0) < number
        )
        return Verdict.RECOVERED if is_proved or is_endured else None

    def _was_run_again(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether its source goes on with a later run of the same program; another program may
        be the job's next stage.
        """
        source = occurrence.line.source
        judged = self._judged(source, course)
        then, now = (self._programs.get((source, run), set()) for run in (occurrence.run, judged))
        return occurrence.run < judged and (not then or not now or bool(then & now))

    def _was_caught_until(
        self, occurrence: Occurrence, signature: Signature | None, stop: int | None
    ) -> bool:
        """Whether it came again and again, and the run only ended when it was stopped from
        outside.
        """
        if stop is None or stop <= occurrence.line.number:
            return False
        is_effect = signature is not None and signature.role is Role.SYMPTOM
        kept = self._habits.get((occurrence.line.source, _kind(occurrence)), [])
        return (
            len(kept) >= HABIT
            and kept[-1] < stop
            and (is_effect or not _ends_process(occurrence, signature))
        )

    def _was_skipped(self, occurrence: Occurrence) -> bool:
        """Whether the program says that it leaves out what failed, unless that was much of what
        there was to do.
        """
        event = occurrence.event
        kept = self._habits.get((occurrence.line.source, _kind(occurrence)), [])
        is_said = not event.is_traceback and bool(
            _SKIPPED.search(event.lines[0].text)
            or any(_SKIPPED_BELOW.search(line.text) for line in event.after[:2])
        )
        return is_said and len(kept) < HABIT

    def _is_habit(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether the run had lived on after the same kind often enough, and nobody felt this
        one.
        """
        source, number = occurrence.line.source, occurrence.line.number
        first = self._habits.get((source, _kind(occurrence)), [])
        if len(first) < HABIT or self._effects.get(source, 0) > number:
            return False
        return first[-1] < number and _went_on([course.advances], first[-1])

    def _had_effects(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether others felt it and no step was made since: the end is then only a harness's
        word.
        """
        effect = self._effects.get(occurrence.line.source, 0)
        return effect > occurrence.line.number and not any(
            line > effect for line in course.advances
        )

    def _lived_on(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether its process was quiet for long, and was seen again."""
        source, stream = occurrence.line.source, occurrence.line.stream
        # lines without a writer are one writer's where all are
        is_known = stream != Lane() or set(course.living) == {stream}
        if is_known and stream in self._resumed.get(source, [])[occurrence.era :]:
            return True
        return self._is_quiet_until(source, course.lines) and (
            _is_seen_alive(occurrence, course) or set(course.living) == {stream}
        )


def _went_on(progress: Iterable[Sequence[int]], number: int) -> bool:
    """Whether enough steps were made after a line; of thousands of writers, only as many are
    looked at as it takes.
    """
    later = (line for lines in progress for line in lines if line > number)
    return next(islice(later, STEPS_TO_RECOVER - 1, None), None) is not None


def _is_looped_over(number: int, course: Course) -> bool:
    """Whether a loop that had moved before moved on: what it did not end, its body caught."""
    return any(moves[0] <= number and _went_on([moves], number) for moves in course.loops)


def _is_mentioned(occurrence: Occurrence) -> bool:
    """Whether the program that caught it only mentions it, so that what it is elsewhere fatal
    for lives on.
    """
    return not occurrence.event.is_traceback and occurrence.event.level in ("info", "debug")


def _was_restarted(source: str, context: RunContext) -> bool:
    """Whether the launcher tried again: then the later attempt tells how the run ended."""
    attempt = attempt_of_source(source)
    others = (attempt_of_source(other) for other in context.courses) if attempt else ()
    return any(
        attempt and other and other[0] == attempt[0] and other[1] > attempt[1] for other in others
    )


def _is_seen_alive(occurrence: Occurrence, course: Course) -> bool:
    """Whether a writer that can be told from others wrote to the end of the source."""
    stream = occurrence.line.stream
    return stream != Lane() and course.living.get(stream, 0) > occurrence.event.lines[-1].number


def _ends_program(occurrence: Occurrence, signature: Signature | None) -> bool:
    """Whether the program itself died, not a helper or a rank that lost the others: what was to
    follow (saving …) is missing.
    """
    event = occurrence.event
    is_cause = signature is None or signature.role is Role.CAUSE
    is_of_main = _is_of_main(event) and event.exception != "KeyboardInterrupt"
    return is_cause and is_of_main and not _is_logged(event)


def _is_of_saving(occurrence: Occurrence, signature: Signature | None) -> bool:
    """Whether it ended the saving of a checkpoint, which some programs begin after they have
    said that the training is done.
    """
    is_fatal = (
        signature is not None
        and signature.role is Role.CAUSE
        and signature.severity is Severity.FATAL
    )
    return is_fatal and occurrence.situation.phase is Phase.CHECKPOINT


def _is_of_main(event: LogEvent) -> bool:
    """Whether it went through the file that the program was started with (`python x.py`, `python
    -m x`), or Hydra tells that its function failed.
    """
    outermost = event.frames[0] if event.frames else ""
    is_of_file = " in <module>" in outermost and not outermost.startswith('File "<')
    return (
        is_of_file
        or " in _run_module_as_main" in outermost
        or any(line.text.startswith(HYDRA_FAILED) for line in event.before[-1:])
    )


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


def _ends_process(occurrence: Occurrence, signature: Signature | None) -> bool:
    """Whether an error looks like the last word of its process: nobody caught and logged it, or
    it is known to be fatal.
    """
    if signature and signature.severity is Severity.FATAL:
        return True
    return occurrence.event.is_traceback and not _is_logged(occurrence.event)


def _main_programs(occurrence: Occurrence) -> set[str]:
    """The file that the program was started with, as far as the traceback tells."""
    frames = (
        frame
        for frame in occurrence.event.frames
        if ", in <module>" in frame and frame.partition(", in ")[2].startswith("<module>")
    )
    return {frame.partition('", line ')[0].partition('"')[2] for frame in islice(frames, 1)}


def _kind(occurrence: Occurrence) -> str:
    if occurrence.match:
        return occurrence.match.signature_id
    event = occurrence.event
    said = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return f"{event.exception}: {masked(said[: 2 * KIND_LENGTH])[:KIND_LENGTH]}"
