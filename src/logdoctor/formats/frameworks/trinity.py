"""What Trinity-RFT prints (0.6.0)."""

from logdoctor.formats.rows import (
    FileName,
    Format,
    MarkerKind,
    PhaseWords,
    RunFolder,
    engine_keys,
    framework,
    installed,
    phase,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "trinity",
    markers=(
        *framework(
            "trinity",
            (
                r"/trinity/(?:cli|explorer|trainer|common|manager|buffer|algorithm|utils)/",
                '  File "/x/trinity/explorer/explorer.py", line 1',
            ),
            (r"trinity run --config|[Tt]rinity[-_]RFT", "trinity run --config gsm8k.yaml"),
            (
                r"\[(?:explorer|synchronizer|rollout_coordinator)\.py:[0-9]",
                "INFO 11-22 15:37:46 [explorer.py:93] Explore step 1 started.",
            ),
            (
                r"\((?:vLLMRolloutModel|Explorer|Synchronizer) pid=",
                "(vLLMRolloutModel pid=32405) text",
            ),
        ),
        installed("trinity-rft"),
        *phase(
            Phase.INIT,
            (
                r"Waiting for rollout models|Initializing device mesh",
                "Waiting for rollout models to finish initialization.",
            ),
        ),
        *phase(
            Phase.ROLLOUT,
            (r"Explore step [0-9]+ started", "Explore step 3 started."),
        ),
        *phase(
            Phase.SYNC,
            (
                r"sync_weights at step [0-9]+ started|Starting NCCL weight sync",
                "Trainer sync_weights at step 3 started.",
            ),
        ),
        *phase(
            Phase.EVAL,
            (
                r"Evaluation at step [0-9]+ started",
                "Evaluation at step 3 started.",
            ),
        ),
        *phase(Phase.TRAIN, (r"Training at step [0-9]+ started", "Training at step 3 started.")),
        *told(
            MarkerKind.PROGRESS,
            (r"Training at step (?P<step>[0-9]+) finished", "Training at step 3 finished."),
        ),
    ),
    methods=(PhaseWords(Phase.SYNC, r"sync_weights?", "sync_weight"),),
    actors=(
        PhaseWords(
            Phase.ROLLOUT,
            r"vLLMRolloutModel|SGLangRolloutModel|Explorer|WorkflowRunner",
            "vLLMRolloutModel",
        ),
    ),
    file_names=(
        FileName(
            "Trinity",
            ("/log/",),
            (
                r"/log/(?:(?P<host>\d[\d.]+)/)?(?P<actor>(?:explorer|trainer|synchronizer"
                r"|checkpoint_monitor)\w*?)(?:_(?P<rank>\d+))?\.log"
            ),
            "run/log/explorer_runner_3.log",
        ),
    ),
    run_folders=(RunFolder("roles", r"trainer.*|explorer.*|buffer", "explorer", holds_run=False),),
    engine_keys=engine_keys(
        "explorer.rollout_model.",
        "enable_chunked_prefill",
        "enable_prefix_caching",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_model_len",
        "tensor_parallel_size",
    ),
)
