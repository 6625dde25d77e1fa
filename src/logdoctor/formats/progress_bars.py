"""Progress bars to how far the loops of a run came: drawn_bars, training_step.

The bars are tqdm's (`{label}: 12%|█▎ | 12/100 [00:05<00:40, 2.10it/s]`), which the Trainer of
transformers, TRL, verl, Lightning and most scripts draw. A bar says which loop it is only by its
label and its total. There are too many of them to look for: what is read are those around errors,
and at the end of a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdoctor.formats.busy_words import is_of_preparation
from logdoctor.model import Progress
from logdoctor.model.history import Bar, Histories, SourceHistory

BAR = "%|"
"""What every bar holds."""

LABEL_LENGTH = 80
"""Characters before a bar that may be its label."""

_COUNTS = r"%\|[^|\r\n]{0,200}\| *(?P<step>[0-9]+)/(?P<total>[0-9]+) \["
_TRAINING = (
    r"(?i)(?:^|[\])>] +)(?:training|train\w{0,3}|epochs?|steps?|iter\w*)\b(?! (?:split|set|data))"
)
_NUMBER = r"[0-9]+"
_TRAINING_AT_END = r"(?i)(?:^|\s)train(?:ing)?(?: progress| steps)?$"  # behind any prefix


def drawn_bars(line: int, text: str) -> Iterator[Bar]:
    """The bars that a line's text holds, in order."""
    for found in re.finditer(_COUNTS, text):
        before = re.split(
            r"[|\r\n%]|(?<=(?:/it|t/s|s/s))\]",
            text[max(0, found.start() - LABEL_LENGTH) : found.start()],
        )[-1]
        label = before.rstrip("0123456789").rstrip(" ").removesuffix(":").strip()
        label, step = re.sub(_NUMBER, "#", label), int(found["step"])
        is_work = step > 0 and not is_of_preparation(label)
        yield Bar(line, label, step, int(found["total"]), is_work)


def training_step(histories: Histories, source: str | None) -> Progress | None:
    """How far the loop of training came; None where no bar says that it is one.

    A bar without a label counts in the given source only, of which something else tells that it
    holds a training. Among several it is the one that was drawn last: loops within it (evaluation)
    end before it does.
    """
    found = [
        (loop.line, total, history.name, loop.step)
        for history in histories.values()
        for (label, total), loop in history.loops.items()
        if _is_training(label) and (label or history.name == source)
    ]
    if not found:
        return None
    line, total, name, step = max(found, key=lambda each: each[:2])
    return Progress(name, line, step, total)


def finished_training(history: SourceHistory, line: int) -> tuple[int, int] | None:
    """Where a bar of all the training was drawn at its last step, before a line, and how many it
    has; None without. A bar of an epoch is none.
    """
    return next(
        (
            (loop.line, total)
            for (label, total), loop in history.loops.items()
            if loop.step == total > 1
            and loop.line < line
            and re.search(_TRAINING_AT_END, label)
            and "epoch" not in label.lower()
        ),
        None,
    )


def _is_training(label: str) -> bool:
    return not label or bool(re.search(_TRAINING, label))
