"""What SGLang prints (0.5.23)."""

from logdoctor.formats.rows import (
    DATE_TIME,
    Format,
    MarkerKind,
    PhaseWords,
    RunFolder,
    framework,
    installed,
    record,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "sglang",
    markers=(
        *framework(
            "sglang",
            (
                r"/sglang/(?:srt|launch|lang|bench)",
                '  File "/x/sglang/srt/managers/scheduler.py", line 1',
            ),
        ),
        installed("sglang"),
        *told(
            MarkerKind.STOP,
            (
                r"SIGTERM received\. signum=",
                "SIGTERM received. signum=None frame=None. Draining requests and shutting down...",
            ),
        ),
    ),
    methods=(PhaseWords(Phase.SYNC, r"resume_memory_occupation", "resume_memory_occupation"),),
    prefixes=(
        record(
            "SGLang",
            "[0",
            "] ",
            (
                rf"\[(?P<time>{DATE_TIME})(?: (?:(?:DP|PP|EP|ATTN_CP|MOE_DP|CP|ATTN_TP)\d+"
                rf"|TP(?P<rank>\d+)))+\] "
            ),
            "[2026-02-06 15:38:30 TP0] text",
            "[2026-02-06 15:38:30.123 DP1 PP0 TP3 EP2] text",
        ),
    ),
    run_folders=(RunFolder("servers", r"sglang", "sglang", holds_run=False),),
)
