"""What slime prints (624b824a)."""

from logdoctor.formats.rows import EngineKey, Format, MarkerKind, engine_keys, framework, told

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
    engine_keys=(
        *engine_keys(
            "--sglang-",
            chunked_prefill_size="chunked-prefill-size",
            context_length="context-length",
            disable_cuda_graph="disable-cuda-graph",
            max_running_requests="max-running-requests",
            mem_fraction_static="mem-fraction-static",
        ),
        EngineKey("tp_size", "--rollout-num-gpus-per-engine"),
    ),
)
