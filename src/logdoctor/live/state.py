"""Where a live scan stood, kept in a file: read_state, write_state, SafeMarks."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from logdoctor.context import metric_state
from logdoctor.context.metric_state import Streak
from logdoctor.errors import SourceError
from logdoctor.live.rotation import Mark
from logdoctor.sources.small_files import read_small
from logdoctor.texts.replacing import replace_file

FORMAT = "logdoctor live 3"

WAITING_LIMIT = 1000
"""Marks of a source that wait until what stands before them has been told; of more, the oldest
are left out.
"""


LARGEST_OFFSET = 2**63 - 1
"""Of a file of any system."""


class LiveState(NamedTuple):
    """What a later call goes on from.

    Attributes:
        marks: where reading stands, by path; always behind a line end.
        lines: lines read so far, by source.
        told: ids of signatures and fingerprints of errors that were said.
        streaks: how metrics stand, at the marks or further on.
        unsent: diagnoses that have not arrived yet, by the option that names their receiver.
    """

    marks: Mapping[str, Mark] = {}
    lines: Mapping[str, int] = {}
    told: tuple[str, ...] = ()
    streaks: tuple[Streak, ...] = ()
    unsent: Mapping[str, tuple[bytes, ...]] = {}


class SafeMarks:
    """Marks between two events, before which everything has been told.

    Whoever goes on from them, after a kill at any time, reads again all that was read but not yet
    told.
    """

    def __init__(self, state: LiveState) -> None:
        """`state` is what the call before left."""
        self._marks = dict(state.marks)
        self._lines = dict(state.lines)
        # by path: its source, lines read of it, and the mark behind them
        self._reached: dict[str, tuple[str, int, Mark]] = {}
        self._waiting: dict[str, deque[tuple[int, Mark]]] = {}  # by path: those between two events

    def pass_by(self, path: str, source: str, lines: int, mark: Mark) -> None:
        """Takes note that so many lines of a source were read when the mark was reached."""
        self._marks.setdefault(path, mark._replace(offset=0, head=b"", tail=b""))
        self._reached[path] = (source, lines, mark)

    def settle(self, told: Callable[[str], tuple[int, int]], path: str | None = None) -> None:
        """Moves on at one path, or at all; `told` gives, for a source, lines that were told, and
        lines read when it was between two events.
        """
        for each in (path,) if path else self._reached:
            source, lines, mark = self._reached[each]
            told_lines, whole_lines = told(source)
            waiting = self._waiting.setdefault(each, deque(maxlen=WAITING_LIMIT))
            if whole_lines == lines and not (waiting and waiting[-1][0] == lines):
                waiting.append((lines, mark))
            while waiting and waiting[0][0] <= told_lines:
                self._lines[source], self._marks[each] = waiting.popleft()

    def state(self, marks: Mapping[str, Mark]) -> LiveState:
        """Marks and lines that may be kept where reading stands at `marks`."""
        self._marks.update(
            (path, mark) for path, mark in marks.items() if path not in self._reached
        )
        return LiveState(dict(self._marks), dict(self._lines))

    def last_state(self, marks: Mapping[str, Mark]) -> LiveState:
        """Those that may be kept when everything that was read has been told."""
        return LiveState(
            {**self._marks, **marks},
            {**self._lines, **{source: lines for source, lines, _ in self._reached.values()}},
        )


def read_state(file: str) -> LiveState:
    """The state in that file; an empty one where there is no file yet.

    Raises:
        SourceError: it cannot be read, or is something else.
    """
    try:
        return _decoded(json.loads(read_small(file)))
    except FileNotFoundError:
        return LiveState()
    except OSError as error:
        raise SourceError(
            file, f"the state cannot be read: {(error.strerror or str(error)).lower()}"
        ) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(
            file, "not a state of `logdoctor tail`; give another name, or delete it to begin anew"
        ) from error


def write_state(file: str, state: LiveState) -> None:
    """Replaces the file as a whole, so that a kill leaves the old state or the new one.

    Raises:
        OSError: it cannot be written; the old state stays.
    """
    content = {
        "format": FORMAT,
        "marks": {path: _encoded(mark) for path, mark in state.marks.items()},
        "lines": state.lines,
        "told": state.told,
        "streaks": list(map(metric_state.encoded, state.streaks)),
        "unsent": {
            name: [payload.decode() for payload in payloads]
            for name, payloads in state.unsent.items()
        },
    }
    replace_file(file, json.dumps(content))


def _encoded(mark: Mark) -> list[Any]:
    return [
        *mark[:3],
        base64.b64encode(mark.head).decode(),
        base64.b64encode(mark.tail).decode(),
        mark.modified,
    ]


def _mark(row: Any) -> Mark:
    device, inode, offset, head, tail, modified = row
    mark = Mark(
        int(device),
        int(inode),
        int(offset),
        base64.b64decode(head),
        base64.b64decode(tail),
        int(modified),
    )
    if not max(len(mark.head), len(mark.tail)) <= mark.offset <= LARGEST_OFFSET:
        raise ValueError(offset)
    return mark


def _decoded(content: Any) -> LiveState:
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    marks = {str(path): _mark(row) for path, row in content["marks"].items()}
    lines = {str(name): int(lines) for name, lines in content["lines"].items()}
    unsent = {
        str(name): tuple(str(payload).encode() for payload in payloads)
        for name, payloads in content["unsent"].items()
    }
    return LiveState(
        marks,
        lines,
        tuple(map(str, content["told"])),
        tuple(map(metric_state.decoded, content["streaks"])),
        unsent,
    )
