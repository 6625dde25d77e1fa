"""Names that tell the phase of a run: phase_of_method, phase_of_actor, phase_of_id.

Frameworks bring names of their own. Where words of two phases fit, the first in the table's order
counts.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.rows import PhaseWords
from logdoctor.model import Phase

_METHODS = (
    PhaseWords(Phase.TRAIN, r"optimizer_step|\bbackward\b", "backward"),
    PhaseWords(Phase.CHECKPOINT, r"save_checkpoint|load_checkpoint", "save_checkpoint"),
    PhaseWords(Phase.EVAL, r"\bevaluate\b", "evaluate"),
)
_ACTORS = (
    PhaseWords(Phase.LOGPROB, r"RefActor", "RefActor"),
    PhaseWords(Phase.REWARD, r"Reward", "RewardWorker"),
    PhaseWords(Phase.TRAIN, r"Trainer", "RLTrainer"),
)

_ORDER_OF_METHODS = (
    Phase.TRAIN,
    Phase.LOGPROB,
    Phase.ROLLOUT,
    Phase.REWARD,
    Phase.SYNC,
    Phase.CHECKPOINT,
    Phase.EVAL,
    Phase.INIT,
)
_ORDER_OF_ACTORS = (Phase.ROLLOUT, Phase.LOGPROB, Phase.REWARD, Phase.TRAIN)

_IDS = (
    (Phase.CHECKPOINT, r"checkpoint|resume|recover"),
    (Phase.SYNC, r"weight-sync|weight-update|register-center"),
    (Phase.EVAL, r"val|eval"),
    (Phase.REWARD, r"reward|sandbox"),
    (
        Phase.ROLLOUT,
        (
            r"rollout|generation|generations|kv|sampling|prompt|max-traj|shm-broadcast"
            r"|input-longer|context-length|structured-output"
        ),
    ),
    (
        Phase.TRAIN,
        (
            r"backward|grad|gradient|gradients|loss|gradscaler|recompute|optimizer|collate"
            r"|dataloader-worker|inplace|ulysses"
        ),
    ),
    (
        Phase.INIT,
        (
            r"init|start|started|not-loadable|import|module|launch|setup|port-in-use"
            r"|tokenizer|argument|arguments|config|divisible|not-found|auth|missing"
            r"|not-enough|version|symbol|settings?|option|mapping|weights|no-c-compiler"
            r"|too-old|unsupported"
        ),
    ),
)
"""Words of the ids of signatures."""


@lru_cache(maxsize=1024)
def phase_of_method(name: str) -> Phase | None:
    """What a run does that is in this method or function."""
    return _first(_methods(), name)


@lru_cache(maxsize=1024)
def phase_of_actor(name: str) -> Phase | None:
    """What a run does whose actor of this name speaks, where nothing else tells."""
    return _first(_actors(), name)


def phase_of_id(name: str) -> Phase | None:
    """The phase that an id of words joined by `-` names."""
    return next(
        (phase for phase, words in _IDS if re.search(rf"(?:^|-)(?:{words})(?:-|$)", name)), None
    )


@cache
def _methods() -> Sequence[tuple[str, Phase]]:
    rows = (*(row for each in FORMATS for row in each.methods), *_METHODS)
    return _by_phase(rows, _ORDER_OF_METHODS)


@cache
def _actors() -> Sequence[tuple[str, Phase]]:
    rows = (*(row for each in FORMATS for row in each.actors), *_ACTORS)
    return _by_phase(rows, _ORDER_OF_ACTORS)


def _by_phase(rows: Sequence[PhaseWords], order: Sequence[Phase]) -> Sequence[tuple[str, Phase]]:
    return [("|".join(row.pattern for row in rows if row.phase is each), each) for each in order]


def _first(table: Sequence[tuple[str, Phase]], name: str) -> Phase | None:
    return next((phase for pattern, phase in table if name and re.search(pattern, name)), None)
