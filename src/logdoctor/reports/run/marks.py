"""What happened in a run, at the steps of its metrics: marks_of."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.model import HARMLESS, Diagnosis, LocalText, ScanResult, Series

MARKS = 40
"""Things that are marked in the curves of a run."""


class Mark(NamedTuple):
    """Something that happened at a line, and at a step where that is known.

    Attributes:
        kind: `onset` (of a metric that is out of order), `error` or `restart`.
        title: None where the kind says it all.
    """

    kind: str
    title: LocalText | None
    source: str
    line: int
    step: int | None


def marks_of(result: ScanResult) -> tuple[Mark, ...]:
    """What is marked: where metrics went out of order, what did harm, where steps go back."""
    clocks = _steps_by_source(result.series)
    marks = []
    for each in result.findings:
        if each.verdict not in HARMLESS:
            proof = each.evidence[0]
            metric = each if isinstance(each, Diagnosis) and each.signature.metrics else None
            title = (
                each.title if isinstance(each.title, LocalText) else LocalText(*[each.title] * 2)
            )
            clock = clocks.get(proof.source)
            line = int(metric.captures.get("onset_line", proof.line)) if metric else proof.line
            kind = "onset" if metric else "error"
            marks.append(Mark(kind, title, proof.source, line, _step_at(clock, line)))
    return (*marks, *_restarts(clocks))[:MARKS]


def place_in(series: Series, mark: Mark) -> int | None:
    """Where a mark stands among the steps of a series; None where that is not known."""
    if mark.source == series.source:
        return series.steps[max(0, bisect_right(series.lines, mark.line) - 1)]
    return mark.step if series.has_steps else None


def _steps_by_source(series: Sequence[Series]) -> dict[str, tuple[list[int], list[int]]]:
    """The lines of steps and their numbers, of each source that tells them."""
    found: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for each in series:
        if each.has_steps:
            found[each.source].update(zip(each.lines, each.steps, strict=True))
    return {
        source: (sorted(steps), [steps[line] for line in sorted(steps)])
        for source, steps in found.items()
    }


def _step_at(clock: tuple[list[int], list[int]] | None, line: int) -> int | None:
    """The step that the run was at; None before the first."""
    place = bisect_right(clock[0], line) if clock else 0
    return clock[1][place - 1] if clock and place else None


def _restarts(clocks: Mapping[str, tuple[list[int], list[int]]]) -> Iterator[Mark]:
    for source, (lines, steps) in clocks.items():
        for i in range(1, len(steps)):
            if steps[i] < steps[i - 1]:
                yield Mark("restart", None, source, lines[i], steps[i])
