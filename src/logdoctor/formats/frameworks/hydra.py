"""What Hydra prints."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import DATE_TIME, Format, Message, RunFolder, record

FORMAT = Format(
    "hydra",
    prefixes=(
        record(
            "Hydra",
            "[0",
            "][",
            rf"\[(?P<time>{DATE_TIME})\]\[[\w.]+\]\[(?P<level>{LEVEL})\] - ",
            "[2025-01-02 03:04:05,678][root][INFO] - text",
        ),
    ),
    messages=(
        Message(
            "Hydra",
            r"Could not override '",
            (
                r"To append to your config|Key '|Error merging override|\S.{0,200} is not in struct"
                r"|    \w+[:=]"
            ),
            (
                "Could not override 'actor.lr'.",
                "To append to your config use +actor.lr=3",
                "Key 'actor' is not in struct",
                "    full_key: actor",
            ),
        ),
    ),
    run_folders=(RunFolder("what it composed", r"\.?hydra", ".hydra", holds_run=False),),
)
