"""What NeMo RL prints (7ea279ab)."""

from logdoctor.formats.rows import (
    Format,
    MarkerKind,
    PhaseWords,
    engine_keys,
    framework,
    phase,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "nemo_rl",
    markers=(
        *framework(
            "nemo_rl",
            (
                r"/nemo_(?:rl|reinforcer)/[a-z_]+/",
                '  File "/opt/nemo-rl/nemo_rl/algorithms/grpo.py", line 1',
            ),
            (
                r"\bnemo_rl\.(?:models|environments|algorithms|distributed)\.",
                "nemo_rl.models.policy.workers.megatron_policy_worker",
            ),
            (
                (
                    r"\((?:DTensorPolicyWorker|MegatronPolicyWorker|VllmGenerationWorker"
                    r"|VllmAsyncGenerationWorker)\w*[ \[(]"
                ),
                "(DTensorPolicyWorker pid=1) text",
            ),
        ),
        *phase(
            Phase.ROLLOUT,
            (r"▶ Generating responses", "▶ Generating responses for batch of size 512..."),
        ),
        *phase(Phase.REWARD, (r"▶ Processing rewards", "▶ Processing rewards...,")),
        *phase(
            Phase.LOGPROB,
            (
                r"▶ (?:Computing logprobs|Preparing for logprob inference)",
                "▶ Computing logprobs...",
            ),
        ),
        *phase(
            Phase.TRAIN, (r"▶ (?:Training policy|Preparing for training)", "▶ Training policy...")
        ),
        *phase(
            Phase.EVAL,
            (
                r"▶ Starting validation at step|Running initial validation",
                "▶ Starting validation at step 0...",
            ),
        ),
        *told(
            MarkerKind.PROGRESS,
            (
                r"={25} Step (?P<step>[0-9]+)/[0-9]+ ={25}",
                "========================= Step 3/100 =========================",
            ),
        ),
        *told(
            MarkerKind.METRIC,
            (
                r"^ {0,4}• (?:[A-Z][\w-]*(?: [A-Z]\w*){0,3}): [-+0-9n]",
                "  • Generation KL Error: 0.0003",
            ),
        ),
    ),
    methods=(PhaseWords(Phase.TRAIN, r"train_minibatch", "train_minibatch"),),
    engine_keys=engine_keys(
        "policy.generation.vllm_cfg.",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_model_len",
        "tensor_parallel_size",
    ),
)
