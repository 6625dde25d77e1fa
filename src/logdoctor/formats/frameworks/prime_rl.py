"""What prime-rl prints."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "prime_rl",
    markers=(
        *framework(
            "prime_rl",
            (
                r"/prime_rl/(?:trainer|orchestrator|inference|entrypoints|utils)/",
                '  File "/x/prime_rl/utils/config.py", line 1',
            ),
        ),
    ),
)
