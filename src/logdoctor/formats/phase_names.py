"""Names that tell the phase of a run: phase_of_method, phase_of_actor. The first row of a table
that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from logdoctor.model import Phase

_METHODS: tuple[tuple[str, Phase], ...] = (
    (
        (
            r"update_(?:actor|critic|policy)|train_step|ppo_update|train_batch|actor_train"
            r"|optimizer_step|train_minibatch|\bbackward\b|\btraining_step\b|compute_loss"
            r"|_inner_training_loop"
        ),
        Phase.TRAIN,
    ),
    (
        r"compute_(?:ref_)?log_?probs?|compute_values|compute_logp|ref_inf|actor_inf|ref_log_prob",
        Phase.LOGPROB,
    ),
    (
        (
            r"generate_sequences|generate_one_step|\bgenerate(?:_async)?\b|actor_gen"
            r"|rollout_batch|prepare_batch|execute_model"
        ),
        Phase.ROLLOUT,
    ),
    (r"compute_rewards?|compute_rm_score|rew_inf", Phase.REWARD),
    (
        (
            r"update_weights|model_update|sync_weights|sync_weight|broadcast_parameter|wake_up"
            r"|resume_memory_occupation"
        ),
        Phase.SYNC,
    ),
    (
        (
            r"save_checkpoint|do_checkpoint|load_checkpoint|save_model\b|save_pretrained"
            r"|safe_save_file"
        ),
        Phase.CHECKPOINT,
    ),
    (r"\bevaluate\b|_validate\b|evaluation_loop", Phase.EVAL),
    (
        (
            r"init_model|_build_model|from_pretrained|initialize_kv_cache|load_model"
            r"|determine_num_available_blocks|model_setup"
        ),
        Phase.INIT,
    ),
)

_ACTORS: tuple[tuple[str, Phase], ...] = (
    (
        (
            r"vLLMRolloutModel|SGLangRolloutModel|Explorer|WorkflowRunner|actor_infer"
            r"|RolloutRayActor|LLMRayActor"
        ),
        Phase.ROLLOUT,
    ),
    (r"reference|RefActor|ReferenceModelActor", Phase.LOGPROB),
    (r"Reward", Phase.REWARD),
    (r"Trainer|actor_train|PolicyModelActor", Phase.TRAIN),
)


@lru_cache(maxsize=1024)
def phase_of_method(name: str) -> Phase | None:
    """What a run does that is in this method or function."""
    return _first(_METHODS, name)


@lru_cache(maxsize=1024)
def phase_of_actor(name: str) -> Phase | None:
    """What a run does whose actor of this name speaks, where nothing else tells."""
    return _first(_ACTORS, name)


def _first(table: Iterable[tuple[str, Phase]], name: str) -> Phase | None:
    return next((phase for pattern, phase in table if name and re.search(pattern, name)), None)
