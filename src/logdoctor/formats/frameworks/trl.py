"""What TRL prints (1.16)."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "trl",
    markers=(
        *framework(
            "trl",
            (
                r"/trl/(?:trainer|models|scripts|extras)/",
                '  File "/x/trl/trainer/grpo_trainer.py", line 1',
            ),
        ),
    ),
)
