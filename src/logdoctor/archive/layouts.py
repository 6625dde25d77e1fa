"""Which folders, files and archives are runs: find_runs.

Works on names alone, from the top down, so that it needs no more of a tree in memory than the
folders it stands in. What the folders are called is documented by the programs that make them: Ray
("Logging" in its observability guide), torch (`torch.distributed.elastic.multiprocessing`), Slurm
(`sbatch --output`), wandb (`wandb/run-<time>-<id>`), Trinity-RFT (`<name>/log/trainer.log`), AReaL
(`logs/<user>/<experiment>/<trial>/`), ROLL (`log_rank_<worker>_<rank>_<size>.log`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple

from logdoctor.formats.run_folders import INSIDE_RUN, JOB_FILE, RUN_FOLDER
from logdoctor.sources.dump_files import is_dump_name
from logdoctor.sources.finding import is_archive_name, is_log_name


class PlanKind(str, Enum):
    """What a plan tells to read."""

    FOLDER = "folder"
    FILES = "files"
    ARCHIVE = "archive"


class Plan(NamedTuple):
    """One thing to read: a run, or an archive that may hold several.

    Attributes:
        path: below its root, parts separated by `/`; `""` for the root itself. For `FILES` the name
            of the run.
        files: paths below the root of the files that make up the run; for `FOLDER` empty: all that
            is in it.
    """

    path: str
    kind: PlanKind
    files: tuple[str, ...] = ()


class Listing(NamedTuple):
    """What stands in a folder: names, sorted; `files` only logs, archives and dumps."""

    folders: Sequence[str]
    files: Sequence[str]


ListFolder = Callable[[str], Listing]
"""The listing of the folder of this path below the root."""

_RUN_FOLDER = re.compile(RUN_FOLDER)
_JOB_FILE = re.compile(JOB_FILE)
_PART = re.compile(
    (
        r"(?:logs?|stdout|stderr|out|err|outputs?|files|console|old)|(?:(?:local_?)?rank|node"
        r"|worker|host|gpu|task|proc|pod)[-_]?\d+"
    ),
    re.IGNORECASE,
)
"""Folders that hold a part of the run in whose folder they stand."""

_INSIDE = re.compile(INSIDE_RUN, re.IGNORECASE)
"""Folders that programs make inside the folder of the run that uses them, and folders named for
roles.
"""

SEARCH_DEPTH = 4
"""Folders below each other in which logs are looked for, to tell a run from a folder of runs."""

_WEAK_LOG = re.compile(r".*\.(?:txt|jsonl)(?:\.\w+)?", re.IGNORECASE)
_NOTE = re.compile(
    (
        r"(?:requirements|readme|licen[sc]e|changelog|notes?|todo|constraints|environment"
        r"|pip[-_]?freeze).*\.(?:txt|jsonl)"
    ),
    re.IGNORECASE,
)


def find_runs(list_folder: ListFolder, run_glob: str | None = None) -> Iterator[Plan]:
    """The runs and archives of a tree, in the order of their names, each file in at most one.

    Args:
        list_folder: tells what stands in a folder; called once or twice for each, from the top
            down.
        run_glob: paths of runs below the root (`*` within a name, `**` across folders); instead of
            recognising layouts.
    """
    if run_glob is not None:
        yield from _by_glob(list_folder, "", _glob_regex(run_glob))
    else:
        yield from _in_folder(list_folder, "")


def _in_folder(list_folder: ListFolder, path: str) -> Iterator[Plan]:
    name = path.rpartition("/")[2]
    if _RUN_FOLDER.fullmatch(name):
        yield Plan(path, PlanKind.FOLDER)
        return
    listing = list_folder(path)
    logs = [each for each in listing.files if is_log_name(each) and not is_archive_name(each)]
    jobs = slurm_jobs(logs)
    # several jobs are several runs
    if _is_run(list_folder, path, listing, logs) and len(jobs) < 2:  # noqa: PLR2004
        yield Plan(path, PlanKind.FOLDER)
        return
    plans = [
        Plan(_join(path, each), PlanKind.ARCHIVE, (_join(path, each),))
        for each in listing.files
        if is_archive_name(each)
    ]
    for job, files in jobs.items():
        name = job if len(files) > 1 else files[0]
        plans.append(
            Plan(_join(path, name), PlanKind.FILES, tuple(_join(path, each) for each in files))
        )
    in_jobs = {each for files in jobs.values() for each in files}
    alone = [each for each in logs if each not in in_jobs and not _NOTE.fullmatch(each)]
    plans += [Plan(_join(path, each), PlanKind.FILES, (_join(path, each),)) for each in alone]
    below = {_join(path, each): each for each in listing.folders}
    named = {plan.path: plan for plan in plans}
    for child in sorted({*below, *named}):
        if child in named:
            yield named[child]
        if child in below:
            yield from _in_folder(list_folder, child)


def _is_run(list_folder: ListFolder, path: str, listing: Listing, logs: Sequence[str]) -> bool:
    """Whether the folder and all below it is one run: it has logs itself, and at most one folder
    that may be a run of its own.

    One without logs is a run where all the logs below it stand in folders named for parts of a run
    (`log`, `rank_0`), or where its processes dumped what they were at and no other run is below it.
    """
    if not logs and any(map(is_dump_name, listing.files)):
        below = (_join(path, each) for each in listing.folders)
        has_archives = any(map(is_archive_name, listing.files))
        return not has_archives and not any(_holds_logs(list_folder, each) for each in below)
    strong = [each for each in logs if not _WEAK_LOG.fullmatch(each)]
    parts = [each for each in listing.folders if _PART.fullmatch(each)]
    if strong or (logs and not listing.folders and not all(map(_NOTE.fullmatch, logs))):
        others = (
            each for each in listing.folders if each not in parts and not _INSIDE.fullmatch(each)
        )
        return (
            sum(
                1
                for _ in islice(
                    (each for each in others if _holds_logs(list_folder, _join(path, each))), 2
                )
            )
            < 2  # noqa: PLR2004
        )
    return (
        bool(path)
        and bool(parts)
        and len(parts) == len(listing.folders)
        and any(_has_logs(list_folder(_join(path, each))) for each in parts)
    )


def _holds_logs(list_folder: ListFolder, path: str, depth: int = SEARCH_DEPTH) -> bool:
    listing = list_folder(path)
    if _has_logs(listing) or any(map(is_archive_name, listing.files)):
        return True
    return depth > 1 and any(
        _holds_logs(list_folder, _join(path, each), depth - 1) for each in listing.folders
    )


def _has_logs(listing: Listing) -> bool:
    return any(not _WEAK_LOG.fullmatch(each) and is_log_name(each) for each in listing.files)


def slurm_jobs(names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The files of each Slurm job in a folder, by what their names share: `job.4711` for
    `job.4711.out` and `job.4711.err`.
    """
    jobs: dict[str, list[str]] = {}
    for name in names:
        found = _JOB_FILE.fullmatch(name)
        if found:
            jobs.setdefault(found["job"], []).append(name)
    if not any(
        name.startswith("slurm") or ".out" in name or ".err" in name
        for files in jobs.values()
        for name in files
    ):
        return {}
    return {job: tuple(files) for job, files in jobs.items()}


def _by_glob(list_folder: ListFolder, path: str, wanted: re.Pattern[str]) -> Iterator[Plan]:
    if path and wanted.fullmatch(path):
        yield Plan(path, PlanKind.FOLDER)
        return
    listing = list_folder(path)
    files = [each for each in listing.files if wanted.fullmatch(_join(path, each))]
    for name in sorted({*files, *listing.folders}):
        child = _join(path, name)
        if name in files:
            yield Plan(
                child, PlanKind.ARCHIVE if is_archive_name(name) else PlanKind.FILES, (child,)
            )
        if name in listing.folders:
            yield from _by_glob(list_folder, child, wanted)


def _glob_regex(pattern: str) -> re.Pattern[str]:
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", pattern.strip("/"))
    return re.compile("".join(wild.get(token) or re.escape(token) for token in tokens))


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


class NameTree:
    """A tree known by the paths of its files (all of them logs), as the members of an archive
    are.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._files: dict[str, list[str]] = {}
        self._folders: dict[str, set[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            self._files.setdefault(folder, []).append(name)
            while folder:
                parent, _, name = folder.rpartition("/")
                self._folders.setdefault(parent, set()).add(name)
                folder = parent

    def list_folder(self, path: str) -> Listing:
        """What stands in this folder; nothing where there is none."""
        return Listing(sorted(self._folders.get(path, ())), sorted(self._files.get(path, ())))
