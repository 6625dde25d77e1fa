"""Names of log files to who wrote them: lane_of_source, attempt_of_source.

In a folder that is one run, the name of a file often says more than its lines: Ray's session
folder, torchrun's `attempt_N/RANK/`, Slurm's per-task files, the log folders of Trinity, AReaL,
ROLL and DeepSpeed, and Kubernetes' containers.
"""

import re
from typing import NamedTuple

from logdoctor.model import Lane


class Name(NamedTuple):
    """A file name that tells who wrote the file.

    Attributes:
        marks: texts of which each such name has one.
        regex: searched in the source's name; groups `actor`, `rank`, `pid`, `host`, `attempt`.
        sample: a name it fits.
    """

    whose: str
    marks: tuple[str, ...]
    regex: str
    sample: str


NAMES: tuple[Name, ...] = (
    Name(
        "Ray worker",
        ("worker-",),
        r"(?:^|/)worker-[0-9a-f]{8,}-[0-9a-f]+-(?P<pid>\d+)\.(?:out|err)",
        "logs/worker-6de018b1bd6d8aaf0039370b-01000000-3047501.err",
    ),
    Name(
        "Ray core worker",
        ("python-core-",),
        r"python-core-(?P<actor>worker|driver)-[0-9a-f]{8,}_(?P<pid>\d+)\.log",
        "logs/python-core-worker-ef7daecccdc00112_3061289.log",
    ),
    Name(
        "Ray component",
        ("raylet", "gcs_server", "monitor", "dashboard"),
        r"(?:^|/)(?P<actor>raylet|gcs_server|monitor|dashboard|log_monitor)\.(?:out|err|log)",
        "logs/raylet.err",
    ),
    Name(
        "Ray job",
        ("job-driver-",),
        r"(?P<actor>job-driver)-[\w-]+\.log",
        "logs/job-driver-raysubmit_ABC.log",
    ),
    Name(
        "torchrun",
        ("attempt_",),
        r"attempt_(?P<attempt>\d+)/(?P<rank>\d+)/(?:stdout|stderr)\.log",
        "none_ab12/attempt_0/3/stderr.log",
    ),
    Name(
        "ROLL",
        ("log_rank_",),
        r"log_rank_(?P<actor>[\w.-]+?)_(?P<rank>\d+)_\d+\.log",
        "logs/log_rank_actor_train-0_0_8.log",
    ),
    Name(
        "Trinity",
        ("/log/",),
        (
            r"/log/(?:(?P<host>\d[\d.]+)/)?(?P<actor>(?:explorer|trainer|synchronizer"
            r"|checkpoint_monitor)\w*?)(?:_(?P<rank>\d+))?\.log"
        ),
        "run/log/explorer_runner_3.log",
    ),
    Name(
        "AReaL",
        ("/logs/",),
        (
            r"/logs/[^/]+/[^/]+/[^/]+/(?P<actor>main|actor|rollout|ref|critic|reward|trainer"
            r"|eval[\w-]*)\.log"
        ),
        "x/logs/me/exp/trial0/rollout.log",
    ),
    Name(
        "kubelet",
        ("/containers/",),
        r"/containers/(?P<actor>[a-z0-9.-]+)_[a-z0-9.-]+_[a-z0-9.-]+-[0-9a-f]{12,}\.log",
        "/var/log/containers/trainer-0_default_main-0123456789ab.log",
    ),
    Name(
        "Slurm task",
        ("task", "proc"),
        r"[-_.](?:task|proc)[-_]?(?P<rank>\d{1,5})\.(?:out|err|log)",
        "slurm-123-task3.out",
    ),
    Name(
        "one file per rank",
        ("rank",),
        r"(?:^|[^a-z])(?:global_|local_)?rank[-_]?(?P<rank>\d{1,5})(?:\D|$)",
        "logs/train_rank7.log",
    ),
)


def lane_of_source(name: str) -> Lane:
    """Who wrote a file, as far as its name tells; the first row that fits counts."""
    for row in NAMES:
        found = re.search(row.regex, name) if any(map(name.__contains__, row.marks)) else None
        if found:
            told = found.groupdict()
            rank, pid = told.get("rank"), told.get("pid")
            return Lane(
                told.get("host"),
                int(rank) if rank else None,
                int(pid) if pid else None,
                told.get("actor"),
            )
    return Lane()


def attempt_of_source(name: str) -> tuple[str, int] | None:
    """The run that a file belongs to and the number of its attempt, from 0, where a launcher
    keeps attempts apart.
    """
    found = re.search(r"^(.*?)attempt_(\d+)/", name) if "attempt_" in name else None
    return (found[1], int(found[2])) if found else None
