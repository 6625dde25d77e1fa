"""What ChatLearn (Alibaba) prints (b7af31a9)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    DATE_TIME,
    Format,
    MarkerKind,
    PhaseWords,
    engine_keys,
    framework,
    phase,
    record,
    told,
    version,
)
from logdoctor.model import Phase

FORMAT = Format(
    "chatlearn",
    markers=(
        *framework(
            "chatlearn",
            (r"ChatLearn", "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO text"),
            (r"chatlearn_log", "chatlearn_log start train episode_id: 1/200"),
            (
                r"/chatlearn/(?:runtime|models|utils|algorithm|launcher|synchronizer)/",
                '  File "/x/chatlearn/runtime/engine.py", line 1',
            ),
        ),
        *version(
            "chatlearn",
            (
                r"init chatlearn done, version (?P<version>[0-9][0-9.]*)",
                "init chatlearn done, version 1.2.0",
            ),
        ),
        *phase(
            Phase.INIT,
            (
                r"basemodule .{1,80} init start|Before model init|start setup and validate",
                "basemodule policy_trainer init start",
            ),
        ),
        *phase(
            Phase.TRAIN,
            (r"\): INFO (?:chatlearn_log )?Before train", "(engine.py 1): INFO Before train"),
        ),
        *phase(Phase.ROLLOUT, (r"start to make experience", "start to make experience")),
        *phase(Phase.SYNC, (r"Before first param sync", "Before first param sync")),
        *phase(Phase.EVAL, (r"start evaluate", "start evaluate")),
        *told(
            MarkerKind.PROGRESS,
            (
                r"train episode_id: (?P<step>[0-9]+)/(?P<total>[0-9]+)",
                "chatlearn_log start train episode_id: 1/200",
            ),
        ),
        *told(
            MarkerKind.PROGRESS,
            (
                r"\bstep (?P<step>[0-9]+) prefix [\w/-]+: logging metric \{",
                "step 12 prefix train: logging metric {'policy_trainer/loss': 0.1}",
            ),
        ),
        *told(
            MarkerKind.END,
            (
                r"INFO (?:chatlearn_log )?train .{1,60} done",
                "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 1): INFO train grpo done",
            ),
        ),
    ),
    methods=(PhaseWords(Phase.INIT, r"model_setup", "model_setup"),),
    prefixes=(
        record(
            "ChatLearn",
            "[0",
            "ChatLearn",
            (
                rf"\[(?P<time>{DATE_TIME}) (?P<actor>ChatLearn[\w-]*)(?: (?P<host>\d[\w.:]+))?(?: "
                rf"RANK:(?P<rank>\d+))?\] \([^()]{{1,60}} \d+\): (?P<level>{LEVEL}) "
            ),
            (
                "[2025-08-25 10:00:00,123 ChatLearn-policy_trainer 10.0.0.3 RANK:5] "
                "(fsdp_module.py 621): INFO text"
            ),
            "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO text",
        ),
    ),
    engine_keys=engine_keys(
        "models.policy.",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_num_batched_tokens",
        max_model_len="seq_length",
        mem_fraction_static="gpu_memory_utilization",
        tensor_parallel_size="tensor_model_parallel_size",
        tp_size="tensor_model_parallel_size",
    ),
)
