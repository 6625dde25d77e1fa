"""What ms-swift prints (3602360a)."""

from logdoctor.formats.rows import Format, MarkerKind, framework, told, version

FORMAT = Format(
    "swift",
    markers=(
        *framework(
            "swift",
            (
                r"\[(?:INFO|WARNING|ERROR|DEBUG):swift\] ",
                "[INFO:swift] Start time of running main: 2025-11-21 10:00:00",
            ),
            (
                (
                    r"/swift/(?:llm|pipelines|rlhf_trainers|arguments|infer_engine|cli|megatron"
                    r"|plugin|tuners|trainers)/"
                ),
                '  File "/x/swift/llm/train/rlhf.py", line 1',
            ),
        ),
        *version(
            "ms-swift",
            (
                r"swift\.__version__: (?P<version>[0-9][0-9.a-z+]*)",
                "[INFO:swift] swift.__version__: 3.8.0",
            ),
        ),
        *told(
            MarkerKind.END,
            (
                r"End time of running main: ",
                "[INFO:swift] End time of running main: 2025-11-21 10:00:00.000000",
            ),
        ),
    ),
)
