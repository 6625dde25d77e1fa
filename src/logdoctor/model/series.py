"""One metric over steps: Series."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Series(NamedTuple):
    """The values of a metric of a source, in the order in which they were printed.

    Of many, those are kept that a drawing cannot do without: of each stretch of equally many, the
    first and the last, the least and the greatest, and the first that is not finite.

    Attributes:
        source: the source that prints it.
        metric: its name, as it is printed.
        common: what it is called here whatever a framework calls it (see
            `logdoctor.formats.metric_names`), such as `reward`; None where there is no such name.
        steps: the number of the step of each value; where lines do not tell it, which value of
            the source it is, from 1. They go back where a run was resumed.
        values: as many `float`s, NaN and infinities among them.
        lines: the lines that say so, from 1, ascending.
        count: how many values there were.
        has_steps: whether `steps` are the numbers that the run gives its steps.
    """

    source: str
    metric: str
    common: str | None
    steps: Sequence[int]
    values: Sequence[float]
    lines: Sequence[int]
    count: int  # type: ignore[assignment]  # a tuple's own method is of no use here
    has_steps: bool

    @property
    def is_whole(self) -> bool:
        """Whether all values are there."""
        return len(self.values) == self.count

    def to_arrow(self) -> Any:
        """The columns `step`, `value` and `line`, as `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is not installed (`logdoctor[parquet]`).
        """
        import pyarrow as pa  # noqa: PLC0415  # large, and hardly ever asked for

        return pa.table({"step": self.steps, "value": self.values, "line": self.lines})
