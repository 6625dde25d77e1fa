"""Tables of numbers that are texts to step lines: CsvTable, TrainerState."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from logdoctor.sources.trackers.step_lines import step_lines

STATE_LIMIT = 256 << 20
"""Bytes of a Trainer's state that are read."""

LINE_LIMIT = 1 << 20
"""Bytes of a line of a table; what follows in a longer one is left out."""

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
    """Takes `trainer_state.json` of transformers' Trainer; gives a line for each entry of its
    history, when it is read whole.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Takes the next bytes; raises ValueError where they are too many."""
        self._size += len(piece)
        if self._size > STATE_LIMIT:
            raise ValueError(f"a Trainer's state of more than {STATE_LIMIT >> 20} MiB")
        self._pieces.append(piece)
        return iter(())

    def end(self) -> Iterator[bytes]:
        """Raises ValueError where it is no JSON: it is cut off, say."""
        try:
            state = json.loads(b"".join(self._pieces))
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        history = state.get("log_history") if isinstance(state, dict) else None
        for entry in history if isinstance(history, list) else ():
            if isinstance(entry, dict):
                yield from _entry(entry)


def is_table(head: bytes) -> bool:
    """Whether the first line names columns, a step among them."""
    first, found, _ = head.partition(b"\n")
    cells = _cells(first)
    return bool(found) and len(cells) > 1 and any(name in cells for name in _STEPS)


def _entry(entry: dict[str, Any]) -> Iterator[bytes]:
    step = entry.get("step")
    metrics = [
        (name, float(value))
        for name, value in entry.items()
        if name != "step" and isinstance(value, (int, float)) and not isinstance(value, bool)
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
