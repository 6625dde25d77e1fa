"""What prime-rl prints."""

from logdoctor.formats.rows import Format, MarkerKind, engine_keys, framework, told

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
        *told(
            MarkerKind.PROGRESS,
            (
                (
                    r"\bStep (?P<step>[0-9]+) \| {1,8}[0-9.]{1,9}[a-z]{1,2}\b.{0,12} \| "
                    r"(?:Loss|Reward|Avg@)"
                ),
                "10:21:42 SUCCESS Step 12 |   41.2s | Loss nan | Entropy 0.4012",
            ),
        ),
    ),
    engine_keys=engine_keys(
        "inference.vllm.",
        "enable_prefix_caching",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_model_len",
        "tensor_parallel_size",
    ),
)
