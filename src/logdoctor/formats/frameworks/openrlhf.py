"""What OpenRLHF prints (3c3be623)."""

from logdoctor.formats.rows import Format, MarkerKind, PhaseWords, framework, phase, told
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
)
