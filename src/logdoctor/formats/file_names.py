"""Names of log files to who wrote them: lane_of_source, attempt_of_source.

In a folder that is one run, the name of a file often says more than its lines.
"""

import re

from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.rows import FileName
from logdoctor.model import Lane

FILE_NAMES: tuple[FileName, ...] = (
    *(row for each in FORMATS for row in each.file_names),
    FileName(
        "one file per rank",
        ("rank",),
        r"(?:^|[^a-z])(?:global_|local_)?rank[-_]?(?P<rank>\d{1,5})(?:\D|$)",
        "logs/train_rank7.log",
    ),
)
"""The first that fits counts."""


def lane_of_source(name: str) -> Lane:
    """Who wrote a file, as far as its name tells; the first row that fits counts."""
    for row in FILE_NAMES:
        found = re.search(row.regex, name) if any(map(name.__contains__, row.marks)) else None
        if found:
            told = found.groupdict()
            rank, pid = told.get("rank"), told.get("pid")
            return Lane(
                told.get("host"),
                int(rank) if rank else None,
                int(pid) if pid else None,
                told.get("actor"),
            )
    return Lane()


def attempt_of_source(name: str) -> tuple[str, int] | None:
    """The run that a file belongs to and the number of its attempt, from 0, where a launcher
    keeps attempts apart.
    """
    found = re.search(r"^(.*?)attempt_(\d+)/", name) if "attempt_" in name else None
    return (found[1], int(found[2])) if found else None
