"""Numbers of a step to lines: step_lines."""

import re
from collections.abc import Iterable, Iterator

METRICS_IN_LINE = 50
"""Metrics that stand in one line; more go on in the next, with the same step."""

_NOT_IN_NAME = re.compile(r"[\s:=|]+")


def step_lines(step: int, metrics: Iterable[tuple[str, float]]) -> Iterator[bytes]:
    """Lines with the step's number and its metrics in their order; none where there are none.

    The form is verl's console's (verl/utils/logger/aggregate_logger.py, concat_dict_to_str).
    Separators within a name become blanks.
    """
    known = [f"{_NOT_IN_NAME.sub(' ', name).strip()}:{value:.8g}" for name, value in metrics]
    for first in range(0, len(known), METRICS_IN_LINE):
        part = " - ".join(known[first : first + METRICS_IN_LINE])
        yield f"step:{step} - {part}\n".encode("utf-8", "replace")
