"""What ms-swift prints (3602360a)."""

from logdoctor.formats.rows import Format, MarkerKind, engine_keys, framework, told, version

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
    engine_keys=(
        *engine_keys(
            "--vllm_",
            "enable_prefix_caching",
            "enforce_eager",
            "gpu_memory_utilization",
            "max_model_len",
            "max_num_seqs",
            "tensor_parallel_size",
        ),
        *engine_keys(
            "--sglang_", "context_length", "disable_cuda_graph", "mem_fraction_static", "tp_size"
        ),
    ),
)
