"""What transformers prints: its Trainer and its logger."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    DATE_TIME,
    Format,
    MarkerKind,
    PhaseWords,
    installed,
    phase,
    record,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "transformers",
    markers=(
        installed("transformers"),
        *phase(
            Phase.INIT,
            (r"Loading checkpoint shards", "Loading checkpoint shards:   0%|          | 0/4"),
        ),
        *told(
            MarkerKind.PROGRESS,
            (
                r"\{'loss': ?'?[0-9.naif-]+'?, ",
                "{'loss': 0.5, 'grad_norm': 0.1, 'learning_rate': 1e-05, 'epoch': 0.03}",
            ),
        ),
        *told(
            MarkerKind.END,
            (r"\{'train_runtime': ", "{'train_runtime': 12.3, 'train_samples_per_second': 1.0}"),
        ),
    ),
    methods=(
        PhaseWords(
            Phase.TRAIN,
            r"\btraining_step\b|compute_loss|_inner_training_loop",
            "_inner_training_loop",
        ),
        PhaseWords(
            Phase.CHECKPOINT, r"save_model\b|save_pretrained|safe_save_file", "save_pretrained"
        ),
        PhaseWords(Phase.EVAL, r"evaluation_loop", "evaluation_loop"),
        PhaseWords(Phase.INIT, r"from_pretrained", "from_pretrained"),
    ),
    prefixes=(
        record(
            "transformers",
            "[A",
            " >> ",
            rf"\[(?P<level>{LEVEL})\|[\w.]+:\d+\] (?P<time>{DATE_TIME}) >> ",
            "[INFO|trainer.py:2409] 2025-03-07 23:55:15,357 >> text",
        ),
    ),
)
