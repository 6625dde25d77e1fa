"""What Weights & Biases prints."""

from logdoctor.formats.rows import Format, RunFolder, installed

FORMAT = Format(
    "wandb",
    markers=(installed("wandb"),),
    run_folders=(
        RunFolder(
            "a run",
            r"(?:offline-)?run-\d{8}_\d{6}-\w+",
            "offline-run-20260301_101500-ab12",
            holds_run=True,
        ),
        RunFolder("its folder", r"wandb|(?:offline-)?run-\d{8}_.*", "wandb", holds_run=False),
    ),
)
