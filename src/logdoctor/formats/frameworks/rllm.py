"""What rLLM prints."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "rllm",
    markers=(
        *framework(
            "rllm",
            (
                r"/rllm/(?:engine|trainer|agents|environments|workflows)/",
                '  File "/x/rllm/engine/rollout.py", line 1',
            ),
        ),
    ),
)
