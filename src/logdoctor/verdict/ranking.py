"""Which failure came first: choose, earliest.

Roles decide before order; among equals time where they tell it on clocks that can be compared, else
lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from logdoctor.verdict.clocks import RELAYED_S, Clocks, seconds_of
from logdoctor.verdict.failure import Choice, Failure
from logdoctor.verdict.proof import Priority


def choose(failures: Iterable[Failure]) -> Choice | None:
    """The root cause; None where there is none that did harm."""
    candidates = sorted(
        (each for each in failures if not each.is_harmless), key=lambda each: each.rank
    )
    if not candidates:
        return None
    best = candidates[0].priority
    equals = [each for each in candidates if each.priority is best]
    causes = (
        [each for each in candidates if each.priority in (Priority.FATAL, Priority.CAUSE)]
        if best is Priority.FATAL
        else equals
    )
    first = earliest(equals)
    root = _innermost(first, causes)
    left_undone = _died_before(root, candidates)
    return Choice(candidates, equals, first, left_undone or root, root if left_undone else None)


def _innermost(best: Failure, reasons: Sequence[Failure]) -> Failure:
    """The end of the chain of those that explain it: a relay of a relay names the one that relayed
    first.

    That holds for a cause that some programs survive as well: what it explains was not survived.
    """
    seen = {best.name}
    while True:
        reason = next(
            (
                each
                for each in reasons
                if each.signature and each.name not in seen and best.name in each.signature.explains
            ),
            None,
        )
        if reason is None:
            return best
        seen.add(reason.name)
        best = reason


def _died_before(failure: Failure, candidates: Sequence[Failure]) -> Failure | None:
    """The first program of the same source that died before another one failed for want of
    something: a script that does not stop at an error goes on without what was to be made.
    """
    if not failure.is_of_want:
        return None
    deaths = [each for each in candidates if each.is_other_death_before(failure)]
    return min(deaths, key=lambda each: each.occurrence.order, default=None)


def is_warned_before(failure: Failure, root: Failure) -> bool:
    """Whether a failure is only a warning, and stands above the root: it did not follow from
    that.
    """
    return (
        failure.is_warning
        and failure.is_symptom
        and failure.history is root.history
        and failure.occurrence.order < root.occurrence.order
    )


def earliest(equals: Sequence[Failure]) -> Failure:
    """Of each source the first; of those the earliest by time where all tell it on clocks that
    can be compared, else by place.
    """
    by_source: dict[str, list[Failure]] = {}
    for each in equals:
        by_source.setdefault(each.occurrence.line.source, []).append(each)
    firsts = {source: _first_of_source(each) for source, each in by_source.items()}
    times = (
        Clocks(equals[0].case.histories).common(
            {source: each.occurrence.time for source, each in firsts.items()}
        )
        if len(firsts) > 1
        else None
    )
    return min(
        firsts.values(),
        key=lambda each: (
            times[each.occurrence.line.source] if times else 0.0,
            each.occurrence.order,
        ),
    )


def _first_of_source(equals: Sequence[Failure]) -> Failure:
    """By lines; but lines of another writer may have come late: then their own time counts."""
    first = min(equals, key=lambda each: each.occurrence.order)
    said = seconds_of(_own_time(first))
    if said is None:
        return first
    others = (
        (seconds_of(_own_time(each)), each)
        for each in equals
        if each.occurrence.line.stream != first.occurrence.line.stream
    )
    late = [
        (time, each.occurrence.order, each)
        for time, each in others
        if time is not None and 0 < said - time <= RELAYED_S
    ]
    return min(late, key=lambda each: each[:2])[2] if late else first


def _own_time(failure: Failure) -> str | None:
    lines = (failure.occurrence.line, *failure.event.lines)
    return next((line.time for line in lines if line.time), None)
