"""`logdoctor slurm`, once its arguments are read: where Slurm says that a job wrote.

`scontrol` knows a job until some minutes after its end, `sacct` as long as the site keeps accounts;
the latter names output files only since Slurm 24.05, else they are told by the command line of the
job, or have Slurm's own name.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.cli.options import NEVER, Arguments
from logdoctor.cli.scanning import run_scan
from logdoctor.cli.terminal import EXIT_FOUND, EXIT_INTERRUPTED, EXIT_UNREADABLE, note, write
from logdoctor.errors import LogdoctorError
from logdoctor.model import Language
from logdoctor.texts.phrases import live as phrases

ANSWER_S = 60.0
"""Seconds that Slurm's daemons are waited for: a busy controller takes its time."""

FINE = frozenset({"COMPLETED", "COMPLETING", "CONFIGURING", "PENDING", "RUNNING", "SUSPENDED"})
"""States of a job that has not failed."""

JOB = re.compile(r"\d+(?:_\d+)?(?:\+\d+)?")

_KEY = re.compile(r"(?:^|\s)([A-Z]\w+(?:/\w+)?)=")
_WHOLE_LINES = ("StdOut", "StdErr", "WorkDir", "Command", "SubmitLine")
"""Keys whose values may have blanks, and stand alone in their lines."""

_ACCOUNTS = (
    "JobID", "JobName", "State", "ExitCode", "NodeList", "WorkDir", "SubmitLine", "JobIDRaw",
)  # fmt: skip
_FILES = ("StdOut", "StdErr")
_NO_TASK = "4294967294"
"""What Slurm writes for the task of a job that is none of an array (NO_VAL of slurm.h)."""

_PLACE = re.compile(r"%\d*([a-zA-Z%])")


class Job(NamedTuple):
    """A job as Slurm tells it.

    Attributes:
        state: Slurm's word, as `TIMEOUT`.
        exit_code: `code:signal`.
        files: what it wrote to, each once; those that are there.
        missing: those that are not.
    """

    id: str
    name: str
    state: str
    exit_code: str
    nodes: str
    files: tuple[str, ...]
    missing: tuple[str, ...] = ()


def run_slurm(arguments: Arguments) -> int:
    """Finds the outputs of the job, and judges them as `scan` does; the tasks of an array one by
    one. Returns the exit code, of several verdicts the worst.

    Raises:
        LogdoctorError: there is no such job, or no Slurm.
    """
    jobs = find_jobs(arguments.words[0])
    worst = 0
    for job in jobs:
        _tell(job, Language(arguments.lang), has_others=len(jobs) > 1)
        code = _judge(job, arguments)
        if code == EXIT_INTERRUPTED:
            return code
        worst = max(worst, code)
    return worst


def _judge(job: Job, arguments: Arguments) -> int:
    """The exit code of one job: one that failed is not well, whatever its logs show."""
    if not job.files:
        told = ", ".join(job.missing) or "Slurm names none"
        note(f"job {job.id}: its output is not there ({told})")
        return EXIT_UNREADABLE
    code = run_scan(Arguments(job.files, **{**arguments.given, "each": False}))
    if code or job.state in FINE:
        return code
    note(phrases.SLURM_UNEXPLAINED.say(Language(arguments.lang), job=job.id, state=job.state))
    return 0 if arguments.fail_on == NEVER else EXIT_FOUND


def _tell(job: Job, language: Language, *, has_others: bool) -> None:
    if has_others:
        write(f"\n{job.id}\n\n")
    note(
        phrases.SLURM_JOB.say(
            language,
            job=job.id,
            name=job.name,
            state=job.state,
            code=job.exit_code,
            nodes=job.nodes or "-",
            files=", ".join(job.files) or "-",
        )
    )


def find_jobs(job: str) -> list[Job]:
    """The job, or the tasks of an array, in Slurm's order.

    Raises:
        LogdoctorError: it is no job id, there is no such job, or no Slurm.
    """
    if not JOB.fullmatch(job):
        raise LogdoctorError(f'"{job}" is no job id; expected a number, as 4711 or 4711_3')
    complaints: list[str] = []
    found = list(scontrol_jobs(_asked(["scontrol", "show", "job", job], complaints)))
    # which fields there are depends on Slurm's release
    for fields in ((*_ACCOUNTS, *_FILES), _ACCOUNTS):
        if not found:
            command = ["sacct", "-X", "-P", "-n", "-D", "-j", job, "-o", ",".join(fields)]
            found = list(sacct_jobs(_asked(command, complaints), fields))
    if not found:
        told = "; ".join(dict.fromkeys(complaints))
        raise LogdoctorError(f"Slurm tells nothing of job {job} ({told or 'it is unknown'})")
    return found


def _asked(command: Sequence[str], complaints: list[str]) -> str:
    """What a program of Slurm prints; nothing where it is not there or refuses, and its complaint
    then.
    """
    try:
        done = subprocess.run(  # noqa: S603  # the job's id is checked
            command, capture_output=True, timeout=ANSWER_S, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        complaints.append(f"{command[0]}: no such program")
        return ""
    except (OSError, subprocess.TimeoutExpired) as error:
        complaints.append(f"{command[0]}: no answer ({type(error).__name__})")
        return ""
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        complaints += [f"{command[0]}: {each}" for each in said]
        return ""
    return done.stdout.decode("utf-8", "replace")


def scontrol_jobs(text: str) -> Iterator[Job]:
    """The jobs of `scontrol show job`, each of which begins with its number."""
    for record in re.split(r"(?m)^(?=JobId=)", text):
        values = _values(record)
        if "JobId" not in values:
            continue
        array = values.get("ArrayJobId")
        task = values.get("ArrayTaskId")
        yield _job(f"{array}_{task}" if array and task else values["JobId"], values)


def _values(record: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in record.splitlines():
        text = line.strip()
        key, _, value = text.partition("=")
        if key in _WHOLE_LINES:
            values[key] = value
            continue
        starts = list(_KEY.finditer(text))
        ends = [*(each.start() for each in starts[1:]), len(text)]
        for start, end in zip(starts, ends, strict=False):
            values.setdefault(start[1], text[start.end() : end].strip())
    return values


def sacct_jobs(text: str, fields: Sequence[str]) -> Iterator[Job]:
    """The jobs of `sacct -X -P`, one line each; the name of a job may hold its separator."""
    for line in text.splitlines():
        cells = line.split("|")
        extra = len(cells) - len(fields)
        if extra > 0:
            cells[1 : 2 + extra] = ["|".join(cells[1 : 2 + extra])]
        if len(cells) == len(fields):
            values = dict(zip(fields, cells, strict=True))
            values |= {"JobState": values["State"].split()[0] if values["State"] else ""}
            yield _job(values["JobID"], values)


def _job(job: str, values: Mapping[str, str]) -> Job:
    told = [values[name] for name in _FILES if values.get(name, "") not in {"", "/dev/null"}]
    folder = values.get("WorkDir", "")
    if not told:
        told = list(_by_command(values.get("SubmitLine", ""))) or [
            "slurm-%A_%a.out",
            "slurm-%j.out",
        ]
    there: dict[str, None] = {}
    missing: list[str] = []
    for name in told:
        path = os.path.join(folder, _filled(name, job, values))
        found = [path] if os.path.isfile(path) else sorted(glob.glob(_pattern(path)))
        there |= dict.fromkeys(found)
        missing += [] if found else [path]
    return Job(
        job,
        values.get("JobName", ""),
        values.get("JobState", ""),
        values.get("ExitCode", ""),
        values.get("NodeList", "").replace("(null)", ""),
        tuple(there),
        () if there else tuple(dict.fromkeys(missing)),
    )


def _by_command(line: str) -> Iterator[str]:
    """The files that a command line of sbatch or srun names."""
    try:
        words = shlex.split(line)
    except ValueError:
        return
    for word, behind in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name in {"--output", "--error"} and value:
            yield value
        elif word in {"-o", "-e", "--output", "--error"} and behind:
            yield behind


def _filled(name: str, job: str, values: Mapping[str, str]) -> str:
    """A name of Slurm's with what is known in its places; those of steps and tasks are left."""
    array, _, task = job.partition("_")
    # each task of an array is a job with a number of its own
    number = values.get("JobIDRaw") or values.get("JobId") or job
    known = {
        "j": number,
        "J": number,
        "A": array,
        "a": task or _NO_TASK,
        "x": values.get("JobName", ""),
    }
    known |= {"%": "%", "u": values.get("UserId", "").partition("(")[0]}
    return _PLACE.sub(lambda found: known.get(found[1]) or found[0], name)


def _pattern(path: str) -> str:
    """Files of all steps, nodes and tasks, where the name has a place for them."""
    return "*".join(map(glob.escape, re.split(r"%\d*[a-zA-Z]", path)))
