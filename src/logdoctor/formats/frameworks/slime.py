"""What slime prints (624b824a)."""

from logdoctor.formats.rows import Format, MarkerKind, framework, told

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
        *told(
            MarkerKind.PROGRESS,
            (
                r"\b(?:step|rollout|perf|eval) (?P<step>[0-9]+): \{'",
                "step 3: {'train/grad_norm': 0.4}",
            ),
        ),
    ),
)
