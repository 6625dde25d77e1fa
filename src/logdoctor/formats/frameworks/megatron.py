"""What Megatron-LM prints (d98e8a64)."""

from logdoctor.formats.rows import Format, MarkerKind, framework, installed, told

FORMAT = Format(
    "megatron",
    markers=(
        *framework(
            "megatron",
            (r"/megatron/(?:core|training)/", '  File "/x/megatron/core/optimizer.py", line 1'),
            (r"after megatron is initialized", "[after megatron is initialized] datetime: 2026"),
        ),
        installed("megatron-core"),
        *told(
            MarkerKind.PROGRESS,
            (
                r"\biteration +(?P<step>[0-9]+)/ *(?P<total>[0-9]+) \|",
                " iteration      122/  250000 | consumed samples:       124928 |",
            ),
        ),
        *told(
            MarkerKind.END,
            (r"after training is done", "[after training is done] datetime: 2026"),
        ),
        *told(
            MarkerKind.BEGIN,
            (r"initializing torch distributed \.\.\.", "> initializing torch distributed ..."),
            (r"-+ arguments -+$", "------------------------ arguments ------------------------"),
        ),
    ),
)
