"""Lines in which a process says what it is busy with, of what ranks do one after the other:
names_busy, is_of_preparation.
"""

import re
from typing import NamedTuple

_WORKS = (
    r"(?:pre-?process|prepar|tokeni[sz]|download|load|fetch|sav|writ|compil|build|convert|shard"
    r"|index|pack|captur|merg|extract|export|encod|cach|warm)"
)
_OBJECTS = (
    r"(?:data(?:set|file)?s?|samples?|examples?|models?|weights?|shards?|checkpoints?|state|tokens?"
    r"|texts?|files?|kernels?|extensions?|graphs?|cache|index(?:es)?|modules?|tokenizer|features)"
)


class BusyLine(NamedTuple):
    """A form of such lines: samples fit, near misses do not."""

    pattern: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...]


BUSY_LINES = (
    BusyLine(
        rf"(?i)\b{_WORKS}(?:[pt]?ing|ing up)\b"
        rf"(?:[^.]{{0,80}}?\b{_OBJECTS}\b|.{{0,80}}(?:\.\.\.|…)\s*$)",
        (
            "INFO rank 0: tokenizing the dataset",
            "Saving checkpoint-400 to /ckpt ...",
            "Compiling kernels for 3 shapes",
            "> building the shuffle index for the data",
        ),
        (
            "rewriting history is not loading",
            "gradient checkpointing: true",
            "the ranks are waiting",
        ),
    ),
)
"""Forms of such lines."""

OVER = (
    r"(?i)\b(?:done|finished|complete[ds]?|completed|took|loaded|saved|success\w*|ended|skip\w*"
    r"|without|failed|error|cannot|unable)\b|\bin \d+(?:\.\d+)? ?(?:s|sec|seconds|min)"
)
"""What such a line says where the work is over, or came to nothing."""

PREPARING = (
    r"(?i)load|fetch|map|token|filter|templat|generat|creat|captur|warm|shard|convert|quantiz"
    r"|compil|extract|pack|resolv|read|sav|pre-?proc|prepar|index|writ"
)
"""What labels of progress bars hold whose work is done before, between or after steps."""


def names_busy(text: str) -> bool:
    """Whether a line says that such work is under way."""
    return not re.search(OVER, text) and any(re.search(each.pattern, text) for each in BUSY_LINES)


def is_of_preparation(label: str) -> bool:
    """Whether the label of a progress bar is that of such work."""
    return bool(re.search(PREPARING, label))
