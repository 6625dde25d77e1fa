"""What Slurm prints."""

from logdoctor.formats.rows import FileName, Format, MarkerKind, told, transport

FORMAT = Format(
    "slurm",
    markers=(
        *told(
            MarkerKind.CANCEL,
            (
                r"\*\*\* (?P<job>JOB|STEP) [^ ]+ ON [^ ]+ CANCELLED AT ",
                "slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2026-11-21T10:07:00 ***",
            ),
        ),
    ),
    carriers=(
        transport(
            "srun --label",
            "0|_0|__",
            ":",
            r" {0,4}(?P<rank>\d{1,5}):(?: (?=\S| )|$)",
            "3: text",
            " 12: text",
        ),
    ),
    file_names=(
        FileName(
            "Slurm task",
            ("task", "proc"),
            r"[-_.](?:task|proc)[-_]?(?P<rank>\d{1,5})\.(?:out|err|log)",
            "slurm-123-task3.out",
        ),
    ),
)

JOB_FILE = (
    r"(?P<job>slurm[-_]\d+(?:_\d+)?|(?!worker|python-core|rank|node|host|gpu|raylet"
    r"|global_step)[\w.+-]*?[-_.]\d{4,12}(?:_\d{1,6})?)"
    r"(?:[-_.][\w-]{0,60})?\.(?:out|err|log)(?:\.(?:gz|bz2|xz|zst))?"
)
"""Files of one job: `slurm-%j.out`, `slurm-%A_%a.out`, and what users make of `--output`:
`%x.%j.err`, `%x-%j-%N.out`; at least four digits.
"""
