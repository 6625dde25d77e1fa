"""What TRL prints (1.16)."""

from logdoctor.formats.rows import Format, engine_keys, framework

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
    engine_keys=engine_keys(
        "vllm_",
        "enable_sleep_mode",
        "gpu_memory_utilization",
        "tensor_parallel_size",
        max_model_len="max_model_length",
    ),
)
