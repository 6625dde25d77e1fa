"""What ROLL (Alibaba) prints (8eb27cc2)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    DATE_TIME,
    FileName,
    Format,
    MarkerKind,
    PhaseWords,
    engine_keys,
    framework,
    phase,
    record,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "roll",
    markers=(
        *framework(
            "roll",
            (
                r"[0-9] / [0-9]{1,6}\]\[PID [0-9]",
                "[2026-01-11 21:25:34] [x.py (41)] [INFO] [reference-0 0 / 1][PID 136685] text",
            ),
            (
                r"/roll/(?:pipeline|distributed|utils|configs|models|agentic)/",
                '  File "/app/ROLL/roll/distributed/executor/worker.py", line 1',
            ),
            (r"log_rank_DRIVER_", "add logger: log_rank_DRIVER_0_1"),
            (r"\(ActorWorker\(", "(ActorWorker(actor_train-0) pid=1) text"),
        ),
        *phase(
            Phase.ROLLOUT,
            (
                r"generate_[a-z_]*start_on?load",
                "actor_infer/generate_start_onload, memory",
            ),
        ),
        *phase(
            Phase.LOGPROB,
            (
                r"compute_log_probs_start|compute_values_start",
                "reference/compute_log_probs_start_offload, memory",
            ),
        ),
        *phase(
            Phase.TRAIN,
            (
                r"train_step_start_on?load",
                "actor_train/train_step_start_onload, memory",
            ),
        ),
        *phase(
            Phase.SYNC,
            (
                r"model_update_start",
                "actor_train/model_update_start_onload",
            ),
        ),
        *phase(Phase.ROLLOUT, (r"start sampling, global_step", "start sampling, global_step: 3")),
        *told(
            MarkerKind.PROGRESS,
            (r"pipeline step (?P<step>[0-9]+) finished", "pipeline step 3 finished"),
            (
                r"""metrics_tag: ?\{['"]step['"]: ?(?P<step>[0-9]+)""",
                """metrics_tag: {"step": 3, "metrics": {"time/step_total": 41.2}}""",
            ),
        ),
        *told(
            MarkerKind.METRIC,
            (r"metrics_tag: ?\{", "metrics_tag: {'time/step': 41.2}"),
            (
                r"""["']actor/[a-z_@]+["']: ?["']?[-0-9.naif]+""",
                '{"actor/ppo_ratio_clipfrac": 0.1, "actor/loss": NaN, "critic/score/mean": 0.5}',
            ),
        ),
        *told(MarkerKind.END, (r"pipeline complete!", "pipeline complete!")),
    ),
    methods=(
        PhaseWords(Phase.TRAIN, r"train_step|actor_train", "train_step"),
        PhaseWords(Phase.ROLLOUT, r"generate_one_step", "generate_one_step"),
        PhaseWords(Phase.SYNC, r"model_update|broadcast_parameter", "model_update"),
        PhaseWords(Phase.CHECKPOINT, r"do_checkpoint", "do_checkpoint"),
    ),
    actors=(
        PhaseWords(Phase.ROLLOUT, r"actor_infer", "actor_infer-0"),
        PhaseWords(Phase.LOGPROB, r"reference", "reference-0"),
        PhaseWords(Phase.TRAIN, r"actor_train", "actor_train-0"),
    ),
    prefixes=(
        record(
            "ROLL",
            "[0",
            "[PID ",
            (
                rf"\[(?P<time>{DATE_TIME})\] \[[^\]]{{1,60}} \(\d+\)\] \[(?P<level>{LEVEL})\] "
                rf"\[(?P<actor>[\w.-]+) (?P<rank>\d+) / \d+\]\[PID (?P<pid>\d+)\] ?"
            ),
            (
                "[2026-01-11 21:25:34] [context_managers.py (41)] [INFO] [reference-0 0 / 1][PID "
                "136685] text"
            ),
        ),
    ),
    file_names=(
        FileName(
            "ROLL",
            ("log_rank_",),
            r"log_rank_(?P<actor>[\w.-]+?)_(?P<rank>\d+)_\d+\.log",
            "logs/log_rank_actor_train-0_0_8.log",
        ),
    ),
    engine_keys=engine_keys(
        "actor_infer.strategy_args.strategy_config.",
        "gpu_memory_utilization",
        "max_model_len",
        "mem_fraction_static",
        "tensor_parallel_size",
    ),
)
