"""What SkyRL prints."""

from logdoctor.formats.rows import Format, engine_keys, framework

FORMAT = Format(
    "skyrl",
    markers=(
        *framework(
            "skyrl",
            (
                r"/skyrl(?:_train|_gym|_agent|/(?:train|backends|tinker|tx))/",
                '  File "/x/skyrl/train/trainer.py", line 1',
            ),
            (
                r"\| skyrl(?:_train|_agent)?\.[a-z_.]+:|\(skyrl_entrypoint pid=",
                "(skyrl_entrypoint pid=277057) text",
            ),
        ),
    ),
    engine_keys=engine_keys(
        "generator.inference_engine.",
        "enable_chunked_prefill",
        "enable_prefix_caching",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_num_batched_tokens",
        "max_num_seqs",
        "tensor_parallel_size",
        max_model_len="engine_init_kwargs.max_model_len",
    ),
)
