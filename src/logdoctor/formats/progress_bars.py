"""Progress bars to how far the loops of a run came: LoopReader.

The bars are tqdm's (`{label}: 12%|█▎ | 12/100 [00:05<00:40, 2.10it/s]`), which the Trainer of
transformers, TRL, verl, Lightning and most scripts draw. A bar says which loop it is only by its
label and its total. There are too many of them to look for: what is read are those around errors,
and at the end of a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdoctor.model import Progress

LOOPS_LIMIT = 500
"""Loops that are told apart; later ones are not followed."""

MOVES_KEPT = 1000
"""Lines in which a loop moved that are kept; of more, evenly many."""

BAR = "%|"
"""What every bar holds."""

LABEL_LENGTH = 80
"""Characters before a bar that may be its label."""

_COUNTS = r"%\|[^|\r\n]{0,200}\| *(?P<step>[0-9]+)/(?P<total>[0-9]+) \["
_TRAINING = (
    r"(?i)(?:^|[\])>] +)(?:training|train\w{0,3}|epochs?|steps?|iter\w*)\b(?! (?:split|set|data))"
)
_PREPARING = (
    r"(?i)load|fetch|map|token|filter|templat|generat|creat|captur|warm|shard|convert|quantiz"
    r"|compil|extract|pack|resolv|read|sav"
)
_NUMBER = r"[0-9]+"


class _Loop:
    __slots__ = ("line", "moves", "step")

    def __init__(self, step: int, line: int) -> None:
        self.step = step
        self.line = line
        self.moves = [line]

    def draw(self, step: int, line: int) -> None:
        if step != self.step:
            self.moves.append(line)
            if len(self.moves) > MOVES_KEPT:
                del self.moves[1::2]
        self.step, self.line = step, line


class LoopReader:
    """Follows the bars of all sources; those of each in the order of its lines."""

    def __init__(self) -> None:
        self._loops: dict[tuple[str, str, int], _Loop] = {}  # by source, label and total

    def feed(self, source: str, line: int, text: str) -> bool:
        """Takes a line with bars; whether one is of work under way, not of its preparation."""
        is_work = False
        for label, step, total in _bars(text):
            key = (source, label, total)
            loop = self._loops.get(key)
            if loop:
                loop.draw(step, line)
            elif len(self._loops) < LOOPS_LIMIT:
                self._loops[key] = _Loop(step, line)
            is_work |= step > 0 and not re.search(_PREPARING, label)
        return is_work

    def moves(self, source: str) -> tuple[tuple[int, ...], ...]:
        """Of each loop of a source, the lines in which it was first seen and in which it had
        moved, ascending.
        """
        return tuple(
            tuple(loop.moves) for (name, _, _), loop in self._loops.items() if name == source
        )

    def training_step(self, source: str | None) -> Progress | None:
        """How far the loop of training came; None where no bar says that it is one.

        A bar without a label counts in the given source only, of which something else tells that it
        holds a training. Among several it is the one that was drawn last: loops within it
        (evaluation) end before it does.
        """
        loops = [
            (key, loop)
            for key, loop in self._loops.items()
            if _is_training(key[1]) and (key[1] or key[0] == source)
        ]
        if not loops:
            return None
        (name, _, total), loop = max(loops, key=lambda each: (each[1].line, each[0][2]))
        return Progress(name, loop.line, loop.step, total)


def _bars(text: str) -> Iterator[tuple[str, int, int]]:
    """Label (numbers apart), step and total of each bar, in order."""
    for found in re.finditer(_COUNTS, text):
        before = re.split(
            r"[|\r\n%]|(?<=(?:/it|t/s|s/s))\]",
            text[max(0, found.start() - LABEL_LENGTH) : found.start()],
        )[-1]
        label = before.rstrip("0123456789").rstrip(" ").removesuffix(":").strip()
        yield re.sub(_NUMBER, "#", label), int(found["step"]), int(found["total"])


def _is_training(label: str) -> bool:
    return not label or bool(re.search(_TRAINING, label))
