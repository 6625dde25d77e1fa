"""Whether the run survived an error: Survival.

What ends a process is told apart from what it reports and lives on. After an error of the first kind, steps of other
processes prove nothing: they may not need it, or not yet know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from logdoctor.groups import Occurrence
from logdoctor.model import Course, Lane, LogEvent, Role, RunContext, Severity, Signature, Verdict
from logdoctor.normalize import masked
from logdoctor.source_lanes import attempt_of_source

STEPS_TO_RECOVER = 2
"""Progress lines after an error that show that the run went on: one may have been printed before and come late."""

QUIET_LINES = 1000
"""Lines without any error that a process must still have printed for an earlier error not to have ended it.

Of 33 whole logs of failed runs none goes on for more than 830 lines after its last error (most for less than 50); the
successful ones with errors go on for 2,000 to 9,300.
"""


HABIT = 3
"""Times that a run must have lived on after an error for another one of its kind, logged and left at that, to be no news."""

KIND_LENGTH = 40
"""Characters of a message by which errors are of one kind, where no signature says so: what follows is often data."""

KINDS_LIMIT = 5000
"""Kinds that are told apart."""


class Survival:
    """Takes note of every failure, then says of each what the run's further course made of it."""

    def __init__(self) -> None:
        self._unrest: dict[str, int] = {}  # by source, the latest line that complained of something
        self._effects: dict[str, int] = {}  # by source, the line of the latest wrapper or symptom
        self._habits: dict[tuple[str, str], list[Occurrence]] = {}  # by source and kind, the first ones
        self._resumed: dict[str, list[Lane]] = {}  # by source, who wrote the failure after each quiet time

    def note(self, occurrence: Occurrence, role: Role) -> None:
        """Takes the next failure: a match that matters, or an unknown error (which counts as a cause)."""
        source, number = occurrence.line.source, occurrence.line.number
        if self._is_quiet_until(source, number):
            self._resumed.setdefault(source, []).append(occurrence.line.stream)
        self.note_unrest(source, number)
        kind = (source, _kind(occurrence))
        if kind in self._habits or len(self._habits) < KINDS_LIMIT:
            first = self._habits.setdefault(kind, [])
            if len(first) < HABIT:
                first.append(occurrence)
        if role in (Role.WRAPPER, Role.SYMPTOM):
            self._effects[source] = max(number, self._effects.get(source, 0))

    def note_unrest(self, source: str, number: int) -> None:
        """Takes a line that complains, whether or not it is a failure."""
        self._unrest[source] = max(number, self._unrest.get(source, 0))

    def era(self, source: str, number: int) -> int:
        """How many quiet times lie before a line that is about to be noted."""
        return len(self._resumed.get(source, ())) + self._is_quiet_until(source, number)

    def _is_quiet_until(self, source: str, number: int) -> bool:
        return number - self._unrest.get(source, number) >= QUIET_LINES

    def verdict(self, occurrence: Occurrence, signature: Signature | None, context: RunContext) -> Verdict | None:
        """Recovered, noise after the end, or None where the run may well have died of it."""
        course = context.courses.get(occurrence.line.source, Course())
        number, stream = occurrence.line.number, occurrence.line.stream
        if _was_restarted(occurrence.line.source, context):
            return Verdict.RECOVERED
        ends_process = _ends_process(occurrence, signature)
        if course.end is not None and number > course.end:
            return None if _ends_program(occurrence, signature) else Verdict.TEARDOWN
        if course.end is not None and not (ends_process and self._had_effects(occurrence, course)):
            return Verdict.RECOVERED
        if self._lived_on(occurrence, course):
            return Verdict.RECOVERED
        is_proved = _went_on([course.progress.get(stream, ())], number) or (
            (not ends_process or _is_seen_alive(occurrence, course)) and _went_on(course.progress.values(), number)
        )
        return Verdict.RECOVERED if is_proved or (not ends_process and self._is_habit(occurrence, course)) else None

    def _is_habit(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether the run had lived on after the same kind often enough, and nobody felt this one."""
        source, number = occurrence.line.source, occurrence.line.number
        first = self._habits.get((source, _kind(occurrence)), [])
        if len(first) < HABIT or self._effects.get(source, 0) > number:
            return False
        habit = first[-1].line.number
        return habit < number and _went_on(course.progress.values(), habit)

    def _had_effects(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether others felt it and no step was made since: the end is then only a harness's word."""
        effect = self._effects.get(occurrence.line.source, 0)
        return effect > occurrence.line.number and not any(line > effect for lines in course.progress.values() for line in lines)

    def _lived_on(self, occurrence: Occurrence, course: Course) -> bool:
        """Whether its process was quiet for long, and was seen again."""
        source, stream = occurrence.line.source, occurrence.line.stream
        is_known = stream != Lane() or set(course.living) == {stream}  # lines without a writer are one writer's where all are
        if is_known and stream in self._resumed.get(source, [])[occurrence.era :]:
            return True
        return self._is_quiet_until(source, course.lines) and (_is_seen_alive(occurrence, course) or set(course.living) == {stream})


def _went_on(progress: Iterable[Sequence[int]], number: int) -> bool:
    """Whether enough steps were made after a line; of thousands of writers, only as many are looked at as it takes."""
    later = (line for lines in progress for line in lines if line > number)
    return next(islice(later, STEPS_TO_RECOVER - 1, None), None) is not None


def _was_restarted(source: str, context: RunContext) -> bool:
    """Whether the launcher tried again: then the later attempt tells how the run ended."""
    attempt = attempt_of_source(source)
    others = (attempt_of_source(other) for other in context.courses) if attempt else ()
    return any(attempt and other and other[0] == attempt[0] and other[1] > attempt[1] for other in others)


def _is_seen_alive(occurrence: Occurrence, course: Course) -> bool:
    """Whether a writer that can be told from others wrote to the end of the source."""
    stream = occurrence.line.stream
    return stream != Lane() and course.living.get(stream, 0) > occurrence.event.lines[-1].number


def _ends_program(occurrence: Occurrence, signature: Signature | None) -> bool:
    """Whether the program itself died, not a helper or a rank that lost the others: what was to follow (saving …) is missing."""
    event = occurrence.event
    is_cause = signature is None or signature.role is Role.CAUSE
    outermost = event.frames[0] if event.frames else ""
    is_of_main = " in <module>" in outermost and not outermost.startswith('File "<') and event.exception != "KeyboardInterrupt"
    return is_cause and is_of_main and not _is_logged(event)


def _is_logged(event: LogEvent) -> bool:
    above = event.before[-1] if event.before else None
    return event.level is not None or (above is not None and above.level is not None and above.number == event.lines[0].number - 1)


def _ends_process(occurrence: Occurrence, signature: Signature | None) -> bool:
    """Whether an error looks like the last word of its process: nobody caught and logged it, or it is known to be fatal."""
    if signature and signature.severity is Severity.FATAL:
        return True
    return occurrence.event.is_traceback and not _is_logged(occurrence.event)


def _kind(occurrence: Occurrence) -> str:
    if occurrence.match:
        return occurrence.match.signature_id
    event = occurrence.event
    said = event.headline.removeprefix(event.exception or "").lstrip(": ")
    return f"{event.exception}: {masked(said[: 2 * KIND_LENGTH])[:KIND_LENGTH]}"
