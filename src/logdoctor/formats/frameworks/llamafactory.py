"""What LLaMA-Factory prints (ff6d4d12)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import DATE_TIME, Format, engine_keys, framework, record

FORMAT = Format(
    "llamafactory",
    markers=(
        *framework(
            "llamafactory",
            (
                r"\] llamafactory\.[a-z_0-9.]+:[0-9]+ >> |- llamafactory\.[a-z_0-9.]+ - ",
                "[INFO|2025-11-21 10:00:00] llamafactory.hparams.parser:410 >> text",
            ),
            (
                r"/(?:llamafactory|llmtuner)/(?:train|hparams|data|model|launcher|cli|extras|chat|v1)",
                '  File "/app/src/llamafactory/train/tuner.py", line 1',
            ),
            (
                r"llamafactory-cli|llmtuner\.",
                "llamafactory-cli train examples/train_lora/llama3_lora_sft.yaml",
            ),
        ),
    ),
    prefixes=(
        record(
            "LLaMA-Factory",
            "[A",
            " >> ",
            rf"\[(?P<level>{LEVEL})\|(?P<time>{DATE_TIME})\] [\w.]+:\d+ >> ",
            "[INFO|2024-12-14 13:49:23] llamafactory.hparams.parser:410 >> text",
        ),
    ),
    engine_keys=engine_keys(
        "",
        context_length="sglang_maxlen",
        enforce_eager="vllm_enforce_eager",
        gpu_memory_utilization="vllm_gpu_util",
        max_model_len="vllm_maxlen",
        mem_fraction_static="sglang_mem_fraction",
        tp_size="sglang_tp_size",
    ),
)
