"""Names of folders that programs make for their runs: RUN_FOLDER, INSIDE_RUN, and of a job's files:
JOB_FILE.
"""

from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.frameworks.slurm import JOB_FILE
from logdoctor.formats.rows import RunFolder

__all__ = ["FOLDERS", "INSIDE_RUN", "JOB_FILE", "RUN_FOLDER"]

FOLDERS = (
    *(row for each in FORMATS for row in each.run_folders),
    RunFolder("what was measured", r"tensorboard|mlruns|eval", "tensorboard", holds_run=False),
    RunFolder("checkpoints", r"checkpoints?|ckpts?", "checkpoints", holds_run=False),
    RunFolder("servers", r"servers?", "server", holds_run=False),
    RunFolder(
        "roles",
        r"actor.*|critic.*|ref(?:erence)?|reward.*|rollout.*|learner.*|generator.*|master.*"
        r"|driver.*|head",
        "actor_train",
        holds_run=False,
    ),
)
"""Those of all frameworks, and those that many make."""

RUN_FOLDER = "|".join(row.pattern for row in FOLDERS if row.holds_run)
"""A folder that is one run."""

INSIDE_RUN = "|".join(row.pattern for row in FOLDERS if not row.holds_run)
"""A folder inside that of the run that uses it, in letters of either case."""
