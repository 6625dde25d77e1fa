"""What Unsloth prints."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "unsloth",
    markers=(
        *framework(
            "unsloth",
            (
                (
                    r"/unsloth(?:_zoo/|_compiled_cache/|/models/|/trainer\.)|Unsloth: Will patch "
                    r"your computer"
                ),
                "Unsloth: Will patch your computer to enable",
            ),
        ),
    ),
)
