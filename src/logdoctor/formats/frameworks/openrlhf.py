"""What OpenRLHF prints (3c3be623)."""

from logdoctor.formats.rows import EngineKey, Format, MarkerKind, PhaseWords, framework, phase, told
from logdoctor.model import Phase

FORMAT = Format(
    "openrlhf",
    markers=(
        *framework(
            "openrlhf",
            (r"/openrlhf/|openrlhf\.cli", '  File "/x/openrlhf/trainer/ppo_trainer.py", line 1'),
            (
                r"\((?:PolicyModelActor|ReferenceModelActor|LLMRayActor|RolloutRayActor) pid=",
                "(PolicyModelActor pid=1) text",
            ),
        ),
        *phase(
            Phase.ROLLOUT,
            (r"Starting experience making", "🚀 Starting experience making with 128 samples"),
        ),
        *told(
            MarkerKind.PROGRESS,
            (r"[Gg]lobal step (?P<step>[0-9]+)[:)]", "✨ Global step 12: {'policy_loss': 0.1}"),
        ),
    ),
    actors=(
        PhaseWords(Phase.ROLLOUT, r"RolloutRayActor|LLMRayActor", "LLMRayActor"),
        PhaseWords(Phase.LOGPROB, r"ReferenceModelActor", "ReferenceModelActor"),
        PhaseWords(Phase.TRAIN, r"PolicyModelActor", "PolicyModelActor"),
    ),
    engine_keys=tuple(
        EngineKey(option, f"--vllm.{name}", f"before 0.10.2 --vllm_{name}")
        for option, name in (
            ("enable_sleep_mode", "enable_sleep"),
            ("gpu_memory_utilization", "gpu_memory_utilization"),
            ("tensor_parallel_size", "tensor_parallel_size"),
        )
    ),
)
