"""Tables of numbers that are texts to step lines: CsvTable, TrainerState."""

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from logdoctor.sources.trackers.step_lines import step_lines

SUMMARY_LIMIT = 64 << 20
"""Bytes of a file that is read whole."""

ENTRY_LIMIT = 1 << 20
"""Characters of an entry of a Trainer's history."""

LINE_LIMIT = 1 << 20
"""Bytes of a line of a table; what follows in a longer one is left out."""

_HISTORY, _HISTORY_KEPT = re.compile(r'"log_history"\s*:\s*\['), 200
_BETWEEN = re.compile(r"[\s,]*")

_MLFLOW_STEP = 2
"""The column of the step."""

_STEPS = ("step", "global_step", "_step", "train/global_step", "iteration", "iter", "epoch")


class CsvTable:
    """Takes a CSV file whose first line names a step (Lightning's metrics.csv, Keras' CSVLogger,
    wandb's export); gives a line for each row, with the cells that are numbers.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._names: list[str] = []
        self._step = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Takes the next bytes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._rest = self._rest[:LINE_LIMIT]
        for line in lines:
            yield from self._row(line)

    def end(self) -> Iterator[bytes]:
        """A last row without a line break is told as far as it goes."""
        yield from self._row(self._rest)

    def _row(self, line: bytes) -> Iterator[bytes]:
        cells = _cells(line)
        if not self._names:
            self._names = cells
            self._step = next(cells.index(name) for name in _STEPS if name in cells)
            return
        metrics = [
            (name, number)
            for i, (name, cell) in enumerate(zip(self._names, cells, strict=False))
            if i != self._step and (number := _number(cell)) is not None
        ]
        step = _number(cells[self._step]) if len(cells) > self._step else None
        if step is not None and step.is_integer():
            yield from step_lines(int(step), metrics)


class TrainerState:
    """Takes `trainer_state.json` of transformers' Trainer; gives a line for each entry in its
    history as soon as it is there, so that a file that is cut off tells what it holds.
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._entries = json.JSONDecoder()
        self._rest = ""
        self._is_in_history = self._is_over = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Raises ValueError where an entry is too long for one."""
        self._rest += self._decode(piece)
        if not self._is_in_history:
            begin = _HISTORY.search(self._rest)
            self._is_in_history = begin is not None
            self._rest = self._rest[begin.end() if begin else -_HISTORY_KEPT :]
        at = 0
        while self._is_in_history and not self._is_over:
            at = _BETWEEN.match(self._rest, at).end()  # type: ignore[union-attr]  # it may be empty
            self._is_over = self._rest.startswith("]", at)
            try:
                entry, at = self._entries.raw_decode(self._rest, at)
            except (ValueError, RecursionError):
                break  # the rest of it is still to come
            if isinstance(entry, dict):
                yield from _entry(entry, "step")
        self._rest = self._rest[at:]
        if len(self._rest) > ENTRY_LIMIT and not self._is_over:
            raise ValueError("an entry of the history is too long")

    def end(self) -> Iterator[bytes]:
        """Raises ValueError where the history, or the object, is cut off."""
        if not self._is_over and (self._is_in_history or not self._rest.rstrip().endswith("}")):
            raise ValueError("the history is cut off")
        yield from ()


class WholeFile:
    """Takes a JSON file whose object is told when it is read whole."""

    def __init__(self, told: Callable[[dict[str, Any]], Iterator[bytes]]) -> None:
        """`told` gives the lines of an object."""
        self._told = told
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Takes the next bytes; raises ValueError where they are too many."""
        self._size += len(piece)
        if self._size > SUMMARY_LIMIT:
            raise ValueError(f"more than {SUMMARY_LIMIT >> 20} MiB")
        self._pieces.append(piece)
        return iter(())

    def end(self) -> Iterator[bytes]:
        """Raises ValueError where it is no JSON: it is cut off, say."""
        try:
            state = json.loads(b"".join(self._pieces))
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        if isinstance(state, dict):
            yield from self._told(state)


class MlflowMetric:
    """Takes the file of one metric in MLflow's file store, whose name is the metric's: lines of a
    time in milliseconds, a value and a step (mlflow/store/tracking/file_store.py).
    """

    def __init__(self, metric: str) -> None:
        self._metric = metric
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Takes the next bytes."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._rest = self._rest[:LINE_LIMIT]
        for line in lines:
            yield from self._value(line)

    def end(self) -> Iterator[bytes]:
        """A last line without a line break is told where it is whole."""
        yield from self._value(self._rest)

    def _value(self, line: bytes) -> Iterator[bytes]:
        cells = line.decode("utf-8", "replace").split()
        value = _number(cells[1]) if len(cells) > _MLFLOW_STEP else None
        if value is not None and cells[_MLFLOW_STEP].removeprefix("-").isdecimal():
            yield from step_lines(int(cells[_MLFLOW_STEP]), [(self._metric, value)])


def last_values(summary: dict[str, Any]) -> Iterator[bytes]:
    """One line of the last values, as `wandb-summary.json` has them."""
    yield from _entry(
        {name: value for name, value in summary.items() if name == "_step" or name[:1] != "_"},
        "_step",
    )


def is_mlflow_metric(head: bytes) -> bool:
    """Whether the first line has a time, a value and a step."""
    return re.match(rb"[0-9]{10,14} \S+ -?[0-9]+[ \r]*\n", head) is not None


def is_table(head: bytes) -> bool:
    """Whether the first line, as far as it is there, names columns, a step among them."""
    first, is_whole, _ = head.partition(b"\n")
    cells = _cells(first if is_whole else first[: first.rfind(b",") + 1])
    return len(cells) > 1 and any(name in cells for name in _STEPS)


def _entry(entry: dict[str, Any], step_name: str) -> Iterator[bytes]:
    step = entry.get(step_name)
    metrics = [
        (name, float(value))
        for name, value in entry.items()
        if name != step_name and isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    if isinstance(step, int):
        yield from step_lines(step, metrics)


def _cells(line: bytes) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line.decode("utf-8", "replace")]), [])]
    except csv.Error:
        return []


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
