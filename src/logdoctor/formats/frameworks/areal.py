"""What AReaL (inclusionAI) prints (4aef98d8 and v0.1)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
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
    "areal",
    markers=(
        *framework(
            "areal",
            (r"\(AReaL\)", "(AReaL) 20260206-15:38:30.123 RLTrainer INFO: text"),
            (
                r"master[_ ]worker(?:/[0-9]+ pid=| INFO)",
                "(master_worker/0 pid=96390, ip=1.2.3.4) text",
            ),
            (
                r"/(?:areal|realhf)/[a-z_]+/",
                '  File "/AReaL/realhf/system/master_worker.py", line 1',
            ),
            (
                r"-m realhf\.apps|quickstart INFO:|python3? -m areal\.",
                "20250222-10:26:34.877 quickstart INFO: Running ppo-math experiment.",
            ),
        ),
        *phase(
            Phase.INIT,
            (
                r"quickstart INFO: Running",
                "20250222-10:26:34.877 quickstart INFO: Running ppo-math experiment.",
            ),
        ),
        *phase(
            Phase.ROLLOUT,
            (r"rpc (?:actor_gen|rollout) requested", "Model rpc actor_gen requested."),
        ),
        *phase(
            Phase.REWARD, (r"rpc (?:rew_inf|rew_gen) requested", "Model rpc rew_inf requested.")
        ),
        *phase(
            Phase.LOGPROB,
            (r"rpc (?:ref_inf|actor_inf|critic_inf) requested", "Model rpc ref_inf requested."),
        ),
        *phase(
            Phase.TRAIN,
            (r"rpc (?:actor_train|critic_train) requested", "Model rpc actor_train requested."),
        ),
        *told(
            MarkerKind.PROGRESS,
            (
                r"Train step (?P<step>[0-9]+)/(?P<total>[0-9]+) done",
                "Epoch 1/5 Step 150/332 Train step 150/1660 done.",
            ),
        ),
        *told(
            MarkerKind.METRIC,
            (
                r"│ +[a-z_-]+/[a-z_/]+ +│ +[-0-9.a-z+]+ +│",
                "│ grpo_actor/entropy/avg │  2.4334e-07 │ grpo_actor/grad_norm │  2.4167e+00 │",
            ),
            (
                r"returns \{'[a-z_]+': ",
                "RPC name actor_train returns {'task_reward': 0.5, 'actor_clip_ratio': 0.01}",
            ),
        ),
        *told(
            MarkerKind.END,
            (
                r"Training completes! Total time",
                "Training completes! Total time elapsed 12.3.",
            ),
        ),
    ),
    methods=(
        PhaseWords(Phase.TRAIN, r"train_batch|ppo_update", "train_batch"),
        PhaseWords(Phase.LOGPROB, r"compute_logp|ref_inf|actor_inf", "compute_logp"),
        PhaseWords(Phase.ROLLOUT, r"actor_gen|rollout_batch|prepare_batch", "prepare_batch"),
        PhaseWords(Phase.REWARD, r"rew_inf", "rew_inf"),
        PhaseWords(Phase.SYNC, r"update_weights", "update_weights"),
    ),
    prefixes=(
        record(
            "AReaL",
            "(A|[|0",
            ": ",
            (
                rf"(?:\[[\w-]{{1,12}}\]\s+)?(?:\(AReaL\) )?"
                rf"(?P<time>\d{{8}}-\d\d:\d\d:\d\d\.\d{{3}}) "
                rf"(?P<actor>[\w\[][\w \[\]/.-]{{0,60}}?) (?P<level>{LEVEL}): "
            ),
            "(AReaL) 20260206-15:38:30.123 RLTrainer INFO: text",
            "[main]    (AReaL) 20260206-15:38:30.123 [FSDPEngine Rank 0] INFO: text",
            "20250222-11:11:56.997 master worker INFO: text",
        ),
    ),
    file_names=(
        FileName(
            "AReaL",
            ("/logs/",),
            (
                r"/logs/[^/]+/[^/]+/[^/]+/(?P<actor>main|actor|rollout|ref|critic|reward|trainer"
                r"|eval[\w-]*)\.log"
            ),
            "x/logs/me/exp/trial0/rollout.log",
        ),
    ),
    engine_keys=(
        *engine_keys(
            "vllm.", "enforce_eager", "gpu_memory_utilization", "max_model_len", "max_num_seqs"
        ),
        *engine_keys(
            "sglang.",
            "chunked_prefill_size",
            "context_length",
            "disable_cuda_graph",
            "max_running_requests",
            "mem_fraction_static",
        ),
    ),
)
