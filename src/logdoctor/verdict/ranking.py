"""Groups of errors to their order: Suspect, choose_root, relate.

Roles decide before order; among equals time where they tell it on clocks that can be compared, else
lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from logdoctor.context.clocks import RELAYED_S, Clocks, seconds_of
from logdoctor.model import HARMLESS, Course, Role, RunContext, Severity, Signature, Verdict
from logdoctor.verdict.groups import ErrorGroup, Occurrence

_FATAL, _CAUSE, _HANDLED, _SYMPTOM, _PASSED_ON, _WRAPPER, _NOTICE = range(7)
"""The lower, the better a candidate for the root cause."""


class Suspect:
    """A group on its way to a verdict: a signature, or None for an unknown error."""

    def __init__(
        self,
        group: ErrorGroup,
        shown: Occurrence,
        signature: Signature | None,
        verdict: Verdict,
        place: int,
    ) -> None:
        self.group = group
        self.shown = shown
        self.signature = signature
        self.verdict = verdict
        self.place = place
        self.explained_by: str | None = None

    @property
    def name(self) -> str:
        """Id of the signature, or title of the unknown error."""
        return self.signature.id if self.signature else self.group.title

    @property
    def rank(self) -> tuple[int, tuple[int, int]]:
        """The lower, the better a candidate for the root cause."""
        return (self.place, self.shown.order)


def place_of(
    signature: Signature | None,
    shown: Occurrence,
    *,
    is_at_home: bool,
    is_handled: bool,
    is_probe: bool,
    is_passed_on: bool,
) -> int:
    """Where it stands among the candidates, before order is looked at.

    Args:
        signature: None for an unknown error.
        shown: the occurrence that it is judged by.
        is_at_home: whether the signature belongs to the run's frameworks.
        is_handled: whether a newer exception of its chain says more.
        is_probe: whether it was an attempt that may fail, so that it is no cause however fatal it
            would be elsewhere.
        is_passed_on: whether it only passes on an older exception of its chain.
    """
    if signature is None:
        return (
            _NOTICE
            if shown.event.is_cut
            else _PASSED_ON
            if is_passed_on
            else _HANDLED
            if is_handled or shown.event.is_late
            else _CAUSE
        )
    is_announced = not shown.event.is_traceback and shown.event.level in ("info", "debug")
    if (
        signature.severity is Severity.WARNING
        and signature.role is Role.CAUSE
        and signature.frameworks
        and is_at_home
    ):
        # the run's own framework names a cause: that says more than that something failed
        return _PASSED_ON
    if signature.severity is Severity.WARNING or (is_announced and signature.role is Role.CAUSE):
        return _NOTICE
    if signature.role is not Role.CAUSE:
        return _SYMPTOM if signature.role is Role.SYMPTOM else _WRAPPER
    is_handled |= shown.event.is_late
    if (
        is_at_home
        and signature.severity is Severity.FATAL
        and not (is_probe or shown.event.is_late)
    ):
        return _FATAL
    # it may have been caught: by order, like errors that nobody knows
    return _HANDLED if is_handled else _CAUSE


def was_stopped(suspect: Suspect, context: RunContext) -> bool:
    """Whether it is what an end from outside looks like."""
    cancel = context.courses.get(suspect.shown.line.source, Course()).cancel
    return cancel is not None and cancel in suspect.group.spots.get(suspect.shown.line.source, ())


def silence_after_stop(suspects: Sequence[Suspect], context: RunContext) -> None:
    """What others felt after a program was asked to end is noise, unless something had gone wrong
    before.

    So is what they only warn of after a program began to end by itself.
    """
    harmful = [each for each in suspects if each.verdict not in HARMLESS and each.place <= _SYMPTOM]
    ends = _first_teardowns(suspects)
    for suspect in suspects:
        source = suspect.shown.line.source
        number = min((suspect.shown.line.number, *suspect.group.spots.get(source, ())))
        stop = context.courses.get(source, Course()).stop
        if _is_warned_of(suspect):
            stop = min(
                (each for each in (stop, ends.get(source)) if each is not None), default=None
            )
        if (
            stop is None
            or number <= stop
            or suspect.verdict in HARMLESS
            or (suspect.signature and suspect.signature.role is Role.CAUSE)
        ):
            continue
        if not any(
            each.shown.line.source == source and each.shown.line.number < stop for each in harmful
        ):
            suspect.verdict = Verdict.TEARDOWN


def _is_warned_of(suspect: Suspect) -> bool:
    return (
        suspect.signature is not None
        and suspect.signature.role is Role.SYMPTOM
        and suspect.shown.event.level == "warning"
    )


def _first_teardowns(suspects: Iterable[Suspect]) -> dict[str, int]:
    """By source, the first line with which a program puts things away."""
    firsts: dict[str, int] = {}
    for suspect in suspects:
        if suspect.signature is not None and suspect.signature.role is Role.TEARDOWN:
            for source, spots in suspect.group.spots.items():
                firsts[source] = min((firsts.get(source, spots[0]), *spots))
    return firsts


def choose_root(suspects: Iterable[Suspect], clocks: Clocks) -> Suspect | None:
    """The best candidate; None where there is none that did harm."""
    candidates = sorted(
        (each for each in suspects if each.verdict not in HARMLESS), key=lambda each: each.rank
    )
    if not candidates:
        return None
    equals = [each for each in candidates if each.place == candidates[0].place]
    causes = (
        [each for each in candidates if each.place <= _CAUSE]
        if candidates[0].place == _FATAL
        else equals
    )
    return _innermost(_earliest(equals, clocks), causes)


def _innermost(best: Suspect, reasons: Sequence[Suspect]) -> Suspect:
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


def relate(suspect: Suspect, root: Suspect, clocks: Clocks) -> None:
    """Says of what is not the root whether it follows from it."""
    is_effect = (
        suspect.signature is not None
        and suspect.signature.role in (Role.WRAPPER, Role.SYMPTOM)
        and not _was_said_before(suspect, root)
    )
    is_explained = (
        suspect.signature is not None
        and root.signature is not None
        and suspect.signature.id in root.signature.explains
    )
    is_later_unknown = suspect.signature is None and (
        suspect.place == _PASSED_ON
        or suspect.shown.event.is_late
        or _earliest([root, suspect], clocks) is root
    )
    if is_effect or is_explained or is_later_unknown:
        suspect.verdict = Verdict.CONSEQUENCE
        suspect.explained_by = root.name


def _was_said_before(suspect: Suspect, root: Suspect) -> bool:
    """Whether it is only a warning, and stands above the root: it did not follow from that."""
    is_warning = (
        suspect.signature is not None
        and suspect.signature.severity is Severity.WARNING
        and suspect.signature.role is Role.SYMPTOM
    )
    return (
        is_warning
        and suspect.shown.line.source == root.shown.line.source
        and suspect.shown.order < root.shown.order
    )


def _earliest(equals: Sequence[Suspect], clocks: Clocks) -> Suspect:
    """Of each source the first; of those the earliest by time where all tell it on clocks that
    can be compared, else by place.
    """
    by_source: dict[str, list[Suspect]] = {}
    for each in equals:
        by_source.setdefault(each.shown.line.source, []).append(each)
    firsts = {source: _first_of_source(each) for source, each in by_source.items()}
    times = (
        clocks.common({source: each.shown.time for source, each in firsts.items()})
        if len(firsts) > 1
        else None
    )
    return min(
        firsts.values(),
        key=lambda each: (
            (times[each.shown.line.source], each.shown.order) if times else (0.0, each.shown.order)
        ),
    )


def _first_of_source(equals: Sequence[Suspect]) -> Suspect:
    """By lines; but lines of another writer may have come late: then their own time counts."""
    first = min(equals, key=lambda each: each.shown.order)
    said = seconds_of(_own_time(first))
    if said is None:
        return first
    others = (
        (seconds_of(_own_time(each)), each)
        for each in equals
        if each.shown.line.stream != first.shown.line.stream
    )
    late = [
        (time, each.shown.order, each)
        for time, each in others
        if time is not None and 0 < said - time <= RELAYED_S
    ]
    return min(late, key=lambda each: each[:2])[2] if late else first


def _own_time(suspect: Suspect) -> str | None:
    return next(
        (line.time for line in (suspect.shown.line, *suspect.shown.event.lines) if line.time), None
    )
