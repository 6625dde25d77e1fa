"""Numbers of step lines to the course of each metric: SeriesKeeper."""

from collections.abc import Iterable

from logdoctor.formats.metric_names import common_name, name_in
from logdoctor.memo import Memo
from logdoctor.model import LogLine, Series
from logdoctor.model.curves import STRETCHES, Curve

STRETCHES_OF_ALL = 128 * STRETCHES
"""Stretches of all curves together; where there are many metrics, each has fewer."""

STRETCHES_LEAST = 8
"""Stretches that each of them has all the same."""

SERIES_LIMIT = 8000
"""Metrics (of one source each) that are kept."""

NAMES_LIMIT = 20_000
"""Names that are remembered."""

WHEN = frozenset({"step", "epoch", "iteration", "iter", "global_step", "total_steps", "seed"})
"""What tells when a value was printed, and is none."""


class SeriesKeeper:
    """Keeps the values of metrics; memory does not grow with the number of steps."""

    def __init__(self, *, takes_all: bool) -> None:
        """`takes_all` also has those kept that no signature asks for."""
        self._takes_all = takes_all
        self._curves: dict[tuple[int, str], tuple[str, Curve]] = {}
        self._names: Memo[str, str] = Memo(NAMES_LIMIT)

    def add(
        self, line: LogLine, source_number: int, step: int | None, words: str, value: float
    ) -> None:
        """Takes a value behind these words, of which the last ones are its name."""
        if self._takes_all:
            name = self._names.get(words)
            if name is None:
                name = self._names[words] = name_in(words) or words
            self.add_named(line, source_number, step, name, value)

    def add_named(
        self, line: LogLine, source_number: int, step: int | None, name: str, value: float
    ) -> None:
        """Takes a value of a metric; of several in a line, the first."""
        if name.lower() in WHEN:
            return
        source, curve = self._curves.get((source_number, name), ("", None))
        if curve is None:
            if len(self._curves) >= SERIES_LIMIT:
                return
            source, curve = line.source, Curve()
            self._curves[source_number, name] = source, curve
        if curve.last_line != line.number:
            most = max(STRETCHES_LEAST, STRETCHES_OF_ALL // len(self._curves))
            curve.add(value, step, line.number, min(STRETCHES, most))

    def curve(self, source_number: int, metric: str) -> Curve | None:
        """That of a metric by its name, or the end of it; None where none is kept."""
        return next(
            (
                curve
                for (number, name), (_, curve) in self._curves.items()
                if number == source_number and f" {name}".endswith(f" {metric}")
            ),
            None,
        )

    def series(self, wanted: Iterable[tuple[str, str]] | None = None) -> tuple[Series, ...]:
        """Those of these sources and names, or ends of names (of all, with None), in the order in
        which they came first.
        """
        sought = None if wanted is None else set(wanted)
        return tuple(
            curve.series(source, name, common_name(name))
            for (_, name), (source, curve) in self._curves.items()
            if sought is None
            or any(source == of and f" {name}".endswith(f" {metric}") for of, metric in sought)
        )
