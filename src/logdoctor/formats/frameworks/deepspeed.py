"""What DeepSpeed prints."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    DATE_TIME,
    Format,
    MarkerKind,
    framework,
    record,
    told,
    version,
)

FORMAT = Format(
    "deepspeed",
    markers=(
        *framework(
            "deepspeed",
            (
                r"DeepSpeed info: version",
                "[Rank 0] DeepSpeed info: version=0.16.3, git-hash=unknown",
            ),
            (
                r"/deepspeed/(?:runtime|ops|launcher|comm)/",
                '  File "/x/deepspeed/runtime/engine.py", line 1',
            ),
        ),
        *version(
            "deepspeed",
            (
                r"DeepSpeed info: version=(?P<version>[0-9][0-9.]*)",
                "DeepSpeed info: version=0.16.3, git-hash=x",
            ),
        ),
        *told(
            MarkerKind.END,
            (
                r"launch\.py:[0-9]+:main\] Process [0-9]+ exits successfully",
                "[INFO] [launch.py:367:main] Process 499824 exits successfully.",
            ),
        ),
    ),
    prefixes=(
        record(
            "DeepSpeed",
            "[0",
            "] [",
            (
                rf"\[(?P<time>{DATE_TIME})\] \[(?P<level>{LEVEL})\] \[[\w.]+:\d+:\w+\] (?:\[Rank "
                rf"(?P<rank>-?\d+)\] )?"
            ),
            "[2025-03-07 23:55:15,357] [INFO] [logging.py:128:log_dist] [Rank 0] text",
        ),
    ),
)
