"""Where a live scan stood, kept in a file: read_state, write_state."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from logdoctor.errors import SourceError
from logdoctor.generations import Mark

FORMAT = "logdoctor live 1"


class LiveState(NamedTuple):
    """What a later call goes on from.

    Attributes:
        marks: where reading stands, by path; always behind a line end.
        lines: lines read so far, by source.
        told: ids of signatures and fingerprints of errors that were said.
    """

    marks: Mapping[str, Mark] = {}
    lines: Mapping[str, int] = {}
    told: tuple[str, ...] = ()


def read_state(file: str) -> LiveState:
    """The state in that file; an empty one where there is no file yet.

    Raises:
        SourceError: it cannot be read, or is something else.
    """
    try:
        with open(file, encoding="utf-8") as stream:
            return _decoded(json.load(stream))
    except FileNotFoundError:
        return LiveState()
    except OSError as error:
        raise SourceError(file, f"the state cannot be read: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(file, "not a state of `logdoctor tail`; give another name, or delete it to begin anew") from error


def write_state(file: str, state: LiveState) -> None:
    """Replaces the file as a whole, so that a kill leaves the old state or the new one.

    Raises:
        OSError: it cannot be written; the old state stays.
    """
    content = {"format": FORMAT, "marks": {path: _encoded(mark) for path, mark in state.marks.items()}, "lines": state.lines, "told": state.told}
    draft = f"{file}.{os.getpid()}.new"
    try:
        with open(draft, "w", encoding="utf-8") as stream:
            json.dump(content, stream)
        os.replace(draft, file)
    except OSError:
        with contextlib.suppress(OSError):  # it may never have been there
            os.unlink(draft)
        raise


def _encoded(mark: Mark) -> list[Any]:
    return [*mark[:3], base64.b64encode(mark.head).decode(), base64.b64encode(mark.tail).decode(), mark.modified]


def _decoded(content: Any) -> LiveState:
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    marks = {
        str(path): Mark(int(device), int(inode), int(offset), base64.b64decode(head), base64.b64decode(tail), int(modified))
        for path, (device, inode, offset, head, tail, modified) in content["marks"].items()
    }
    return LiveState(marks, {str(name): int(lines) for name, lines in content["lines"].items()}, tuple(map(str, content["told"])))
