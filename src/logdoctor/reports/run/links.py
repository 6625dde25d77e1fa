"""Places in a report as links that a terminal opens: linked.

OSC 8 is described at https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda; a terminal
that does not know it shows the place as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping


def linked(report: str, targets: Mapping[str, str]) -> str:
    """The report, in which each `source:line` leads to the target of the source, where it has one;
    `{line}` in a target becomes the number.

    A place that goes over two lines of the report is left as it is.
    """
    if not targets:
        return report
    names = "|".join(sorted(map(re.escape, targets), key=len, reverse=True))
    return re.sub(
        rf"(?<![\w/.-])({names}):(\d+)\b",
        lambda found: (
            f"\x1b]8;;{targets[found[1]].replace('{line}', found[2])}\x1b\\{found[0]}\x1b]8;;\x1b\\"
        ),
        report,
    )
