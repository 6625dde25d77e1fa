"""What slime prints (624b824a)."""

from logdoctor.formats.rows import Format, framework

FORMAT = Format(
    "slime",
    markers=(
        *framework(
            "slime",
            (
                r"/slime/(?:backends|ray|rollout|utils|agent|observability)/",
                '  File "/root/slime/slime/ray/rollout.py", line 1',
            ),
            (
                r"\((?:MegatronTrainRayActor|FSDPTrainRayActor|RolloutManager|SGLangEngine) pid=",
                "(MegatronTrainRayActor pid=1) text",
            ),
            (
                r"slime\.rollout\.",
                "rollout_function_path ... slime.rollout.sglang_rollout.generate_rollout",
            ),
        ),
    ),
)
